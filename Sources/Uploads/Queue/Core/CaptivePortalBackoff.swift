import FerryProtocols

/// The pause of all uploads to a host after a captive portal responded in place of the host.
///
/// After each `interval`, one upload starts, to check whether the host itself responds again. The other uploads wait,
/// because the portal must not receive their bytes.
struct CaptivePortalBackoff<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The time between two checks. It is short, so that uploads start soon after the user has signed in.
    static var interval: Duration { .seconds(10) }
    /// The time for which the checking upload must run before all uploads can start. A captive portal responds in less
    /// time.
    private static var trial: Duration { .seconds(20) }

    /// The moment until which no upload to the host starts. From this moment on, one upload at a time can start, to
    /// check the host.
    let until: Instant
    /// The moment after which all uploads to the host can start.
    let end: Instant
    /// The message that users see during the pause.
    let notice: UploadFailure

    init(at now: Instant, notice: UploadFailure) {
        until = now.advanced(by: Self.interval)
        end = until.advanced(by: Self.trial)
        self.notice = notice
    }

    func nextInstant(after now: Instant) -> Instant { now < until ? until : end }
}
