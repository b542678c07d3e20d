import FerryProtocols

/// The pause of uploads to a host after a captive portal responded instead of it. Pure.
///
/// During the pause, only one upload at a time is allowed to check the host, at intervals. The owner of the portal must
/// not receive the bytes of the other uploads.
struct CaptivePortalBackoff<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The time between two checks. It is short, so that uploads start soon after the user has signed in.
    static var interval: Duration { .seconds(10) }
    /// The time after which the checking upload counts as having reached the host. A captive portal responds sooner.
    private static var trial: Duration { .seconds(20) }

    /// The moment until which no upload to the host starts. After it, one upload can check the host.
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

    /// Returns the next moment at which one upload, or all of them, can start.
    func nextInstant(after now: Instant) -> Instant { now < until ? until : end }
}
