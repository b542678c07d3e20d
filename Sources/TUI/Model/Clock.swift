import FerryFiles

/// The time. It enters the model as a message.
struct Clock: Hashable, Sendable {
    /// The seconds since a fixed moment; never jumps.
    var seconds: Double
    /// The wall clock's time, which only texts for users show.
    var date: Date

    /// The time on this clock at which `date` comes, unless the wall clock is set before.
    func seconds(of date: Date) -> Double { seconds + date.timeIntervalSince(self.date) }

    /// The seconds within which a second click makes a double click.
    static let doubleClick = 0.4
}
