import AsyncHTTPClient
import Foundation
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
            connect: Duration = .seconds(15), stall: Duration = .seconds(30),
            response: Duration = .seconds(60)
        ) {
            self.connect = connect
            self.stall = stall
            self.response = response
        }
    }

    private let client: HTTPClient
    private let loops: [any EventLoop]
    private let exchanges = RunningExchanges()

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
        configuration.http1_1ConnectionDebugInitializer = { [exchanges] channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                let guardian = ExchangeGuard(timeouts: timeouts) { exchanges[$0] }
                try pipeline.addHandler(guardian, position: .after(parser))
            }
        }
        let group = MultiThreadedEventLoopGroup.singleton
        loops = Array(group.makeIterator())
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    public func shutdown() async { try? await client.shutdown() }

    public func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        let loop = loop(for: request.url)
        var writer: BodyWriter?
        if case .streamed(let body) = request.body {
            writer = BodyWriter(body, isEncrypted: request.url.lowercased().hasPrefix("https:"), on: loop)
        }
        let collector = ResponseCollector(expected: request.body.length, delegate: delegate, writer: writer)
        let answered = await execute(request, writer: writer, collector: collector, on: loop)
        await writer?.finish()
        // The connection lives on this loop: once it has come round, nothing of the file is being sent any more.
        try? await loop.submit {}.get()
        switch answered {
        case .success(let answer): return answer
        case .failure(let error):
            if let answer = collector.usableAnswer(after: error) { return answer }
            throw ConnectionFailure(
                url: request.url, start: collector.start, hasAnswer: collector.hasHead,
                bodySent: collector.bodySent
            ).translate(error)
        }
    }

    /// One loop for all requests to one place: a connection is made on the loop its first request prefers, so it is
    /// kept for the next, and what happens on it is in order with what the request's delegate hears.
    private func loop(for url: String) -> any EventLoop {
        let place = URL(string: url).flatMap(UploadAddress.origin) ?? ""
        return loops[Int(UInt(bitPattern: place.hashValue) % UInt(loops.count))]
    }

    private func execute(
        _ request: TransportRequest, writer: BodyWriter?, collector: ResponseCollector, on loop: any EventLoop
    ) async -> Result<TransportResponse, any Error> {
        let name = exchanges.begin(collector)
        defer { exchanges.end(name) }
        do {
            try Task.checkCancellation()
            let task = client.execute(
                request: try Self.clientRequest(request, named: name, writer: writer), delegate: collector,
                eventLoop: .delegate(on: loop), logger: nil)
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
        _ request: TransportRequest, named name: String, writer: BodyWriter?
    ) throws -> HTTPClient.Request {
        var headers = HTTPHeaders()
        for field in request.fields { headers.add(name: field.name.rawName, value: field.value) }
        headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        if !headers.contains(name: "User-Agent") { headers.add(name: "User-Agent", value: "ferry") }
        headers.replaceOrAdd(name: ExchangeGuard.exchangeField, value: name)
        let body: HTTPClient.Body?
        switch request.body {
        case .none where ["POST", "PUT", "PATCH"].contains(request.method.rawValue): body = .bytes([UInt8]())
        case .none: body = nil
        case .bytes(let bytes): body = .bytes(bytes)
        case .streamed(let streamed):
            body = .stream(contentLength: streamed.length) { stream in
                writer?.run { stream.write($0) } ?? stream.write(.byteBuffer(ByteBuffer()))
            }
        }
        return try HTTPClient.Request(
            url: request.url, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers,
            body: body)
    }
}

/// The exchanges under way, by name, for the connections that carry them.
private final class RunningExchanges: Sendable {
    private struct State {
        var last: UInt64 = 0
        var observers: [String: any ExchangeObserver] = [:]
    }

    private let state = Mutex(State())

    subscript(name: String) -> (any ExchangeObserver)? { state.withLock { $0.observers[name] } }

    /// - Returns: The new exchange's name.
    func begin(_ observer: any ExchangeObserver) -> String {
        state.withLock { state in
            state.last += 1
            let name = "\(state.last)"
            state.observers[name] = observer
            return name
        }
    }

    func end(_ name: String) { state.withLock { $0.observers[name] = nil } }
}
