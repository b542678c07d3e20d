public import FerryProtocols

/// The receiver of an attempt's progress and of what must outlive the attempt.
public protocol AttemptRecorder: Sendable {
    /// Remembers what to resume with. Returns once it would survive a power cut if `durably`.
    func record(_ resource: UploadResource?, durably: Bool) async throws(UploadFailure)
    /// The file is read for a digest before anything of it is sent.
    func isReading()
    /// A request begins; `reached` bytes of the file are out or at the server.
    func didStart(_ exchange: Exchange, reached: ByteCount)
    /// Bytes went out; with them `reached` bytes of the file are out or at the server.
    func didSend(_ bytes: ByteCount, reached: ByteCount)
    /// The last byte of the request is out.
    func didFinishSending(_ exchange: Exchange)
    /// The attempt ends. `bytes` is the sum of the bytes that were confirmed when it began and of those of the file that
    /// it sent, counted each time they went out.
    func didEnd(out bytes: ByteCount)
}

extension AttemptRecorder {
    public func didEnd(out bytes: ByteCount) {}
}
