import Synchronization
public import UploadProtocols

/// How far a request has got.
public struct UploadProgress: Hashable, Sendable {
    /// What a request does now.
    public enum Phase: Hashable, Sendable {
        /// Not begun, or between two attempts.
        case preparing
        case sending
        /// Everything is out; the server has not answered yet.
        case waiting
        case finished
    }

    /// 1 for the first; each begins at 0 bytes.
    public var attempt = 1
    /// Goes back to `preparing` with each attempt.
    public var phase = Phase.preparing
    /// Bytes of the body handed to the socket in this attempt.
    public var sent: ByteCount = 0
    /// The exact length of the body; nil while nobody knows it.
    public var expected: ByteCount?

    public init() {}

    /// 0...1; nil while the length is not known.
    public var fraction: Double? {
        if phase == .finished { return 1 }
        guard let expected else { return nil }
        return expected > 0 ? min(1, Double(sent) / Double(expected)) : 0
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
        var hasEnded = false
        var readers: [Int: AsyncStream<UploadProgress>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    var value: UploadProgress { state.withLock { $0.value } }

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

    func didBegin(_ context: RequestContext) {
        change {
            $0 = UploadProgress()
            $0.attempt = context.attempt
        }
    }

    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?) {
        change {
            $0.phase = .sending
            $0.sent = totalBytesSent
            $0.expected = totalBytesExpected
        }
    }

    func didFinishSending() { change { $0.phase = .waiting } }

    /// The request ended well: everything is sent, whatever was counted.
    func didSucceed() {
        change {
            $0.phase = .finished
            $0.expected = $0.expected ?? $0.sent
        }
    }

    /// The request has ended; readers are told no more.
    func end() {
        let readers = state.withLock { state in
            state.hasEnded = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// It is sent anew, for another reader of its answer.
    func reopen() { state.withLock { $0.hasEnded = false } }

    private func change(_ body: (inout UploadProgress) -> Void) {
        let (value, readers) = state.withLock { state in
            body(&state.value)
            return (state.value, Array(state.readers.values))
        }
        for reader in readers { reader.yield(value) }
    }
}
