import FerryFiles
import FerryProtocols

/// Converts the sent bytes of a request's body to those of the file, and reports them to `recorder`.
struct ExchangeProgress: UploadDelegate {
    let exchange: Exchange
    let number: Int
    let sent: SentBytes
    let recorder: any AttemptRecorder

    func start() { recorder.didStart(exchange, reached: sent.record(0, of: number)) }

    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?) {
        guard case .file = exchange.body else { return }
        let bytes = exchange.fileBytes(afterSending: totalBytesSent)
        let begins = bytesSent == totalBytesSent
        recorder.didSend(bytesSent, reached: sent.record(bytes, of: number, begins: begins))
    }

    func didFinishSending() { recorder.didFinishSending(exchange) }

    func didBreak(totalBytesSent: ByteCount) {
        guard case .file = exchange.body else { return }
        let bytes = exchange.fileBytes(afterSending: totalBytesSent)
        recorder.didSend(0, reached: sent.record(bytes, of: number))
    }
}
