/// The limit on the uploads that run at one host. Repeated timeouts of requests halve it. While no request times out,
/// it rises slowly. Pure.
///
/// An overloaded link or server responds to no request in time, so the bytes of all requests are wasted. Only timeouts
/// count: a broken or absent link says nothing about its capacity.
struct HostConcurrency<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The age at which a timeout no longer counts. The limit falls only if two timeouts that count follow each other.
    private static var memory: Duration { .seconds(60) }
    /// The time within which timeouts count as one: when a link is down, all running uploads time out together.
    private static var batch: Duration { .seconds(10) }
    /// The time in which the limit rises by one.
    private static var recovery: Duration { .seconds(20) }

    /// A limit on running uploads, set at `since`. It then rises by one every `recovery`.
    private struct Step {
        var limit: Int
        var since: Instant
    }

    private var step: Step?
    private var lastTimeout: Instant?
    /// The highest number of running uploads at a timeout, among the timeouts that still count. It is 0 when the limit
    /// was just set.
    private var peak = 0

    init() {}

    /// Returns how many uploads are allowed to run at once; nil if there is no limit.
    func limit(at now: Instant) -> Int? {
        guard let step else { return nil }
        let risen = step.since.duration(to: now) / Self.recovery
        return risen < Double(Self.most) ? step.limit + Int(max(0, risen)) : nil
    }

    /// Returns when one more upload is allowed to run; nil if there is no limit.
    func nextRise(after now: Instant) -> Instant? {
        guard let step, limit(at: now) != nil else { return nil }
        let risen = Int(max(0, step.since.duration(to: now) / Self.recovery))
        return step.since.advanced(by: Self.recovery * (risen + 1))
    }

    /// True if this value can be discarded: there is no limit, and the last timeout is at least `memory` old.
    func isOver(at now: Instant) -> Bool {
        limit(at: now) == nil && lastTimeout.map { now >= $0.advanced(by: Self.memory) } ?? true
    }

    /// Notes that a request timed out while `running` uploads to the host ran, including the upload of this request.
    ///
    /// If the last timeout that counts is 10 to 60 seconds old, the new limit is half of `peak` or of the present
    /// limit, whichever is lower.
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

    /// The number of rises after which the limit is lifted. Users hardly run more uploads than that to one host.
    private static var most: Int { 64 }
}
