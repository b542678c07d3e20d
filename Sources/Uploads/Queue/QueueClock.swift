/// The source of the queue's time: a clock for delays, and dates for timetables and files.
public struct QueueClock: Sendable {
    /// Returns the time by a clock that users cannot set and that also runs while the machine sleeps.
    public var now: @Sendable () -> ContinuousClock.Instant
    /// Waits until an instant. Throws if the task is cancelled before.
    public var sleep: @Sendable (ContinuousClock.Instant) async throws -> Void
    /// Returns the time by the wall clock.
    public var date: @Sendable () -> Date
    /// The time zone of the days and times in timetables.
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
