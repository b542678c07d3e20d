public import FerryFiles

/// The source of the queue's time. Delays use a clock that cannot be set; dates are for display and for files.
public struct QueueClock: Sendable {
    /// Returns the time, which is neither set back nor stopped while the machine sleeps.
    public var now: @Sendable () -> ContinuousClock.Instant
    /// Returns at the instant, or throws when the task is cancelled.
    public var sleep: @Sendable (ContinuousClock.Instant) async throws -> Void
    /// The wall clock.
    public var date: @Sendable () -> Date
    /// The time zone that gives a date its day and time of day.
    public var zone: ZoneRules

    public init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (ContinuousClock.Instant) async throws -> Void,
        date: @escaping @Sendable () -> Date, zone: ZoneRules = .local
    ) {
        self.now = now
        self.sleep = sleep
        self.date = date
        self.zone = zone
    }

    /// The system's clocks.
    public static let system = QueueClock(
        now: { .now }, sleep: { try await Task.sleep(until: $0, clock: .continuous) }, date: { Date() })
}
