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

    /// Reports that the connection broke.
    ///
    /// - Parameter totalBytesSent: The number of body bytes that had left this machine. Bytes that still waited in the
    ///   kernel do not count. If the kernel does not report the number, this function is not called.
    func didBreak(totalBytesSent: ByteCount)
}

extension UploadDelegate {
    public func didBreak(totalBytesSent: ByteCount) {}
}
