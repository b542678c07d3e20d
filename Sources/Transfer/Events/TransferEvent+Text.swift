import FerryProtocols
import HTTPTypes

extension TransferEvent {
    /// The stable name of the event for programs.
    public var name: String {
        switch self {
        case .created: "created"
        case .adapted: "adapted"
        case .started: "started"
        case .sent: "sent"
        case .waiting: "waiting"
        case .responded: "responded"
        case .broke: "broke"
        case .redirected: "redirected"
        case .retriedOnFreshConnection: "retriedOnFreshConnection"
        case .retrying: "retrying"
        case .refreshed: "refreshed"
        case .serverLost: "serverLost"
        case .protocolChosen: "protocolChosen"
        case .suspended: "suspended"
        case .resumed: "resumed"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .certificateNotVerified: "certificateNotVerified"
        }
    }

    /// The event in a few words for users.
    public var summary: String {
        switch self {
        case .created(let request): "created \(request.method.rawValue) \(request.url)"
        case .adapted(let request):
            "\(request.method.rawValue) \(request.url)" + (request.bodyLength.map { " (\($0) bytes)" } ?? "")
        case .started: "started"
        case .sent(_, let total, let expected): "sent \(total) of \(expected.map { "\($0)" } ?? "?") bytes"
        case .waiting: "waiting for the answer"
        case .responded(let status, let sent, let time):
            "answered \(status) after \(sent) bytes, \(time.short)"
        case .broke(let summary, let sent, let time): "broke after \(sent) bytes, \(time.short): \(summary)"
        case .redirected(let status, let target): "redirected (\(status)) to \(target)"
        case .retriedOnFreshConnection: "again on a fresh connection"
        case .retrying(let delay, let reason): "again after \(delay.short): \(reason)"
        case .refreshed(let time): "credentials renewed in \(time.short)"
        case .serverLost(let bytes): "the server lost \(bytes) bytes it had acknowledged"
        case .protocolChosen(let choice): "goes by \(choice)"
        case .suspended: "suspended"
        case .resumed: "resumed"
        case .finished(let status, let time): "finished with \(status) after \(time.short)"
        case .failed(let reason, let time): "failed after \(time.short): \(reason)"
        case .cancelled(let time): "cancelled after \(time.short)"
        case .certificateNotVerified(let host): "warning: the certificate of \(host) is NOT verified"
        }
    }
}

extension Duration {
    /// The duration in seconds with three decimals: `0.120 s`.
    fileprivate var short: String {
        let milliseconds = Int64((self / .milliseconds(1)).rounded())
        let decimals = "\(milliseconds % 1000)"
        return "\(milliseconds / 1000)." + String(repeating: "0", count: max(0, 3 - decimals.count))
            + decimals + " s"
    }
}
