import FerryFiles

/// The current time. The model gets it in messages, because the model has no access to a clock.
struct Clock: Hashable, Sendable {
    /// The seconds since the first use of the clock in this process. This clock is monotonic.
    var seconds: Double
    /// The wall clock's time, for texts and for converting dates with `seconds(of:)`.
    var date: Date

    /// Returns the time on the monotonic clock at which the wall clock will show `date`. The result becomes wrong if
    /// the wall clock is set before that time.
    func seconds(of date: Date) -> Double { seconds + date.timeIntervalSince(self.date) }

    /// The seconds within which a second click makes a double click.
    static let doubleClick = 0.4
}
