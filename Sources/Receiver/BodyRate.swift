/// Decides when a body arrives too slowly to keep its connection.
///
/// Only time spent waiting for the client counts, so a slow disk or a limited receiver disconnects no client.
struct BodyRate: Sendable {
    private let leastPerSecond: Int
    private let window: Duration
    private var waited = Duration.zero
    private var bytes = 0

    /// - Parameters:
    ///   - leastPerSecond: The minimum number of bytes per second.
    ///   - window: The waiting time over which they are counted.
    init(leastPerSecond: Int, over window: Duration) {
        self.leastPerSecond = leastPerSecond
        self.window = window
    }

    /// Counts `count` bytes that arrived after this wait.
    ///
    /// - Returns: False at the end of a window in which too few bytes came.
    mutating func allows(_ count: Int, after wait: Duration) -> Bool {
        waited += wait
        bytes += count
        guard waited >= window else { return true }
        defer { (waited, bytes) = (.zero, 0) }
        return Double(bytes) >= Double(leastPerSecond) * (waited / .seconds(1))
    }
}
