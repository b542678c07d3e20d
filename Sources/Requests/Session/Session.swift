public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// The entry point for requests, which are adapted, sent, validated and retried by its configuration.
///
/// Copies of a session share connections and running requests, which only `shutdown()` ends. Without a retrier, a
/// request is repeated only if no byte was written before the connection closed, or if the server was closing it.
public struct Session: Sendable {
    /// The settings of all requests of a session that have no `RequestOptions` of their own.
    public struct Configuration: Sendable {
        /// The header fields for every request that lacks them.
        public var headers: HTTPFields
        /// The interceptor before that of a request.
        public var interceptor: Interceptor
        /// The validation of responses, if a request has none of its own.
        public var validation: ResponseValidation
        /// The handler of redirects, if a request has none of its own.
        public var redirects: any RedirectHandler
        /// The monitors that receive all events of all requests.
        public var monitors: [any EventMonitor]
        /// True if a request begins as soon as it is made, and not with `RequestTask.resume()` or the wait for its
        /// result.
        public var startsRequestsImmediately: Bool
        /// The clock for the delays between attempts.
        public var clock: any Clock<Duration>
        /// The secrets in the bodies of requests. They are removed from servers' texts, as those in URLs and header
        /// fields are.
        public var secrets: [String] = []

        public init(
            headers: HTTPFields = [:], interceptor: Interceptor = Interceptor(),
            validation: ResponseValidation = .automatic,
            redirects: any RedirectHandler = Redirector.withinServer, monitors: [any EventMonitor] = [],
            startsRequestsImmediately: Bool = true, clock: any Clock<Duration> = ContinuousClock()
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

    /// The configuration of the session.
    public let configuration: Configuration
    /// The sender of the session's requests, also for an `UploadAttempt`.
    public let sender: RequestSender
    private let transport: any Transport
    let running = RunningRequests()

    /// - Parameter transport: The transport, which is shut down with the session.
    public init(_ configuration: Configuration = Configuration(), transport: any Transport) {
        self.configuration = configuration
        self.transport = transport
        var sender = RequestSender(
            over: transport, headers: configuration.headers, interceptor: configuration.interceptor,
            monitors: configuration.monitors, clock: configuration.clock, secrets: configuration.secrets)
        sender.redirection = configuration.redirects.request
        self.sender = sender
    }

    /// Creates a session with a new transport, which reads TLS files on this thread.
    ///
    /// - Throws: `UploadFailure` (`permanent`) that names the invalid part of the transport's configuration.
    public init(
        _ configuration: Configuration = Configuration(),
        transport: HTTPClientTransport.Configuration = HTTPClientTransport.Configuration()
    ) throws(UploadFailure) {
        self.init(
            configuration, transport: try HTTPClientTransport(transport, monitors: configuration.monitors))
    }

    /// Ends every `RequestTask` with `RequestFailure.sessionClosed`, every call of `perform` with `cancelled`, and all
    /// connections.
    public func shutdown() async {
        // A request whose adapter hangs must not keep others running.
        for execution in running.close().map({ $0.stop(.sessionClosed) }) { _ = await execution?.task.value }
        await transport.shutdown()
    }

    /// Makes one request within the caller's task, and returns the accepted response.
    ///
    /// - Throws: `RequestFailure`: `sessionClosed` after a shutdown, `cancelled` after one during the call.
    public func perform(
        _ request: TransportRequest, label: String = "", interceptor: (any RequestInterceptor)? = nil,
        validation: ResponseValidation? = nil, delegate: (any UploadDelegate)? = nil
    ) async throws(RequestFailure) -> TransportResponse {
        guard !running.isClosed else { throw .sessionClosed }
        let options = RequestOptions(
            label: label, interceptor: interceptor, validation: validation, delegate: delegate)
        return try await run(request, body: request.body, options).performed().response
    }

    /// Makes the run of one request, whose own body is ignored, with this session's settings and `options`.
    func run(_ request: TransportRequest, body: any ReopenableBody, _ options: RequestOptions) -> RequestRun {
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
