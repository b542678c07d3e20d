public import FerryProtocols

/// The receiver of an attempt's progress and of the state that must outlive the attempt.
public protocol AttemptRecorder: Sendable {
    /// Records the state with which a later attempt resumes, or its absence (nil). If `durably` is true, the record
    /// survives a power cut once this returns.
    /// - Throws: `UploadFailure` if the state was not recorded.
    func record(_ resource: UploadResource?, durably: Bool) async throws(UploadFailure)
    /// Reports that the attempt reads the file to compute a digest, before it sends the file.
    func isReading()
    /// Reports that a request begins. `reached` is the number of bytes of the file that are confirmed or in flight.
    func didStart(_ exchange: Exchange, reached: ByteCount)
    /// Reports that `bytes` more bytes of a request's body were sent. `reached` is the number of bytes of the file that
    /// are confirmed or in flight. `bytes` is 0 if a broken connection only changes `reached`.
    func didSend(_ bytes: ByteCount, reached: ByteCount)
    /// Reports that the last byte of the request was sent.
    func didFinishSending(_ exchange: Exchange)
    /// Reports the end of the attempt. `bytes` is the number of bytes that were confirmed when the attempt began, plus
    /// all bytes of the file that it sent. A byte that was sent twice counts twice.
    func didEnd(out bytes: ByteCount)
}

extension AttemptRecorder {
    public func didEnd(out bytes: ByteCount) {}
}
