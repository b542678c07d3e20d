public import FerryProtocols

/// The receiver of the progress of one request's body. Calls come from network threads, in order, and must return
/// quickly.
public protocol UploadDelegate: Sendable {
    /// Reports that a write completed.
    /// - Parameters:
    ///   - bytesSent: The number of bytes of this write.
    ///   - totalBytesSent: The number of bytes of the body passed to the socket so far, never more than
    ///     `totalBytesExpected`.
    ///   - totalBytesExpected: The exact length of the body; nil if it is unknown before the end.
    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?)

    /// Reports that the last byte of the request was sent; the server has not responded yet.
    func didFinishSending()

    /// Reports that the connection broke after `totalBytesSent` bytes of the body had left this machine. The number is
    /// less than the bytes passed to the socket if some of them still waited in the kernel. Not called if the kernel
    /// does not report the number.
    func didBreak(totalBytesSent: ByteCount)
}

extension UploadDelegate {
    public func didBreak(totalBytesSent: ByteCount) {}
}
