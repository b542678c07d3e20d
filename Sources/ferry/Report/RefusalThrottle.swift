import Synchronization

/// Limits the number of lines about refused requests in the output of `ferry serve`. Without a limit, a client that has
/// no token could fill the disk by sending many small requests.
final class RefusalThrottle: Sendable {
    /// The refusals of one client with one status and reason. In each interval, at most one of these refusals gets a
    /// line.
    struct Kind: Hashable, Sendable {
        let client: String
        let status: Int
        let reason: String
    }

    private struct State {
        /// The time at which a refusal of each kind was last printed. Times older than `interval` are removed.
        var shown: [Kind: ContinuousClock.Instant] = [:]
        /// The number of refusals that were not printed since the last printed refusal.
        var omitted = 0
    }

    static let interval = Duration.seconds(1)
    /// The maximum number of lines in each interval.
    static let mostKinds = 32

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Returns nil if this refusal must not be printed: the last interval has a line of the same `kind`, or `mostKinds`
    /// lines. Otherwise returns the number of refusals that were not printed since the last printed refusal.
    func next(_ kind: Kind) -> Int? {
        let now = now()
        return state.withLock { state -> Int? in
            if let last = state.shown[kind], last.duration(to: now) < Self.interval {
                state.omitted += 1
                return nil
            }
            state.shown = state.shown.filter { $0.value.duration(to: now) < Self.interval }
            guard state.shown.count < Self.mostKinds else {
                state.omitted += 1
                return nil
            }
            state.shown[kind] = now
            defer { state.omitted = 0 }
            return state.omitted
        }
    }

    /// Returns the number of refusals that were not printed since the last printed refusal, and resets the number to 0.
    /// The caller prints the number at the end of the output.
    func takeOmitted() -> Int {
        state.withLock { state -> Int in
            defer { state.omitted = 0 }
            return state.omitted
        }
    }
}
