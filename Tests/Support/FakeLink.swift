public import FerryConnectivity
import Synchronization

/// A link whose state the test sets. It counts its watchers.
public final class FakeLink: LinkMonitor {
    private struct State {
        var status: LinkStatus?
        var watchers: [Int: AsyncStream<LinkStatus>.Continuation] = [:]
        var watchCount = 0
        var gates: [(count: Int, gate: Gate)] = []
    }

    private let state: Mutex<State>

    public init(_ status: LinkStatus? = nil) {
        state = Mutex(State(status: status))
    }

    /// The number of watchers so far.
    public var watchCount: Int { state.withLock { $0.watchCount } }

    public func statuses() -> AsyncStream<LinkStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: LinkStatus.self)
        let number = state.withLock { state in
            state.watchCount += 1
            state.watchers[state.watchCount] = continuation
            if let status = state.status { continuation.yield(status) }
            return state.watchCount
        }
        continuation.onTermination = { _ in self.remove(number) }
        return stream
    }

    public func report(_ status: LinkStatus) {
        state.withLock { state in
            state.status = status
            for watcher in state.watchers.values { watcher.yield(status) }
        }
    }

    public func end() {
        for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.finish() }
    }

    /// Waits until exactly `count` watchers exist.
    public func waitForWatchers(_ count: Int) async throws {
        let gate = Gate()
        state.withLock { state in
            if state.watchers.count == count { gate.open() } else { state.gates.append((count, gate)) }
        }
        try await gate.wait()
    }

    private func remove(_ number: Int) {
        let reached = state.withLock { state in
            state.watchers[number] = nil
            let count = state.watchers.count
            defer { state.gates.removeAll { $0.count == count } }
            return state.gates.filter { $0.count == count }.map(\.gate)
        }
        for gate in reached { gate.open() }
    }
}
