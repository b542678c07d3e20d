import FerryFiles

/// The current time, which the model gets in messages.
struct Clock: Hashable, Sendable {
    /// The seconds since the first use of the clock in this process (monotonic).
    var seconds: Double
    var date: Date

    /// Returns the monotonic time of a date; wrong if the wall clock is set in between.
    func seconds(of date: Date) -> Double { seconds + date.timeIntervalSince(self.date) }

    /// The seconds within which a second click makes a double click.
    static let doubleClick = 0.4

    private static let start = SuspendingClock.now

    static func now() -> Clock { Clock(seconds: (SuspendingClock.now - start) / .seconds(1), date: Date()) }
}
