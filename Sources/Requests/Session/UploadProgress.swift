public import FerryProtocols
import FerryTransfer
import Synchronization

/// The progress of a request.
public struct UploadProgress: Hashable, Sendable {
    /// The current activity of a request.
    public enum Phase: Hashable, Sendable {
        /// The request has not begun, is between two attempts, or has not begun to send its body.
        case preparing
        case sending
        /// The whole request is sent; the server has not responded yet.
        case waiting
        /// The response was accepted.
        case finished
        /// The request failed or was cancelled.
        case stopped
    }

    /// The number of the attempt, from 1. Each attempt begins at 0 bytes.
    public var attempt = 1
    /// The phase, which returns to `preparing` with each attempt.
    public var phase = Phase.preparing
    /// The number of bytes of the body that were passed to the socket in this attempt. The number never decreases
    /// within an attempt. If a redirect repeats the body from its first byte, the number stays the same until more
    /// bytes have been sent than before the redirect.
    public var sent: ByteCount = 0
    /// The exact length of the body; nil while unknown.
    public var expected: ByteCount?

    public init() {}

    /// The share, 0 to 1, of the body's bytes that were passed to the socket. The value is 1 once the request has
    /// finished. Before that, it is 0 for an empty body, and nil for a body of unknown length. It is nil if the request
    /// failed or was cancelled.
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

/// The values of a request's progress: the current one first, then newer ones, until the request ends.
///
/// Any number of tasks can read the sequence. A slow reader misses values, but never the last one.
public struct ProgressSequence: AsyncSequence, Sendable {
    /// One value of the progress.
    public typealias Element = UploadProgress

    let tracker: ProgressTracker

    /// Returns an iterator that begins with the current value.
    public func makeAsyncIterator() -> AsyncStream<UploadProgress>.Iterator {
        tracker.stream().makeAsyncIterator()
    }
}

/// Stores the current progress of a request, and sends each new value to the readers.
final class ProgressTracker: AttemptObserver {
    private struct State {
        var value = UploadProgress()
        var isBetweenAttempts = false
        var readers: [Int: AsyncStream<UploadProgress>.Continuation] = [:]
        var next = 0

        var hasEnded: Bool { [.finished, .stopped].contains(value.phase) }
    }

    private let state = Mutex(State())
    /// The numbers of the readers that have ended, and are not yet removed from `readers`. They have their own lock to
    /// prevent a deadlock. `yield`, which is called under the lock of `state`, can wait for a task that is being
    /// cancelled. That task, when it ends, must not wait for the lock of `state`.
    private let ended = Mutex<Set<Int>>([])

    /// Ends the streams that are still open, so that no reader waits for ever.
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

    /// False while the request waits for a response, or for a delay between two attempts. Otherwise true: `suspend()`
    /// then cancels the attempts.
    var isInterruptible: Bool { state.withLock { !$0.isBetweenAttempts && $0.value.phase != .waiting } }

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

    func didBegin(_ context: RequestContext) { begin(context, isBetweenAttempts: false) }

    func isWaiting(for next: RequestContext) { begin(next, isBetweenAttempts: true) }

    func willSend(_ expected: ByteCount?) {
        change { state in
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

    func didFinishSending() { change { $0.value.phase = .waiting } }

    /// Records the end of the request, and ends the readers' streams. After a success, an unknown length of the body
    /// becomes the number of bytes sent.
    func end(isSuccess: Bool) {
        change { state in
            state.value.phase = isSuccess ? .finished : .stopped
            if isSuccess { state.value.expected = state.value.expected ?? state.value.sent }
        }
        // This is outside of the lock, because finishing a reader calls the code that removes it.
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// Resets the progress, because a retrier repeats the request after its response could not be decoded.
    func reopen(for next: RequestContext) { begin(next, isBetweenAttempts: false) }

    private func begin(_ context: RequestContext, isBetweenAttempts: Bool) {
        change { state in
            state.isBetweenAttempts = isBetweenAttempts
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

    /// Changes the state, and sends the new value to the readers if it differs. Both happen under one lock, so that no
    /// reader gets an older value after a newer one.
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
