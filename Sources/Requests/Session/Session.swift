public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// The entry point for requests. A request is adapted, sent, validated and retried as the session's configuration says.
///
/// A session is a value; its copies share connections and running requests. Without a retrier, a session repeats a
/// request only in two cases: no byte was written before the connection closed, or the server was closing a reused
/// connection. Releasing the session does not end running requests, but `shutdown()` does.
public struct Session: Sendable {
    /// The settings of all requests of a session, unless the `RequestOptions` of a request override them.
    public struct Configuration: Sendable {
        /// The header fields for every request that lacks them.
        public var headers: HTTPFields
        /// The interceptor that is called before the interceptor of a request.
        public var interceptor: Interceptor
        /// The validation of responses, if a request has none of its own.
        public var validation: ResponseValidation
        /// The handler of redirects, if a request has none of its own.
        public var redirects: any RedirectHandler
        /// The monitors that receive all events of all requests.
        public var monitors: [any EventMonitor]
        /// True if a request begins as soon as it is made. If false, it begins with `RequestTask.resume()`, or when a
        /// caller waits for its result.
        public var startsRequestsImmediately: Bool
        /// The clock for the delays between attempts.
        public var clock: any Clock<Duration>
        /// The secrets in the bodies of requests. These secrets, and those in URLs and header fields, are removed from
        /// servers' messages in failures and events.
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

    /// The configuration of the session.
    public let configuration: Configuration
    /// The sender of the session's requests. Uploads by a resumable protocol use it too: see `UploadAttempt`.
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

    /// Creates a session with a new transport. Like the transport, blocks the thread while it reads TLS files.
    ///
    /// - Throws: `UploadFailure` (`permanent`) that names the invalid part of the transport's configuration.
    public init(
        _ configuration: Configuration = Configuration(),
        transport: HTTPClientTransport.Configuration = HTTPClientTransport.Configuration()
    ) throws(UploadFailure) {
        self.init(
            configuration, transport: try HTTPClientTransport(transport, monitors: configuration.monitors))
    }

    /// Ends every `RequestTask` with `RequestFailure.sessionClosed`, and every running call of `perform` with
    /// `RequestFailure.cancelled`. Closes all connections.
    public func shutdown() async {
        // All requests end before the first is awaited: a request whose adapter hangs must not keep others running.
        for execution in running.close().map({ $0.stop(.sessionClosed) }) { _ = await execution?.task.value }
        await transport.shutdown()
    }

    /// Makes one request within the caller's task, and returns the response after the validation has accepted it.
    ///
    /// - Parameters:
    ///   - label: The name of the request in events.
    ///   - interceptor: The interceptor that is called after the configuration's interceptor.
    ///   - validation: The validation of the response; nil for the configuration's validation.
    /// - Throws: `RequestFailure`; `.sessionClosed` if the session was shut down before the call; `.cancelled` if the
    ///   session is shut down during the call, or the caller's task is cancelled.
    public func perform(
        _ request: TransportRequest, label: String = "", interceptor: (any RequestInterceptor)? = nil,
        validation: ResponseValidation? = nil, delegate: (any UploadDelegate)? = nil
    ) async throws(RequestFailure) -> TransportResponse {
        guard !running.isClosed else { throw .sessionClosed }
        let options = RequestOptions(
            label: label, interceptor: interceptor, validation: validation, delegate: delegate)
        return try await run(request, body: request.body, options).performed().response
    }

    /// Makes the run that performs one request with this session's settings and `options`.
    ///
    /// - Parameter request: Its own body is ignored, because the argument `body` is sent.
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
