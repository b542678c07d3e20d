import FerryProtocols

/// A pause in which no upload starts, because a file or socket could not be opened: too many are open.
///
/// During the pause, running uploads can end and close their files. After the pause, uploads start again. If a file or
/// socket still cannot be opened, another pause begins.
struct FileDescriptorExhaustion<Instant: InstantProtocol> where Instant.Duration == Duration {
    let pausedUntil: Instant
    /// The moment after which `notice` is obsolete.
    let end: Instant

    /// The message that users see until `end`.
    let notice: UploadFailure

    init(at now: Instant, notice: UploadFailure) {
        self.notice = notice
        pausedUntil = now.advanced(by: .seconds(1))
        end = now.advanced(by: .seconds(5))
    }

    func nextInstant(after now: Instant) -> Instant { now < pausedUntil ? pausedUntil : end }
}
