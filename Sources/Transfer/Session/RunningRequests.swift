import Synchronization

/// The requests that a session has under way.
final class RunningRequests: Sendable {
    private struct State {
        var isClosed = false
        var tasks: [ObjectIdentifier: RequestTask] = [:]
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.tasks.count } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// - Returns: false if no request may begin any more.
    func add(_ task: RequestTask) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.tasks[ObjectIdentifier(task)] = task
            return true
        }
    }

    func remove(_ task: RequestTask) {
        _ = state.withLock { $0.tasks.removeValue(forKey: ObjectIdentifier(task)) }
    }

    /// - Returns: Those that were under way.
    func close() -> [RequestTask] {
        state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
    }
}
