import FerryProtocols
import NIOCore

/// The bytes that go to the connection in one write.
struct Chunk: Sendable {
    var data: [IOData]
    var count: ByteCount
    /// True if this chunk is the last one of the body. It is always in memory, never a file region, so that the file
    /// can be checked for changes after its last bytes are read and before they are written.
    var isLast: Bool
}

/// Makes the chunks of a body, in order. The caller requests a chunk after the preceding one has been made. All calls
/// come on the event loop, and files are read on other threads.
protocol ChunkSource: Sendable {
    /// True for streams, bytes in memory and small files, whose first chunk can be as large as later ones and not only
    /// 64 KiB: many small chunks would cost more time.
    var isSmall: Bool { get }
    var largestChunk: ByteCount { get }

    /// - Parameter limit: The maximum number of bytes, at least 1. The first and the last chunk of a file can be
    ///   larger, and include bytes of the body around the file, such as the part headers of a form.
    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk>

    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void>
    /// True if a chunk can be a file region, which the kernel reads while it sends. The kernel cannot report that the
    /// file has changed, so the caller checks it at intervals.
    var needsWatching: Bool { get }

    /// Returns a failure that names the file, if `error` means that the kernel could not read it.
    func failure(of error: any Error) -> UploadFailure?

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
    /// Measured with 2 GiB over TLS: 1 MiB took 3 MiB more memory and no less CPU, 256 KiB a fifth more CPU.
    static let largestBuffer: ByteCount = 512 << 10
    /// The size up to which reading a file into a buffer costs less than sending it as a file region.
    static let alwaysBuffered: ByteCount = 1 << 20
}
