import FerryFiles
import HTTPTypes
import NIOCore

/// Receives the body of a request into a file.
struct BodyReceiver: Sendable {
    enum Ending {
        case complete
        case cut(Exchange.Cut)
        case tooLarge
        case overQuota
        case storage(SystemCallError)

        var isComplete: Bool { if case .complete = self { true } else { false } }
    }

    /// The time after which received bytes in memory are written to the file, even if they are few. The time is checked
    /// only when a chunk arrives.
    private static let timeout = Duration.milliseconds(500)

    let metrics: ReceiverMetrics
    let rate: ReceiveRate?

    /// Writes the body to the file, starting at `offset`. Stops early if the connection is lost or too slow, if `limit`
    /// or the quota would be exceeded, or if a write fails.
    /// - Parameter limit: The maximum size of the file; nil for no limit.
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
                guard metrics.take(count) else {
                    ending = .overQuota
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
            ending = .storage(error)
        } catch let cut as Exchange.Cut {
            ending = .cut(cut)
        } catch {
            ending = .cut(.connectionLost)
        }
        do throws(SystemCallError) {
            try await writer.flush()
        } catch {
            ending = .storage(error)
        }
        metrics.giveBack(taken - (writer.offset - offset))
        metrics.note(.received(id: id, bytes: writer.offset))
        return (writer.offset, ending)
    }
}

/// Collects received buffers in memory, and writes several of them to a file at once, on a blocking thread.
struct PartWriter {
    /// The number of collected bytes at which a write is due. If bytes arrive slowly, `BodyReceiver` writes earlier.
    private static let batch = 1 << 20
    /// The number of collected buffers at which a write is due. Small buffers need this limit, too: a buffer of one
    /// byte occupies a whole memory allocation.
    private static let batchBuffers = 64

    let file: OpenFile
    /// The number of bytes in the file. Bytes that are collected in memory do not count.
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
    mutating func flush() async throws(SystemCallError) {
        guard pendingBytes > 0 else { return }
        let (file, buffers, position, count) = (file, pending, offset, pendingBytes)
        pending = []
        pendingBytes = 0
        try await offLoop { () throws(SystemCallError) in try file.write(buffers, at: position) }
        offset = position + count
        metrics.wrote(count)
    }
}

extension BodyReceiver.Ending {
    /// Returns the refusal for a body that cannot be stored; nil for a body that is complete or was cut off.
    func refusal(limit: Int?) -> Refusal? {
        switch self {
        case .complete, .cut:
            nil as Refusal?
        case .tooLarge:
            Refusal(.contentTooLarge, "The content is larger than \(limit ?? 0) bytes.")
        case .overQuota:
            Refusal(.insufficientStorage, "The receiver's quota is used up.")
        case .storage(let error):
            Refusal(error)
        }
    }
}

extension Refusal {
    /// Creates the refusal for a failed system call. The refusal's `reason` contains the name of the system call, for
    /// the log. The text of the response does not contain that name.
    init(_ error: SystemCallError) {
        switch error.code {
        case .noSpace: self.init(.insufficientStorage, "The receiver's disk is full.")
        case .diskQuotaExceeded: self.init(.insufficientStorage, "The receiver's quota is used up.")
        case .notDirectory, .tooManySymbolicLinkLevels, .isDirectory:
            self.init(.conflict, "A folder or a link of that name is in the way.")
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            self.init(.forbidden, "The receiver may not write there.")
        case .fileNameTooLong: self.init(.badRequest, "The path is too long.")
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            // RFC 9110 §15.6.4: a temporary condition. Connections that end release descriptors.
            self.init(
                .serviceUnavailable, "The receiver has too many files open.", fields: [.retryAfter: "1"])
        default: self.init(.internalServerError, "The receiver could not store this.")
        }
        reason = "\(reason) (\(error))"
    }
}
