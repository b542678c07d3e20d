import FerryProtocols
import NIOCore

/// The bytes that go to the connection in one write.
struct Chunk: Sendable {
    var data: [IOData]
    /// The number of bytes in `data`.
    var count: ByteCount
    /// True if the chunk ends the body. The last chunk is never a file region, so its bytes are read before the last
    /// check.
    var isLast: Bool
}

/// A source of a body's chunks, in order.
///
/// The next chunk is requested only when the previous one was made. The event loop calls the source, which reads on
/// another thread.
protocol ChunkSource: Sendable {
    /// True if chunks of 64 KiB and less cost too much: the bytes come from memory or a small file.
    var isSmall: Bool { get }
    /// The largest useful chunk.
    var largestChunk: ByteCount { get }

    /// - Parameter limit: The maximum number of bytes, at least 1, not counting the bytes before and after a file.
    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk>

    /// Fails if the file has changed.
    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void>
    /// True if the kernel reads the file itself and cannot report that it has changed: then the file is checked at
    /// intervals.
    var needsWatching: Bool { get }

    /// Returns the failure of the file if the kernel could not read a chunk; nil if the connection failed.
    func failure(of error: any Error) -> UploadFailure?

    /// Ends reading, because the rest is not needed.
    func stop()
}

extension ChunkSource {
    func failure(of error: any Error) -> UploadFailure? { nil }
}

enum ChunkSize {
    static let smallest: ByteCount = 64 << 10
    static let largestRegion: ByteCount = 8 << 20
    static let largestBuffer: ByteCount = 1 << 20
    /// The size up to which one read and one buffer cost less than a file region.
    static let alwaysBuffered: ByteCount = 1 << 20
}
