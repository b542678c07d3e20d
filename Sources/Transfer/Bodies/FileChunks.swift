import FerryProtocols
import NIOCore
import Synchronization

/// Makes the chunks of a file range, with `prefix` before the first and `suffix` after the last one.
///
/// Without TLS, the chunks of a range of more than 1 MiB are file regions, except the last one: the kernel sends them
/// from the page cache without a copy. With TLS, every chunk is a buffer, because the process must encrypt it.
final class FileChunks: ChunkSource {
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
        sendsRegions = !isEncrypted && range.upperBound - range.lowerBound > ChunkSize.alwaysBuffered
        offset = Mutex(range.lowerBound)
    }

    var isSmall: Bool { range.upperBound - range.lowerBound <= ChunkSize.alwaysBuffered }
    var largestChunk: ByteCount { sendsRegions ? ChunkSize.largestRegion : ChunkSize.largestBuffer }
    var needsWatching: Bool { sendsRegions }

    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let (file, identity) = (file, identity)
        return file.readers.run(file.path, on: file.identity.device, eventLoop: eventLoop) {
            () throws(UploadFailure) in try file.check(identity)
        }
    }

    func failure(of error: any Error) -> UploadFailure? {
        guard sendsRegions, let error = error as? IOError else { return nil }
        let code = Errno(rawValue: error.errnoCode)
        return Volume.isTroubleOfDisk(code) ? SourceFile.failure(file.path, code) : nil
    }

    /// Makes the next chunk and checks the file, on another thread. The bytes are read into a buffer, or loaded into
    /// the page cache for a file region.
    ///
    /// The content of a small file that was read a moment ago is used at once, without a check.
    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk> {
        let part = take(upTo: limit)
        if !sendsRegions, let bytes = file.recentBytes(part, of: identity) {
            return eventLoop.makeSucceededFuture(chunk(part) { _ = $0.writeBytes(bytes) })
        }
        return file.readers.run(file.path, on: file.identity.device, eventLoop: eventLoop) {
            () throws(UploadFailure) in try self.read(part)
        }
    }

    private func take(upTo limit: ByteCount) -> Range<ByteCount> {
        offset.withLock { offset in
            let left = range.upperBound - offset
            var count = min(limit, largestChunk)
            // The last chunk is a buffer of up to 64 KiB.
            if sendsRegions, left > ChunkSize.smallest { count = min(count, left - ChunkSize.smallest) }
            let end = offset + min(left, count)
            defer { offset = end }
            return offset..<end
        }
    }

    private func read(_ part: Range<ByteCount>) throws(UploadFailure) -> Chunk {
        let isLast = part.upperBound == range.upperBound
        // The last chunk needs no check before the read, because the file is checked after it.
        if !isLast { try file.check(identity) }
        let head = part.lowerBound == range.lowerBound ? prefix : []
        if sendsRegions, !isLast {
            try file.warm(part)
            let region = FileRegion(
                fileHandle: file.handle, readerIndex: Int(part.lowerBound), endIndex: Int(part.upperBound))
            let before: [IOData] = head.isEmpty ? [] : [.byteBuffer(ByteBuffer(bytes: head))]
            return Chunk(
                data: before + [.fileRegion(region)], count: ByteCount(head.count + part.count), isLast: false
            )
        }
        return try chunk(part) { (buffer) throws(UploadFailure) in
            let result = Result { () throws(UploadFailure) in
                try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: part.count) {
                    (space) throws(UploadFailure) in
                    let space = UnsafeMutableRawBufferPointer(rebasing: space.prefix(part.count))
                    try file.read(into: space, at: part.lowerBound)
                    return part.count
                }
            }
            _ = try result.get()
            if isLast { try file.check(identity) }
        }
    }

    /// Makes a chunk in memory from the bytes that `write` adds, with `prefix` and `suffix` at the ends of the range.
    private func chunk<Failure: Error>(
        _ part: Range<ByteCount>, write: (inout ByteBuffer) throws(Failure) -> Void
    ) throws(Failure) -> Chunk {
        let isLast = part.upperBound == range.upperBound
        let head = part.lowerBound == range.lowerBound ? prefix : []
        let tail = isLast ? suffix : []
        let count = head.count + part.count + tail.count
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        buffer.writeBytes(head)
        try write(&buffer)
        buffer.writeBytes(tail)
        return Chunk(data: count > 0 ? [.byteBuffer(buffer)] : [], count: ByteCount(count), isLast: isLast)
    }
}
