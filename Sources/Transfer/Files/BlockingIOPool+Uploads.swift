import FerryProtocols
import NIOCore
import Synchronization

extension BlockingIOPool {
    /// Runs `work` on a thread of the pool and returns its result.
    ///
    /// - Parameter medium: The number of the device that has the file; nil if unknown. Work on one device, and all work
    ///   with nil, occupies at most half of the threads.
    /// - Throws: The error of `work`; `sourceAway` after a timeout of the pool; `network` after a cancellation. `work`
    ///   possibly still runs then, so it must retain all that it uses.
    func run<Value: Sendable>(
        _ path: LocalPath, on medium: UInt64?, _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) async throws(UploadFailure) -> Value {
        let delivery = Delivery<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard delivery.begin(continuation) else { return }
                submit(
                    on: medium, isWanted: { delivery.isWanted }, work,
                    silent: { SourceFile.silent(path, for: $0) }, deliver: { delivery.give($0) })
            }
        } onCancel: {
            delivery.give(.failure(UploadFailure(.network, "stopped")))
        }
        return try result.get()
    }

    /// Runs `work` on a thread of the pool, and returns a future for the result, or for `sourceAway` after a timeout.
    func run<Value: Sendable>(
        _ path: LocalPath, on medium: UInt64?, eventLoop: any EventLoop,
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) -> EventLoopFuture<Value> {
        let promise = eventLoop.makePromise(of: Value.self)
        // Of several results, a promise takes the first.
        submit(
            on: medium, isWanted: { true }, work, silent: { SourceFile.silent(path, for: $0) },
            deliver: { promise.completeWith($0.mapError { $0 }) })
        return promise.futureResult
    }
}

/// Passes the first result to the task that waits for it.
private final class Delivery<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, UploadFailure>

    private enum State {
        case new
        case awaited(CheckedContinuation<Outcome, Never>)
        case given
    }

    private let state = Mutex(State.new)

    var isWanted: Bool {
        state.withLock { state in
            if case .given = state { false } else { true }
        }
    }

    /// Begins the wait. Returns false, and ends it with a `network` failure, if the task was cancelled before.
    func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .awaited(continuation)
            return true
        }
        if !isNew { continuation.resume(returning: .failure(UploadFailure(.network, "stopped"))) }
        return isNew
    }

    func give(_ outcome: Outcome) {
        let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            defer { state = .given }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: outcome)
    }
}
