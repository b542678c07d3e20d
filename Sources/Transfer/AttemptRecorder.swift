public import FerryProtocols

/// The receiver of an attempt's progress and of the state that must outlive the attempt.
public protocol AttemptRecorder: Sendable {
    /// Records the state for resuming. If `durably`, returns only when the state would survive a power cut.
    func record(_ resource: UploadResource?, durably: Bool) async throws(UploadFailure)
    /// Reports that the file is being read for a digest before it is sent.
    func isReading()
    /// Reports that a request begins; `reached` bytes of the file are sent or confirmed.
    func didStart(_ exchange: Exchange, reached: ByteCount)
    /// Reports that bytes were sent; now `reached` bytes of the file are sent or confirmed.
    func didSend(_ bytes: ByteCount, reached: ByteCount)
    /// Reports that the last byte of the request was sent.
    func didFinishSending(_ exchange: Exchange)
    /// Reports the end of the attempt. `bytes` is the sum of the bytes that were confirmed at its beginning and the
    /// bytes of the file that it sent, counted each time.
    func didEnd(out bytes: ByteCount)
}

extension AttemptRecorder {
    public func didEnd(out bytes: ByteCount) {}
}
