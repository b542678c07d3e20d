import FerryProtocols
import NIOCore
import NIOPosix
import Synchronization

/// Writes one body to a connection, chunk by chunk. While one chunk is encrypted and the kernel accepts it, another thread
/// prepares the next, so the event loop never reads a file.
///
/// The files are checked for changes after the last chunk is read and before it is written. The chunks of a large file
/// begin small, and grow while the link accepts them quickly: progress is smooth, and a fast link is not slowed down.
final class BodyWriter: Sendable {
    typealias Write = @Sendable (IOData) -> EventLoopFuture<Void>

    /// The error with which the future of `run(write:)` fails when the rest of the body is not needed.
    struct Stopped: Error {}

    private struct Run: Sendable {
        let write: Write
        let done: EventLoopPromise<Void>
        var following: EventLoopFuture<Chunk>?
        /// The chunk that is being written, the time at which its write began, and the number of bytes that the kernel
        /// has not accepted yet.
        var current: (isLast: Bool, started: NIODeadline, left: ByteCount)?
        var pause: Scheduled<Void>?
        var watch: RepeatedTask?
    }

    private enum Phase: Sendable {
        case waiting
        case running(Run)
        case refused(Run)
        case ended
    }

    private struct State: Sendable {
        var phase = Phase.waiting
        var check: Task<Void, Never>?
        var chunkSize: ByteCount
    }

    private let body: StreamedBody
    private let chunks: any ChunkSource
    private let eventLoop: any EventLoop
    private let state: Mutex<State>
    /// The share of the memory for chunks; nil if the kernel reads the file.
    private let share: BufferBudget.Share?

    init(_ body: StreamedBody, isEncrypted: Bool, on eventLoop: any EventLoop) {
        self.body = body
        self.eventLoop = eventLoop
        chunks = body.chunks(isEncrypted: isEncrypted)
        share = chunks.needsWatching ? nil : BufferBudget.Share()
        state = Mutex(State(chunkSize: chunks.isSmall ? ChunkSize.alwaysBuffered : ChunkSize.smallest))
    }

    /// True if the kernel itself reads a file of the body while it sends the file (`FileRegion`).
    var sendsRegions: Bool { chunks.needsWatching }

    /// True if the body usually follows the head of the request at once: it is small and needs no check. A stream or a
    /// bandwidth limit can delay it.
    var followsAtOnce: Bool { chunks.isSmall && body.beforeLastBytes == nil }

    /// Writes the whole body, on the event loop.
    ///
    /// - Returns: A future that completes when the kernel has accepted the last chunk. It fails if the body cannot be
    ///   read or has changed, if `beforeLastBytes` or a write fails, or with `Stopped`.
    func run(write: @escaping Write) -> EventLoopFuture<Void> {
        let done = eventLoop.makePromise(of: Void.self)
        let isWanted = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .running(Run(write: write, done: done))
            return true
        }
        guard isWanted else {
            done.fail(Stopped())
            return done.futureResult
        }
        goOn()
        if chunks.needsWatching { watchFiles() }
        return done.futureResult
    }

    /// Checks the files about once a second. Without this, a file that becomes shorter would stall the writing: the
    /// kernel cannot send a file region beyond the new end, and reports no error.
    private func watchFiles() {
        let (chunks, eventLoop) = (chunks, eventLoop)
        let interval = TimeAmount.seconds(1)
        // One check at a time, because each check occupies a thread while a disk or share blocks.
        let watch = eventLoop.scheduleRepeatedAsyncTask(initialDelay: interval, delay: interval) { _ in
            let checked = chunks.check(on: eventLoop)
            checked.whenFailure { [weak self] in self?.end(.failure($0)) }
            return checked
        }
        let isWatched: Void? = withRun { $0.watch = watch }
        if isWatched == nil { watch.cancel() }
    }

    func failure(of error: any Error) -> UploadFailure? { chunks.failure(of: error) }

    /// Records that the kernel has accepted `count` more bytes. If the chunk is complete now, writes the next one.
    func didSend(_ count: ByteCount) {
        let finished: (isLast: Bool, elapsed: TimeAmount)? = withRun { run in
            guard var current = run.current else { return nil }
            current.left -= count
            run.current = current.left > 0 ? current : nil
            return current.left > 0 ? nil : (current.isLast, NIODeadline.now() - current.started)
        }
        guard let finished else { return }
        if finished.isLast { return end(.success(())) }
        adapt(to: finished.elapsed)
        // The HTTP client needs one turn of the event loop to notice that the connection is writable again. After that,
        // it accepts the chunk without making a promise for it.
        eventLoop.execute { self.goOn() }
    }

    /// Writes no more chunks, because the server has refused the request (status 300 and above). The future of
    /// `run(write:)` stays incomplete until a call such as `stop()`.
    func refuse() {
        state.withLock { state in
            guard case .running(let run) = state.phase else { return }
            state.phase = .refused(run)
        }
    }

    /// Ends the writing with `Stopped`, unless it has ended. A later call of `run(write:)` writes nothing.
    func stop() { end(.failure(Stopped())) }

    /// Ends the writing like `stop()`. Also cancels `beforeLastBytes`, and waits for its end.
    func finish() async {
        stop()
        let check = state.withLock { $0.check }
        check?.cancel()
        await check?.value
    }

    @discardableResult
    private func withRun<Result: Sendable>(_ body: (inout Run) -> Result?) -> Result? {
        state.withLock { state in
            guard case .running(var run) = state.phase else { return nil }
            defer { state.phase = .running(run) }
            return body(&run)
        }
    }

    private func end(_ result: Result<Void, any Error>) {
        let run: Run? = state.withLock { state in
            defer { state.phase = .ended }
            switch state.phase {
            case .running(let run), .refused(let run): return run
            case .waiting, .ended: return nil
            }
        }
        chunks.stop()
        guard let run else { return }
        run.pause?.cancel()
        run.watch?.cancel()
        run.done.completeWith(result)
    }

    private func goOn() {
        let next: EventLoopFuture<Chunk> = withRun { $0.following.take() } ?? nextChunk()
        next.whenComplete { result in
            switch result {
            case .success(let chunk): self.sendInTime(chunk)
            case .failure(let error): self.end(.failure(error))
            }
        }
    }

    /// Waits for the rate limiter, and sends the chunk. Checks the files before the last one.
    private func sendInTime(_ chunk: Chunk) {
        let delay = body.rateLimiter?.delay(beforeSending: chunk.count) ?? .zero
        guard delay <= .zero else {
            let pause = eventLoop.scheduleTask(in: TimeAmount(delay)) { self.sendInTime(chunk) }
            let started: Void? = withRun { $0.pause = pause }
            if started == nil { pause.cancel() }
            return
        }
        guard chunk.isLast else { return send(chunk) }
        // A file that the kernel does not read by itself was checked when it was read.
        guard chunks.needsWatching else { return sendLast(chunk) }
        chunks.check(on: eventLoop).whenComplete { result in
            switch result {
            case .success: self.sendLast(chunk)
            case .failure(let error): self.end(.failure(error))
            }
        }
    }

    /// Runs `beforeLastBytes`, and sends the last chunk.
    private func sendLast(_ chunk: Chunk) {
        guard let check = body.beforeLastBytes else { return send(chunk) }
        state.withLock { state in
            guard case .running = state.phase else { return }
            state.check = Task {
                do {
                    try await check()
                    eventLoop.execute { self.send(chunk) }
                } catch {
                    self.end(.failure(error))
                }
            }
        }
    }

    private func send(_ chunk: Chunk) {
        let write: Write? = withRun { run in
            run.current = (chunk.isLast, .now(), chunk.count)
            return run.write
        }
        guard let write else { return }
        if !chunk.isLast {
            // Begins before the write, which encrypts the chunk on this thread.
            let following = nextChunk()
            withRun { $0.following = following }
        }
        for data in chunk.data { write(data).whenFailure { self.end(.failure($0)) } }
        if chunk.isLast, chunk.count == 0 { end(.success(())) }
    }

    private func nextChunk() -> EventLoopFuture<Chunk> {
        let limits = [body.rateLimiter?.chunkLimit, share == nil ? nil : BufferBudget.largestChunk]
        let size = limits.compactMap { $0 }.reduce(state.withLock { $0.chunkSize }, min)
        return chunks.next(upTo: max(1, size), on: eventLoop)
    }

    /// Doubles the chunk size after a write of less than 25 ms, and halves it after more than 150 ms: large chunks are
    /// efficient, and small ones show progress more often.
    private func adapt(to elapsed: TimeAmount) {
        state.withLock { state in
            if elapsed < .milliseconds(25) {
                state.chunkSize = min(state.chunkSize * 2, chunks.largestChunk)
            } else if elapsed > .milliseconds(150) {
                state.chunkSize = max(state.chunkSize / 2, ChunkSize.smallest)
            }
        }
    }
}
