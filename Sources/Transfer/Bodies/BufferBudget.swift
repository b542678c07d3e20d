import FerryProtocols
import Synchronization

/// The maximum chunk size of every body that passes through memory, smaller while more bodies are sent. With TLS, a
/// connection needs four times a chunk: one in flight, the next one, and the buffers of NIOSSL.
enum BufferBudget {
    /// The number of bytes that the chunks of all bodies share: enough for 32 of the largest.
    private static let total: ByteCount = 16 << 20
    /// The smallest chunk, in bytes: one TLS record (RFC 8446 §5.1).
    private static let smallest: ByteCount = 16 << 10
    private static let running = Atomic<Int>(0)

    static var largestChunk: ByteCount { largestChunk(running: running.load(ordering: .relaxed)) }

    static func largestChunk(running: Int) -> ByteCount {
        min(ChunkSize.largestBuffer, max(smallest, total / ByteCount(max(1, running))))
    }

    /// One body that counts as running, from before its connection is made. Bodies that begin at the same moment then
    /// have small chunks from the first one on. NIOSSL keeps the buffer for a large one as long as the connection lives.
    final class Share: Sendable {
        init() { running.add(1, ordering: .relaxed) }
        deinit { running.subtract(1, ordering: .relaxed) }
    }
}
