public import FerryProtocols
public import HTTPTypes

/// The front door: makes requests, each adapted, sent, validated and tried again as its configuration says.
///
/// A session is a value and may be copied; copies share connections and running requests. It retries nothing on its
/// own but a request that met a kept connection which the server was just closing; retriers do the rest. Requests that
/// run keep what they need alive: letting a session go does not end them, `shutdown()` does.
public struct Session: Sendable {
    /// What all requests of a session have in common, unless one says otherwise in its `RequestOptions`.
    public struct Configuration: Sendable {
        /// Added to every request that does not have them.
        public var headers: HTTPFields
        /// Asked before a request's own.
        public var interceptor: Interceptor
        /// Which answers are a success, where a request does not say.
        public var validation: ResponseValidation
        /// What becomes of redirects, where a request does not say.
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

    /// As it was when the session was made.
    public let configuration: Configuration
    let transport: any Transport
    let running = RunningRequests()
    /// What its requests may not show of themselves in others' words.
    package let secrets: KnownSecrets

    /// - Parameter transport: Shut down with the session.
    public init(_ configuration: Configuration = Configuration(), transport: any Transport) {
        self.init(configuration, transport: transport, secrets: KnownSecrets(configuration.secrets))
    }

    private init(_ configuration: Configuration, transport: any Transport, secrets: KnownSecrets) {
        self.configuration = configuration
        self.transport = transport
        self.secrets = secrets
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

    /// Tells the monitors of something that belongs to no one request.
    func report(_ event: TransferEvent, label: String) {
        var context = RequestContext(label: label, monitors: configuration.monitors)
        context.secrets = secrets.all
        context.report(event)
    }

    /// The same connections and monitors for requests to an address that is a permission in itself.
    var withoutCredentials: Session {
        var bare = configuration
        bare.headers = [:]
        bare.interceptor = Interceptor()
        return Session(bare, transport: transport, secrets: secrets)
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
        let body = request.body
        let run = RequestRun(
            RequestPlan(
                method: request.method, url: request.url, fields: request.fields, body: UploadBody(body),
                isRepeatable: request.isRepeatable, breakCostsLittle: request.breakCostsLittle),
            options: RequestOptions(
                label: label, interceptor: interceptor, validation: validation, delegate: delegate),
            session: self)
        return try await run.performed().response
    }
}
