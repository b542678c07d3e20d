import Synchronization

/// A limit in bytes per second that all uploads share. While an upload waits its turn, TCP slows its client down.
final class ReceiveRate: Sendable {
    private let bytesPerSecond: Int
    private let free = Mutex(ContinuousClock.Instant.now)

    init(bytesPerSecond: Int) { self.bytesPerSecond = max(1, bytesPerSecond) }

    /// Waits until the limit permits `bytes` more bytes, after the bytes of all earlier calls.
    func pass(_ bytes: Int) async throws {
        let turn = Duration.seconds(Double(bytes) / Double(bytesPerSecond))
        let until = free.withLock { free in
            free = max(free, .now) + turn
            return free
        }
        try await Task.sleep(until: until, clock: .continuous)
    }
}

/// Decides whether a client sends the body of a request too slowly. Only the time in which the receiver waits for the
/// client counts, not the time that a slow disk or the receiver's own limit takes.
struct BodyRate: Sendable {
    private let leastPerSecond: Int
    private let window: Duration
    private var waited = Duration.zero
    private var bytes = 0

    /// - Parameter window: The waiting time between two checks of the rate.
    init(leastPerSecond: Int, over window: Duration) {
        self.leastPerSecond = leastPerSecond
        self.window = window
    }

    /// Counts bytes that arrived after a time of waiting. Returns false if the rate is found to be too low.
    mutating func allows(_ count: Int, after wait: Duration) -> Bool {
        waited += wait
        bytes += count
        guard waited >= window else { return true }
        defer { (waited, bytes) = (.zero, 0) }
        return Double(bytes) >= Double(leastPerSecond) * (waited / .seconds(1))
    }
}
