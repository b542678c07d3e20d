import FerryProtocols

/// A time in which a captive portal responds in a host's place. Pure.
///
/// Meanwhile only one upload at a time goes there, and only at intervals: the portal's owner must not receive the bytes
/// of the others.
struct CaptivePortalBackoff<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The time between two checks: a user who signs in does not want to wait much longer.
    static var interval: Duration { .seconds(10) }
    /// A captive portal responds soon. An upload that runs for longer has reached the server.
    private static var trial: Duration { .seconds(20) }

    /// The moment until which nothing is sent there; afterwards one upload may check.
    let until: Instant
    /// The moment after which the others may start too.
    let end: Instant
    /// The notice for users meanwhile.
    let notice: UploadFailure

    init(at now: Instant, notice: UploadFailure) {
        until = now.advanced(by: Self.interval)
        end = until.advanced(by: Self.trial)
        self.notice = notice
    }

    /// Returns the next moment at which an upload may start.
    func nextInstant(after now: Instant) -> Instant { now < until ? until : end }
}
