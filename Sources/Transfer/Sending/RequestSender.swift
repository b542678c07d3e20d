import FerryProtocols
public import HTTPTypes

/// Sends requests to servers: completes them with credentials, follows redirects, and sends them again as retriers
/// decide.
///
/// A sender is a value; copies share the transport and the secrets that their requests have shown. It repeats nothing
/// on its own but a request that met a kept connection which the server was just closing.
public struct RequestSender: Sendable {
    /// Decides what becomes of a redirect; nil takes the redirect itself as the answer.
    package typealias Redirection = @Sendable (Redirect, RequestContext) async -> TransportRequest?

    let transport: any Transport
    /// Added to every request that does not have them.
    let headers: HTTPFields
    package var interceptor: Interceptor
    /// Follows redirects within the server by default.
    package var redirection: Redirection = { redirect, _ in redirect.nextWithinServer }
    package var monitors: [any EventMonitor]
    let clock: any Clock<Duration>
    /// The secrets that were configured, which no request need have shown.
    let configuredSecrets: [String]
    /// The secrets that texts about the requests may not repeat.
    package let secrets: KnownSecrets

    /// - Parameters:
    ///   - headers: Added to every request that does not have them.
    ///   - interceptor: Completes every request, and decides after failures.
    ///   - monitors: Told of everything that happens to every request.
    ///   - clock: Measures the delays between attempts.
    ///   - secrets: Secrets that requests carry in their bodies, cut from what servers say.
    public init(
        over transport: any Transport, headers: HTTPFields = [:], interceptor: Interceptor = Interceptor(),
        monitors: [any EventMonitor] = [], clock: any Clock<Duration> = ContinuousClock(),
        secrets: [String] = []
    ) {
        self.init(
            over: transport, headers: headers, interceptor: interceptor, monitors: monitors, clock: clock,
            configuredSecrets: secrets, secrets: KnownSecrets(secrets))
    }

    private init(
        over transport: any Transport, headers: HTTPFields, interceptor: Interceptor,
        monitors: [any EventMonitor], clock: any Clock<Duration>, configuredSecrets: [String],
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
    ///   - label: Names the request in events.
    ///   - last: Asked after the sender's own interceptor.
    ///   - accept: Throws for an answer that is not accepted; every answer is by default.
    /// - Returns: The answer, once it is accepted.
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

    /// Tells the monitors of something that belongs to no one request.
    func report(_ event: TransferEvent, label: String) {
        var context = RequestContext(label: label, monitors: monitors)
        context.secrets = secrets.all
        context.report(event)
    }

    /// The same connections and monitors for requests to an address that is a permission in itself.
    var withoutCredentials: RequestSender {
        var bare = RequestSender(
            over: transport, headers: [:], interceptor: Interceptor(), monitors: monitors, clock: clock,
            configuredSecrets: configuredSecrets, secrets: secrets)
        bare.redirection = redirection
        return bare
    }
}

extension TransportRequest {
    /// The request with those of `headers` that it does not have.
    package func adding(_ headers: HTTPFields) -> TransportRequest {
        var request = self
        for field in headers where !fields.contains(field.name) { request.fields.append(field) }
        return request
    }
}
