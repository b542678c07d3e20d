import FerryProtocols

/// A time in which files and sockets could not be opened because too many are open. Pure.
///
/// While it lasts nothing new is started but once in a while: whatever runs must end first.
struct FileDescriptorExhaustion<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The moment until which nothing starts.
    let pausedUntil: Instant
    /// Then nobody has to be told any more.
    let end: Instant

    /// The notice for people meanwhile.
    let notice: UploadFailure

    init(at now: Instant, notice: UploadFailure) {
        self.notice = notice
        pausedUntil = now.advanced(by: .seconds(1))
        end = now.advanced(by: .seconds(5))
    }

    /// The next moment at which something is to be done.
    func nextInstant(after now: Instant) -> Instant { now < pausedUntil ? pausedUntil : end }
}
