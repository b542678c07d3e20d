/// The number of uploads that may run at one host: half as many when requests time out again and again, and slowly more
/// when they do not any longer. Pure.
///
/// A link or a server with too much to do answers nobody in time, and what is sent meanwhile is sent in vain. A link that
/// breaks or is away says nothing about how much it carries.
struct HostConcurrency<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// Timeouts further apart have nothing to do with each other.
    private static var memory: Duration { .seconds(60) }
    /// The time within which timeouts count as one: when a link is away, whatever runs times out together.
    private static var batch: Duration { .seconds(10) }
    /// The time without a timeout after which one more upload may run.
    private static var recovery: Duration { .seconds(20) }

    /// A number of uploads that might run from `since` on.
    private struct Step {
        var limit: Int
        var since: Instant
    }

    private var step: Step?
    private var lastTimeout: Instant?
    /// The most that ran at the timeouts since the last step.
    private var peak = 0

    init() {}

    /// Returns how many uploads may run at once; nil for as many as there may be anyway.
    func limit(at now: Instant) -> Int? {
        guard let step else { return nil }
        let risen = step.since.duration(to: now) / Self.recovery
        return risen < Double(Self.most) ? step.limit + Int(max(0, risen)) : nil
    }

    /// Returns when one more may run; nil if nothing limits.
    func nextRise(after now: Instant) -> Instant? {
        guard let step, limit(at: now) != nil else { return nil }
        let risen = Int(max(0, step.since.duration(to: now) / Self.recovery))
        return step.since.advanced(by: Self.recovery * (risen + 1))
    }

    /// True if nothing is left to be remembered.
    func isOver(at now: Instant) -> Bool {
        limit(at: now) == nil && lastTimeout.map { now >= $0.advanced(by: Self.memory) } ?? true
    }

    /// A request timed out while so many uploads ran at the host, this one included.
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

    /// More than anybody lets run at once to one host.
    private static var most: Int { 64 }
}
