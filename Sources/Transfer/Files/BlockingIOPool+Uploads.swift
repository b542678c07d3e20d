import FerryProtocols
import NIOCore
import Synchronization

extension BlockingIOPool {
    /// Does `work` where waiting for a medium keeps nobody else.
    ///
    /// - Parameters:
    ///   - path: The file that is waited for.
    ///   - medium: The device that it is on; one that hangs leaves threads to the others. All that are not known count
    ///     as one.
    /// - Throws: What `work` throws; `sourceAway` if it takes too long. `work` may still be under way then, as after a
    ///   cancellation, so it must hold on to all that it uses.
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

    /// The same for callers on an event loop.
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

/// A result for one receiver, whoever gives it first.
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

    /// - Returns: False if a result was there before; `receive` has been called with it then.
    func expect(_ receive: @escaping @Sendable (Outcome) -> Void) -> Bool {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .expected(receive)
            return true
        }
        // Nothing can have come before but a cancellation.
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
