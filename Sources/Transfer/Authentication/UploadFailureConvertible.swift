public import FerryProtocols

/// An error that says itself what it means to the person and to the queue.
public protocol UploadFailureConvertible: Error {
    /// The same error in the words a person reads.
    var failure: UploadFailure { get }
}

extension TransportError: UploadFailureConvertible {}
extension RequestFailure: UploadFailureConvertible {}
