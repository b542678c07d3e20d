import FerryFiles

/// The current time, which the model gets in messages.
struct Clock: Hashable, Sendable {
    /// The seconds since the start, on a clock that never jumps.
    var seconds: Double
    /// The wall clock's time, which only texts for users show.
    var date: Date

    /// Returns the time on this clock at which `date` will be, unless the wall clock is set before.
    func seconds(of date: Date) -> Double { seconds + date.timeIntervalSince(self.date) }

    /// The seconds within which a second click makes a double click.
    static let doubleClick = 0.4
}
