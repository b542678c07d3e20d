import Foundation

/// The time, which enters the model as a message like everything else.
struct Clock: Hashable, Sendable {
    /// Seconds since some fixed moment; never jumps.
    var seconds: Double
    /// For what people read.
    var date: Date

    /// When `date` comes, if nobody sets the clock before.
    func seconds(of date: Date) -> Double { seconds + date.timeIntervalSince(self.date) }
}
