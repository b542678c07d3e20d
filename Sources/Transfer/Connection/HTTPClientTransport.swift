import AsyncHTTPClient
import FerryFiles
public import FerryProtocols
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A transport based on AsyncHTTPClient: HTTP/1.1 over persistent connections. Without TLS, the kernel reads most of a
/// large file by itself (`FileRegion`).
///
/// The transport uses HTTP/1.1 only, even if the server offers HTTP/2. `Tests/bench http2` measures both over TLS to
/// nginx on loopback. On two busy cores HTTP/2 reached 1.02 times the rate of HTTP/1.1 with one upload and 0.80 times
/// with four (curl: 0.97 and 0.83). With HTTP/2, one lost connection would break every upload to that server. The
/// transport could not detect which of the uploads on a connection has stalled.
public final class HTTPClientTransport: Transport {
    /// The timeouts. The total duration of an upload has no limit.
    public struct Timeouts: Hashable, Sendable {
        /// The time for making a connection, TLS included.
        public var connect: Duration
        /// The longest time without an acknowledged byte while there are bytes to send. After that time the request
        /// fails. The time is extended if a break of the connection would lose many bytes, and after an outage of the
        /// network.
        public var stall: Duration
        /// The longest time from the last byte of the request to the response's head, and between chunks of the
        /// response's body.
        ///
        /// This timeout also determines the longest time for the whole body: twice the timeout, plus a second for each
        /// received KiB, at most ten times the timeout. With `TransportRequest.responseMayTakeLong`, it is always ten
        /// times the timeout. A refusal (400 and above) counts as complete after a second without a further chunk of
        /// its body.
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

    /// The settings of a transport. Destinations with equal settings can share a transport.
    public struct Configuration: Hashable, Sendable {
        /// The timeouts of each attempt.
        public var timeouts: Timeouts
        /// The settings for `https`.
        public var tls: TLSSettings
        /// The proxies; by default those of the environment variables.
        public var proxy: ProxySettings
        /// The congestion control; nil for the system's default.
        public var congestionControl: CongestionControl?
        /// The maximum number of bytes in `TransportResponse.body`. Up to 15 MiB more are read and dropped. After that
        /// the connection is closed.
        public var responseLimit: Int

        public init(
            timeouts: Timeouts = Timeouts(), tls: TLSSettings = TLSSettings(),
            proxy: ProxySettings = .environment, congestionControl: CongestionControl? = nil,
            responseLimit: Int = 1 << 20
        ) {
            self.timeouts = timeouts
            self.tls = tls
            self.proxy = proxy
            self.congestionControl = congestionControl
            self.responseLimit = responseLimit
        }
    }

    private let clients: HTTPClients
    private let responseLimit: Int
    private let loops: [any EventLoop]
    private let exchanges = RunningExchanges()
    private let connections = OpenConnections()
    private let slots = OriginLimiter(limit: HTTPClients.connectionsPerOrigin)

    /// Starts the network threads early. Each thread needs file descriptors. If none were free when the first upload
    /// starts the threads, the process would end.
    public static func prepare() { _ = MultiThreadedEventLoopGroup.singleton.next() }

    /// - Parameter monitors: The monitors that receive `certificateNotVerified` for each host in `tls.insecureHosts`.
    ///   They receive it before this initializer returns.
    /// - Throws: `UploadFailure` (`permanent`) that names the unusable certificate file.
    public init(
        _ configuration: Configuration = Configuration(), monitors: [any EventMonitor] = []
    ) throws(UploadFailure) {
        let group = MultiThreadedEventLoopGroup.singleton
        loops = Array(group.makeIterator())
        let (timeouts, congestionControl) = (configuration.timeouts, configuration.congestionControl)
        responseLimit = max(0, configuration.responseLimit)
        clients = try HTTPClients(configuration, on: group) { [exchanges, connections] channel in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let detector = StallDetector(timeouts: timeouts) { exchanges[$0] }
            try pipeline.addHandler(detector, position: .after(parser))
            TCPInfo.keepAsking(channel)
            congestionControl?.use(on: channel)
            connections.add(channel, watchedBy: detector)
        }
        for host in configuration.tls.insecureHosts.sorted() {
            for monitor in monitors {
                monitor.receive(.certificateNotVerified(host: host), of: RequestContext())
            }
        }
    }

    /// Closes all connections. Requests in flight and later requests fail.
    public func shutdown() async { await clients.shutdown() }

    /// Closes the connections that are possibly dead. After a lost local address, closes the connections from that
    /// address; their requests fail (`addressLost`). After a sleep of the machine, closes the idle connections.
    public func invalidateConnections(because reason: ConnectionInvalidation) {
        connections.invalidate(because: reason)
    }

    /// Records that the network went away or returned. While it is away, the stall timeout does not end a request;
    /// after the return the full timeout applies again.
    public func linkChanged(isAway: Bool) { connections.linkChanged(isAway: isAway) }

    public func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        let route: Route
        do throws(UploadFailure) {
            route = try await clients.route(to: request.url)
            try RequestHead.check(request, to: route)
        } catch {
            throw TransportError(.notConnected, error)
        }
        let origin = route.origin
        guard await slots.enter(origin) else {
            throw TransportError(.cancelled, UploadFailure(.network, "stopped"))
        }
        defer { slots.leave(origin) }
        let loop = loop(for: origin)
        var writer: BodyWriter?
        if case .streamed(let body) = request.body {
            writer = BodyWriter(body, isEncrypted: request.url.lowercased().hasPrefix("https:"), on: loop)
        }
        let collector = ResponseCollector(
            for: request, keeping: responseLimit, isForwarded: route.isForwarded, delegate: delegate,
            writer: writer)
        let outcome = await execute(request, by: route, writer: writer, collector: collector, on: loop)
        await writer?.finish()
        if writer?.sendsRegions == true || !outcome.isSuccess {
            // The connection runs on this loop: after one more turn of it, no byte of the file is being sent.
            try? await loop.submit {}.get()
        }
        switch outcome {
        case .success(let response): return response
        case .failure(let error):
            if let response = collector.usableResponse(after: error) {
                if let refusal = route.refusal(response) { throw refusal }
                return response
            }
            var failed = ConnectionFailure(
                url: request.url, start: collector.start, hasResponse: collector.hasHead,
                bodySent: collector.bodySent, proxy: route.proxy
            ).translate(collector.writeError.flatMap { writer?.failure(of: $0) } ?? error)
            if failed.reason == .notTrusted, route.proxy == nil {
                failed = await Self.naming(certificateOf: request.url, in: failed, on: loop)
            }
            throw failed
        }
    }

    /// Adds a description of the server's certificate to the error, if the certificate can be read.
    ///
    /// If the certificate has expired or is not valid yet, the reason becomes `notConnected`. With `notTrusted`, an
    /// upload to a known server would wait as if a captive portal had responded.
    private static func naming(
        certificateOf url: String, in failed: TransportError, on loop: any EventLoop
    ) async -> TransportError {
        guard let address = URL(string: url), let host = address.host(percentEncoded: false),
            let shown = await PresentedCertificate.read(host: host, port: address.port ?? 443, on: loop)
        else { return failed }
        var named = failed
        named.failure = shown.described(in: failed.failure, now: Date())
        if shown.isOutOfTime(at: Date()) { named.reason = .notConnected }
        return named
    }

    /// The number of requests to the server of `url` that wait because too many others are running.
    func waitingCount(for url: String) -> Int {
        slots.waitingCount(for: URL(string: url).flatMap(UploadAddress.origin) ?? "")
    }

    /// Returns the event loop of all requests to one origin. The client opens a connection on the loop of the
    /// connection's first request, so later requests on this loop can reuse the connection. The connection's events and
    /// the calls of the request's delegate are then in order.
    private func loop(for origin: String) -> any EventLoop {
        loops[Int(UInt(bitPattern: origin.hashValue) % UInt(loops.count))]
    }

    private func execute(
        _ request: TransportRequest, by route: Route, writer: BodyWriter?, collector: ResponseCollector,
        on loop: any EventLoop
    ) async -> Result<TransportResponse, any Error> {
        let name = exchanges.begin(collector)
        defer { exchanges.end(name) }
        do {
            try Task.checkCancellation()
            let task = route.client.execute(
                request: try Self.clientRequest(request, by: route, named: name, writer: writer),
                delegate: collector, eventLoop: .delegate(on: loop), logger: nil)
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
        _ request: TransportRequest, by route: Route, named name: String, writer: BodyWriter?
    ) throws -> HTTPClient.Request {
        var headers = HTTPHeaders()
        for field in request.fields { headers.add(name: field.name.rawName, value: field.value) }
        headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        if !headers.contains(name: "User-Agent") { headers.add(name: "User-Agent", value: "ferry") }
        for (name, value) in route.fields where !headers.contains(name: name) {
            headers.add(name: name, value: value)
        }
        headers.replaceOrAdd(name: StallDetector.exchangeField, value: name)
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
            url: route.url, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers,
            body: body)
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}

/// The observers of the running exchanges, by the exchange's name. The `StallDetector` of a connection reads the name
/// from an internal header field of the request, and finds the observer here.
private final class RunningExchanges: Sendable {
    private struct State {
        var last: UInt64 = 0
        var observers: [String: any ExchangeObserver] = [:]
    }

    private let state = Mutex(State())

    subscript(name: String) -> (any ExchangeObserver)? { state.withLock { $0.observers[name] } }

    /// - Returns: The name of the new exchange.
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
