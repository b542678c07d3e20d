import FerryProtocols
import NIOCore
import Synchronization

/// Splits bytes in memory into chunks. The bytes are a whole body, or a part of one.
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
