import Synchronization

/// A limit in bytes per second that all uploads share. While an upload waits its turn, TCP slows its client down.
final class ReceiveRate: Sendable {
    private let bytesPerSecond: Int
    private let free = Mutex(ContinuousClock.Instant.now)

    init(bytesPerSecond: Int) { self.bytesPerSecond = max(1, bytesPerSecond) }

    /// Waits until the limit permits `bytes` more bytes. The bytes of all earlier calls come first.
    func pass(_ bytes: Int) async throws {
        let turn = Duration.seconds(Double(bytes) / Double(bytesPerSecond))
        let until = free.withLock { free in
            free = max(free, .now) + turn
            return free
        }
        try await Task.sleep(until: until, clock: .continuous)
    }
}
