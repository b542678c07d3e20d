import FerryProtocols
import NIOCore

/// The bytes that go to the connection in one write.
struct Chunk: Sendable {
    var data: [IOData]
    /// The number of bytes in `data`.
    var count: ByteCount
    /// True if this chunk is the last one of the body. The last chunk is always in memory, never a file region that the
    /// kernel reads while it sends. So the file can be checked for changes after its last bytes are read and before
    /// they are written.
    var isLast: Bool
}

/// Makes the chunks of a body, in order.
///
/// The caller requests a chunk only after the preceding one has been made. All calls come on the event loop. Files are
/// read on other threads, so that the event loop does not wait for a disk.
protocol ChunkSource: Sendable {
    /// True for streams, bytes in memory and small files. Their first chunk can have up to 1 MiB instead of 64 KiB,
    /// because many small chunks would cost more time.
    var isSmall: Bool { get }
    var largestChunk: ByteCount { get }

    /// - Parameter limit: The maximum number of bytes, at least 1. The first and the last chunk of a file can be
    ///   larger. They can also include bytes of the body that come directly before or after the file, such as the part
    ///   headers of a form.
    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk>

    /// Checks that each file of the source still has the expected version. If a file has changed, the future fails.
    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void>
    /// True if a chunk can be a file region, whose bytes the kernel itself reads while it sends them. The kernel cannot
    /// report that the file has changed. So the caller checks the file at intervals.
    var needsWatching: Bool { get }

    /// Returns a failure that names the file if `error` means that the kernel could not read the file. Returns nil for
    /// any other error, such as that of a broken connection.
    func failure(of error: any Error) -> UploadFailure?

    /// Stops reading, because the rest of the body is not needed.
    func stop()
}

/// The implementations for sources without files.
extension ChunkSource {
    var isSmall: Bool { true }
    var largestChunk: ByteCount { ChunkSize.largestBuffer }
    var needsWatching: Bool { false }
    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void> { eventLoop.makeSucceededVoidFuture() }
    func stop() {}
    func failure(of error: any Error) -> UploadFailure? { nil }
}

enum ChunkSize {
    static let smallest: ByteCount = 64 << 10
    static let largestRegion: ByteCount = 8 << 20
    static let largestBuffer: ByteCount = 1 << 20
    /// The size, in bytes, up to which reading a file into a buffer costs less than sending it as a file region.
    static let alwaysBuffered: ByteCount = 1 << 20
}
