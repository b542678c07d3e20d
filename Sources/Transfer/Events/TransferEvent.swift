public import FerryProtocols

/// An event of a request, from its creation to its end. Secrets are cut from its texts and its `RequestSummary`.
///
/// The first event is `created`. The last event is `finished`, `failed` or `cancelled`. Each attempt that is sent has
/// `adapted`, then `started`, `sent` for each write, `waiting`, and `responded` or `broke`. After a redirect, or when
/// the request is sent again on a fresh connection, the events from `started` on are repeated. `retrying` comes before
/// another attempt.
public enum TransferEvent: Hashable, Sendable {
    /// The request as the caller made it, before any adapter. `bodyLength` is nil if a file or a form must be opened
    /// first.
    case created(RequestSummary)
    /// The adapters have run, and the request is sent in this form.
    case adapted(RequestSummary)
    /// The transport has started the request, with its body from the first byte.
    case started
    /// A write completed. `bytes` is the size of this write, `total` the number of body bytes written so far.
    /// `expected` is the length of the body; nil if it is unknown.
    case sent(bytes: ByteCount, total: ByteCount, expected: ByteCount?)
    /// The last byte of the request was sent, and no response has come. Omitted if the response comes first.
    case waiting
    /// The transport returned a response, possibly a refusal. `bytesSent` is the number of body bytes that the socket
    /// accepted; `after` is the time since `started`.
    case responded(status: Int, bytesSent: ByteCount, after: Duration)
    /// The transport returned no response, because of an error or a cancellation. `after` is the time since `started`.
    case broke(summary: String, bytesSent: ByteCount, after: Duration)
    /// The server has redirected the request, which is sent again to the URL `to`. The whole body is sent again, except
    /// after a change of the method to GET.
    case redirected(status: Int, to: String)
    /// The request is sent once more on a new connection. Either the earlier connection was closed before the request
    /// was sent, or it was a reused connection that broke before the server responded.
    case retriedOnFreshConnection
    /// A retrier requests another attempt, which begins when the time `after` has passed. `reason` is the failure of
    /// the attempt that has just ended.
    case retrying(after: Duration, reason: String)
    /// A credential was refreshed, for this request and all requests that waited for it; `after` is the duration of the
    /// refresh.
    case refreshed(after: Duration)
    /// The setting `auto` has chosen the protocol of the upload, or the upload uses an earlier choice of `auto`. The
    /// text names the protocol and the reason. This event belongs to no request.
    case protocolChosen(String)
    /// The server has lost this many bytes that it had confirmed. This event belongs to no request.
    case serverLost(ByteCount)
    /// The request is suspended: no byte is sent until `resumed`.
    case suspended
    /// The request continues after `suspended`.
    case resumed
    /// The request succeeded. `after` is the time since the creation of the request.
    case finished(status: Int, after: Duration)
    /// The request failed, and no retrier requests another attempt. `after` is the time since the creation of the
    /// request.
    case failed(reason: String, after: Duration)
    /// The request was cancelled. `after` is the time since the creation of the request.
    case cancelled(after: Duration)
    /// The certificate of this host is not verified, because the configuration disables it. This event belongs to no
    /// request.
    case certificateNotVerified(host: String)
}

extension TransferEvent {
    /// Returns the same event without the given `secrets`. Also cuts texts that look like secrets from the reasons of
    /// failures.
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

/// The level of detail that a monitor needs. If no monitor of a request needs `full`, some events of that request are
/// not created at all.
public enum EventDetail: Hashable, Sendable {
    /// All events, with all details.
    case full
    /// The detail for a log. `created`, `started`, `sent`, `waiting` and `finished` can be left out, and the header
    /// fields of a `RequestSummary` can be missing.
    case outline
}

/// A receiver of the events of requests, such as a log. Calls come from any thread. The events of one request come in
/// order. A call must return quickly.
public protocol EventMonitor: Sendable {
    /// The level of detail, `full` by default.
    var detail: EventDetail { get }

    /// Receives an event of a request.
    func receive(_ event: TransferEvent, of request: RequestContext)
}

extension EventMonitor {
    public var detail: EventDetail { .full }
}
