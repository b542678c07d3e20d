import Synchronization

/// A link monitor that passes on the statuses of another one, and delays `up` while the link flaps (see `Damper`).
public struct DampedLinkMonitor<C: Clock>: LinkMonitor where C.Duration == Duration {
    private let base: any LinkMonitor
    private let clock: C

    /// - Parameter clock: The clock that measures how long an `up` has lasted.
    public init(_ base: any LinkMonitor, clock: C) {
        self.base = base
        self.clock = clock
    }

    public func statuses() -> AsyncStream<LinkStatus> {
        // Called here and not in the task, because a monitor may watch the network namespace of the calling thread.
        let observed = base.statuses()
        let (stream, continuation) = AsyncStream.makeStream(
            of: LinkStatus.self, bufferingPolicy: .bufferingNewest(1))
        let relay = DampedRelay(clock: clock, continuation: continuation)
        let task = Task {
            for await status in observed { relay.observe(status) }
            relay.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

/// Passes a monitor's statuses to a damper, sets a timer for its deadline, and yields its reports.
private final class DampedRelay<C: Clock>: Sendable where C.Duration == Duration {
    private struct State {
        var damper = Damper<C.Instant>()
        var timer: Task<Void, Never>?
    }

    private let clock: C
    private let continuation: AsyncStream<LinkStatus>.Continuation
    private let state = Mutex(State())

    init(clock: C, continuation: AsyncStream<LinkStatus>.Continuation) {
        self.clock = clock
        self.continuation = continuation
    }

    func observe(_ status: LinkStatus) {
        state.withLock { state in
            if let report = state.damper.observe(status, at: clock.now) { continuation.yield(report) }
            state.timer?.cancel()
            state.timer = state.damper.deadline.map { deadline in
                Task {
                    guard (try? await clock.sleep(until: deadline, tolerance: nil)) != nil else { return }
                    elapse()
                }
            }
        }
    }

    func finish() {
        state.withLock { state in
            state.timer?.cancel()
            continuation.finish()
        }
    }

    private func elapse() {
        state.withLock { state in
            if let report = state.damper.elapse(at: clock.now) { continuation.yield(report) }
        }
    }
}
