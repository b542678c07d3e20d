import FerryProtocols

/// A time in which something else answers in a host's place. Pure.
///
/// One upload at a time goes there meanwhile, and only once in a while: what the others would send is no business of
/// whoever answers.
struct CaptivePortalBackoff<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The time between two looks: a person who signs in does not want to wait much longer.
    static var interval: Duration { .seconds(10) }
    /// A page answers soon. One upload that goes on for so long has the server.
    private static var trial: Duration { .seconds(20) }

    /// The moment until which nothing is sent there; then one upload may look.
    let until: Instant
    /// Then the others may go too.
    let end: Instant
    /// The notice for people meanwhile.
    let notice: UploadFailure

    init(at now: Instant, notice: UploadFailure) {
        until = now.advanced(by: Self.interval)
        end = until.advanced(by: Self.trial)
        self.notice = notice
    }

    /// The next moment at which something may start.
    func nextInstant(after now: Instant) -> Instant { now < until ? until : end }
}
