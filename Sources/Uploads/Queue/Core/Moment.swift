/// The time at which the queue handles an event, by two clocks.
package struct Moment: Sendable {
    /// The time by the continuous clock, which users cannot set. Delays use it.
    package var instant: ContinuousClock.Instant
    /// The time by the wall clock, for display, files and timetables.
    package var date: Date

    package init(instant: ContinuousClock.Instant, date: Date) {
        self.instant = instant
        self.date = date
    }

    /// Returns the wall-clock time at `instant`, which is wrong if the wall clock is set in between.
    func date(of instant: ContinuousClock.Instant) -> Date {
        date.addingTimeInterval(self.instant.duration(to: instant) / .seconds(1))
    }
}
