import AsyncHTTPClient
import FerryProtocols
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import Tracing

/// The HTTP clients of one transport: one for each kind of connection (`ConnectionKey`), made on first use.
final class HTTPClients: Sendable {
    private struct ConnectionKey: Hashable {
        enum Proxy: Hashable {
            case none
            /// The credentials are sent once per tunnel, so they belong to the connection.
            case tunnel(ProxyAddress, authorization: String?)
            /// Requests without TLS that a proxy forwards. One client serves all proxies, whose URL comes with each
            /// request.
            case forward
        }

        var proxy = Proxy.none
        var isVerified = true
    }

    private enum State {
        case open([ConnectionKey: HTTPClient], direct: [String: Route])
        case closed
    }

    private static let rememberedRoutes = 64

    private let configuration: HTTPClientTransport.Configuration
    private let tls: TLSConfiguration
    private let group: any EventLoopGroup
    private let prepare: @Sendable (any Channel) throws -> Void
    private let state = Mutex(State.open([:], direct: [:]))

    /// - Parameters:
    ///   - files: The contents of the TLS files.
    ///   - prepare: Prepares a new connection, on its event loop.
    init(
        _ configuration: HTTPClientTransport.Configuration, files: TLSFiles, on group: any EventLoopGroup,
        prepare: @escaping @Sendable (any Channel) throws -> Void
    ) throws(UploadFailure) {
        self.configuration = configuration
        self.group = group
        self.prepare = prepare
        tls = try configuration.tls.configuration(files)
    }

    deinit {
        guard case .open(let clients, _) = state.withLock({ $0 }), !clients.isEmpty else { return }
        Task { for client in clients.values { try? await client.shutdown() } }
    }

    /// - Throws: `UploadFailure` if the URL or the proxy is not usable, or if the proxy's password cannot be fetched.
    func route(to url: String) async throws(UploadFailure) -> Route {
        guard let authority = UploadAddress.plainAuthority(of: url) else {
            return try await foundRoute(to: url)
        }
        let known: Route? = state.withLock { state in
            if case .open(_, let direct) = state { direct[String(authority)] } else { nil }
        }
        if var known {
            known.url = url
            return known
        }
        let found = try await foundRoute(to: url)
        // The route depends only on the server, except with a proxy, which can need other credentials the next time.
        guard found.proxy == nil else { return found }
        state.withLock { state in
            guard case .open(let clients, var direct) = state, direct.count < Self.rememberedRoutes else {
                return
            }
            direct[String(authority)] = found
            state = .open(clients, direct: direct)
        }
        return found
    }

    private func foundRoute(to url: String) async throws(UploadFailure) -> Route {
        if let expected = UploadAddress.expectation(brokenBy: url) {
            throw UploadFailure(
                .permanent, "the address \(Redaction.address(url)) cannot be used",
                hint: "set the destination's url to \(expected)")
        }
        let address = URL(string: url)
        let isTLS = address?.scheme?.lowercased() == "https"
        guard isTLS || configuration.tls.pins.isEmpty else {
            throw UploadFailure(
                .permanent,
                "\(Redaction.address(url)) is not encrypted, so its server has no key that could be the pinned one",
                hint: "set the destination's url to an https address, or remove tls.pins")
        }
        let host = address?.host(percentEncoded: false) ?? ""
        var key = ConnectionKey(isVerified: !isTLS || configuration.tls.verifies(host: host))
        guard let proxy = try configuration.proxy.proxy(for: url) else {
            return Route(
                client: try client(for: key), url: url, fields: Route.fields(for: url), proxy: nil,
                origin: address.flatMap(UploadAddress.origin) ?? "")
        }
        let authorization = try await proxy.authorization()
        if proxy.kind == .http, !isTLS {
            key.proxy = .forward
            return Route.forwarding(url, by: proxy, authorization, client: try client(for: key))
        }
        key.proxy = .tunnel(proxy, authorization: authorization)
        return Route(
            client: try client(for: key), url: url, fields: [], proxy: proxy,
            origin: address.flatMap(UploadAddress.origin) ?? "")
    }

    /// Closes all connections. No client is made afterwards.
    func shutdown() async {
        let clients: [HTTPClient] = state.withLock { state in
            defer { state = .closed }
            if case .open(let clients, _) = state { return Array(clients.values) }
            return []
        }
        for client in clients { try? await client.shutdown() }
    }

    private func client(for key: ConnectionKey) throws(UploadFailure) -> HTTPClient {
        try state.withLock { state throws(UploadFailure) in
            guard case .open(var clients, let direct) = state else {
                throw UploadFailure(.network, "stopped")
            }
            if let known = clients[key] { return known }
            let made = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: settings(for: key))
            clients[key] = made
            state = .open(clients, direct: direct)
            return made
        }
    }

    private func settings(for key: ConnectionKey) -> HTTPClient.Configuration {
        var settings = HTTPClient.Configuration()
        settings.redirectConfiguration = .disallow
        // Spans that nobody receives take 1 to 2 % of the time of a small upload.
        if settings.tracing.tracer is NoOpTracer { settings.tracing.tracer = nil }
        settings.httpVersion = .http1Only
        settings.timeout.connect = TimeAmount(configuration.timeouts.connect)
        settings.connectionPool.retryConnectionEstablishment = false
        // The pool must never queue a request: the wait would count toward the connect timeout (see `OriginLimiter`).
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connectionLimit
        var tls = tls
        if !key.isVerified { tls.certificateVerification = .none }
        settings.tlsConfiguration = tls
        if case .tunnel(let proxy, let authorization) = key.proxy {
            settings.proxy =
                switch proxy.kind {
                case .http:
                    .server(
                        host: proxy.host, port: proxy.port,
                        authorization: authorization.map {
                            .basic(credentials: String($0.dropFirst("Basic ".count)))
                        })
                case .socks5: .socksServer(host: proxy.host, port: proxy.port)
                }
        }
        let forwards = key.proxy == .forward
        settings.http1_1ConnectionDebugInitializer = { [prepare, pins = configuration.tls.pins] channel in
            do {
                try SPKIPin.check(channel, against: pins)
                try prepare(channel)
                if forwards {
                    let pipeline = channel.pipeline.syncOperations
                    let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                    try pipeline.addHandler(ForwardedForm(), position: .after(parser))
                }
                return channel.eventLoop.makeSucceededVoidFuture()
            } catch {
                // The pool must receive the failure before the connection closes.
                channel.eventLoop.execute { channel.close(promise: nil) }
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
        return settings
    }
}

/// The way in which a request reaches its server: directly, through a tunnel, or forwarded by a proxy.
struct Route: Sendable {
    var client: HTTPClient
    /// The URL that the HTTP client receives: that of the request, but with host and port of a forwarding proxy.
    var url: String
    var fields: [(name: String, value: String)]
    var proxy: ProxyAddress?
    /// The scheme, host and port of the server (`UploadAddress.origin`); for a forwarded request, those of the proxy.
    var origin: String

    /// True if a proxy reads and forwards the request, so that a response can be the proxy's own.
    var isForwarded: Bool { fields.contains { $0.name == ForwardedForm.originField } }

    /// Returns the `Host` field for a server behind a Unix socket, which has no host name.
    static func fields(for url: String) -> [(name: String, value: String)] {
        UploadAddress.isUnixSocket(url) ? [("Host", UploadAddress.socketHost)] : []
    }

    static func forwarding(
        _ url: String, by proxy: ProxyAddress, _ authorization: String?, client: HTTPClient
    ) -> Route {
        let origin = URL(string: url).flatMap { address -> String? in
            guard let host = address.host(percentEncoded: false) else { return nil }
            return (host.contains(":") ? "[\(host)]" : host) + (address.port.map { ":\($0)" } ?? "")
        }
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...].drop { !"/?".contains($0) } } ?? "/"
        let target = "\(proxy)" + (rest.hasPrefix("/") ? "" : "/") + rest
        var fields = [(name: "Host", value: origin ?? ""), (ForwardedForm.originField, origin ?? "")]
        if let authorization { fields.append(("Proxy-Authorization", authorization)) }
        return Route(
            client: client, url: target, fields: fields, proxy: proxy,
            origin: URL(string: target).flatMap(UploadAddress.origin) ?? "")
    }
}

/// Writes a request for a forwarding proxy, with the absolute URL (RFC 9112 §3.2.2).
final class ForwardedForm: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The internal header field with the server's host and port for this handler. It never leaves the process.
    static let originField = "Ferry-Origin"

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part, let origin = head.headers.first(name: Self.originField) {
            head.headers.remove(name: Self.originField)
            head.uri = "http://" + origin + head.uri
            part = .head(head)
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}
