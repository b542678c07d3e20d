public import Foundation

/// Where the queue's time comes from. Waits go by a clock that nobody can set; dates are for people and for files.
public struct QueueClock: Sendable {
    /// Not set back and not stopped while the machine sleeps.
    public var now: @Sendable () -> ContinuousClock.Instant
    /// Returns at the instant, or throws when the task is cancelled.
    public var sleep: @Sendable (ContinuousClock.Instant) async throws -> Void
    /// The wall clock.
    public var date: @Sendable () -> Date
    /// What day and what time of day a date is.
    public var calendar: Calendar

    public init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (ContinuousClock.Instant) async throws -> Void,
        date: @escaping @Sendable () -> Date, calendar: Calendar = .local
    ) {
        self.now = now
        self.sleep = sleep
        self.date = date
        self.calendar = calendar
    }

    /// The system's clocks.
    public static let system = QueueClock(
        now: { .now }, sleep: { try await Task.sleep(until: $0, clock: .continuous) }, date: { Date() })
}

extension Calendar {
    /// The Gregorian one, where this machine is.
    public static var local: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .autoupdatingCurrent
        return calendar
    }
}
