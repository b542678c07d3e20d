/// Decides whether a client sends the body of a request too slowly. If so, the receiver closes the connection.
///
/// Only the time in which the receiver waits for the client counts. So a client is not disconnected because the
/// receiver's disk is slow, or because the receiver limits the rate.
struct BodyRate: Sendable {
    private let leastPerSecond: Int
    private let window: Duration
    private var waited = Duration.zero
    private var bytes = 0

    /// - Parameters:
    ///   - leastPerSecond: The minimum number of bytes per second.
    ///   - window: The time between two checks of the rate, measured only while the receiver waits for bytes.
    init(leastPerSecond: Int, over window: Duration) {
        self.leastPerSecond = leastPerSecond
        self.window = window
    }

    /// Counts `count` bytes that arrived after the receiver had waited for the time `wait`. Checks the rate each time
    /// the waiting times add up to `window` or more.
    ///
    /// - Returns: False if the rate was checked now, and was below `leastPerSecond`.
    mutating func allows(_ count: Int, after wait: Duration) -> Bool {
        waited += wait
        bytes += count
        guard waited >= window else { return true }
        defer { (waited, bytes) = (.zero, 0) }
        return Double(bytes) >= Double(leastPerSecond) * (waited / .seconds(1))
    }
}
