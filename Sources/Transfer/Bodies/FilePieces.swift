import FerryProtocols
import NIOCore
import Synchronization

/// The pieces of one file range, with bytes before and after it.
///
/// On plaintext a piece is a file region, which the kernel sends from the page cache without a copy; TLS needs the
/// bytes, so a piece is a buffer there. The last piece always is one.
final class FilePieces: PieceSource {
    private let file: SourceFile
    private let identity: FileIdentity
    private let range: Range<ByteCount>
    private let prefix: [UInt8]
    private let suffix: [UInt8]
    private let sendsRegions: Bool
    private let offset: Mutex<ByteCount>

    init(
        _ file: SourceFile, identity: FileIdentity, range: Range<ByteCount>, prefix: [UInt8], suffix: [UInt8],
        isEncrypted: Bool
    ) {
        self.file = file
        self.identity = identity
        self.range = range
        self.prefix = prefix
        self.suffix = suffix
        sendsRegions = !isEncrypted && range.upperBound - range.lowerBound > PieceSize.alwaysBuffered
        offset = Mutex(range.lowerBound)
    }

    var isSmall: Bool { range.upperBound - range.lowerBound <= PieceSize.alwaysBuffered }
    var largestPiece: ByteCount { sendsRegions ? PieceSize.largestRegion : PieceSize.largestBuffer }
    var needsWatching: Bool { sendsRegions }

    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let (file, identity) = (file, identity)
        return file.readers.run(file.path, on: file.identity.device, eventLoop: eventLoop) {
            () throws(UploadFailure) in try file.check(identity)
        }
    }

    func stop() {}

    func failure(of error: any Error) -> UploadFailure? {
        guard sendsRegions, let error = error as? IOError, SourceMedium.isTroubleOfDisk(error.errnoCode)
        else {
            return nil
        }
        return SourceFile.failure(file.path, error.errnoCode)
    }

    /// Checks the file and reads the piece, or brings it into the page cache, on a thread that may wait for the medium.
    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Piece> {
        let part = take(upTo: limit)
        return file.readers.run(file.path, on: file.identity.device, eventLoop: eventLoop) {
            () throws(UploadFailure) in try self.read(part)
        }
    }

    private func take(upTo limit: ByteCount) -> Range<ByteCount> {
        offset.withLock { offset in
            let left = range.upperBound - offset
            var count = min(limit, largestPiece)
            // What stays for the last piece of a region body must fit into a buffer.
            if sendsRegions, left > PieceSize.smallest { count = min(count, left - PieceSize.smallest) }
            let end = offset + min(left, count)
            defer { offset = end }
            return offset..<end
        }
    }

    private func read(_ part: Range<ByteCount>) throws(UploadFailure) -> Piece {
        try file.check(identity)
        let isLast = part.upperBound == range.upperBound
        let head = part.lowerBound == range.lowerBound ? prefix : []
        if sendsRegions, !isLast {
            try file.warm(part)
            let region = FileRegion(
                fileHandle: file.handle, readerIndex: Int(part.lowerBound), endIndex: Int(part.upperBound))
            let before: [IOData] = head.isEmpty ? [] : [.byteBuffer(ByteBuffer(bytes: head))]
            return Piece(
                data: before + [.fileRegion(region)], count: ByteCount(head.count + part.count), isLast: false
            )
        }
        let tail = isLast ? suffix : []
        let count = head.count + part.count + tail.count
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        buffer.writeBytes(head)
        let result = Result { () throws(UploadFailure) in
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: part.count) {
                (space) throws(UploadFailure) in
                let space = UnsafeMutableRawBufferPointer(rebasing: space.prefix(part.count))
                try file.read(into: space, at: part.lowerBound)
                return part.count
            }
        }
        _ = try result.get()
        buffer.writeBytes(tail)
        return Piece(data: count > 0 ? [.byteBuffer(buffer)] : [], count: ByteCount(count), isLast: isLast)
    }
}
