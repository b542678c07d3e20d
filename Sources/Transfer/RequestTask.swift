import Synchronization
import UploadProtocols

public import struct Foundation.UUID

/// One request under way: its progress, its result, and the means to hold or cancel it.
///
/// It goes on whether anybody waits for it or not. If a task that waits for its result is cancelled, so is the request.
public final class RequestTask: Identifiable, Sendable {
    /// Where a request stands. `cancelled` and `finished` are final, but for a finished one whose answer could not be
    /// decoded and which a retrier has made again.
    public enum State: Hashable, Sendable {
        /// Held since its creation.
        case initialized
        case running
        case suspended
        case cancelled
        case finished
    }

    typealias Outcome = Result<RequestRun.Answer, RequestFailure>

    /// One series of attempts that leads to an outcome. Another follows if an answer could not be decoded and a retrier
    /// wants it again.
    struct Execution: Sendable {
        let number: Int
        let task: Task<Outcome, Never>
    }

    private enum Stage {
        case initialized
        case running(Execution)
        /// Nil if it was never begun.
        case suspended(Execution?)
        /// Cancelled, or ended with its session, before or while it ran.
        case ended(RequestFailure, Execution?)
        case finished(Execution)
    }

    private struct Core {
        var stage = Stage.initialized
        /// The attempts under way, which suspending stops.
        var attempts: Task<Outcome, Never>?
        var context: RequestContext
    }

    private let run: RequestRun
    private let session: Session
    private let tracker = ProgressTracker()
    private let hold = Hold()
    private let core: Mutex<Core>

    init(_ run: RequestRun, session: Session) {
        self.run = run
        self.session = session
        core = Mutex(Core(context: run.context))
        run.reportCreation()
    }

    /// In every event of the request.
    public var id: UUID { run.context.id }

    /// At this moment; it may change before the caller has looked at it.
    public var state: State {
        core.withLock { core in
            switch core.stage {
            case .initialized: .initialized
            case .running: .running
            case .suspended: .suspended
            case .ended: .cancelled
            case .finished: .finished
            }
        }
    }

    /// The present progress, then the newest, until the request ends.
    public var progress: ProgressSequence { ProgressSequence(tracker: tracker) }

    /// The request as it was asked for, secrets cut; before adapters completed it.
    public var summary: RequestSummary { run.plan.summary }

    /// Begins the request, or goes on with a suspended one. Does nothing in any other state.
    @discardableResult
    public func resume() -> RequestTask {
        let wasSuspended = core.withLock { core in
            switch core.stage {
            case .initialized:
                core.stage = .running(begin(1, &core))
                return false
            case .suspended(let execution):
                core.stage = .running(execution ?? begin(1, &core))
                return true
            case .running, .ended, .finished: return false
            }
        }
        if wasSuspended { run.context.report(.resumed) }
        hold.release()
        return self
    }

    /// Holds the request until `resume()`.
    ///
    /// Before it is sent: nothing goes out. While its body goes out: HTTP knows no pause, so the connection is closed
    /// and resuming sends the whole body again, which counts as no retry; only a resumable protocol goes on at the
    /// byte (`UploadAttempt`). When its last byte is out, the answer is still taken, and nothing is sent after it.
    @discardableResult
    public func suspend() -> RequestTask {
        let attempts: Task<Outcome, Never>?
        let isNew: Bool
        (attempts, isNew) = core.withLock { core in
            switch core.stage {
            case .initialized:
                core.stage = .suspended(nil)
                // What begins then waits until everybody knows that it goes on.
                hold.close()
                return (nil, true)
            case .running(let execution):
                core.stage = .suspended(execution)
                hold.close()
                return (core.attempts, true)
            case .suspended, .ended, .finished: return (nil, false)
            }
        }
        if isNew { run.context.report(.suspended) }
        if tracker.isInterruptible { attempts?.cancel() }
        return self
    }

    /// Ends the request with `RequestFailure.cancelled`, for good. Its connection is closed at once.
    public func cancel() { stop(.cancelled()) }

    /// Ends the request as `failure` says, and returns when nothing of it runs any more.
    func end(with failure: RequestFailure) async { _ = await stop(failure)?.task.value }

    @discardableResult
    private func stop(_ failure: RequestFailure) -> Execution? {
        let (execution, isNew): (Execution?, Bool) = core.withLock { core in
            switch core.stage {
            case .initialized, .suspended(nil):
                core.stage = .ended(failure, nil)
                return (nil, true)
            case .running(let execution), .suspended(let execution?):
                core.stage = .ended(failure, execution)
                return (execution, true)
            case .ended(_, let execution): return (execution, false)
            case .finished: return (nil, false)
            }
        }
        guard isNew else { return execution }
        if let execution {
            execution.task.cancel()
        } else {
            run.reportEnd(.failure(failure), in: run.context)
            tracker.end(isSuccess: false)
        }
        return execution
    }

    /// The outcome of the request as it is now under way; begins it if nobody has.
    func outcome() async -> (number: Int, Outcome) {
        switch state {
        case .initialized: resume()
        case .running, .suspended, .cancelled, .finished: break
        }
        // A suspended request that was never begun begins when it is resumed: this waits with it.
        if core.withLock({ if case .suspended(nil) = $0.stage { true } else { false } }) {
            core.withLock { core in
                guard case .suspended(nil) = core.stage else { return }
                core.stage = .suspended(begin(1, &core))
            }
        }
        let current: Result<Execution, RequestFailure> = core.withLock { core in
            switch core.stage {
            case .running(let execution), .suspended(let execution?), .finished(let execution),
                .ended(_, let execution?):
                .success(execution)
            case .ended(let failure, nil): .failure(failure)
            case .initialized, .suspended(nil): .failure(.cancelled())
            }
        }
        switch current {
        case .failure(let failure): return (0, .failure(failure))
        case .success(let execution):
            let outcome = await withTaskCancellationHandler {
                await execution.task.value
            } onCancel: {
                cancel()
            }
            return (execution.number, outcome)
        }
    }

    /// Makes the request again because its answer cannot be used, if a retrier says so.
    ///
    /// - Parameter number: Of the execution that brought the answer. If another is already under way, that one counts.
    func again(
        after failure: RequestFailure, to request: TransportRequest, from number: Int
    ) async throws(RequestFailure) {
        let context = core.withLock { $0.context }
        let next = try await run.next(after: failure, of: request, in: context)
        core.withLock { core in
            guard case .finished(let execution) = core.stage, execution.number == number else { return }
            core.context = next
            tracker.reopen(for: next)
            core.stage = .running(begin(number + 1, &core))
        }
    }

    private func begin(_ number: Int, _ core: inout Core) -> Execution {
        let isAllowed = session.running.add(self)
        return Execution(
            number: number,
            task: Task {
                let outcome = isAllowed ? await self.execute() : .failure(.sessionClosed)
                return self.conclude(outcome, number)
            })
    }

    private func execute() async -> Outcome {
        while true {
            guard await hold.wait() else { return .failure(.cancelled()) }
            let attempts = core.withLock { core in
                let first = core.context
                let attempts = Task {
                    var context = first
                    let outcome: Outcome
                    do throws(RequestFailure) {
                        outcome = .success(try await run.attempts(&context, progress: tracker, hold: hold))
                    } catch {
                        outcome = .failure(error)
                    }
                    let last = context
                    self.core.withLock { $0.context = last }
                    return outcome
                }
                core.attempts = attempts
                return attempts
            }
            let outcome = await withTaskCancellationHandler {
                await attempts.value
            } onCancel: {
                attempts.cancel()
            }
            core.withLock { $0.attempts = nil }
            // Stopped to be held; what else ends so is the end.
            if case .failure(.cancelled) = outcome, attempts.isCancelled, !Task.isCancelled { continue }
            return outcome
        }
    }

    /// Writes down how the execution ended, and tells everybody.
    private func conclude(_ outcome: Outcome, _ number: Int) -> Outcome {
        let (final, context): (Outcome, RequestContext) = core.withLock { core in
            switch core.stage {
            case .ended(.cancelled, _):
                if case .failure(.cancelled) = outcome { return (outcome, core.context) }
                return (.failure(.cancelled()), core.context)
            case .ended(let failure, _): return (.failure(failure), core.context)
            case .running(let execution), .suspended(let execution?):
                core.stage = .finished(execution)
                return (outcome, core.context)
            case .initialized, .suspended(nil), .finished: return (outcome, core.context)
            }
        }
        session.running.remove(self)
        run.reportEnd(final, in: context)
        if case .success = final { tracker.end(isSuccess: true) } else { tracker.end(isSuccess: false) }
        return final
    }
}
