import FerryProtocols
public import FerryTransfer
import Synchronization

/// One request, with its progress, its result, and the methods that suspend and cancel it.
///
/// The request continues even if no task waits for its result. Cancelling a waiting task cancels it.
public final class RequestTask: Identifiable, Sendable {
    /// The state of a request. A `finished` request whose response cannot be decoded is `running` again while the
    /// retriers decide.
    public enum State: Hashable, Sendable {
        /// The request was created and has not begun.
        case initialized
        case running
        case suspended
        /// The request was ended by `cancel()` or by the session's `shutdown()`.
        case cancelled
        /// The request has an accepted response, or it has failed.
        case finished
    }

    typealias Outcome = Result<RequestRun.Accepted, RequestFailure>

    /// The result of an `Execution`.
    enum Ending: Sendable {
        case outcome(Outcome)
        /// The response could not be decoded, and no retrier repeats the request: the previous outcome remains.
        case declined(RequestFailure)
    }

    /// A series of attempts that ends with a response or a failure. If the response cannot be decoded, another
    /// execution asks the retriers, waits as they request, and makes attempts only if they repeat the request.
    struct Execution: Sendable {
        let number: Int
        let task: Task<Ending, Never>
    }

    /// A response that could not be decoded.
    private struct Undecoded: Sendable {
        let failure: RequestFailure
        let accepted: RequestRun.Accepted
        let execution: Execution
    }

    private enum Stage {
        case initialized
        case running(Execution)
        case suspended(Execution?)
        /// The request was ended. The execution is nil if none had begun.
        case ended(RequestFailure, Execution?)
        case finished(Execution)
    }

    private struct Core {
        var stage = Stage.initialized
        /// The task of the current attempts, which `suspend()` cancels unless the request waits.
        var attempts: Task<Outcome, Never>?
        var context: RequestContext
    }

    private let run: RequestRun
    private let session: Session
    private let tracker = ProgressTracker()
    private let gate = PauseGate()
    private let core: Mutex<Core>

    init(_ run: RequestRun, session: Session) {
        self.run = run
        self.session = session
        core = Mutex(Core(context: run.context))
        run.reportCreation()
        session.running.hold(self)
    }

    /// Reports a cancellation if the request never began. Otherwise it was retained until its end.
    deinit {
        session.running.remove(self)
        switch core.withLock({ $0.stage }) {
        case .initialized, .suspended(nil):
            run.reportEnd(.failure(.cancelled()), in: run.context)
            tracker.end(isSuccess: false)
        case .running, .suspended, .ended, .finished: break
        }
    }

    /// The id of the request in all its events.
    public var id: UUID { run.context.id }

    /// The state at this moment.
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

    /// The progress of the request, from the current value to its end.
    public var progress: ProgressSequence { ProgressSequence(tracker: tracker) }

    /// The request with the session's header fields, before the adapters and without secrets.
    public var summary: RequestSummary { run.summary }

    /// Begins the request, or resumes a suspended one. Does nothing in any other state.
    @discardableResult
    public func resume() -> RequestTask {
        let wasSuspended = core.withLock { core in
            switch core.stage {
            case .initialized:
                core.stage = .running(begin(1))
                return false
            case .suspended(let execution):
                core.stage = .running(execution ?? begin(1))
                return true
            case .running, .ended, .finished: return false
            }
        }
        guard wasSuspended else { return self }
        run.context.report(.resumed)
        // Another caller may have suspended the request again after the lock was released.
        core.withLock { if case .running = $0.stage { gate.release() } }
        return self
    }

    /// Suspends the request until `resume()`.
    ///
    /// Until the kernel has accepted the whole body, this closes the connection, because HTTP has no pause, and then the
    /// whole body is sent again, which is no retry. Only a resumable protocol (`UploadAttempt`) can continue in the middle
    /// of a body.
    ///
    /// After that, the rest of the body is still sent, and the response is read. Redirects and retries wait for
    /// `resume()`.
    @discardableResult
    public func suspend() -> RequestTask {
        let attempts: Task<Outcome, Never>?
        let isNew: Bool
        (attempts, isNew) = core.withLock { core in
            switch core.stage {
            case .initialized:
                core.stage = .suspended(nil)
                // The execution may begin meanwhile. Its attempts wait at the gate.
                gate.close()
                return (nil, true)
            case .running(let execution):
                core.stage = .suspended(execution)
                gate.close()
                return (core.attempts, true)
            case .suspended, .ended, .finished: return (nil, false)
            }
        }
        if isNew { run.context.report(.suspended) }
        if tracker.isInterruptible { attempts?.cancel() }
        return self
    }

    /// Ends the request with `RequestFailure.cancelled`, and closes its connection at once.
    public func cancel() { stop(.cancelled()) }

    /// Ends the request with `failure`, unless it has ended.
    /// - Returns: The current execution, which can still be running.
    @discardableResult
    func stop(_ failure: RequestFailure) -> Execution? {
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

    /// Waits for the current execution, if there is one, and returns it with its outcome. Begins a new request.
    func outcome() async -> (Execution?, Outcome) {
        if case .initialized = state { resume() }
        while true {
            let current: Result<Execution, RequestFailure> = core.withLock { core in
                switch core.stage {
                case .running(let execution), .suspended(let execution?), .finished(let execution),
                    .ended(_, let execution?):
                    return .success(execution)
                case .suspended(nil):
                    let execution = begin(1)
                    core.stage = .suspended(execution)
                    return .success(execution)
                case .ended(let failure, nil): return .failure(failure)
                case .initialized: return .failure(.cancelled())
                }
            }
            switch current {
            case .failure(let failure): return (nil, .failure(failure))
            case .success(let execution):
                guard case .outcome(let outcome) = await ending(of: execution) else { continue }
                return (execution, outcome)
            }
        }
    }

    private func ending(of execution: Execution) async -> Ending {
        await withTaskCancellationHandler {
            await execution.task.value
        } onCancel: {
            cancel()
        }
    }

    /// Asks the retriers about a request whose accepted response could not be decoded, and repeats it if they decide
    /// so.
    ///
    /// - Parameter execution: The execution with the response, without a newer one.
    /// - Throws: The failure if no retrier repeats the request.
    func again(
        after failure: RequestFailure, to accepted: RequestRun.Accepted, from execution: Execution?
    ) async throws(RequestFailure) {
        let next: Execution? = core.withLock { core in
            guard let execution, case .finished(let last) = core.stage, last.number == execution.number else {
                return nil
            }
            let next = begin(
                last.number + 1, after: Undecoded(failure: failure, accepted: accepted, execution: last))
            core.stage = .running(next)
            return next
        }
        guard let next, case .declined(let reason) = await ending(of: next) else { return }
        throw reason
    }

    private func begin(_ number: Int, after undecoded: Undecoded? = nil) -> Execution {
        let isAllowed = session.running.begin(self)
        return Execution(
            number: number,
            task: Task {
                if isAllowed, let undecoded, let reason = await self.decline(undecoded) {
                    return .declined(reason)
                }
                let outcome = isAllowed ? await self.execute() : .failure(.sessionClosed)
                return .outcome(self.conclude(outcome))
            })
    }

    /// Asks the retriers for another attempt, and waits for the delay that they request. Returns the failure if none
    /// wants one.
    private func decline(_ undecoded: Undecoded) async -> RequestFailure? {
        var context = core.withLock { $0.context }
        let failure: RequestFailure?
        do throws(RequestFailure) {
            try await run.next(after: undecoded.failure, of: undecoded.accepted.judged, in: &context)
            failure = nil
        } catch {
            failure = error
        }
        let next = context
        let isDeclined = core.withLock { core in
            core.context = next
            switch core.stage {
            case .running, .suspended:
                guard failure != nil else {
                    tracker.reopen(for: next)
                    return false
                }
                core.stage = .finished(undecoded.execution)
                gate.release()
                // Under the lock, because another reader may repeat the request at once.
                session.running.remove(self)
                return true
            case .initialized, .ended, .finished: return false
            }
        }
        return isDeclined ? failure : nil
    }

    private func execute() async -> Outcome {
        while true {
            guard await gate.wait() else { return .failure(.cancelled()) }
            let attempts: Task<Outcome, Never>? = core.withLock { core in
                if case .ended = core.stage { return nil }
                let first = core.context
                let attempts = Task {
                    var context = first
                    let outcome: Outcome
                    do throws(RequestFailure) {
                        outcome = .success(
                            try await run.attempts(
                                &context, start: AttemptStart(progress: tracker, gate: gate.wait)))
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
            guard let attempts else { return .failure(.cancelled()) }
            let outcome = await withTaskCancellationHandler {
                await attempts.value
            } onCancel: {
                attempts.cancel()
            }
            core.withLock { $0.attempts = nil }
            // Attempts that a suspension has cancelled begin again; any other cancellation is final.
            if case .failure(.cancelled) = outcome, attempts.isCancelled, !Task.isCancelled { continue }
            return outcome
        }
    }

    /// Stores and reports the outcome of the execution, or the failure with which `stop` ended the request.
    private func conclude(_ outcome: Outcome) -> Outcome {
        let (final, context): (Outcome, RequestContext) = core.withLock { core in
            switch core.stage {
            case .ended(.cancelled, _):
                if case .failure(.cancelled) = outcome { return (outcome, core.context) }
                return (.failure(.cancelled()), core.context)
            case .ended(let failure, _): return (.failure(failure), core.context)
            case .running(let execution), .suspended(let execution?):
                core.stage = .finished(execution)
                // A closed gate would block another execution for ever.
                gate.release()
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
