/// The effects of one event, and the timer that the core asked for.
struct Outbox {
    private var effects: [CoreEffect] = []
    /// The time for which the shell was last told to send `timer`; nil for never.
    private(set) var wake: ContinuousClock.Instant?

    mutating func append(_ effect: CoreEffect) { effects.append(effect) }

    /// Takes out what was answered since the last call.
    mutating func drain() -> [CoreEffect] {
        defer { effects = [] }
        return effects
    }

    /// Notes that the timer came.
    mutating func timerFired() { wake = nil }

    /// Asks for the timer at `next`. A timer that is about to come, or comes earlier, is left as it is: a wake that is
    /// too early does no harm.
    mutating func wake(at next: ContinuousClock.Instant?, now: ContinuousClock.Instant) {
        if let wake {
            guard wake > now, next.map({ $0 < wake }) ?? true else { return }
        }
        guard next != wake else { return }
        wake = next
        effects.append(.wake(at: next))
    }
}
