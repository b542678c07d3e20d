import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
public import UploadProtocols

/// The transport over AsyncHTTPClient: HTTP/1.1, kept connections, file regions on plaintext.
///
/// HTTP/1.1 alone on purpose: with HTTP/2 one lost connection would break every upload to that server at once, and file
/// regions could not be used.
public final class HTTPClientTransport: Transport {
    public struct Timeouts: Hashable, Sendable {
        /// Until the connection is made, TLS included.
        public var connect: Duration
        /// While there are bytes to send and none is acknowledged.
        public var stall: Duration
        /// From the last byte of the request to the answer's head, and between pieces of the answer.
        public var response: Duration

        public init(
            connect: Duration = .seconds(15), stall: Duration = .seconds(30), response: Duration = .seconds(60)
        ) {
            self.connect = connect
            self.stall = stall
            self.response = response
        }
    }

    private let client: HTTPClient
    private let timeouts: Timeouts
    private let connections = ConnectionCounter()

    /// - Throws: `UploadFailure` (`permanent`) that names the certificate file that cannot be used.
    public init(timeouts: Timeouts = Timeouts(), tls: TLSFiles = TLSFiles()) throws(UploadFailure) {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = TimeAmount(timeouts.connect)
        configuration.connectionPool.retryConnectionEstablishment = false
        // The scheduler limits what runs at once; the pool must never make a started request wait.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        configuration.tlsConfiguration = try tls.configuration()
        configuration.http1_1ConnectionDebugInitializer = { [connections] channel in
            connections.countOne()
            return channel.eventLoop.makeCompletedFuture {
                let guardian = ConnectionGuard(stall: timeouts.stall)
                try channel.pipeline.syncOperations.addHandler(guardian, position: .first)
            }
        }
        self.timeouts = timeouts
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes all connections. No request may be made afterwards.
    public func shutdown() async { try? await client.shutdown() }

    public func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let exchange = ResponseCollector(
            expected: request.body.length, timeout: timeouts.response, eventLoop: loop, delegate: delegate)
        let connectionsBefore = connections.count
        let answered = await execute(request, collector: exchange, on: loop)
        // The connection lives on this loop: once it has come round, nothing of the file is being sent any more.
        try? await loop.submit {}.get()
        switch answered {
        case .success(let answer): return answer
        case .failure(let error):
            if let answer = exchange.usableAnswer(after: error) { return answer }
            throw ConnectionFailure.translate(
                error, url: request.url, sent: exchange.bodySent, hasAnswer: exchange.hasHead,
                ranOnKeptConnection: connections.count == connectionsBefore)
        }
    }

    private func execute(
        _ request: TransportRequest, collector: ResponseCollector, on loop: any EventLoop
    ) async -> Result<TransportResponse, any Error> {
        do {
            try Task.checkCancellation()
            let task = client.execute(
                request: try Self.clientRequest(request, on: loop), delegate: collector,
                eventLoop: .delegateAndChannel(on: loop), logger: nil)
            collector.attach { task.fail(reason: $0) }
            return .success(
                try await withTaskCancellationHandler {
                    try await task.futureResult.get()
                } onCancel: {
                    task.cancel()
                })
        } catch {
            return .failure(error)
        }
    }

    private static func clientRequest(
        _ request: TransportRequest, on loop: any EventLoop
    ) throws -> HTTPClient.Request {
        var headers = HTTPHeaders()
        for field in request.fields { headers.add(name: field.name.rawName, value: field.value) }
        headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        if !headers.contains(name: "User-Agent") { headers.add(name: "User-Agent", value: "ferry") }
        let body: HTTPClient.Body?
        switch request.body {
        case .none where ["POST", "PUT", "PATCH"].contains(request.method.rawValue): body = .bytes([UInt8]())
        case .none: body = nil
        case .bytes(let bytes): body = .bytes(bytes)
        case .file(let file):
            let isEncrypted = request.url.lowercased().hasPrefix("https:")
            body = .stream(contentLength: file.length) { stream in
                let writer = BodyWriter(file, isEncrypted: isEncrypted)
                return writer.run(on: loop) { stream.write($0) }
            }
        }
        return try HTTPClient.Request(
            url: request.url, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers, body: body)
    }
}

extension TransportRequest.Body {
    var length: ByteCount {
        switch self {
        case .none: 0
        case .bytes(let bytes): ByteCount(bytes.count)
        case .file(let file): file.length
        }
    }
}

/// How many connections were ever made: if none was made during a request, it ran on a kept one.
private final class ConnectionCounter: Sendable {
    private let made = Mutex<UInt64>(0)

    var count: UInt64 { made.withLock { $0 } }

    func countOne() { made.withLock { $0 += 1 } }
}

/// Collects one answer and reports the request's progress. Called on the request's event loop.
private final class ResponseCollector: HTTPClientResponseDelegate {
    /// Kept of a body; what an error page says stands at its beginning.
    private static let keptLimit = 1 << 20
    /// Read in all before the connection is rather closed than drained.
    private static let drainLimit = 16 << 20

    private struct State {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        var received = 0
        var bodySent: ByteCount = 0
        var timer: Scheduled<Void>?
        var abort: (@Sendable (any Error) -> Void)?
    }

    private let expected: ByteCount
    private let timeout: TimeAmount
    private let eventLoop: any EventLoop
    private let delegate: (any UploadDelegate)?
    private let state = Mutex(State())

    init(expected: ByteCount, timeout: Duration, eventLoop: any EventLoop, delegate: (any UploadDelegate)?) {
        self.expected = expected
        self.timeout = TimeAmount(timeout)
        self.eventLoop = eventLoop
        self.delegate = delegate
    }

    var bodySent: ByteCount { state.withLock { $0.bodySent } }
    var hasHead: Bool { state.withLock { $0.head != nil } }

    func attach(abort: @escaping @Sendable (any Error) -> Void) { state.withLock { $0.abort = abort } }

    func didSendRequestPart(task: HTTPClient.Task<TransportResponse>, _ part: IOData) {
        let count = ByteCount(part.readableBytes)
        guard count > 0 else { return }
        let total = state.withLock { state in
            state.bodySent = min(expected, state.bodySent + count)
            return state.bodySent
        }
        delegate?.didSendBodyData(count, totalBytesSent: total, totalBytesExpected: expected)
    }

    func didSendRequest(task: HTTPClient.Task<TransportResponse>) {
        delegate?.didFinishSending()
        if !hasHead { restartTimer() }
    }

    func didReceiveHead(
        task: HTTPClient.Task<TransportResponse>, _ head: HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        state.withLock { $0.head = head }
        restartTimer()
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<TransportResponse>, _ buffer: ByteBuffer
    ) -> EventLoopFuture<Void> {
        restartTimer()
        let isTooMuch = state.withLock { state in
            state.received += buffer.readableBytes
            let room = max(0, Self.keptLimit - state.body.count)
            state.body.append(contentsOf: buffer.readableBytesView.prefix(room))
            return state.received > Self.drainLimit
        }
        return isTooMuch
            ? task.eventLoop.makeFailedFuture(AnswerTooLong()) : task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveError(task: HTTPClient.Task<TransportResponse>, _ error: any Error) { stopTimer() }

    func didFinishRequest(task: HTTPClient.Task<TransportResponse>) throws -> TransportResponse {
        stopTimer()
        guard let response else { throw HTTPClientError.remoteConnectionClosed }
        return response
    }

    /// A refusal whose head arrived is an answer, whatever then happened to the connection; so is an answer that only
    /// was too long. A success must be complete.
    func usableAnswer(after error: any Error) -> TransportResponse? {
        stopTimer()
        guard let response, !(error is CancellationError), error as? HTTPClientError != .cancelled else { return nil }
        return response.status >= 300 || error is AnswerTooLong ? response : nil
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
                status: Int(head.status.code), fields: fields, body: state.body, bodySent: state.bodySent)
        }
    }

    private func restartTimer() {
        let timer = eventLoop.scheduleTask(in: timeout) { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.abort }?(AnswerTimedOut())
        }
        let previous = state.withLock { state in
            defer { state.timer = timer }
            return state.timer
        }
        previous?.cancel()
    }

    private func stopTimer() { state.withLock { $0.timer.take() }?.cancel() }
}

/// More of an answer came than is worth draining.
private struct AnswerTooLong: Error {}
