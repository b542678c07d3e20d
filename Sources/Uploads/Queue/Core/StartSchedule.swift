import FerryProtocols

/// The uploads that start by themselves: at once, after the wait for a retry, or once their start condition is met.
struct StartSchedule {
    typealias Instant = ContinuousClock.Instant

    /// The longest time between two reads of the wall clock, because nothing reports that it was set.
    private static let longestLook = Duration.seconds(60)

    var ready = Scheduler()
    var waits = DeadlineQueue<Upload.ID, Instant>()
    var starts = PendingStarts()
    var completed = CompletedRanges()
    /// The time of the next check for stuck uploads. Nil unless one could make room for another.
    var stuckLook: Instant?

    mutating func nextInstant(after now: Moment) -> Instant? {
        [waits.nextInstant(), nextStart(after: now), stuckLook].compactMap { $0 }.min()
    }

    /// Returns when to read the wall clock again; nil if no upload waits for a start time.
    private mutating func nextStart(after now: Moment) -> Instant? {
        guard let date = starts.nextDate() else { return nil }
        let left = Duration.seconds(max(0, min(date.timeIntervalSince(now.date), 3600)))
        return now.instant.advanced(by: min(left, Self.longestLook))
    }
}
