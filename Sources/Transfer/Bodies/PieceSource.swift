import FerryProtocols
import NIOCore

/// What goes to the connection in one write.
struct Piece: Sendable {
    var data: [IOData]
    /// Bytes of all of `data`.
    var count: ByteCount
    /// True if the body ends with it. It is never a file region, so that its bytes are read before the last check.
    var isLast: Bool
}

/// Makes a body's pieces, one after the other.
///
/// The next is asked for only when the one before has been made; asked from the event loop, it reads elsewhere.
protocol PieceSource: Sendable {
    /// True if pieces of 64 KiB and less are not worth their cost: they come from memory or a small file.
    var isSmall: Bool { get }
    /// The largest piece that makes sense.
    var largestPiece: ByteCount { get }

    /// - Parameter limit: The most bytes of the piece, at least 1; what stands before and after a file comes on top.
    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Piece>

    /// Fails if what is read is no longer what it was.
    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void>
    /// True if the kernel reads by itself and cannot say that a file has changed: then it is looked at meanwhile.
    var needsWatching: Bool { get }

    /// What it says of the file that a write of a piece failed, if the kernel could not read it; nil if it is about the
    /// connection.
    func failure(of error: any Error) -> UploadFailure?

    /// Nothing more is wanted: ends what reads on its own.
    func stop()
}

extension PieceSource {
    func failure(of error: any Error) -> UploadFailure? { nil }
}

enum PieceSize {
    static let smallest: ByteCount = 64 << 10
    static let largestRegion: ByteCount = 8 << 20
    static let largestBuffer: ByteCount = 1 << 20
    /// Up to this, one read and one buffer cost less than a region.
    static let alwaysBuffered: ByteCount = 1 << 20
}
