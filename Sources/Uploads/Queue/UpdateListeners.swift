import Synchronization

/// The clients that follow the updates of the queue. A slow client gets only the newest state of each upload, and so
/// needs little memory.
final class UpdateListeners: Sendable {
    private struct Pending {
        /// The whole queue as it was when the listener was added, as a copy-on-write copy. Nil after the listener has
        /// read it.
        var whole: UploadTable?
        var changed: [Upload.ID: Upload] = [:]
        var removed: Set<Upload.ID> = []
        var status: EngineStatus?
    }

    private final class Listener: Sendable {
        let pending = Mutex(Pending())
        let signal: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation

        init() { (signal, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

        /// Returns the changes since the last call, or at first the whole queue. Returns nil if there is nothing new.
        func take() -> QueueUpdate? {
            pending.withLock { pending in
                guard let status = pending.status else { return nil }
                if let whole = pending.whole.take() {
                    // Later changes go into the next update, so that they differ from the initial state.
                    if pending.changed.isEmpty, pending.removed.isEmpty {
                        pending = Pending()
                    } else {
                        continuation.yield()
                    }
                    return QueueUpdate(isComplete: true, changed: whole.all, removed: [], status: status)
                }
                defer { pending = Pending() }
                return QueueUpdate(
                    isComplete: false, changed: Array(pending.changed.values),
                    removed: Array(pending.removed), status: status)
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

    /// Adds a listener, and returns its stream, which ends after the first update if `finish` was called before.
    func add(uploads: UploadTable, status: EngineStatus) -> AsyncStream<QueueUpdate> {
        let listener = Listener()
        listener.pending.withLock { pending in
            pending.whole = uploads
            pending.status = status
        }
        listener.continuation.yield()
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
        let all = state.withLock { Array($0.listeners.values) }
        for listener in all {
            listener.pending.withLock { pending in
                for upload in changed {
                    pending.changed[upload.id] = upload
                    pending.removed.remove(upload.id)
                }
                for id in removed {
                    pending.changed[id] = nil
                    pending.removed.insert(id)
                }
                pending.status = status
            }
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
