public import FerryProtocols
import FerryTransfer
import Synchronization

/// The progress of a request.
public struct UploadProgress: Hashable, Sendable {
    /// The current activity of a request.
    public enum Phase: Hashable, Sendable {
        /// The request has not begun to send its body.
        case preparing
        case sending
        /// The whole request is sent, and its response is not complete.
        case waiting
        /// The response was accepted.
        case finished
        /// The request failed or was cancelled.
        case stopped
    }

    /// The number of the attempt, from 1.
    public var attempt = 1
    /// The phase, which returns to `preparing` with each attempt.
    public var phase = Phase.preparing
    /// The number of bytes of the body that were sent in this attempt (`UploadDelegate`). It never decreases within an
    /// attempt, even if a redirect repeats the body.
    public var sent: ByteCount = 0
    /// The exact length of the body; nil while unknown.
    public var expected: ByteCount?

    public init() {}

    /// The share, 0 to 1, of the sent bytes: 1 once the request has finished, and before that 0 for an empty body. It
    /// is nil for a body of unknown length, and after a failure.
    public var fraction: Double? {
        switch phase {
        case .finished: return 1
        case .stopped: return nil
        case .preparing, .sending, .waiting:
            guard let expected else { return nil }
            return expected > 0 ? min(1, max(0, Double(sent) / Double(expected))) : 0
        }
    }
}

/// The values of a request's progress, from the current one to its end. Any number of tasks can read them. A slow
/// reader misses values, but never the last one.
public struct ProgressSequence: AsyncSequence, Sendable {
    public typealias Element = UploadProgress

    let tracker: ProgressTracker

    public func makeAsyncIterator() -> AsyncStream<UploadProgress>.Iterator {
        tracker.stream().makeAsyncIterator()
    }
}

/// Stores the current progress of a request, and sends each new value to the readers.
final class ProgressTracker: AttemptObserver {
    /// The part of an attempt that decides whether `suspend()` cancels it.
    private enum Stage {
        case beforeLastByte
        /// The server possibly receives the whole request, even after a cancellation.
        case written
        case betweenAttempts
    }

    private struct State {
        var value = UploadProgress()
        var stage = Stage.beforeLastByte
        var readers: [Int: AsyncStream<UploadProgress>.Continuation] = [:]
        var next = 0

        var hasEnded: Bool { [.finished, .stopped].contains(value.phase) }
    }

    private let state = Mutex(State())
    /// The numbers of the readers that have ended and are still in `readers`. Their lock is another one: `yield`, under
    /// the lock of `state`, can wait for a task that is being cancelled, and that must not wait for the lock of `state`
    /// when it ends.
    private let ended = Mutex<Set<Int>>([])

    /// Ends the open streams, so that no reader waits for ever.
    deinit {
        for reader in state.withLock({ $0.readers.values }) { reader.finish() }
    }

    var value: UploadProgress { state.withLock { $0.value } }
    var readerCount: Int {
        state.withLock { state in
            removeEnded(from: &state)
            return state.readers.count
        }
    }

    /// False once the whole request is written and between two attempts, which `suspend()` then does not cancel.
    var isInterruptible: Bool { state.withLock { $0.stage == .beforeLastByte } }

    func stream() -> AsyncStream<UploadProgress> {
        let (stream, reader) = AsyncStream.makeStream(
            of: UploadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            reader.yield(state.value)
            guard !state.hasEnded else { return nil }
            defer { state.next += 1 }
            state.readers[state.next] = reader
            return state.next
        }
        guard let number else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in
            _ = self?.ended.withLock { $0.insert(number) }
        }
        return stream
    }

    func didBegin(_ context: RequestContext) { begin(context, .beforeLastByte) }

    func isWaiting(for next: RequestContext) { begin(next, .betweenAttempts) }

    func willSend(_ expected: ByteCount?) {
        change { state in
            state.stage = .beforeLastByte
            state.value.phase = .preparing
            state.value.expected = expected
        }
    }

    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?) {
        change { state in
            state.value.phase = .sending
            state.value.expected = totalBytesExpected
            state.value.sent = max(state.value.sent, min(totalBytesSent, totalBytesExpected ?? .max))
        }
    }

    func didWriteRequest() { state.withLock { $0.stage = .written } }

    func didFinishSending() {
        change { state in
            state.stage = .written
            state.value.phase = .waiting
        }
    }

    /// Records the end of the request, and ends the readers' streams. After a success, the length is known.
    func end(isSuccess: Bool) {
        change { state in
            state.value.phase = isSuccess ? .finished : .stopped
            if isSuccess { state.value.expected = state.value.expected ?? state.value.sent }
        }
        // Finishing a reader calls the code that removes it, so the lock is not held.
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// Resets the progress for a retry after a response that could not be decoded.
    func reopen(for next: RequestContext) { begin(next, .beforeLastByte) }

    private func begin(_ context: RequestContext, _ stage: Stage) {
        change { state in
            state.stage = stage
            state.value = UploadProgress()
            state.value.attempt = context.attempt
        }
    }

    private func removeEnded(from state: inout State) {
        ended.withLock { numbers in
            for number in numbers { state.readers[number] = nil }
            numbers = []
        }
    }

    /// Changes the state, and sends a new value to the readers, under one lock, so that no reader gets an older value
    /// later.
    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            let before = state.value
            body(&state)
            guard state.value != before else { return }
            removeEnded(from: &state)
            for reader in state.readers.values { reader.yield(state.value) }
        }
    }
}
