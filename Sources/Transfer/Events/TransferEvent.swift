public import FerryProtocols

/// An event of a request, from its creation to its end, without secrets in its texts.
///
/// The first event is `created`, the last `finished`, `failed` or `cancelled`. Each attempt that is sent has `adapted`,
/// then `started`, `sent` as bytes are acknowledged, `waiting`, and `responded` or `broke`. From `started` on, they are
/// repeated after a redirect or on a fresh connection. `retrying` comes before another attempt.
public enum TransferEvent: Hashable, Sendable {
    /// The request before any adapter. `bodyLength` is nil if a file or a form must be opened first.
    case created(RequestSummary)
    /// The adapters have run, and the request is sent in this form.
    case adapted(RequestSummary)
    /// The transport has started the request, with its body from the first byte.
    case started
    /// `bytes` were sent (`UploadDelegate`). `total` is the number of body bytes so far, `expected` their final number.
    case sent(bytes: ByteCount, total: ByteCount, expected: ByteCount?)
    /// The last byte of the request was sent. Omitted if the response comes before the whole request is written.
    case waiting
    /// The transport returned a response, possibly a refusal. `bytesSent` is the number of body bytes that the socket
    /// accepted; `after` is the time since `started`.
    case responded(status: Int, bytesSent: ByteCount, after: Duration)
    /// The transport returned no response, because of an error or a cancellation. `bytesSent` and `after` are as in
    /// `responded`.
    case broke(summary: String, bytesSent: ByteCount, after: Duration)
    /// The server has redirected the request, which is sent again with its whole body, except after a change to GET.
    case redirected(status: Int, to: String)
    /// The request is sent once more: the connection was closed before, or was reused and broke without a response.
    case retriedOnFreshConnection
    /// A retrier requests another attempt after this time, because of the failure `reason`.
    case retrying(after: Duration, reason: String)
    /// A credential was refreshed in this time, for this request and all that waited for it.
    case refreshed(after: Duration)
    /// The setting `auto` has chosen the protocol of the upload, now or earlier, for the reason in the text. This event
    /// belongs to no request.
    case protocolChosen(String)
    /// The server has lost this many bytes that it had confirmed. This event belongs to no request.
    case serverLost(ByteCount)
    /// The request is suspended: no byte is sent until `resumed`.
    case suspended
    /// The request continues after `suspended`.
    case resumed
    /// The request succeeded. Here and below, `after` is the time since the creation of the request.
    case finished(status: Int, after: Duration)
    /// The request failed, and no retrier requests another attempt.
    case failed(reason: String, after: Duration)
    /// The request was cancelled.
    case cancelled(after: Duration)
    /// The configuration disables the verification of this host's certificate. This event belongs to no request.
    case certificateNotVerified(host: String)
}

extension TransferEvent {
    /// Returns the same event without `secrets`, and without texts that look like secrets in reasons of failures.
    func redacted(_ secrets: Secrets) -> TransferEvent {
        let cut: (String) -> String = { Redaction.text(secrets.cut(from: $0)) }
        return switch self {
        case .created(let summary): .created(summary.without(secrets))
        case .adapted(let summary): .adapted(summary.without(secrets))
        case .redirected(let status, let url):
            .redirected(status: status, to: secrets.cut(fromAddress: url))
        case .broke(let summary, let sent, let time):
            .broke(summary: cut(summary), bytesSent: sent, after: time)
        case .retrying(let delay, let reason): .retrying(after: delay, reason: cut(reason))
        case .failed(let reason, let time): .failed(reason: cut(reason), after: time)
        case .protocolChosen(let sentence): .protocolChosen(secrets.cut(from: sentence))
        case .started, .sent, .waiting, .responded, .retriedOnFreshConnection, .refreshed, .serverLost,
            .suspended, .resumed, .finished, .cancelled, .certificateNotVerified:
            self
        }
    }
}

/// The level of detail that a monitor needs.
public enum EventDetail: Hashable, Sendable {
    /// All events, with all details.
    case full
    /// The detail for a log. `created`, `started`, `sent`, `waiting`, `finished` and the header fields of a
    /// `RequestSummary` can be left out.
    case outline
}

/// A receiver of the events of requests, such as a log. Calls come from any thread, in order for one request, and must
/// return quickly.
public protocol EventMonitor: Sendable {
    /// The level of detail, `full` by default.
    var detail: EventDetail { get }

    /// Receives an event of a request.
    func receive(_ event: TransferEvent, of request: RequestContext)
}

extension EventMonitor {
    public var detail: EventDetail { .full }
}
