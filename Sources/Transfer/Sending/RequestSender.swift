import FerryProtocols
public import HTTPTypes

/// Sends requests to servers: adds credentials, follows redirects, and retries as the retriers decide.
///
/// A sender is a value; copies share the transport and the secrets of their requests. Without retriers, it repeats a
/// request only if the connection was closed before the request was sent, or if the server was closing a reused
/// connection.
public struct RequestSender: Sendable {
    /// A function that returns the request that follows a redirect. If it returns nil, the redirect itself is the
    /// response.
    package typealias Redirection = @Sendable (Redirect, RequestContext) async -> TransportRequest?

    let transport: any Transport
    /// The header fields that are added to every request that lacks them.
    let headers: HTTPFields
    package var interceptor: Interceptor
    /// The function that handles redirects. By default it returns `nextWithinServer`.
    package var redirection: Redirection = { redirect, _ in redirect.nextWithinServer }
    package var monitors: [any EventMonitor]
    let clock: any Clock<Duration>
    /// The secrets that the caller passed to `init`. The sender cannot find these by itself, unlike secrets in URLs and
    /// header fields.
    let configuredSecrets: Secrets
    /// The secrets that texts about the requests must not repeat.
    package let secrets: KnownSecrets

    /// - Parameters:
    ///   - headers: The header fields that are added to every request that lacks them.
    ///   - interceptor: Adapts every request, and decides about retries.
    ///   - monitors: The receivers of all events of all requests.
    ///   - clock: The clock for the delays between attempts.
    ///   - secrets: The secrets in the bodies of requests, to be cut from the texts of servers.
    ///   - possibleSecrets: Values that may be secrets. They are cut from texts, but not from URLs and entity tags.
    public init(
        over transport: any Transport, headers: HTTPFields = [:], interceptor: Interceptor = Interceptor(),
        monitors: [any EventMonitor] = [], clock: any Clock<Duration> = ContinuousClock(),
        secrets: [String] = [], possibleSecrets: [String] = []
    ) {
        let configured = Secrets(secrets, possible: possibleSecrets)
        self.init(
            over: transport, headers: headers, interceptor: interceptor, monitors: monitors, clock: clock,
            configuredSecrets: configured, secrets: KnownSecrets(configured))
    }

    private init(
        over transport: any Transport, headers: HTTPFields, interceptor: Interceptor,
        monitors: [any EventMonitor], clock: any Clock<Duration>, configuredSecrets: Secrets,
        secrets: KnownSecrets
    ) {
        self.transport = transport
        self.headers = headers
        self.interceptor = interceptor
        self.monitors = monitors
        self.clock = clock
        self.configuredSecrets = configuredSecrets
        self.secrets = secrets
    }

    /// Sends one request within the caller's task.
    ///
    /// - Parameters:
    ///   - label: The name of the request in events.
    ///   - last: The interceptor that is called after the sender's own.
    ///   - accept: Throws for a response that is not accepted; by default all are.
    /// - Returns: The accepted response.
    package func perform(
        _ request: TransportRequest, label: String = "", interceptor last: (any RequestInterceptor)? = nil,
        delegate: (any UploadDelegate)? = nil, accept: @escaping RequestRun.Check = { _, _ in }
    ) async throws(RequestFailure) -> TransportResponse {
        var sender = self
        if let last { sender.interceptor = interceptor.appending(last) }
        return try await RequestRun(
            request, body: request.body, by: sender, label: label, delegate: delegate, accept: accept
        ).performed().response
    }

    /// Reports to the monitors an event that belongs to no single request.
    func report(_ event: TransferEvent, label: String) {
        var context = RequestContext(label: label, monitors: monitors)
        context.secrets = secrets.all
        context.report(event)
    }

    /// The same sender without credentials and configured header fields, for a presigned URL, which grants access by
    /// itself.
    var withoutCredentials: RequestSender {
        var bare = RequestSender(
            over: transport, headers: [:], interceptor: Interceptor(), monitors: monitors, clock: clock,
            configuredSecrets: configuredSecrets, secrets: secrets)
        bare.redirection = redirection
        return bare
    }
}

extension TransportRequest {
    /// Returns the request with those header fields of `headers` that it lacks.
    package func adding(_ headers: HTTPFields) -> TransportRequest {
        var request = self
        for field in headers where !fields.contains(field.name) { request.fields.append(field) }
        return request
    }
}
