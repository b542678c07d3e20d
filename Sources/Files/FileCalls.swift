import Synchronization

/// Makes calls that use files, on threads of a pool, so that a file that hangs delays no other.
///
/// While a call hangs, no other call on the same file begins: every caller receives a failure at once.
package final class FileCalls: Sendable {
    private struct Call {
        enum Phase { case queued, running, late }

        let path: String
        /// The phase is `late` after the timeout of a running call.
        var phase = Phase.queued
    }

    private struct State {
        var lastNumber: UInt64 = 0
        /// The calls that have begun or wait, by number.
        var calls: [UInt64: Call] = [:]
    }

    private let readers: BlockingIOPool
    private let state = Mutex(State())

    package init(_ readers: BlockingIOPool = .shared) { self.readers = readers }

    /// Runs `work` on a thread of the pool. A cancellation has no effect.
    ///
    /// - Parameters:
    ///   - late: Makes the failure after a timeout, of this call or of an earlier call that has not returned.
    ///   - work: Retains everything that it uses, because it still runs after a timeout.
    package func outcome<Value: Sendable, Failure: Error>(
        on path: String, late: @escaping @Sendable (Duration) -> Failure,
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        guard let number = add(path) else { return .failure(late(readers.timeout)) }
        return await withCheckedContinuation { continuation in
            let caller = Mutex<CheckedContinuation<Result<Value, Failure>, Never>?>(continuation)
            readers.submit(
                on: nil, isWanted: { self.begin(number) },
                { () throws(Failure) -> Value in
                    defer { self.end(number) }
                    return try work()
                },
                silent: { timeout in
                    self.timeOut(number)
                    return late(timeout)
                },
                deliver: { result in
                    // After a timeout, the result of `work` comes when the caller has the failure.
                    caller.withLock { $0.take() }?.resume(returning: result)
                })
        }
    }

    private func add(_ path: String) -> UInt64? {
        state.withLock { state in
            guard !state.calls.values.contains(where: { $0.phase == .late && $0.path == path }) else {
                return nil
            }
            state.lastNumber += 1
            state.calls[state.lastNumber] = Call(path: path)
            return state.lastNumber
        }
    }

    private func begin(_ number: UInt64) -> Bool {
        state.withLock { state in
            guard state.calls[number] != nil else { return false }
            state.calls[number]?.phase = .running
            return true
        }
    }

    private func timeOut(_ number: UInt64) {
        state.withLock { state in
            // The pool drops a call that got no thread in time.
            if state.calls[number]?.phase == .queued { state.calls[number] = nil }
            state.calls[number]?.phase = .late
        }
    }

    private func end(_ number: UInt64) { state.withLock { $0.calls[number] = nil } }
}
