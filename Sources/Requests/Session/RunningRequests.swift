import Synchronization

/// The requests of a session that have not ended.
final class RunningRequests: Sendable {
    /// A weak reference to a request that has not begun, which only its caller retains.
    private struct Held {
        weak var task: RequestTask?
    }

    private struct State {
        var isClosed = false
        var held: [ObjectIdentifier: Held] = [:]
        var running: [ObjectIdentifier: RequestTask] = [:]
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.running.count } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func hold(_ task: RequestTask) {
        state.withLock { $0.held[ObjectIdentifier(task)] = Held(task: task) }
    }

    /// Retains a request until `remove(_:)`. Returns false after the session's shutdown.
    func begin(_ task: RequestTask) -> Bool {
        state.withLock { state in
            state.held[ObjectIdentifier(task)] = nil
            guard !state.isClosed else { return false }
            state.running[ObjectIdentifier(task)] = task
            return true
        }
    }

    func remove(_ task: RequestTask) {
        state.withLock { state in
            state.held[ObjectIdentifier(task)] = nil
            state.running[ObjectIdentifier(task)] = nil
        }
    }

    /// Prevents new requests from beginning, and returns those that have not ended.
    func close() -> [RequestTask] {
        state.withLock { state in
            state.isClosed = true
            return Array(state.running.values) + state.held.values.compactMap(\.task)
        }
    }
}
