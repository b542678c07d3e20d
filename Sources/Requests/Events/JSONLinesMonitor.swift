import Dispatch
public import FerryProtocols
public import FerryTransfer
import HTTPTypes
import Synchronization

/// Appends each event as a line of JSON to a file, which only its owner can read if the monitor creates it.
///
/// Every line has `time` (ISO 8601, milliseconds), `event` (`TransferEvent.name`), `request` (the request's id),
/// `attempt`, and the request's `label`. By the event, it has `method`, `url`, `status`, `bytes`, `reason`, `host`,
/// `total` (the body bytes so far), `expected` (the body's length), `seconds` (the duration, or the delay before a
/// retry).
///
/// Each line is appended by one write, off the caller's thread. Call `flush()` before the process ends.
public final class JSONLinesMonitor: EventMonitor {
    private let queue = DispatchQueue(label: "ferry.events")
    private let file: OpenFile
    /// True if the last line was written only in part.
    private let isTorn = Mutex(false)
    private let includesProgress: Bool
    private let now: @Sendable () -> Date

    /// - Parameter includesProgress: True to append `sent` events too: several thousand lines per gigabyte.
    /// - Throws: `UploadFailure` (`storage`) if the file cannot be opened, or is a symbolic link.
    public init(
        appendingTo path: LocalPath, includesProgress: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(UploadFailure) {
        do throws(SystemCallError) { file = try OpenFile(path, for: .appendingOrCreating) } catch {
            throw UploadFailure(
                .storage, "\(path.text) cannot be written: \(error.code.phrase)",
                hint: "choose another file for the events")
        }
        self.includesProgress = includesProgress
        self.now = now
    }

    public func receive(_ event: TransferEvent, of request: RequestContext) {
        if case .sent = event, !includesProgress { return }
        let record = EventRecord(event, of: request, at: now())
        queue.async { [self] in
            guard var line = try? Self.encoder.encode(record) else { return }
            line.append(UInt8(ascii: "\n"))
            append(line)
        }
    }

    /// Appends a line, on a new line after one that was written only in part. If the write fails, the line is lost.
    private func append(_ line: Data) {
        isTorn.withLock { isTorn in
            let bytes = isTorn ? Data([UInt8(ascii: "\n")]) + line : line
            let written = (try? file.appendOnce(Array(bytes))) ?? 0
            if written > 0 { isTorn = written < bytes.count }
        }
    }

    /// Waits until all events received so far are written. Blocks the calling thread.
    public func flush() { queue.sync {} }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
}

private struct EventRecord: Encodable {
    let time: String
    let event: String
    let request: String
    let attempt: Int
    var label: String?
    var method: String?
    var url: String?
    var status: Int?
    var bytes: ByteCount?
    var total: ByteCount?
    var expected: ByteCount?
    var seconds: Double?
    var reason: String?
    var host: String?

    init(_ event: TransferEvent, of context: RequestContext, at date: Date) {
        time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        self.event = event.name
        request = context.id.uuidString
        attempt = context.attempt
        label = context.label.isEmpty ? nil : context.label
        switch event {
        case .created(let summary), .adapted(let summary):
            method = summary.method.rawValue
            url = summary.url
            expected = summary.bodyLength
        case .sent(let bytes, let total, let expected):
            (self.bytes, self.total, self.expected) = (bytes, total, expected)
        case .responded(let status, let sent, let time):
            (self.status, total, seconds) = (status, sent, time / .seconds(1))
        case .broke(let summary, let sent, let time):
            (reason, total, seconds) = (summary, sent, time / .seconds(1))
        case .redirected(let status, let target): (self.status, url) = (status, target)
        case .retrying(let delay, let why): (seconds, reason) = (delay / .seconds(1), why)
        case .refreshed(let time): seconds = time / .seconds(1)
        case .serverLost(let bytes): self.bytes = bytes
        case .protocolChosen(let choice): reason = choice
        case .finished(let status, let time): (self.status, seconds) = (status, time / .seconds(1))
        case .failed(let why, let time): (reason, seconds) = (why, time / .seconds(1))
        case .cancelled(let time): seconds = time / .seconds(1)
        case .certificateNotVerified(let host): self.host = host
        case .started, .waiting, .retriedOnFreshConnection, .suspended, .resumed: break
        }
    }
}
