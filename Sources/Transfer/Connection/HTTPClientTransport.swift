import AsyncHTTPClient
public import FerryProtocols
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A transport based on AsyncHTTPClient: HTTP/1.1 over persistent connections. Without TLS, the kernel itself reads
/// most of a large file while it sends the file (`FileRegion`).
///
/// The transport uses HTTP/1.1 only. `Tests/bench http2` compares it with HTTP/2 over TLS to nginx on loopback, on two
/// busy cores: HTTP/2 reached 1.02 times its rate with one upload, and 0.80 times with four (curl: 0.97 and 0.83).
///
/// With HTTP/2, one lost connection would break every upload to that server, and the transport could not detect which
/// of them has stalled.
public final class HTTPClientTransport: Transport {
    /// The timeouts of a transport. The total duration of an upload has no limit.
    public struct Timeouts: Hashable, Sendable {
        /// The longest time for making a connection, including the TLS handshake.
        public var connect: Duration
        /// The longest time for which the server acknowledges none of the bytes that there are to send. It is longer
        /// after an outage of the network, and for a silent connection with at least 256 KiB to send again.
        public var stall: Duration
        /// The longest time from the last byte of the request to the response's head, and between two chunks of its
        /// body. Each interim response (1xx) restarts it, but the head must arrive within ten times the timeout.
        ///
        /// The whole body may take twice the timeout, plus one second for each received KiB, but at most ten times the
        /// timeout. With `TransportRequest.responseMayTakeLong`, it may always take ten times the timeout.
        ///
        /// If the server refuses the request (status 400 and above), the transport waits at most one second for each
        /// chunk of the body, and then returns the response without the rest.
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
        /// The timeouts of each request.
        public var timeouts: Timeouts
        /// The TLS settings for URLs with the scheme `https`.
        public var tls: TLSSettings
        /// The proxies for requests; by default those of the environment variables.
        public var proxy: ProxySettings
        /// The algorithm for congestion control; nil for the system's default.
        public var congestionControl: CongestionControl?
        /// The maximum number of bytes in `TransportResponse.body`. Up to 15 MiB more are read and dropped; then the
        /// connection is closed.
        public var responseLimit: Int
        /// The maximum number of connections to one server, for which other requests to it wait. A number below 1
        /// counts as 1.
        public var connectionsPerOrigin: Int

        public init(
            timeouts: Timeouts = Timeouts(), tls: TLSSettings = TLSSettings(),
            proxy: ProxySettings = .environment, congestionControl: CongestionControl? = nil,
            responseLimit: Int = 1 << 20, connectionsPerOrigin: Int = 256
        ) {
            self.timeouts = timeouts
            self.tls = tls
            self.proxy = proxy
            self.congestionControl = congestionControl
            self.responseLimit = responseLimit
            self.connectionsPerOrigin = connectionsPerOrigin
        }

        var connectionLimit: Int { max(1, connectionsPerOrigin) }
    }

    private let clients: HTTPClients
    private let responseLimit: Int
    private let loops: [any EventLoop]
    private let exchanges = RunningExchanges()
    private let connections = OpenConnections()
    private let slots: OriginLimiter

    /// Starts the network threads early: without free file descriptors for them, the process would end.
    public static func prepare() { _ = MultiThreadedEventLoopGroup.singleton.next() }

    /// - Parameter monitors: They receive `certificateNotVerified` for each host in `tls.insecureHosts`.
    /// - Throws: `UploadFailure` (`permanent`) that names a certificate or key file that cannot be used.
    public convenience init(
        _ configuration: Configuration = Configuration(), monitors: [any EventMonitor] = []
    ) throws(UploadFailure) {
        try self.init(configuration, files: try TLSFiles(of: configuration.tls), monitors: monitors)
    }

    /// Creates a transport with the contents of the files that the TLS settings name.
    /// - Throws: `UploadFailure` (`permanent`) that names a certificate or key file that cannot be used.
    package init(
        _ configuration: Configuration, files: TLSFiles, monitors: [any EventMonitor] = []
    ) throws(UploadFailure) {
        let group = MultiThreadedEventLoopGroup.singleton
        loops = Array(group.makeIterator())
        let (timeouts, congestionControl) = (configuration.timeouts, configuration.congestionControl)
        responseLimit = max(0, configuration.responseLimit)
        slots = OriginLimiter(limit: configuration.connectionLimit)
        clients = try HTTPClients(configuration, files: files, on: group) {
            [exchanges, connections] channel in
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

    /// Closes connections that possibly no longer work: for `addressLost`, those from local addresses that the machine
    /// no longer has, whose requests fail; for `slept`, the idle ones.
    public func invalidateConnections(because reason: ConnectionInvalidation) {
        connections.invalidate(because: reason)
    }

    /// Records that the network went away or returned. While it is away, the stall timeout does not end a request, and
    /// then it starts again. Connections within this machine are not affected.
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
        if writer?.sendsRegions == true || (try? outcome.get()) == nil {
            // After one more turn of the connection's event loop, no byte of the file is being sent.
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

    /// Adds a description of the server's certificate to the error, if it can be read.
    ///
    /// If it has expired or is not valid yet, the reason becomes `notConnected`. With `notTrusted`, the upload could
    /// assume that a captive portal sent it, and wait.
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

    func waitingCount(for url: String) -> Int {
        slots.waitingCount(for: URL(string: url).flatMap(UploadAddress.origin) ?? "")
    }

    /// Returns the event loop of all requests to one origin. The client opens a connection on the loop of its first
    /// request, and later requests on that loop can reuse it. On one loop, the events also come in a fixed order.
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

/// The running exchanges by name. A connection's `StallDetector` reads the name from an internal header field, and
/// finds the observer here.
private final class RunningExchanges: Sendable {
    private struct State {
        var last: UInt64 = 0
        var observers: [String: ResponseCollector] = [:]
    }

    private let state = Mutex(State())

    subscript(name: String) -> ResponseCollector? { state.withLock { $0.observers[name] } }

    func begin(_ observer: ResponseCollector) -> String {
        state.withLock { state in
            state.last += 1
            let name = "\(state.last)"
            state.observers[name] = observer
            return name
        }
    }

    func end(_ name: String) { state.withLock { $0.observers[name] = nil } }
}
