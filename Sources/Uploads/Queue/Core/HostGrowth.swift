/// The growth of the number of small uploads that run at one distant host at once. It doubles if that makes them faster.
///
/// A small upload to a distant server spends most of its time on round trips, while both computers are idle. A server that
/// is already busy finishes no more uploads in a second, and gets the earlier number again. A near server gets no more,
/// because some servers close the connections of a client above a number such as 64.
struct HostGrowth<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The highest `factor`, for up to 256 small uploads at once.
    static var most: Int { 4 }
    /// The shortest round trip to a distant host.
    private static var distant: Duration { .milliseconds(10) }
    /// The shortest time in which the speed is measured, and the lowest number of uploads that end in it.
    private static var leastTime: Duration { .milliseconds(250) }
    private static var leastCount: Int { 256 }
    /// A longer time between two ends is a stop, such as a lost link or a `Retry-After`, and the measurement begins anew.
    private static var longestGap: Duration { .seconds(5) }
    /// The speed that the next factor must reach to stay, relative to the speed before. Twice as many uploads at once
    /// are twice as fast if only the distance delays them.
    private static var worthwhile: Double { 1.25 }
    /// The time until the next trial after one that failed, and after a sign that the host or the link is overloaded. It
    /// doubles each time, up to `longestRest`.
    private static var firstRest: Duration { .seconds(60) }
    private static var longestRest: Duration { .seconds(3600) }

    private enum Phase {
        /// The host is near, or its distance is not known yet.
        case near
        /// Ignores the ends of this many uploads, which began before the last change of the factor.
        case settling(Int)
        case measuring(since: Instant, done: Int)
        case resting(until: Instant)
        case grown
    }

    /// The number of small uploads at once, relative to the usual number: 1, 2 or 4.
    private(set) var factor = 1
    /// The highest factor to try. If uploads fail in the trial of a factor, that is half of it.
    private var ceiling = Self.most
    private var phase = Phase.near
    /// The uploads in a second with half of `factor`; nil unless a trial of `factor` is under way.
    private var speedBefore: Double?
    private var nextRest = Self.firstRest
    private var last: Instant

    init(at now: Instant) { last = now }

    /// True if this value counts no more: no upload has ended for a minute, and no rest remains.
    func isOver(at now: Instant) -> Bool {
        if case .resting(let end) = phase, now < end { return false }
        return now >= last.advanced(by: Self.firstRest)
    }

    /// Notes the time that a packet takes to the host and back.
    mutating func measured(roundTrip: Duration) {
        if case .near = phase, roundTrip >= Self.distant { phase = .settling(0) }
    }

    /// Notes that an upload is done, while `running` ran.
    ///
    /// - Parameters:
    ///   - isSmall: False for an upload whose share growth does not change. Its speed is not measured.
    ///   - isWaiting: True if another upload waits to start at the host. Otherwise the queue limits the speed.
    mutating func uploaded(running: Int, isSmall: Bool, isWaiting: Bool, at now: Instant) {
        let gap = last.duration(to: now)
        last = now
        switch phase {
        case .near, .grown: break
        case .resting(let end): if now >= end { phase = .settling(0) }
        case .settling(let count) where count > 0: phase = .settling(count - 1)
        case .settling: if isSmall, isWaiting { phase = .measuring(since: now, done: 0) }
        case .measuring where !isSmall || !isWaiting || gap > Self.longestGap: phase = .settling(0)
        case .measuring(let start, let done):
            let time = start.duration(to: now)
            guard time >= Self.leastTime, done + 1 >= Self.leastCount else {
                phase = .measuring(since: start, done: done + 1)
                return
            }
            change(after: Double(done + 1) / (time / .seconds(1)), running: running, at: now)
        }
    }

    /// Sets the next factor after a measurement of `speed`, in uploads in a second.
    private mutating func change(after speed: Double, running: Int, at now: Instant) {
        if let before = speedBefore, speed < before * Self.worthwhile {
            factor /= 2
            rest(from: now)
        } else if factor < ceiling {
            factor *= 2
            speedBefore = speed
            // The new ones first connect.
            phase = .settling(running * 2)
        } else {
            (phase, speedBefore, nextRest) = (.grown, nil, Self.firstRest)
        }
    }

    /// Notes a failure that many uploads at once can cause: returns to the usual number, for a minute at least.
    mutating func failed(at now: Instant) {
        last = now
        switch phase {
        case .near: return
        // Many uploads fail together, and all count as one.
        case .resting where factor == 1: return
        case .resting, .settling, .measuring, .grown: break
        }
        if speedBefore != nil { ceiling = factor / 2 }
        factor = 1
        rest(from: now)
    }

    private mutating func rest(from now: Instant) {
        speedBefore = nil
        phase = .resting(until: now.advanced(by: nextRest))
        nextRest = min(nextRest * 2, Self.longestRest)
    }
}
