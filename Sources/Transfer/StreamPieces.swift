import NIOCore
import Synchronization
import UploadProtocols

/// The pieces of a stream: its chunks, cut where they are larger than wanted, counted against the declared length.
final class StreamPieces: PieceSource {
    private struct State {
        /// Of the last chunk, what was more than a piece.
        var left = ByteBuffer()
        var delivered: ByteCount = 0
        var reading: Task<Void, Never>?
        var isStopped = false
    }

    private let stream: BodyStream
    private let chunks: ChunkReader
    private let state = Mutex(State())
    let isSmall = true
    let largestPiece = PieceSize.largestBuffer
    let needsWatching = false

    init(_ stream: BodyStream) {
        self.stream = stream
        chunks = ChunkReader(stream)
    }

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
                promise.fail(Self.worded(error))
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
        let delivered = state.withLock { state in
            state.left = rest
            state.delivered += ByteCount(count)
            return state.delivered
        }
        if let length = stream.length, delivered > length || count == 0 && delivered < length {
            throw Self.wrongLength(declared: length, read: delivered, hasMore: delivered > length)
        }
        // The end is known only from the stream itself: a declared length may be wrong.
        return Piece(
            data: count > 0 ? slice.map { [.byteBuffer($0)] } ?? [] : [], count: ByteCount(count),
            isLast: count == 0)
    }

    static func wrongLength(declared: ByteCount, read: ByteCount, hasMore: Bool) -> UploadFailure {
        UploadFailure(
            .sourceUnreadable,
            "the stream was declared with \(declared) bytes and brought \(read)\(hasMore ? " or more" : "")",
            hint: "give its exact length, or none")
    }

    private static func worded(_ error: any Error) -> any Error {
        switch error {
        case is UploadFailure, is CancellationError: error
        default: UploadFailure(.sourceUnreadable, "the stream could not be read: \(error)")
        }
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
