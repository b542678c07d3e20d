import FerryFiles
import FerryProtocols

/// Converts the number of sent bytes of a request's body to the number of sent bytes of the file, and reports it to
/// `recorder`.
struct ExchangeProgress: UploadDelegate {
    let exchange: Exchange
    /// The number of the exchange (a request and its response) within the attempt, from 1.
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
