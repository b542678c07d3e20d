import Synchronization

/// A clock that only the test advances.
public final class ManualClock: Clock, Sendable {
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The time since the clock was made.
        public var offset: Duration

        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
        public var description: String { "\(offset)" }
    }

    private struct Sleeper {
        var deadline: Instant
        var end: OneShot
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        /// The gates to open when `count` tasks sleep.
        var watchers: [(count: Int, gate: Gate)] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The deadlines of the sleeping tasks, the earliest first.
    public var deadlines: [Instant] {
        state.withLock { $0.sleepers.values.map(\.deadline).sorted() }
    }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let end = OneShot()
        let (number, reached): (Int?, [Gate]) = state.withLock { state in
            guard deadline > state.now else { return (nil, []) }
            let number = state.nextSleeper
            state.nextSleeper += 1
            state.sleepers[number] = Sleeper(deadline: deadline, end: end)
            let count = state.sleepers.count
            let reached = state.watchers.filter { $0.count <= count }.map(\.gate)
            state.watchers.removeAll { $0.count <= count }
            return (number, reached)
        }
        guard let number else { return }
        for gate in reached { gate.open() }
        try await withTaskCancellationHandler {
            try await end.value()
        } onCancel: {
            _ = state.withLock { $0.sleepers.removeValue(forKey: number) }
            end.give(.failure(CancellationError()))
        }
    }

    /// Advances the clock and wakes the tasks whose deadline has come, the earliest first. Tasks with the same deadline
    /// wake in the order in which they fell asleep.
    public func advance(by duration: Duration) {
        let due: [Sleeper] = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            for (number, _) in due { state.sleepers[number] = nil }
            return due.map(\.value)
        }
        for sleeper in due { sleeper.end.give(.success(())) }
    }

    /// Waits until at least `count` tasks sleep on this clock.
    /// - Throws: `Gate.TimedOut` after `limit` of real time.
    public func waitForSleepers(_ count: Int = 1, upTo limit: Duration = Gate.limit) async throws {
        let gate = Gate()
        state.withLock { state in
            if state.sleepers.count >= count { gate.open() } else { state.watchers.append((count, gate)) }
        }
        try await gate.wait(upTo: limit)
    }
}
