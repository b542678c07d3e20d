import FerryFiles

/// The times of the first and the last suspicious page from one target. Suspicious pages are web pages that possibly
/// come from a captive portal. If they arrive for more than a day, the server itself probably sends them.
struct PersistentPage {
    /// The number of seconds after which suspicious pages count as responses of the server.
    private static let longest: TimeInterval = 86_400
    /// The maximum number of seconds between two pages of the same series. After a longer time, this machine is
    /// possibly in another network, so a new series begins.
    private static let gap: TimeInterval = 600

    private var since: Date
    private var last: Date

    init(at now: Date) { (since, last) = (now, now) }

    /// Records a page at the time `now` that possibly comes from a captive portal. If the last page was more than `gap`
    /// seconds ago, a new series of pages begins.
    mutating func returned(at now: Date) {
        if !follows(at: now) { since = now }
        last = now
    }

    /// True if a page at the time `now` counts as a response of the server, although it looks like a captive portal's
    /// page. This requires that the page continues a series of pages that began more than a day ago.
    func isServers(at now: Date) -> Bool { follows(at: now) && now.timeIntervalSince(since) > Self.longest }

    /// True if a page at the time `now` continues the current series: the last page was at most `gap` seconds ago.
    /// False if the clock was set back since the last page.
    private func follows(at now: Date) -> Bool { (0...Self.gap).contains(now.timeIntervalSince(last)) }
}
