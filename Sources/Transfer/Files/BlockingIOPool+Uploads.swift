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
        _ path: LocalPath, on medium: UInt64?,
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) async throws(UploadFailure) -> Value {
        let delivery = Delivery<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard delivery.expect({ continuation.resume(returning: $0) }) else { return }
                submit(path, on: medium, delivery, work)
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
        let delivery = Delivery<Value>()
        _ = delivery.expect { promise.completeWith($0.mapError { $0 }) }
        submit(path, on: medium, delivery, work)
        return promise.futureResult
    }

    private func submit<Value: Sendable>(
        _ path: LocalPath, on medium: UInt64?, _ delivery: Delivery<Value>,
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) {
        submit(
            on: medium, isWanted: { delivery.isWanted }, work,
            silent: { SourceFile.silent(path, for: $0) }, deliver: { delivery.give($0) })
    }
}

/// Passes a result to one receiver. Only the first result counts.
private final class Delivery<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, UploadFailure>

    private enum State {
        case new
        case expected(@Sendable (Outcome) -> Void)
        case given
    }

    private let state = Mutex(State.new)

    /// False once there is a result.
    var isWanted: Bool {
        state.withLock { state in
            if case .given = state { false } else { true }
        }
    }

    /// Sets the function that receives the result. Returns false if the task was cancelled before: `receive` has then
    /// been called with a `network` failure.
    func expect(_ receive: @escaping @Sendable (Outcome) -> Void) -> Bool {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .expected(receive)
            return true
        }
        // Only a cancellation can have come first.
        if !isNew { receive(.failure(UploadFailure(.network, "stopped"))) }
        return isNew
    }

    func give(_ outcome: Outcome) {
        let receive: (@Sendable (Outcome) -> Void)? = state.withLock { state in
            defer { state = .given }
            if case .expected(let receive) = state { return receive }
            return nil
        }
        receive?(outcome)
    }
}
