/// Decides when a body comes too slowly to be worth the connection that it occupies.
///
/// Only time spent waiting for the client counts, so a slow disk or a limited receiver cuts nobody off.
struct BodyRate: Sendable {
    private let leastPerSecond: Int
    private let window: Duration
    private var waited = Duration.zero
    private var bytes = 0

    /// - Parameters:
    ///   - leastPerSecond: Bytes a second that must come.
    ///   - window: The waiting time over which they are counted.
    init(leastPerSecond: Int, over window: Duration) {
        self.leastPerSecond = leastPerSecond
        self.window = window
    }

    /// Takes in `count` bytes that came after waiting so long for them.
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
