/// The limit on the number of uploads that run at one host at once. Repeated timeouts of requests halve it, and it
/// rises again slowly. An overloaded link or server responds to no request in time, which wastes the bytes of all.
/// Other network failures are no sign of an overload.
struct HostConcurrency<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The age from which a timeout has no effect any more.
    private static var memory: Duration { .seconds(60) }
    /// The time after a timeout in which others count with it: on a bad link, all running uploads time out together.
    private static var batch: Duration { .seconds(10) }
    private static var recovery: Duration { .seconds(20) }

    /// The last limit that was set. It rises by one every 20 seconds (`recovery`).
    private var step: (limit: Int, since: Instant)?
    private var lastTimeout: Instant?
    /// The highest number of uploads that ran at a timeout since the limit was set, or since timeouts began.
    private var peak = 0

    func limit(at now: Instant) -> Int? {
        guard let step else { return nil }
        let risen = step.since.duration(to: now) / Self.recovery
        return risen < Double(Self.most) ? step.limit + Int(max(0, risen)) : nil
    }

    func nextRise(after now: Instant) -> Instant? {
        guard let step, limit(at: now) != nil else { return nil }
        let risen = Int(max(0, step.since.duration(to: now) / Self.recovery))
        return step.since.advanced(by: Self.recovery * (risen + 1))
    }

    /// True if this value can be discarded: there is no limit, and no timeout in the last 60 seconds (`memory`).
    func isOver(at now: Instant) -> Bool {
        limit(at: now) == nil && lastTimeout.map { now >= $0.advanced(by: Self.memory) } ?? true
    }

    /// Notes that a request timed out while `running` uploads ran. If the last timeout is 10 to 60 seconds old, halves
    /// `peak` or the present limit, whichever is lower.
    mutating func timedOut(running: Int, at now: Instant) {
        guard let earlier = lastTimeout, now < earlier.advanced(by: Self.memory) else {
            lastTimeout = now
            peak = running
            return
        }
        peak = max(peak, running)
        guard now >= earlier.advanced(by: Self.batch) else { return }
        lastTimeout = now
        step = (max(1, min(peak, limit(at: now) ?? peak) / 2), now)
        peak = 0
    }

    /// The number of rises before the limit ends, after 21 minutes without a timeout.
    private static var most: Int { 64 }
}
