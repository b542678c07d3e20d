public import UploadProtocols

/// What happens to a request, from its creation to its end. Holds no secret: see `RequestSummary`.
public enum TransferEvent: Hashable, Sendable {
    case created(RequestSummary)
    /// The adapters are done: this is what goes out.
    case adapted(RequestSummary)
    case started
    /// A write completed: `bytes` of it, `total` of the body so far; `expected` is nil for a body of unknown length.
    case sent(bytes: ByteCount, total: ByteCount, expected: ByteCount?)
    /// The last byte of the request is out.
    case waiting
    /// `after` is the time since the attempt started.
    case responded(status: Int, bytesSent: ByteCount, after: Duration)
    /// No complete answer came.
    case broke(summary: String, bytesSent: ByteCount, after: Duration)
    /// The request is made again where the answer says, with its whole body.
    case redirected(status: Int, to: String)
    /// The request is made once more, because it met a kept connection that was just closing.
    case retriedOnFreshConnection
    case retrying(after: Duration, reason: String)
    /// A credential was renewed for this request and all that waited with it.
    case refreshed(after: Duration)
    /// The server holds fewer bytes than it had acknowledged.
    case serverLost(ByteCount)
    case suspended
    case resumed
    /// The request ended well. `after` is the time since its creation.
    case finished(status: Int, after: Duration)
    case failed(reason: String, after: Duration)
    case cancelled(after: Duration)
    /// The certificate of this host is not verified, because the configuration says so. Belongs to no request.
    case certificateNotVerified(host: String)
}

/// Listens to everything that happens. Called from any thread, for one request in the order things happen; it must
/// return quickly.
public protocol EventMonitor: Sendable {
    /// - Parameter request: Which request, and which attempt at it.
    func receive(_ event: TransferEvent, of request: RequestContext)
}
