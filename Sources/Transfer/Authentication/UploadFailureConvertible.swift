public import FerryProtocols

/// An error that can describe itself to the user and the queue.
public protocol UploadFailureConvertible: Error {
    /// The same error as a failure for users.
    var failure: UploadFailure { get }
}

extension TransportError: UploadFailureConvertible {}
extension RequestFailure: UploadFailureConvertible {}
