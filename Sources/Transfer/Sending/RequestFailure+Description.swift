public import FerryFiles
import FerryProtocols

/// The printed form of a failure: its words for users, and not a dump of the response that it contains.
extension RequestFailure: CustomStringConvertible, LocalizedError {
    /// The description of `failure`.
    public var description: String { failure.description }
    /// The summary of `failure`.
    public var errorDescription: String? { failure.summary }
    /// The hint of `failure`.
    public var recoverySuggestion: String? { failure.hint }
}

extension TransportError: CustomStringConvertible, LocalizedError {
    /// The description of `failure`.
    public var description: String { failure.description }
    /// The summary of `failure`.
    public var errorDescription: String? { failure.summary }
    /// The hint of `failure`.
    public var recoverySuggestion: String? { failure.hint }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the received size: `403, 1200 bytes`.
    public var description: String {
        "\(status), \(body.count) \(body.count == 1 ? "byte" : "bytes")\(isBodyComplete ? "" : " so far")"
    }
    /// A mirror without header fields and content, so that no dump shows them.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
