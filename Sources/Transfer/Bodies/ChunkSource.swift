import FerryProtocols
import NIOCore

/// The bytes that go to the connection in one write.
struct Chunk: Sendable {
    var data: [IOData]
    /// The number of bytes in `data`.
    var count: ByteCount
    /// True if the chunk ends the body. The last chunk is never a file region, so its bytes are in memory before the
    /// final check of the file.
    var isLast: Bool
}

/// A source of a body's chunks, in order.
///
/// The caller requests the next chunk only after the source has made the previous one. Calls come on the event loop; a
/// source reads on another thread.
protocol ChunkSource: Sendable {
    /// True if the first chunk can have up to 1 MiB instead of 64 KiB. This is so for streams, bytes in memory and
    /// small files, where small chunks cost too much.
    var isSmall: Bool { get }
    /// The maximum size of a chunk, in bytes.
    var largestChunk: ByteCount { get }

    /// Makes the next chunk.
    /// - Parameter limit: The maximum number of bytes, at least 1. The bytes of the body directly before and after a
    ///   file, such as the part headers of a form, do not count.
    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk>

    /// Checks the files of the source. The future fails if one of them has changed.
    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void>
    /// True if the kernel reads a file while it sends the chunk. The kernel cannot report a change of the file, so the
    /// caller checks the file at intervals.
    var needsWatching: Bool { get }

    /// Returns the failure of the file if `error` means that the kernel could not read it; nil if the connection
    /// failed.
    func failure(of error: any Error) -> UploadFailure?

    /// Stops reading, because the rest of the body is not needed.
    func stop()
}

extension ChunkSource {
    func failure(of error: any Error) -> UploadFailure? { nil }
}

enum ChunkSize {
    static let smallest: ByteCount = 64 << 10
    static let largestRegion: ByteCount = 8 << 20
    static let largestBuffer: ByteCount = 1 << 20
    /// The size, in bytes, up to which reading a file into a buffer costs less than sending it as a file region.
    static let alwaysBuffered: ByteCount = 1 << 20
}
