import Synchronization

/// A gate at which a suspended request, one task, waits until it is resumed.
final class PauseGate: Sendable {
    private enum State {
        case open
        case closed(waiting: CheckedContinuation<Bool, Never>?)
    }

    private let state = Mutex(State.open)

    func close() {
        state.withLock { state in
            guard case .open = state else { return }
            state = .closed(waiting: nil)
        }
    }

    func release() {
        let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
            defer { state = .open }
            guard case .closed(let waiting) = state else { return nil }
            return waiting
        }
        waiting?.resume(returning: true)
    }

    /// Waits until the gate is open. Returns false after a cancellation.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Bool? = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    guard case .closed = state else { return true }
                    state = .closed(waiting: continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
                guard case .closed(let waiting) = state else { return nil }
                state = .closed(waiting: nil)
                return waiting
            }
            waiting?.resume(returning: false)
        }
    }
}
