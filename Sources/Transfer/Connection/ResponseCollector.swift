import AsyncHTTPClient
import FerryProtocols
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// Collects one response and reports the request's progress, on the request's event loop.
final class ResponseCollector: HTTPClientResponseDelegate {
    /// The maximum number of bytes that are dropped beyond the stored part before the connection is closed.
    private static let drainLimit = 15 << 20

    private struct ResponseTooLong: Error {}

    /// The refusal of a request by a forwarding proxy (407), whose body possibly has no end and is not read.
    private struct RefusedByProxy: Error {}

    /// Tells whether the request was written, and whether on a new connection.
    enum Start {
        case unsent
        case onFreshConnection
        case onKeptConnection
    }

    private struct State {
        var start = Start.unsent
        var head: HTTPResponseHead?
        var isEnded = false
        var body: [UInt8] = []
        var received = 0
        var bodySent: ByteCount = 0
        var writeError: (any Error)?
        var progress = Progress.underWay(reported: 0, isWritten: false)
    }

    /// The progress of the body as reported to the delegate.
    private enum Progress {
        /// `reported` is the number of reported bytes of the body. `isWritten` is true once the kernel has accepted the
        /// whole request.
        case underWay(reported: ByteCount, isWritten: Bool)
        /// The last byte was reported, or the break of the connection.
        case ended
    }

    let breakCostsLittle: Bool
    let responseMayTakeLong: Bool
    /// The maximum number of unsent bytes in the kernel's buffer; nil for its default. Without it, a rate-limited upload
    /// would fill the buffer while the network is away, and exceed its rate once the network is back.
    let unsentLimit: Int?
    /// True if the body usually follows the head of the request at once.
    var bodyFollowsAtOnce: Bool { writer?.followsAtOnce ?? false }
    /// True if one write of the body can take so long that its progress is reported before its end.
    var bodyIsLarge: Bool { expected.map { $0 > ChunkSize.smallest } ?? true }
    private let expected: ByteCount?
    private let keptLimit: Int
    private let isForwarded: Bool
    private let delegate: (any UploadDelegate)?
    private let writer: BodyWriter?
    private let state = Mutex(State())

    /// - Parameter keptLimit: The maximum number of bytes of the body that are stored. An error page has its message
    ///   there.
    init(
        for request: TransportRequest, keeping keptLimit: Int, isForwarded: Bool,
        delegate: (any UploadDelegate)?, writer: BodyWriter?
    ) {
        breakCostsLittle = request.breakCostsLittle
        responseMayTakeLong = request.responseMayTakeLong
        unsentLimit = Self.unsentLimit(of: request.body)
        expected = request.body.length
        self.keptLimit = keptLimit
        self.isForwarded = isForwarded
        self.delegate = delegate
        self.writer = writer
    }

    /// Returns the maximum number of unsent bytes in the kernel's buffer for a rate-limited body.
    ///
    /// It is eight chunks of the rate limiter, which last about a twelfth of a second, so that the link stays busy
    /// between two chunks; at least 16 KiB and at most 8 MiB.
    private static func unsentLimit(of body: TransportRequest.Body) -> Int? {
        guard case .streamed(let body) = body, let chunk = body.rateLimiter?.chunkLimit else { return nil }
        return Int(clamping: max(16 << 10, min(chunk, 1 << 20) * 8))
    }

    var start: Start { state.withLock { $0.start } }
    var bodySent: ByteCount { state.withLock { $0.bodySent } }
    /// The error of the first failed write. AsyncHTTPClient reports only that the connection is closed.
    var writeError: (any Error)? { state.withLock { $0.writeError } }
    var hasHead: Bool { state.withLock { $0.head != nil } }

    /// Records that the connection wrote the request's head, possibly after an earlier request.
    func didStart(onKeptConnection isKept: Bool) {
        state.withLock { $0.start = isKept ? .onKeptConnection : .onFreshConnection }
    }

    /// Records that the connection broke during a write, or that the kernel could not read the file.
    func didFailToWrite(_ error: any Error) {
        state.withLock { $0.writeError = $0.writeError ?? error }
    }

    func didRefuseRest() { writer?.stop() }

    func didReceiveEnd() { state.withLock { $0.isEnded = true } }

    /// Reports to the delegate how many bytes of the body the other side has acknowledged.
    func didAcknowledge(_ count: ByteCount) { report { min(count, expected ?? $0) } }

    /// Reports that the connection broke. `difference` is the number of bytes that left this machine, minus those in
    /// completed writes: negative if the kernel accepted bytes and did not send them.
    func didBreak(sending difference: ByteCount) {
        let total = state.withLock { max(0, min(expected ?? .max, $0.bodySent + difference)) }
        report { _ in total }
        state.withLock { $0.progress = .ended }
        delegate?.didBreak(totalBytesSent: total)
    }

    func didSendRequestPart(task: HTTPClient.Task<TransportResponse>, _ part: IOData) {
        let count = ByteCount(part.readableBytes)
        guard count > 0 else { return }
        state.withLock { $0.bodySent = min(expected ?? .max, $0.bodySent + count) }
        writer?.didSend(count)
    }

    func didSendRequest(task: HTTPClient.Task<TransportResponse>) {
        state.withLock { state in
            guard case .underWay(let reported, _) = state.progress else { return }
            state.progress = .underWay(reported: reported, isWritten: true)
        }
        delegate?.didWriteRequest()
        report { _ in 0 }
    }

    /// Reports all written bytes as sent. After the response or an error, no more acknowledgments are counted.
    private func reportRest() { report { $0 } }

    /// Reports the number of sent bytes, which `count` returns for the number of written ones, if it has grown. Also
    /// reports the end of the request, if all of it was sent.
    private func report(_ count: (_ written: ByteCount) -> ByteCount) {
        let (new, total, isEnd): (ByteCount, ByteCount, Bool) = state.withLock { state in
            guard case .underWay(let reported, let isWritten) = state.progress else { return (0, 0, false) }
            let total = max(reported, count(state.bodySent))
            let isEnd = isWritten && total >= state.bodySent
            state.progress = isEnd ? .ended : .underWay(reported: total, isWritten: isWritten)
            return (total - reported, total, isEnd)
        }
        if new > 0 { delegate?.didSendBodyData(new, totalBytesSent: total, totalBytesExpected: expected) }
        if isEnd { delegate?.didFinishSending() }
    }

    func didReceiveHead(
        task: HTTPClient.Task<TransportResponse>, _ head: HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        state.withLock { $0.head = head }
        if head.status.code >= 300 { writer?.refuse() }
        if isForwarded, head.status.code == 407 {
            return task.eventLoop.makeFailedFuture(RefusedByProxy())
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<TransportResponse>, _ buffer: ByteBuffer
    ) -> EventLoopFuture<Void> {
        let isTooMuch = state.withLock { state in
            state.received += buffer.readableBytes
            let room = max(0, keptLimit - state.body.count)
            state.body.append(contentsOf: buffer.readableBytesView.prefix(room))
            return state.received - state.body.count > Self.drainLimit
        }
        return isTooMuch
            ? task.eventLoop.makeFailedFuture(ResponseTooLong()) : task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveError(task: HTTPClient.Task<TransportResponse>, _ error: any Error) { reportRest() }

    func didFinishRequest(task: HTTPClient.Task<TransportResponse>) throws -> TransportResponse {
        reportRest()
        guard let response else { throw HTTPClientError.remoteConnectionClosed }
        return response
    }

    /// Returns the response if it can be used despite `error`; otherwise nil.
    ///
    /// A refusal (300 and above) can be used once its head has arrived; a success only if `error` means that the body
    /// is too long. After a cancellation, no response can be used.
    func usableResponse(after error: any Error) -> TransportResponse? {
        guard let response, !(error is CancellationError), error as? HTTPClientError != .cancelled else {
            return nil
        }
        return response.status >= 300 || error is ResponseTooLong ? response : nil
    }

    private var response: TransportResponse? {
        state.withLock { state in
            guard let head = state.head else { return nil }
            var fields = HTTPFields()
            for (name, value) in head.headers {
                guard let name = HTTPField.Name(name) else { continue }
                fields.append(HTTPField(name: name, value: value))
            }
            return TransportResponse(
                status: Int(head.status.code), fields: fields, body: state.body,
                isBodyComplete: state.isEnded && state.received == state.body.count, bodySent: state.bodySent)
        }
    }
}
