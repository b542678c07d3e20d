import FerryProtocols

/// The pause of all starts after too many open files prevented the opening of a file or socket. Pure.
///
/// Running uploads may end in the pause, and close their files. Then uploads start again, and the next such failure
/// begins another pause.
struct FileDescriptorExhaustion<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The moment until which no upload starts.
    let pausedUntil: Instant
    /// The moment after which the notice is obsolete.
    let end: Instant

    /// The notice for users until `end`.
    let notice: UploadFailure

    init(at now: Instant, notice: UploadFailure) {
        self.notice = notice
        pausedUntil = now.advanced(by: .seconds(1))
        end = now.advanced(by: .seconds(5))
    }

    /// Returns the next moment at which uploads may start or the notice ends.
    func nextInstant(after now: Instant) -> Instant { now < pausedUntil ? pausedUntil : end }
}
