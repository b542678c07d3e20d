import FerryFiles

/// A suspected captive portal page, and the time since which it was returned in a server's place. Pure.
struct PersistentPage {
    /// The number of seconds after which a page counts as the server's own.
    private static let longest: TimeInterval = 86_400
    /// The number of seconds after which pages are unrelated: another network may have been in use between them.
    private static let gap: TimeInterval = 600

    private var since: Date
    private var last: Date

    init(at now: Date) { (since, last) = (now, now) }

    /// Notes that the page was returned again.
    mutating func returned(at now: Date) {
        if !follows(at: now) { since = now }
        last = now
    }

    /// True if the page counts as the server's own response.
    func isServers(at now: Date) -> Bool { follows(at: now) && now.timeIntervalSince(since) > Self.longest }

    /// Returns false after a clock was set back, which begins a new count.
    private func follows(at now: Date) -> Bool { (0...Self.gap).contains(now.timeIntervalSince(last)) }
}
