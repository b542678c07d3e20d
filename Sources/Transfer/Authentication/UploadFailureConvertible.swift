public import FerryProtocols

/// An error that can be converted to the failure that users and the queue receive.
public protocol UploadFailureConvertible: Error {
    /// The same error as a failure for users.
    var failure: UploadFailure { get }
}

extension TransportError: UploadFailureConvertible {}
extension RequestFailure: UploadFailureConvertible {}
