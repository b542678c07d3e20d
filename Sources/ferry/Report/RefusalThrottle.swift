import Synchronization

/// Limits the lines about refused requests: a client without a token could fill the disk by many small requests.
final class RefusalThrottle: Sendable {
    /// The refusals of one client with one status and reason. Each interval has at most one line about them.
    struct Kind: Hashable, Sendable {
        let client: String
        let status: Int
        let reason: String
    }

    private struct State {
        var shown: [Kind: ContinuousClock.Instant] = [:]
        var omitted = 0
    }

    static let interval = Duration.seconds(1)
    static let mostKinds = 32

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Returns the number of refusals that were left out since the last printed one; nil to leave out this one too.
    func next(_ kind: Kind) -> Int? {
        let now = now()
        return state.withLock { state -> Int? in
            state.shown = state.shown.filter { $0.value.duration(to: now) < Self.interval }
            guard state.shown[kind] == nil, state.shown.count < Self.mostKinds else {
                state.omitted += 1
                return nil
            }
            state.shown[kind] = now
            defer { state.omitted = 0 }
            return state.omitted
        }
    }

    /// Returns the number of refusals that were left out since the last printed one, and resets it to 0.
    func takeOmitted() -> Int {
        state.withLock { state in
            defer { state.omitted = 0 }
            return state.omitted
        }
    }
}
