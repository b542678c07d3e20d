public import FerryProtocols

/// An event of a request, from its creation to its end. Holds no secret: see `RequestSummary`; texts are cut too.
///
/// The first event is `created`, the last one of `finished`, `failed` and `cancelled`. Each attempt has `adapted`, then
/// `started`, `sent`…, `waiting` and `responded` or `broke`, as often as redirects and closing connections make it.
/// Before another attempt comes `retrying`.
public enum TransferEvent: Hashable, Sendable {
    /// The request as it was asked for, before any adapter. `bodyLength` is nil until a file or a form is opened.
    case created(RequestSummary)
    /// The adapters are done: this is what goes out.
    case adapted(RequestSummary)
    /// The transport has the request, with its body from the first byte.
    case started
    /// A write completed: `bytes` of it, `total` of the body so far; `expected` is nil for a body of unknown length.
    case sent(bytes: ByteCount, total: ByteCount, expected: ByteCount?)
    /// The last byte of the request is out, and no answer has come. Left out if the answer comes before.
    case waiting
    /// A complete answer came, also one that says no. `bytesSent` is what the socket took of the body; `after` is the
    /// time since `started`.
    case responded(status: Int, bytesSent: ByteCount, after: Duration)
    /// No complete answer came, for a cancel too. `after` is the time since `started`.
    case broke(summary: String, bytesSent: ByteCount, after: Duration)
    /// The request is made again where the answer says, with its whole body unless it became a GET.
    case redirected(status: Int, to: String)
    /// The request is made once more, because it met a kept connection that was just closing.
    case retriedOnFreshConnection
    /// A retrier wants another attempt, which begins `after` this time; `reason` is why the last one failed.
    case retrying(after: Duration, reason: String)
    /// A credential was renewed, for this request and all that waited with it; `after` is how long that took.
    case refreshed(after: Duration)
    /// The protocol of the upload and the reason: what `auto` found out now or before. Belongs to no request.
    case protocolChosen(String)
    /// The server holds this many bytes fewer than it had acknowledged.
    case serverLost(ByteCount)
    /// The request is held: nothing is sent until `resumed`.
    case suspended
    /// The request goes on.
    case resumed
    /// The request ended well. `after` is the time since its creation.
    case finished(status: Int, after: Duration)
    /// The request ended without an accepted answer, and no retrier wants another attempt. `after` is the time since
    /// its creation.
    case failed(reason: String, after: Duration)
    /// The request was cancelled. `after` is the time since its creation.
    case cancelled(after: Duration)
    /// The certificate of this host is not verified, because the configuration says so. Belongs to no request.
    case certificateNotVerified(host: String)
}

extension TransferEvent {
    /// The same, its texts without `secrets` and whatever else looks like one.
    func redacted(_ secrets: Secrets) -> TransferEvent {
        let cut: (String) -> String = { Redaction.text(secrets.cut(from: $0)) }
        return switch self {
        case .broke(let summary, let sent, let time):
            .broke(summary: cut(summary), bytesSent: sent, after: time)
        case .retrying(let delay, let reason): .retrying(after: delay, reason: cut(reason))
        case .failed(let reason, let time): .failed(reason: cut(reason), after: time)
        case .protocolChosen(let sentence): .protocolChosen(secrets.cut(from: sentence))
        case .created, .adapted, .started, .sent, .waiting, .responded, .redirected,
            .retriedOnFreshConnection, .refreshed, .serverLost, .suspended, .resumed,
            .finished,
            .cancelled, .certificateNotVerified:
            self
        }
    }
}

/// The detail that a monitor wants. Events that no monitor of a request wants are not made.
public enum EventDetail: Hashable, Sendable {
    /// Everything.
    case full
    /// The detail for a log. `created`, `started`, `sent`, `waiting` and `finished` may be left out, and the header
    /// fields of a `RequestSummary` may be missing.
    case outline
}

/// Listens to everything that happens. Called from any thread, for one request in the order things happen; it must
/// return quickly.
public protocol EventMonitor: Sendable {
    /// `full` by default.
    var detail: EventDetail { get }

    /// - Parameter request: Which request, and which attempt at it.
    func receive(_ event: TransferEvent, of request: RequestContext)
}

extension EventMonitor {
    public var detail: EventDetail { .full }
}
