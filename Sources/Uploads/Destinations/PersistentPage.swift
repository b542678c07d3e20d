import FerryFiles

/// The times at which one target responded with pages that possibly come from a captive portal. If such responses
/// continue for more than a day, they count as responses of the server itself. Pure: the caller passes the time.
struct PersistentPage {
    /// The number of seconds after which a series of pages that look like those of a captive portal counts as the
    /// server's own.
    private static let longest: TimeInterval = 86_400
    /// The maximum number of seconds between two responses of a series. A longer gap possibly means another network.
    private static let gap: TimeInterval = 600

    private var since: Date
    private var last: Date

    init(at now: Date) { (since, last) = (now, now) }

    /// Records one more response that possibly comes from a captive portal.
    mutating func returned(at now: Date) {
        if !follows(at: now) { since = now }
        last = now
    }

    /// Returns whether a page at the time `now` counts as the server's own response, although it looks like that of a
    /// captive portal.
    func isServers(at now: Date) -> Bool { follows(at: now) && now.timeIntervalSince(since) > Self.longest }

    /// Returns whether a response at `now` continues the series. If the clock was set back, a new series begins.
    private func follows(at now: Date) -> Bool { (0...Self.gap).contains(now.timeIntervalSince(last)) }
}
