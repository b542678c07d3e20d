/// A limit on the number of refreshes in a period, for a server that refuses its own new credentials.
public struct RefreshWindow: Hashable, Sendable {
    /// The length of the period, for which a refresh counts after its start.
    public var interval: Duration
    /// The maximum number of refreshes within `interval`.
    public var limit: Int

    public init(interval: Duration = .seconds(30), limit: Int = 5) {
        self.interval = interval
        self.limit = limit
    }
}

struct RefreshHistory {
    let window: RefreshWindow?
    private var starts: [Duration] = []
    var lastFailure: AuthenticationError?

    init(window: RefreshWindow?) { self.window = window }

    /// Records the start of a refresh at a time on a monotonic clock, unless there is no window.
    ///
    /// - Throws: `.excessiveRefresh` if as many refreshes as `window` allows were started within its period.
    mutating func begin(at now: Duration) throws(AuthenticationError) {
        guard let window else { return }
        starts.removeAll { now - $0 >= window.interval }
        guard starts.count < window.limit else { throw .excessiveRefresh(last: lastFailure) }
        starts.append(now)
    }
}
