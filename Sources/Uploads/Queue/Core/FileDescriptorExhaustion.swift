import FerryProtocols

/// A time in which files and sockets cannot be opened because too many are open. Pure.
///
/// Meanwhile new uploads start only at intervals: running ones must end first.
struct FileDescriptorExhaustion<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The moment until which nothing starts.
    let pausedUntil: Instant
    /// The moment after which the notice is obsolete.
    let end: Instant

    /// The notice for users meanwhile.
    let notice: UploadFailure

    init(at now: Instant, notice: UploadFailure) {
        self.notice = notice
        pausedUntil = now.advanced(by: .seconds(1))
        end = now.advanced(by: .seconds(5))
    }

    /// Returns the next moment at which something is due.
    func nextInstant(after now: Instant) -> Instant { now < pausedUntil ? pausedUntil : end }
}
