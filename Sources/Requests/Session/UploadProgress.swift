public import FerryProtocols
import FerryTransfer
import Synchronization

/// The progress of a request.
public struct UploadProgress: Hashable, Sendable {
    /// The present activity of a request.
    public enum Phase: Hashable, Sendable {
        /// The request has not begun, or is between two attempts.
        case preparing
        case sending
        /// Everything is out; the server has not answered yet.
        case waiting
        /// Answered, and the answer was accepted.
        case finished
        /// Failed or cancelled.
        case stopped
    }

    /// 1 for the first; each begins at 0 bytes.
    public var attempt = 1
    /// Goes back to `preparing` with each attempt.
    public var phase = Phase.preparing
    /// Bytes of the body handed to the socket in this attempt, never fewer than before: a body that is sent again
    /// within an attempt, after a redirect, counts once it has come further.
    public var sent: ByteCount = 0
    /// The exact length of the body; nil while nobody knows it.
    public var expected: ByteCount?

    public init() {}

    /// 0...1, of the bytes handed to the socket; 1 once the request finished. Nil while the length is not known, and
    /// once the request stopped: then it says nothing any more.
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

/// The values of a request's progress: the present one first, then each newest one, until the request ends.
///
/// May be read by any number of readers, each from its own start; a slow one misses values, never the last.
public struct ProgressSequence: AsyncSequence, Sendable {
    /// One value of the progress.
    public typealias Element = UploadProgress

    let tracker: ProgressTracker

    /// Reads from the present value on.
    public func makeAsyncIterator() -> AsyncStream<UploadProgress>.Iterator {
        tracker.stream().makeAsyncIterator()
    }
}

/// Keeps the present value and tells it to those who read.
final class ProgressTracker: AttemptObserver {
    private struct State {
        var value = UploadProgress()
        var isBetweenAttempts = false
        var readers: [Int: AsyncStream<UploadProgress>.Continuation] = [:]
        var next = 0

        var hasEnded: Bool { [.finished, .stopped].contains(value.phase) }
    }

    private let state = Mutex(State())

    /// Ends the streams of a request that was never begun, and cannot be any more.
    deinit {
        for reader in state.withLock({ $0.readers.values }) { reader.finish() }
    }

    var value: UploadProgress { state.withLock { $0.value } }
    var readerCount: Int { state.withLock { $0.readers.count } }

    /// True if something goes out, or is about to, that can be stopped without losing an answer or a wait.
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
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
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

    /// The request has ended, and readers are told no more. A success has sent everything, whatever was counted.
    func end(isSuccess: Bool) {
        change { state in
            state.value.phase = isSuccess ? .finished : .stopped
            if isSuccess { state.value.expected = state.value.expected ?? state.value.sent }
        }
        // Not within the lock: it calls what removes the reader.
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// Begins anew: the request is sent again for another reader of its answer.
    func reopen(for next: RequestContext) { begin(next, isBetweenAttempts: false) }

    private func begin(_ context: RequestContext, isBetweenAttempts: Bool) {
        change { state in
            state.isBetweenAttempts = isBetweenAttempts
            state.value = UploadProgress()
            state.value.attempt = context.attempt
        }
    }

    /// Readers are told within the lock, so that none hears an older value after a newer one.
    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            let before = state.value
            body(&state)
            guard state.value != before else { return }
            for reader in state.readers.values { reader.yield(state.value) }
        }
    }
}
