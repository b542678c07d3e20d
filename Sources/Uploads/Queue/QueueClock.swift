public import struct Foundation.Date

/// Where the queue's time comes from. Waits go by a clock that nobody can set; dates are for people and for files.
public struct QueueClock: Sendable {
    /// Not set back and not stopped while the machine sleeps.
    public var now: @Sendable () -> ContinuousClock.Instant
    /// Returns at the instant, or throws when the task is cancelled.
    public var sleep: @Sendable (ContinuousClock.Instant) async throws -> Void
    /// The wall clock.
    public var date: @Sendable () -> Date

    public init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (ContinuousClock.Instant) async throws -> Void,
        date: @escaping @Sendable () -> Date
    ) {
        self.now = now
        self.sleep = sleep
        self.date = date
    }

    /// The system's clocks.
    public static let system = QueueClock(
        now: { .now }, sleep: { try await Task.sleep(until: $0, clock: .continuous) }, date: { Date() })
}
