/// The effects of one event, and the timer that the core requested.
struct Outbox {
    private var effects: [CoreEffect] = []
    /// The instant for which the timer is requested; nil if no timer is requested.
    private(set) var wake: ContinuousClock.Instant?

    mutating func append(_ effect: CoreEffect) { effects.append(effect) }

    /// Removes and returns the effects since the last call.
    mutating func drain() -> [CoreEffect] {
        defer { effects = [] }
        return effects
    }

    mutating func timerFired() { wake = nil }

    /// Requests the timer at `next`; nil cancels the timer. If the timer is due, or is set for an earlier instant than
    /// `next`, it stays: waking too early does no harm.
    mutating func wake(at next: ContinuousClock.Instant?, now: ContinuousClock.Instant) {
        if let wake {
            guard wake > now, next.map({ $0 < wake }) ?? true else { return }
        }
        guard next != wake else { return }
        wake = next
        effects.append(.wake(at: next))
    }
}
