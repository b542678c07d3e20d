/// The first and the last page of a series that possibly came from a captive portal, or after a day, from the server.
struct PersistentPage {
    /// The number of seconds after which suspicious pages count as responses of the server.
    private static let longest: TimeInterval = 86_400
    /// The maximum number of seconds between two pages of a series. Later, the machine may be in another network.
    private static let gap: TimeInterval = 600

    private var since: Date
    private var last: Date

    init(at now: Date) { (since, last) = (now, now) }

    mutating func returned(at now: Date) {
        if !follows(at: now) { since = now }
        last = now
    }

    /// True if a page at the time `now` continues a series that began more than a day ago.
    func isServers(at now: Date) -> Bool { follows(at: now) && now.timeIntervalSince(since) > Self.longest }

    /// True if a page continues the series. False also if the clock was set back since the last page.
    private func follows(at now: Date) -> Bool { (0...Self.gap).contains(now.timeIntervalSince(last)) }
}
