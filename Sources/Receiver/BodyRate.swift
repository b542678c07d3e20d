/// Decides when a body arrives too slowly to keep its connection.
///
/// Only time spent waiting for the client counts, so a slow disk or a receiver with a rate limit disconnects no client.
struct BodyRate: Sendable {
    private let leastPerSecond: Int
    private let window: Duration
    private var waited = Duration.zero
    private var bytes = 0

    /// - Parameters:
    ///   - leastPerSecond: The minimum number of bytes per second.
    ///   - window: The rate is checked each time the receiver has waited this long, in total, for bytes of the client.
    init(leastPerSecond: Int, over window: Duration) {
        self.leastPerSecond = leastPerSecond
        self.window = window
    }

    /// Counts bytes that arrived after waiting for the client.
    ///
    /// - Returns: False if a window ends here and too few bytes arrived in it.
    mutating func allows(_ count: Int, after wait: Duration) -> Bool {
        waited += wait
        bytes += count
        guard waited >= window else { return true }
        defer { (waited, bytes) = (.zero, 0) }
        return Double(bytes) >= Double(leastPerSecond) * (waited / .seconds(1))
    }
}
