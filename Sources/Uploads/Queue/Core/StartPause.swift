import FerryProtocols

/// A pause in which no upload starts, or none to one host, and a time after it in which the cause can return. After a
/// captive portal responded in place of a host, only one upload at a time starts in that time, to check the host.
struct StartPause {
    typealias Instant = ContinuousClock.Instant

    /// The time between two checks of a host behind a captive portal; short, so that uploads start soon after the user
    /// has signed in.
    static let portalInterval = Duration.seconds(10)

    /// The moment until which no upload starts. After it all can start, or behind a captive portal one at a time.
    let until: Instant
    /// The moment after which `notice` is obsolete, and after a captive portal all uploads can start.
    let end: Instant
    let notice: UploadFailure

    init(at now: Instant, for pause: Duration, andThen rest: Duration, notice: UploadFailure) {
        until = now.advanced(by: pause)
        end = until.advanced(by: rest)
        self.notice = notice
    }

    func nextInstant(after now: Instant) -> Instant { now < until ? until : end }
}
