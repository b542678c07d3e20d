import Synchronization

/// The requests of a session that have not ended.
final class RunningRequests: Sendable {
    /// A request that runs. One that was never begun is retained by its caller alone.
    private struct Held {
        weak var task: RequestTask?
    }

    private struct State {
        var isClosed = false
        var held: [ObjectIdentifier: Held] = [:]
        var running: [ObjectIdentifier: RequestTask] = [:]
    }

    private let state = Mutex(State())

    /// Under way.
    var count: Int { state.withLock { $0.running.count } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Knows of a task until it is begun, ended or let go.
    func hold(_ task: RequestTask) {
        state.withLock { $0.held[ObjectIdentifier(task)] = Held(task: task) }
    }

    /// - Returns: false if no request may begin any more.
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

    /// - Returns: Those that have not ended.
    func close() -> [RequestTask] {
        state.withLock { state in
            state.isClosed = true
            return Array(state.running.values) + state.held.values.compactMap(\.task)
        }
    }
}
