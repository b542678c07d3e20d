/// The effects (actions such as a write to the journal) that `QueueCore` requests while it handles one event, and the
/// instant of the queue's timer.
struct Outbox {
    private var effects: [CoreEffect] = []
    private(set) var wake: ContinuousClock.Instant?

    mutating func append(_ effect: CoreEffect) { effects.append(effect) }

    mutating func drain() -> [CoreEffect] {
        defer { effects = [] }
        return effects
    }

    mutating func timerFired() { wake = nil }

    /// Sets the timer to `next`, or cancels the timer if `next` is nil. A timer that is already due stays. A timer that
    /// is set for an earlier instant than `next` also stays, because an early `timer` event does no harm.
    mutating func wake(at next: ContinuousClock.Instant?, now: ContinuousClock.Instant) {
        if let wake {
            guard wake > now, next.map({ $0 < wake }) ?? true else { return }
        }
        guard next != wake else { return }
        wake = next
        effects.append(.wake(at: next))
    }
}
