import FerryProtocols
import NIOCore

/// The bytes that go to the connection in one write.
struct Chunk: Sendable {
    var data: [IOData]
    /// Bytes of all of `data`.
    var count: ByteCount
    /// True if the body ends with it. It is never a file region, so that its bytes are read before the last check.
    var isLast: Bool
}

/// Makes a body's chunks, one after the other.
///
/// The next is asked for only when the one before has been made; asked from the event loop, it reads elsewhere.
protocol ChunkSource: Sendable {
    /// True if chunks of 64 KiB and less are not worth their cost: they come from memory or a small file.
    var isSmall: Bool { get }
    /// The largest chunk that makes sense.
    var largestChunk: ByteCount { get }

    /// - Parameter limit: The most bytes of the chunk, at least 1; what stands before and after a file comes on top.
    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk>

    /// Fails if what is read is no longer what it was.
    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void>
    /// True if the kernel reads by itself and cannot say that a file has changed: then it is looked at meanwhile.
    var needsWatching: Bool { get }

    /// Returns what a failed write of a chunk says of the file, if the kernel could not read it; nil if the failure is the
    /// connection's.
    func failure(of error: any Error) -> UploadFailure?

    /// Ends the reading: nothing more is wanted.
    func stop()
}

extension ChunkSource {
    func failure(of error: any Error) -> UploadFailure? { nil }
}

enum ChunkSize {
    static let smallest: ByteCount = 64 << 10
    static let largestRegion: ByteCount = 8 << 20
    static let largestBuffer: ByteCount = 1 << 20
    /// Up to this, one read and one buffer cost less than a region.
    static let alwaysBuffered: ByteCount = 1 << 20
}
