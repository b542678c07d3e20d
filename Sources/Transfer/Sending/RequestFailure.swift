public import FerryProtocols

/// The reason why a request ended without a result.
public enum RequestFailure: Error, Sendable {
    /// The request could not be made: an unusable URL, a GET with a body, or a body that cannot be read (again).
    case unusable(UploadFailure)
    /// An adapter threw this error while it prepared the request.
    case adaptation(any Error)
    /// No complete response arrived.
    case transport(TransportError)
    /// A response arrived and was not accepted.
    case rejected(TransportResponse, UploadFailure)
    /// The response cannot be decoded to the caller's type.
    case undecodable(TransportResponse, any Error)
    /// A retrier ended the request with an error of its own, after the failure `original`.
    indirect case retry(any Error, original: RequestFailure)
    /// The request was cancelled, after `bodySent` bytes of the body in the most recent attempt.
    case cancelled(bodySent: ByteCount = 0)
    /// The `Session` that made the request was shut down.
    case sessionClosed
}

extension RequestFailure {
    /// The response that was not accepted or could not be decoded; for `retry`, that of the original failure.
    public var response: TransportResponse? {
        switch self {
        case .rejected(let response, _), .undecodable(let response, _): response
        case .retry(_, let original): original.response
        case .unusable, .adaptation, .transport, .cancelled, .sessionClosed: nil
        }
    }

    /// The failure in words for users. Its category shows whether a retry can succeed.
    public var failure: UploadFailure {
        switch self {
        case .unusable(let failure), .rejected(_, let failure): failure
        case .transport(let error): error.failure
        case .adaptation(let error): Self.worded(error) ?? UploadFailure(.permanent, "\(error)")
        case .undecodable(let response, let error):
            Self.worded(error)
                ?? UploadFailure(
                    .permanent, "the answer cannot be read: \(error)", status: response.status)
        case .retry(let error, let original):
            Self.worded(error)
                ?? UploadFailure(original.failure.category, "\(original.failure.summary); then \(error)")
        case .cancelled: UploadFailure(.network, "stopped")
        case .sessionClosed: UploadFailure(.permanent, "the session was shut down")
        }
    }

    package static func worded(_ error: any Error) -> UploadFailure? {
        (error as? UploadFailure) ?? (error as? any UploadFailureConvertible)?.failure
    }
}

/// An error that can be converted to the failure that users and the queue receive.
public protocol UploadFailureConvertible: Error {
    /// The same error as a failure for users.
    var failure: UploadFailure { get }
}

extension TransportError: UploadFailureConvertible {}
extension RequestFailure: UploadFailureConvertible {}

/// Prints a failure as its message for users. The response that the failure contains is not printed.
extension RequestFailure: CustomStringConvertible, LocalizedError {}

extension TransportError: CustomStringConvertible, LocalizedError {}

extension UploadFailureConvertible where Self: CustomStringConvertible & LocalizedError {
    /// The message and the next step for users.
    public var description: String { failure.description }
    /// The message for users.
    public var errorDescription: String? { failure.summary }
    /// The next step for users; nil if there is none.
    public var recoverySuggestion: String? { failure.hint }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the size of `body`: `403, 1200 bytes`, or `403, 1200 bytes so far`.
    public var description: String {
        "\(status), \(body.count) \(body.count == 1 ? "byte" : "bytes")\(isBodyComplete ? "" : " so far")"
    }
    /// A mirror with the status only, so that `dump(_:)` does not print the header fields and the body.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
