import FerryProtocols
import NIOCore
import Synchronization

/// The chunks of several sources as one body.
final class JoinedChunks: ChunkSource {
    private let sources: [any ChunkSource]
    private let current = Mutex(0)

    init(_ sources: [any ChunkSource]) { self.sources = sources }

    var isSmall: Bool { sources.allSatisfy { $0.isSmall } }
    var largestChunk: ByteCount { sources.map(\.largestChunk).max() ?? ChunkSize.largestBuffer }
    var needsWatching: Bool { sources.contains { $0.needsWatching } }

    func check(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        .andAllSucceed(sources.map { $0.check(on: eventLoop) }, on: eventLoop)
    }

    func failure(of error: any Error) -> UploadFailure? {
        sources[min(current.withLock { $0 }, sources.count - 1)].failure(of: error)
    }

    func stop() { for source in sources { source.stop() } }

    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk> {
        let number = current.withLock { $0 }
        let isFinal = number == sources.count - 1
        return sources[number].next(upTo: limit, on: eventLoop).flatMap { chunk in
            guard chunk.isLast, !isFinal else { return eventLoop.makeSucceededFuture(chunk) }
            self.current.withLock { $0 += 1 }
            // An empty chunk is never written, and only the end of a write requests the next chunk.
            guard chunk.count > 0 else { return self.next(upTo: limit, on: eventLoop) }
            return eventLoop.makeSucceededFuture(Chunk(data: chunk.data, count: chunk.count, isLast: false))
        }
    }
}

extension StreamedBody {
    /// Returns the source of this body's chunks. Bytes directly before a file, and those after the last file if no
    /// stream follows, become part of that file's chunks.
    func chunks(isEncrypted: Bool) -> any ChunkSource {
        var sources: [any ChunkSource] = []
        var pending: [UInt8] = []
        let lastFile = segments.lastIndex { if case .file = $0 { true } else { false } }
        let tail = lastFile.flatMap { bytes(after: $0) }
        let body = tail == nil ? segments[...] : segments[...(lastFile ?? 0)]
        for (index, segment) in body.enumerated() {
            switch segment {
            case .bytes(let bytes): pending += bytes
            case .file(let file, let identity, let range):
                sources.append(
                    FileChunks(
                        file, identity: identity, range: range, prefix: pending,
                        suffix: index == lastFile ? tail ?? [] : [], isEncrypted: isEncrypted))
                pending = []
            case .stream(let stream):
                if !pending.isEmpty { sources.append(BytesChunks(pending)) }
                pending = []
                sources.append(StreamChunks(stream))
            }
        }
        if !pending.isEmpty || sources.isEmpty { sources.append(BytesChunks(pending)) }
        return sources.count == 1 ? sources[0] : JoinedChunks(sources)
    }

    /// Returns all bytes after the segment at `index`; nil if a file or a stream follows.
    private func bytes(after index: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        for segment in segments[(index + 1)...] {
            guard case .bytes(let more) = segment else { return nil }
            bytes += more
        }
        return bytes
    }
}

final class BytesChunks: ChunkSource {
    private let left: Mutex<ByteBuffer>

    init(_ bytes: [UInt8]) { left = Mutex(ByteBuffer(bytes: bytes)) }

    func next(upTo limit: ByteCount, on eventLoop: any EventLoop) -> EventLoopFuture<Chunk> {
        let (slice, isLast) = left.withLock { left in
            let slice = left.readSlice(length: Int(min(limit, ByteCount(left.readableBytes))))
            return (slice, left.readableBytes == 0)
        }
        let data = slice.map { $0.readableBytes > 0 ? [IOData.byteBuffer($0)] : [] } ?? []
        return eventLoop.makeSucceededFuture(
            Chunk(data: data, count: ByteCount(slice?.readableBytes ?? 0), isLast: isLast))
    }
}
