/// Delays `up` while the link goes up and down repeatedly, so that uploads do not start and stop with every change.
///
/// `down` is reported at once, and `up` too, unless a link or an address was lost twice within the last ten seconds.
/// Then `up` is reported after it has lasted one second, or five seconds after the first delayed `up`.
package struct Damper<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    private enum State: Sendable {
        case settled
        /// An `up` is delayed since `since`. `firstHeld` is the time of the first `up` after the last report.
        case holding(LinkStatus, since: Instant, firstHeld: Instant)
        /// The link went down before the delayed `up` was reported.
        case interrupted(firstHeld: Instant)
    }

    private var state = State.settled
    private var reported: LinkStatus?
    private var observed: LinkStatus?
    private var disturbances: [Instant] = []

    private static var memory: Duration { .seconds(10) }
    private static var steadyFor: Duration { .seconds(1) }
    private static var maximumDelay: Duration { .seconds(5) }

    package init() {}

    /// The time at which the caller must call `elapse(at:)`; nil if no status is delayed.
    package var deadline: Instant? {
        guard case .holding(_, let since, let firstHeld) = state else { return nil }
        return min(since.advanced(by: Self.steadyFor), firstHeld.advanced(by: Self.maximumDelay))
    }

    /// Records a status. Returns the status to report now, if any: `status`, or an earlier `up` whose delay is over.
    package mutating func observe(_ status: LinkStatus, at now: Instant) -> LinkStatus? {
        guard status != observed else { return elapse(at: now) }
        if let observed, observed.isUp {
            // Two disturbances are enough to distinguish flapping from a single loss.
            disturbances = disturbances.suffix(1) + [now]
        }
        observed = status
        guard status.isUp else {
            if case .holding(_, _, let firstHeld) = state { state = .interrupted(firstHeld: firstHeld) }
            return report(status)
        }
        guard isFlapping(at: now) else {
            state = .settled
            return report(status)
        }
        let firstHeld =
            switch state {
            case .holding(_, _, let firstHeld), .interrupted(let firstHeld): firstHeld
            case .settled: now
            }
        state = .holding(status, since: now, firstHeld: firstHeld)
        return elapse(at: now)
    }

    /// Returns the delayed status, if its delay is over.
    package mutating func elapse(at now: Instant) -> LinkStatus? {
        guard case .holding(let status, _, _) = state, let deadline, now >= deadline else { return nil }
        state = .settled
        return report(status)
    }

    private func isFlapping(at now: Instant) -> Bool {
        guard disturbances.count == 2, let earlier = disturbances.first else { return false }
        return now < earlier.advanced(by: Self.memory)
    }

    private mutating func report(_ status: LinkStatus) -> LinkStatus? {
        guard status != reported else { return nil }
        reported = status
        return status
    }
}
