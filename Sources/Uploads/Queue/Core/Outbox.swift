/// The effects that `QueueCore` requests while it handles one event, and the instant of the queue's timer.
struct Outbox {
    private var effects: [CoreEffect] = []
    private(set) var wake: ContinuousClock.Instant?

    mutating func append(_ effect: CoreEffect) { effects.append(effect) }

    mutating func drain() -> [CoreEffect] {
        defer { effects = [] }
        return effects
    }

    mutating func timerFired() { wake = nil }

    /// Sets or cancels the timer. A timer that is due, or set for an earlier instant, stays: it does no harm.
    mutating func wake(at next: ContinuousClock.Instant?, now: ContinuousClock.Instant) {
        if let wake {
            guard wake > now, next.map({ $0 < wake }) ?? true else { return }
        }
        guard next != wake else { return }
        wake = next
        effects.append(.wake(at: next))
    }
}
