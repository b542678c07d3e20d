public import FerryProtocols

/// The receiver of an upload attempt's progress, and of the state that a later attempt needs to resume the upload.
public protocol AttemptRecorder: Sendable {
    /// Records the state from which a later attempt resumes; nil removes it. If `durably` is true, the change survives
    /// a power cut when this function returns.
    /// - Throws: `UploadFailure` if the state was not recorded.
    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure)
    /// Reports that the attempt begins to read the file, to compute digests for its next request.
    func isReading()
    /// Reports that a request begins. `reached` is the number of bytes of the file that are confirmed or in flight.
    func didStart(_ exchange: Exchange, reached: ByteCount)
    /// Reports that the connection sent more `bytes` of a body with bytes of the file. After a break, called with 0
    /// `bytes` and a corrected `reached`, the number of bytes of the file that are confirmed or in flight.
    func didSend(_ bytes: ByteCount, reached: ByteCount)
    /// Reports that the last byte of the request was sent.
    func didFinishSending(_ exchange: Exchange)
    /// Reports the end of the attempt. `bytes` is the number of bytes confirmed when the attempt began, plus all bytes
    /// of the file that its requests sent. A byte sent twice counts twice. Confirmed bytes that the server lost are
    /// subtracted.
    func didEnd(out bytes: ByteCount)
}

extension AttemptRecorder {
    public func didEnd(out bytes: ByteCount) {}
}
