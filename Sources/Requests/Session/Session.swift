public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// The front door: makes requests, each adapted, sent, validated and tried again as its configuration says.
///
/// A session is a value and may be copied; copies share connections and running requests. It retries nothing on its
/// own but a request that met a kept connection which the server was just closing; retriers do the rest. Requests that
/// run keep what they need alive: letting a session go does not end them, `shutdown()` does.
public struct Session: Sendable {
    /// The settings of all requests of a session, unless one says otherwise in its `RequestOptions`.
    public struct Configuration: Sendable {
        /// Added to every request that does not have them.
        public var headers: HTTPFields
        /// Asked before a request's own.
        public var interceptor: Interceptor
        /// The answers that are a success, where a request does not say.
        public var validation: ResponseValidation
        /// The handler of redirects, where a request names none.
        public var redirects: any RedirectHandler
        /// Told of everything that happens to every request.
        public var monitors: [any EventMonitor]
        /// False holds requests until `RequestTask.resume()`, or until somebody waits for their result.
        public var startsRequestsImmediately: Bool
        /// Measures the delays between attempts.
        public var clock: any Clock<Duration>
        /// Secrets that requests carry in their bodies. Like those of addresses and header fields, they are cut from
        /// what servers say before it becomes part of a failure or an event.
        public var secrets: [String] = []

        public init(
            headers: HTTPFields = [:], interceptor: Interceptor = Interceptor(),
            validation: ResponseValidation = .automatic,
            redirects: any RedirectHandler = Redirector.withinServer,
            monitors: [any EventMonitor] = [], startsRequestsImmediately: Bool = true,
            clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.headers = headers
            self.interceptor = interceptor
            self.validation = validation
            self.redirects = redirects
            self.monitors = monitors
            self.startsRequestsImmediately = startsRequestsImmediately
            self.clock = clock
        }
    }

    /// The configuration that the session was made with.
    public let configuration: Configuration
    /// Sends the session's requests. Uploads by a resumable protocol take it too: see `UploadAttempt`.
    public let sender: RequestSender
    private let transport: any Transport
    let running = RunningRequests()

    /// - Parameter transport: Shut down with the session.
    public init(_ configuration: Configuration = Configuration(), transport: any Transport) {
        self.configuration = configuration
        self.transport = transport
        var sender = RequestSender(
            over: transport, headers: configuration.headers, interceptor: configuration.interceptor,
            monitors: configuration.monitors, clock: configuration.clock, secrets: configuration.secrets)
        sender.redirection = configuration.redirects.request
        self.sender = sender
    }

    /// A session with a transport of its own.
    /// - Throws: `UploadFailure` (`permanent`) that names what of the transport's configuration cannot be used.
    public init(
        _ configuration: Configuration = Configuration(),
        transport: HTTPClientTransport.Configuration = HTTPClientTransport.Configuration()
    ) throws(UploadFailure) {
        self.init(
            configuration, transport: try HTTPClientTransport(transport, monitors: configuration.monitors))
    }

    /// Ends every request with `RequestFailure.sessionClosed` and closes all connections.
    public func shutdown() async {
        // All are ended before one is waited for: one whose adapter does not let go must not keep the others.
        for execution in running.close().map({ $0.stop(.sessionClosed) }) { _ = await execution?.task.value }
        await transport.shutdown()
    }

    /// Makes one request within the caller's task, and returns its answer once it is accepted.
    ///
    /// - Parameters:
    ///   - label: Names the request in events.
    ///   - interceptor: Asked after the configuration's.
    ///   - validation: Instead of the configuration's.
    /// - Throws: `RequestFailure`; `.cancelled` if the caller's task was, or if the session was shut down meanwhile.
    public func perform(
        _ request: TransportRequest, label: String = "", interceptor: (any RequestInterceptor)? = nil,
        validation: ResponseValidation? = nil, delegate: (any UploadDelegate)? = nil
    ) async throws(RequestFailure) -> TransportResponse {
        guard !running.isClosed else { throw .sessionClosed }
        let options = RequestOptions(
            label: label, interceptor: interceptor, validation: validation, delegate: delegate)
        return try await run(request, body: request.body, options).performed().response
    }

    /// - Parameter request: Its own body is not sent.
    func run(
        _ request: TransportRequest, body: any ReopenableBody, _ options: RequestOptions
    ) -> RequestRun {
        var sender = sender
        if let own = options.interceptor { sender.interceptor = sender.interceptor.appending(own) }
        if let redirects = options.redirects { sender.redirection = redirects.request }
        sender.monitors += options.monitors
        let validation = options.validation ?? configuration.validation
        return RequestRun(
            request, body: body, by: sender, label: options.label, delegate: options.delegate
        ) { request, response throws(RequestFailure) in
            try await validation.validate(response, to: request)
        }
    }
}
