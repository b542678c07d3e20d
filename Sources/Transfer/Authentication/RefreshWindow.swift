/// A limit on renewals of credentials, against a server that refuses what it has just issued.
public struct RefreshWindow: Hashable, Sendable {
    /// Looks back so far from each renewal.
    public var interval: Duration
    /// Renewals begun within `interval`.
    public var limit: Int

    public init(interval: Duration = .seconds(30), limit: Int = 5) {
        self.interval = interval
        self.limit = limit
    }
}

/// The moments at which renewals began, and the outcome of the last one.
struct RefreshHistory {
    let window: RefreshWindow?
    private var starts: [Duration] = []
    var lastFailure: AuthenticationError?

    init(window: RefreshWindow?) { self.window = window }

    /// Writes a renewal down.
    ///
    /// - Parameter now: By a clock that nobody can set.
    /// - Throws: `.excessiveRefresh` if there were too many.
    mutating func begin(at now: Duration) throws(AuthenticationError) {
        guard let window else { return }
        starts.removeAll { now - $0 >= window.interval }
        guard starts.count < window.limit else { throw .excessiveRefresh(last: lastFailure) }
        starts.append(now)
    }
}
