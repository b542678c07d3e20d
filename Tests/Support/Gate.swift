import Dispatch
import Synchronization

/// A barrier for tasks and threads. Once opened, it stays open.
public final class Gate: Sendable {
    /// The gate was not opened in time.
    public struct TimedOut: Error {
        public let limit: Duration
    }

    private enum State {
        case closed(waiting: [Int: @Sendable () -> Void], next: Int)
        case open
    }

    /// The time after which a test gives up waiting for what must come. It is many times what anything takes, because
    /// the machine may be busy with other work.
    public static let limit = Duration.seconds(300)

    private let state = Mutex(State.closed(waiting: [:], next: 0))

    public init() {}

    public var isOpen: Bool {
        state.withLock { state in
            if case .open = state { true } else { false }
        }
    }

    public func open() {
        let waiting: [Int: @Sendable () -> Void] = state.withLock { state in
            guard case .closed(let waiting, _) = state else { return [:] }
            state = .open
            return waiting
        }
        for (_, action) in waiting.sorted(by: { $0.key < $1.key }) { action() }
    }

    /// Calls `action` once: when the gate opens, on the thread that opens it, or now if the gate is already open.
    /// - Returns: The ticket for `forget(_:)`; nil if the action was called now.
    @discardableResult
    public func whenOpen(_ action: @escaping @Sendable () -> Void) -> Int? {
        let ticket: Int? = state.withLock { state in
            guard case .closed(var waiting, let next) = state else { return nil }
            waiting[next] = action
            state = .closed(waiting: waiting, next: next + 1)
            return next
        }
        if ticket == nil { action() }
        return ticket
    }

    public func forget(_ ticket: Int?) {
        state.withLock { state in
            guard let ticket, case .closed(var waiting, let next) = state else { return }
            waiting[ticket] = nil
            state = .closed(waiting: waiting, next: next)
        }
    }

    /// Suspends until the gate is open.
    /// - Throws: `TimedOut` after `limit` of real time, `CancellationError` if the task is cancelled.
    public func wait(upTo limit: Duration = Gate.limit) async throws {
        let passed = OneShot()
        let ticket = whenOpen { passed.give(.success(())) }
        let timer = Task {
            try await Task.sleep(for: limit)
            passed.give(.failure(TimedOut(limit: limit)))
        }
        defer {
            timer.cancel()
            forget(ticket)
        }
        try await withTaskCancellationHandler {
            try await passed.value()
        } onCancel: {
            passed.give(.failure(CancellationError()))
        }
    }

    /// Blocks the thread until this gate or `other` is open, but at most for `limit` of real time.
    public func block(orUntil other: Gate? = nil, upTo limit: Duration = Gate.limit) {
        let semaphore = DispatchSemaphore(value: 0)
        let ticket = whenOpen { semaphore.signal() }
        let otherTicket = other?.whenOpen { semaphore.signal() }
        _ = semaphore.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1))))
        forget(ticket)
        other?.forget(otherTicket ?? nil)
    }
}

/// A value that is set once, by any task, and awaited by one task.
final class OneShot: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Void, any Error>)
        case given(Result<Void, any Error>)
    }

    private let state = Mutex(State.empty)

    func give(_ result: Result<Void, any Error>) {
        let continuation: CheckedContinuation<Void, any Error>? = state.withLock { state in
            defer { if case .given = state {} else { state = .given(result) } }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: result)
    }

    func value() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Void, any Error>? = state.withLock { state in
                if case .given(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
