/// The number of uploads that may run at one host: halved when requests time out again and again, and slowly raised
/// when they no longer do. Pure.
///
/// An overloaded link or server responds to no request in time, so everything sent meanwhile is wasted. A link that
/// breaks or is away says nothing about its capacity.
struct HostConcurrency<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The time after which timeouts are unrelated.
    private static var memory: Duration { .seconds(60) }
    /// The time within which timeouts count as one: when a link is away, all running uploads time out together.
    private static var batch: Duration { .seconds(10) }
    /// The time without a timeout after which one more upload may run.
    private static var recovery: Duration { .seconds(20) }

    /// A number of uploads that may run from `since` on.
    private struct Step {
        var limit: Int
        var since: Instant
    }

    private var step: Step?
    private var lastTimeout: Instant?
    /// The maximum number that ran at the timeouts since the last step.
    private var peak = 0

    init() {}

    /// Returns how many uploads may run at once; nil without a limit.
    func limit(at now: Instant) -> Int? {
        guard let step else { return nil }
        let risen = step.since.duration(to: now) / Self.recovery
        return risen < Double(Self.most) ? step.limit + Int(max(0, risen)) : nil
    }

    /// Returns when one more may run; nil without a limit.
    func nextRise(after now: Instant) -> Instant? {
        guard let step, limit(at: now) != nil else { return nil }
        let risen = Int(max(0, step.since.duration(to: now) / Self.recovery))
        return step.since.advanced(by: Self.recovery * (risen + 1))
    }

    /// True if nothing remains to be remembered.
    func isOver(at now: Instant) -> Bool {
        limit(at: now) == nil && lastTimeout.map { now >= $0.advanced(by: Self.memory) } ?? true
    }

    /// Notes that a request timed out while so many uploads ran at the host, this one included.
    mutating func timedOut(running: Int, at now: Instant) {
        guard let earlier = lastTimeout, now < earlier.advanced(by: Self.memory) else {
            lastTimeout = now
            peak = running
            return
        }
        peak = max(peak, running)
        guard now >= earlier.advanced(by: Self.batch) else { return }
        lastTimeout = now
        step = Step(limit: max(1, min(peak, limit(at: now) ?? peak) / 2), since: now)
        peak = 0
    }

    /// The highest number of uploads that any user runs at once to one host.
    private static var most: Int { 64 }
}
