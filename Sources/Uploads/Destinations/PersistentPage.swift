import FerryFiles

/// A suspected sign-in page in a server's place, and the time for which it has stood there. Pure.
struct PersistentPage {
    /// A page that stands there for a whole day is the server's by now.
    private static let longest: TimeInterval = 86_400
    /// Pages further apart have nothing to do with each other: there may have been another network between.
    private static let gap: TimeInterval = 600

    private var since: Date
    private var last: Date

    init(at now: Date) { (since, last) = (now, now) }

    /// The page was seen again.
    mutating func returned(at now: Date) {
        if !follows(at: now) { since = now }
        last = now
    }

    /// True if the page counts as the server's own answer.
    func isServers(at now: Date) -> Bool { follows(at: now) && now.timeIntervalSince(since) > Self.longest }

    /// A clock that was put back begins anew.
    private func follows(at now: Date) -> Bool { (0...Self.gap).contains(now.timeIntervalSince(last)) }
}
