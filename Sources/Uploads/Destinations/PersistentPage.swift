import FerryFiles

/// The times at which one target responded with pages that may come from a captive portal. If it does so for more than
/// a day, the pages are the server's own. Pure: the caller passes the time.
struct PersistentPage {
    /// The number of seconds of such pages after which they count as the server's own.
    private static let longest: TimeInterval = 86_400
    /// The maximum number of seconds between two such pages. After more, another network may have been in use.
    private static let gap: TimeInterval = 600

    private var since: Date
    private var last: Date

    init(at now: Date) { (since, last) = (now, now) }

    /// Notes that such a page was returned again.
    mutating func returned(at now: Date) {
        if !follows(at: now) { since = now }
        last = now
    }

    /// Returns whether such a page counts as the server's own response now.
    func isServers(at now: Date) -> Bool { follows(at: now) && now.timeIntervalSince(since) > Self.longest }

    /// Returns whether `now` continues the series of pages. If the clock was set back, a new series begins.
    private func follows(at now: Date) -> Bool { (0...Self.gap).contains(now.timeIntervalSince(last)) }
}
