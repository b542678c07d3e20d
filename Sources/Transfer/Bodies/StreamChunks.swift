import FerryProtocols
import NIOCore
import Synchronization

/// Makes the chunks of a stream, and splits what it yields at once if that is more than requested.
///
/// A stream with a declared length is read to its end before its last bytes are sent, so a request whose stream is too
/// long never completes on the server. Without a length, the last chunk is empty.
final class StreamChunks: ChunkSource {
    private struct State {
        /// The bytes that no chunk contains yet.
        var left = ByteBuffer()
        var count: ByteCount = 0
        var hasEnded = false
        var reading = Reading.none
    }

    private enum Reading {
        case none
        case underWay(Task<Void, Never>)
        case stopped
    }

    private let chunks: ChunkReader
    private let length: ByteCount?
    private let state = Mutex(State())

    init(_ stream: BodyStream) {
        chunks = ChunkReader(stream.checked())
        length = stream.length
    }

    func stop() {
        let reading = state.withLock { state in
            defer { state.reading = .stopped }
            return state.reading
        }
        if case .underWay(let task) = reading { task.cancel() }
    }

    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk> {
        let promise = eventLoop.makePromise(of: Chunk.self)
        let task = Task {
            do { promise.succeed(try await chunk(upTo: limit)) } catch {
                promise.fail(error)
            }
        }
        let isWanted = state.withLock { state in
            if case .stopped = state.reading { return false }
            state.reading = .underWay(task)
            return true
        }
        if !isWanted { task.cancel() }
        return promise.futureResult
    }

    private func chunk(upTo limit: ByteCount) async throws -> Chunk {
        if state.withLock({ $0.left.readableBytes == 0 && !$0.hasEnded }) { try await read() }
        return state.withLock { state in
            let count = min(state.left.readableBytes, Int(min(limit, largestChunk)))
            let slice = count > 0 ? state.left.readSlice(length: count) : nil
            let isLast = state.hasEnded && state.left.readableBytes == 0
            return Chunk(data: slice.map { [.byteBuffer($0)] } ?? [], count: ByteCount(count), isLast: isLast)
        }
    }

    private func read() async throws {
        let chunk = try await chunks.next()
        let isWhole = state.withLock { state in
            state.left = chunk.map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
            state.count += ByteCount(chunk?.count ?? 0)
            state.hasEnded = chunk == nil
            return chunk != nil && state.count == length
        }
        // Fails if the stream has more bytes than declared.
        guard isWhole, try await chunks.next() == nil else { return }
        state.withLock { $0.hasEnded = true }
    }
}

/// Reads a stream. The actor is the only owner of the stream's iterator, which is not `Sendable`.
private actor ChunkReader {
    private let stream: BodyStream
    private var iterator: (any AsyncIteratorProtocol<[UInt8], any Error>)?

    init(_ stream: BodyStream) { self.stream = stream }

    /// Returns the next chunk, never empty; nil at the end. Only one task at a time is allowed to call this.
    func next() async throws -> [UInt8]? {
        var reading: any AsyncIteratorProtocol<[UInt8], any Error>
        if let iterator { reading = iterator } else { reading = Self.iterator(of: try await stream.open()) }
        defer { iterator = reading }
        while let chunk = try await reading.next(isolation: self) {
            if !chunk.isEmpty { return chunk }
        }
        return nil
    }

    private static func iterator(
        of chunks: any AsyncSequence<[UInt8], any Error>
    ) -> any AsyncIteratorProtocol<[UInt8], any Error> { chunks.makeAsyncIterator() }
}
