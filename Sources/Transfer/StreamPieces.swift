import NIOCore
import Synchronization
import UploadProtocols

/// The pieces of a stream: its chunks, cut where they are larger than wanted. Its end is known only when it comes, so
/// the last piece is empty.
final class StreamPieces: PieceSource {
    private struct State {
        /// Of the last chunk, what was more than a piece.
        var left = ByteBuffer()
        var reading: Task<Void, Never>?
        var isStopped = false
    }

    private let chunks: ChunkReader
    private let state = Mutex(State())
    let isSmall = true
    let largestPiece = PieceSize.largestBuffer
    let needsWatching = false

    init(_ stream: BodyStream) { chunks = ChunkReader(stream.checked()) }

    func check() {}

    func stop() {
        let reading = state.withLock { state in
            state.isStopped = true
            return state.reading.take()
        }
        reading?.cancel()
    }

    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Piece> {
        let promise = eventLoop.makePromise(of: Piece.self)
        let task = Task {
            do { promise.succeed(try await piece(upTo: limit)) } catch {
                promise.fail(error)
            }
        }
        let isStopped = state.withLock { state in
            state.reading = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
        return promise.futureResult
    }

    private func piece(upTo limit: ByteCount) async throws -> Piece {
        var buffer = state.withLock { $0.left }
        if buffer.readableBytes == 0, let chunk = try await chunks.next() {
            buffer = ByteBuffer(bytes: chunk)
        }
        let count = min(buffer.readableBytes, Int(min(limit, largestPiece)))
        let slice = buffer.readSlice(length: count)
        let rest = buffer
        state.withLock { $0.left = rest }
        return Piece(
            data: count > 0 ? slice.map { [.byteBuffer($0)] } ?? [] : [], count: ByteCount(count),
            isLast: count == 0)
    }
}

/// Holds a stream's iterator, which can belong to one owner only.
private actor ChunkReader {
    private let stream: BodyStream
    private var iterator: (any AsyncIteratorProtocol<[UInt8], any Error>)?

    init(_ stream: BodyStream) { self.stream = stream }

    /// The next chunk, never empty; nil at the end. Called by one task at a time.
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
