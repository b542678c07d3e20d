import FerryFiles
import FerryProtocols

/// The uploads that may start: those that are ready, those that wait to be tried again, and those with a condition.
struct StartSchedule {
    typealias Instant = ContinuousClock.Instant

    /// The wall clock may be set at any moment, and nobody reports it: it is read so often.
    private static let longestLook = Duration.seconds(60)

    var ready = Scheduler()
    var waits = DeadlineQueue<Upload.ID, Instant>()
    var starts = PendingStarts()
    var completed = CompletedRanges()
    /// The time of the next look whether running uploads are stuck, and others need not wait for them; nil if nothing
    /// waits so.
    var stuckLook: Instant?

    /// The next instant at which something may start.
    mutating func nextInstant(after now: Moment) -> Instant? {
        [waits.nextInstant(), nextStart(after: now), stuckLook].compactMap { $0 }.min()
    }

    /// Returns when to read the wall clock again.
    private mutating func nextStart(after now: Moment) -> Instant? {
        guard let date = starts.nextDate() else { return nil }
        let left = Duration.seconds(max(0, min(date.timeIntervalSince(now.date), 3600)))
        return now.instant.advanced(by: min(left, Self.longestLook))
    }
}
