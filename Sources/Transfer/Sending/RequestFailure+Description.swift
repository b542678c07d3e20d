public import FerryFiles
import FerryProtocols

/// Prints a failure as its message for users. The response that the failure contains is not printed.
extension RequestFailure: CustomStringConvertible, LocalizedError {}

extension TransportError: CustomStringConvertible, LocalizedError {}

extension UploadFailureConvertible where Self: CustomStringConvertible & LocalizedError {
    /// The description of `failure`.
    public var description: String { failure.description }
    /// The summary of `failure`.
    public var errorDescription: String? { failure.summary }
    /// The hint of `failure`.
    public var recoverySuggestion: String? { failure.hint }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the size of `body`: `403, 1200 bytes`. If the body is incomplete, the text ends with `so far`.
    public var description: String {
        "\(status), \(body.count) \(body.count == 1 ? "byte" : "bytes")\(isBodyComplete ? "" : " so far")"
    }
    /// A mirror that contains only the status, so that `dump(_:)` does not print the header fields and the body.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
