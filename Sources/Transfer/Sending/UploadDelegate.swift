public import FerryProtocols

/// Told how the body of one request gets out. Called from the network's threads, in order; it must return quickly.
public protocol UploadDelegate: Sendable {
    /// A write completed.
    /// - Parameters:
    ///   - bytesSent: Bytes of this write.
    ///   - totalBytesSent: Bytes of the body handed to the socket so far, never more than `totalBytesExpected`.
    ///   - totalBytesExpected: The exact length of the body; nil if nobody knows it before its end.
    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?)

    /// The last byte of the request is out; the server has not answered yet.
    func didFinishSending()

    /// The connection broke, and `totalBytesSent` bytes of the body had left this machine: fewer than were handed to the
    /// socket, where some still waited in the kernel.
    func didBreak(totalBytesSent: ByteCount)
}

extension UploadDelegate {
    public func didBreak(totalBytesSent: ByteCount) {}
}
