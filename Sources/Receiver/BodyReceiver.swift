import FerryFiles
import HTTPTypes
import NIOCore

struct BodyReceiver: Sendable {
    enum Ending {
        case complete
        case cut(Exchange.Cut)
        case tooLarge
        /// The quota is used up, or a write failed.
        case failed(any Error)

        var isComplete: Bool { if case .complete = self { true } else { false } }

        /// Throws the error of a body that is not complete.
        func check(limit: Int?) throws {
            switch self {
            case .complete: return
            case .cut(let cut): throw cut
            case .tooLarge: throw Refusal(.contentTooLarge, "The content is larger than \(limit ?? 0) bytes.")
            case .failed(let error): throw error
            }
        }
    }

    /// The time after which even few bytes are written to the file, checked when a chunk arrives.
    private static let timeout = Duration.milliseconds(500)

    let metrics: ReceiverMetrics
    let rate: ReceiveRate?

    /// Writes the body to the file from `offset` on. Stops early at a cut, an error, or the maximum size `limit`.
    /// - Returns: The size of the file, and the reason why receiving ended. The new bytes are not synced yet.
    func receive(
        _ exchange: Exchange, id: String, into file: OpenFile, from offset: Int, limit: Int?
    ) async -> (size: Int, ending: Ending) {
        var writer = PartWriter(file: file, offset: offset, metrics: metrics)
        var batchBegan = ContinuousClock.now
        var ending = Ending.complete
        var taken = 0
        do {
            while let chunk = try await exchange.read() {
                let count = chunk.readableBytes
                if let limit, count > limit - writer.end {
                    ending = .tooLarge
                    break
                }
                guard metrics.quota.take(count) else {
                    ending = .failed(Refusal.overQuota)
                    break
                }
                taken += count
                if writer.pendingBytes == 0 { batchBegan = .now }
                writer.append(chunk)
                if writer.isFull || batchBegan.duration(to: .now) > Self.timeout {
                    try await writer.flush()
                    metrics.note(.received(id: id, bytes: writer.end))
                }
                try await rate?.pass(count)
            }
        } catch let error as SystemCallError {
            ending = .failed(error)
        } catch let cut as Exchange.Cut {
            ending = .cut(cut)
        } catch {
            ending = .cut(.connectionLost)
        }
        do { try await writer.flush() } catch { ending = .failed(error) }
        metrics.quota.giveBack(taken - (writer.offset - offset))
        metrics.note(.received(id: id, bytes: writer.offset))
        return (writer.offset, ending)
    }
}

/// Collects received buffers in memory, and writes several of them to a file at once, on a blocking thread.
struct PartWriter {
    private static let batch = 1 << 20
    /// The number of collected buffers at which a write is due: even a buffer of one byte occupies an allocation.
    private static let batchBuffers = 64

    let file: OpenFile
    private(set) var offset: Int
    private(set) var pendingBytes = 0
    private var pending: [ByteBuffer] = []
    private let metrics: ReceiverMetrics

    init(file: OpenFile, offset: Int, metrics: ReceiverMetrics) {
        self.file = file
        self.offset = offset
        self.metrics = metrics
    }

    var end: Int { offset + pendingBytes }

    var isFull: Bool { pendingBytes >= Self.batch || pending.count >= Self.batchBuffers }

    mutating func append(_ buffer: ByteBuffer) {
        pending.append(buffer)
        pendingBytes += buffer.readableBytes
    }

    /// Writes the bytes in memory to the file. If writing fails, these bytes are dropped, and `offset` does not change.
    mutating func flush() async throws {
        guard pendingBytes > 0 else { return }
        let (file, buffers, position, count) = (file, pending, offset, pendingBytes)
        pending = []
        pendingBytes = 0
        try await offLoop { try file.write(buffers, at: position) }
        offset = position + count
        metrics.wrote(count)
    }
}
