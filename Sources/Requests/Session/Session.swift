public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// The entry point for requests. A request is adapted, sent, validated and retried as the session's configuration says.
///
/// A session is a value and may be copied; copies share connections and running requests. By itself, a session repeats
/// a request only if the server was closing the kept connection on which it was sent. Retriers decide about all other
/// retries. Running requests retain what they need: `shutdown()` ends them, and releasing the session does not.
public struct Session: Sendable {
    /// The settings of all requests of a session, unless the `RequestOptions` of one override them.
    public struct Configuration: Sendable {
        /// The header fields for every request that lacks them.
        public var headers: HTTPFields
        /// The interceptor that is called before a request's own.
        public var interceptor: Interceptor
        /// The validation of responses, if a request has none of its own.
        public var validation: ResponseValidation
        /// The handler of redirects, if a request has none of its own.
        public var redirects: any RedirectHandler
        /// The monitors of all events of all requests.
        public var monitors: [any EventMonitor]
        /// False keeps requests from beginning until `RequestTask.resume()`, or until a caller waits for their result.
        public var startsRequestsImmediately: Bool
        /// The clock for the delays between attempts.
        public var clock: any Clock<Duration>
        /// The secrets that requests carry in their bodies. Like those of URLs and header fields, they are removed from
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

    /// Creates a session with a transport of its own.
    /// - Throws: `UploadFailure` (`permanent`) that names the invalid part of the transport's configuration.
    public init(
        _ configuration: Configuration = Configuration(),
        transport: HTTPClientTransport.Configuration = HTTPClientTransport.Configuration()
    ) throws(UploadFailure) {
        self.init(
            configuration, transport: try HTTPClientTransport(transport, monitors: configuration.monitors))
    }

    /// Ends every request with `RequestFailure.sessionClosed` and closes all connections.
    public func shutdown() async {
        // All requests end before the first is awaited: a request whose adapter hangs must not keep others running.
        for execution in running.close().map({ $0.stop(.sessionClosed) }) { _ = await execution?.task.value }
        await transport.shutdown()
    }

    /// Makes one request within the caller's task, and returns its response once it is accepted.
    ///
    /// - Parameters:
    ///   - label: The name of the request in events.
    ///   - interceptor: The interceptor that is called after the configuration's.
    ///   - validation: The validation that replaces the configuration's; nil for the configuration's.
    /// - Throws: `RequestFailure`; `.cancelled` if the caller's task was cancelled, or the session was shut down
    ///   meanwhile.
    public func perform(
        _ request: TransportRequest, label: String = "", interceptor: (any RequestInterceptor)? = nil,
        validation: ResponseValidation? = nil, delegate: (any UploadDelegate)? = nil
    ) async throws(RequestFailure) -> TransportResponse {
        guard !running.isClosed else { throw .sessionClosed }
        let options = RequestOptions(
            label: label, interceptor: interceptor, validation: validation, delegate: delegate)
        return try await run(request, body: request.body, options).performed().response
    }

    /// - Parameter request: The request, whose own body is not sent.
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
