import FerryProtocols
public import HTTPTypes

/// Sends requests to servers, through the adapters, and follows redirects. The retriers decide about retries.
///
/// Copies of a sender share the transport and the secrets of their requests. Even without retriers, a request is sent
/// once more if the connection closed before a byte was sent, or if a reused connection broke and a repetition is safe.
public struct RequestSender: Sendable {
    /// Returns the request that follows a redirect; nil if the redirect itself is the response.
    package typealias Redirection = @Sendable (Redirect, RequestContext) async -> TransportRequest?

    let transport: any Transport
    private(set) var headers: HTTPFields
    package var interceptor: Interceptor
    package var redirection: Redirection = { redirect, _ in redirect.nextWithinServer }
    package var monitors: [any EventMonitor]
    let clock: any Clock<Duration>
    /// The secrets that the caller named. The sender finds others in the URLs and header fields of its requests.
    private(set) var configuredSecrets: Secrets
    /// All secrets that the sender knows, and cuts from texts of servers, such as the messages of failures.
    package let secrets: KnownSecrets

    /// - Parameters:
    ///   - headers: The header fields that are added to every request that lacks them.
    ///   - clock: The clock for the delays between attempts.
    ///   - secrets: The secrets in the bodies of requests. The sender cuts them from texts that servers sent.
    ///   - possibleSecrets: Values that are cut from texts like secrets, but not from URLs and entity tags.
    public init(
        over transport: any Transport, headers: HTTPFields = [:], interceptor: Interceptor = Interceptor(),
        monitors: [any EventMonitor] = [], clock: any Clock<Duration> = ContinuousClock(),
        secrets: [String] = [], possibleSecrets: [String] = []
    ) {
        self.transport = transport
        self.headers = headers
        self.interceptor = interceptor
        self.monitors = monitors
        self.clock = clock
        configuredSecrets = Secrets(secrets, possible: possibleSecrets)
        self.secrets = KnownSecrets(configuredSecrets)
    }

    /// Adds the secrets in a configured URL, and in header fields that the transport adds, such as those of a proxy.
    package mutating func addSecrets(ofURL url: String, fields: HTTPFields) {
        configuredSecrets.add(configuredURL: url, fields: fields)
        secrets.add(configuredSecrets)
    }

    /// Sends one request within the caller's task. The interceptor `last` is called after that of the sender.
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

    func report(_ event: TransferEvent, label: String) {
        var context = RequestContext(label: label, monitors: monitors)
        context.secrets = secrets.all
        context.report(event)
    }

    /// A copy without adapters, retriers and configured header fields, for presigned URLs, which grant access by
    /// themselves, and for requests that find out whether a captive portal responds.
    var withoutCredentials: RequestSender {
        var bare = self
        bare.headers = [:]
        bare.interceptor = Interceptor()
        return bare
    }
}

extension TransportRequest {
    /// Returns a copy of the request with those `headers` whose names it lacks.
    package func adding(_ headers: HTTPFields) -> TransportRequest {
        var request = self
        for field in headers where !fields.contains(field.name) { request.fields.append(field) }
        return request
    }
}
