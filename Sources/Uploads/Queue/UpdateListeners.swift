import Synchronization

/// The clients that follow the updates of the queue. A slow client gets only the newest state of each upload, and so
/// needs little memory.
final class UpdateListeners: Sendable {
    /// The number of uploads from which a change is read in pages. A page has at least as many.
    static let pageSize = 10_000

    private final class Listener: Sendable {
        let pending: Mutex<PendingUpdates>
        let signal: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation

        init(_ pending: PendingUpdates) {
            self.pending = Mutex(pending)
            (signal, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
            continuation.yield()
        }

        /// Returns the next update; nil if there is nothing new.
        func take() -> QueueUpdate? {
            pending.withLock { pending in
                let update = pending.take()
                if !pending.isEmpty { continuation.yield() }
                return update
            }
        }
    }

    /// A part of a listener's stream. When the stream is released, `end` removes the listener.
    private final class Registration: Sendable {
        private let end: @Sendable () -> Void

        init(end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    private struct State {
        var listeners: [ObjectIdentifier: Listener] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Adds a listener, and returns its stream, which ends after the updates in `pending` if `finish` was called before.
    func add(_ pending: PendingUpdates) -> AsyncStream<QueueUpdate> {
        let listener = Listener(pending)
        let key = ObjectIdentifier(listener)
        let isFinished = state.withLock { state in
            state.listeners[key] = listener
            return state.isFinished
        }
        if isFinished { listener.continuation.finish() }
        let registration = Registration { [weak self] in
            self?.state.withLock { $0.listeners[key] = nil }
        }
        return AsyncStream {
            _ = registration
            for await _ in listener.signal {
                if let update = listener.take() { return update }
            }
            return Task.isCancelled ? nil : listener.take()
        }
    }

    func publish(changed: [Upload], removed: [Upload.ID], status: EngineStatus) {
        publish { $0.add(changed: changed, removed: removed, status) }
    }

    /// Publishes changes of many uploads, which listeners read from `uploads`, a copy of the queue.
    func publish(
        changed ids: [Upload.ID], in uploads: QueueTable, removed: [Upload.ID], status: EngineStatus
    ) {
        publish { $0.add(changed: ids, in: uploads, removed: removed, status) }
    }

    private func publish(_ add: (inout PendingUpdates) -> Void) {
        let all = state.withLock { Array($0.listeners.values) }
        for listener in all {
            listener.pending.withLock { add(&$0) }
            listener.continuation.yield()
        }
    }

    func finish() {
        let all = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in all { listener.continuation.finish() }
    }
}
