public import FerryFiles
import FerryProtocols

/// Failures that are printed say their sentence, and never the answer's content.
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
    /// `403, 1200 bytes`: the status, and how much of an answer came.
    public var description: String {
        "\(status), \(body.count) \(body.count == 1 ? "byte" : "bytes")\(isBodyComplete ? "" : " so far")"
    }
    /// A mirror without header fields and content, so that no dump shows them.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
