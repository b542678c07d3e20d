import FerryFiles
import HTTPTypes
import NIOCore

/// Bytes of a request body on their way into a file.
struct BodyReceiver: Sendable {
    /// The way in which a body ended.
    enum Ending {
        case complete
        case cut(Exchange.Cut)
        case tooLarge
        case overQuota
        case storage(SystemCallError)
    }

    private static let timeout = Duration.milliseconds(500)

    let metrics: ReceiverMetrics
    let rate: ReceiveRate?

    /// Writes the body from `offset` on, whatever ends it.
    /// - Parameter limit: The largest size the file may reach.
    /// - Returns: The file's size, all of it written but not yet synced, and why it ended there.
    func receive(
        _ exchange: Exchange, id: String, into file: PartFile, from offset: Int, limit: Int?
    ) async -> (size: Int, ending: Ending) {
        var writer = PartWriter(file: file, offset: offset, metrics: metrics)
        var batchBegan = ContinuousClock.now
        var ending = Ending.complete
        var taken = 0
        do {
            while let piece = try await exchange.read() {
                let count = piece.readableBytes
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
                writer.append(piece)
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

/// Gathers buffers and writes them in one go.
struct PartWriter {
    /// One hop to a thread that may block carries at least this much, while the client is fast enough.
    private static let batch = 1 << 20
    /// Even a buffer of one byte holds a whole allocation.
    private static let batchBuffers = 64

    let file: PartFile
    /// Bytes in the file.
    private(set) var offset: Int
    private(set) var pendingBytes = 0
    private var pending: [ByteBuffer] = []
    private let metrics: ReceiverMetrics

    init(file: PartFile, offset: Int, metrics: ReceiverMetrics) {
        self.file = file
        self.offset = offset
        self.metrics = metrics
    }

    /// Bytes in the file once what is pending has been written.
    var end: Int { offset + pendingBytes }

    var isFull: Bool { pendingBytes >= Self.batch || pending.count >= Self.batchBuffers }

    mutating func append(_ buffer: ByteBuffer) {
        pending.append(buffer)
        pendingBytes += buffer.readableBytes
    }

    /// Writes the pending bytes. A failure drops them: `offset` stays where the file is known to be good.
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
    /// The refusal for a body that cannot be taken; nil for one that came whole or was cut.
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
    /// The refusal that tells a client of a failed system call. The call itself is for the log only.
    init(_ error: SystemCallError) {
        switch error.code {
        case .noSpace, .diskQuotaExceeded: self.init(.insufficientStorage, "The receiver's disk is full.")
        case .notDirectory, .tooManySymbolicLinkLevels, .isDirectory:
            self.init(.conflict, "A folder or a link of that name is in the way.")
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            self.init(.forbidden, "The receiver may not write there.")
        case .fileNameTooLong: self.init(.badRequest, "The path is too long.")
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            // RFC 9110 §15.6.4: for the time being. Connections that end give descriptors back.
            self.init(
                .serviceUnavailable, "The receiver has too many files open.", fields: [.retryAfter: "1"])
        default: self.init(.internalServerError, "The receiver could not store this.")
        }
        reason = "\(reason) (\(error))"
    }
}
