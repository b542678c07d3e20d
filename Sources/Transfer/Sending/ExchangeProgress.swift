import FerryProtocols

/// Converts the sent bytes of a request's body to those of the file, and reports them to `recorder`.
struct ExchangeProgress: UploadDelegate {
    let exchange: Exchange
    let number: Int
    let sent: SentBytes
    let recorder: any AttemptRecorder

    func start() { recorder.didStart(exchange, reached: sent.record(0, of: number)) }

    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?) {
        report(bytesSent, total: totalBytesSent, begins: bytesSent == totalBytesSent)
    }

    func didFinishSending() { recorder.didFinishSending(exchange) }

    func didBreak(totalBytesSent: ByteCount) { report(0, total: totalBytesSent, begins: false) }

    private func report(_ bytes: ByteCount, total: ByteCount, begins: Bool) {
        guard case .file = exchange.body else { return }
        let ofFile = exchange.fileBytes(afterSending: total)
        recorder.didSend(bytes, reached: sent.record(ofFile, of: number, begins: begins))
    }
}
