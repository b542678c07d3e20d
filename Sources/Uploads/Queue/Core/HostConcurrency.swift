/// The limit on the number of uploads that run at one host at once. At first there is no limit. Repeated timeouts of
/// requests halve the limit, and it rises again slowly.
///
/// An overloaded link or server responds to no request in time, so the bytes of all requests are wasted. Other network
/// failures do not lower the limit, because they are no sign of an overload.
struct HostConcurrency<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The age from which a timeout has no effect any more. The limit falls only when another timeout follows 10 to 60
    /// seconds after a timeout.
    private static var memory: Duration { .seconds(60) }
    /// The time after a timeout in which another timeout does not lower the limit. When a link is down, all running
    /// uploads time out together.
    private static var batch: Duration { .seconds(10) }
    /// The time in which the limit rises by one.
    private static var recovery: Duration { .seconds(20) }

    /// A limit on running uploads that was set at `since`. Later, the limit rises by one every 20 seconds (`recovery`).
    private struct Step {
        var limit: Int
        var since: Instant
    }

    private var step: Step?
    private var lastTimeout: Instant?
    /// The highest number of uploads that ran at the host when a request timed out. It becomes 0 when the limit is set.
    /// It starts anew at a timeout if the last timeout is at least 60 seconds old.
    private var peak = 0

    init() {}

    func limit(at now: Instant) -> Int? {
        guard let step else { return nil }
        let risen = step.since.duration(to: now) / Self.recovery
        return risen < Double(Self.most) ? step.limit + Int(max(0, risen)) : nil
    }

    /// Returns when the limit rises by one the next time; nil if there is no limit.
    func nextRise(after now: Instant) -> Instant? {
        guard let step, limit(at: now) != nil else { return nil }
        let risen = Int(max(0, step.since.duration(to: now) / Self.recovery))
        return step.since.advanced(by: Self.recovery * (risen + 1))
    }

    /// True if this value can be discarded: there is no limit, and no timeout in the last 60 seconds (`memory`).
    func isOver(at now: Instant) -> Bool {
        limit(at: now) == nil && lastTimeout.map { now >= $0.advanced(by: Self.memory) } ?? true
    }

    /// Notes that a request timed out while `running` uploads to the host ran, including the upload of this request.
    ///
    /// Sets a new limit if `lastTimeout` is 10 to 60 seconds old. The new limit is half of `peak` or of the present
    /// limit, whichever is lower, but at least 1. If `lastTimeout` is younger, older or missing, the limit stays.
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

    /// The number of times that the limit rises by one before it ends. Few users run more than 64 uploads to one host.
    private static var most: Int { 64 }
}
