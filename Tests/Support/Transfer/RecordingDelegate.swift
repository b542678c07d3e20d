package import FerryProtocols
import FerryTransfer
import Synchronization

/// A delegate that records its calls, and can signal when a number of bytes has been sent.
package final class RecordingDelegate: UploadDelegate {
    package enum Call: Hashable {
        case sent(ByteCount, total: ByteCount, expected: ByteCount?)
        case finished
        case broke(total: ByteCount)
    }

    private let state = Mutex<[Call]>([])
    private let onCall: @Sendable (Call) -> Void

    package init(onCall: @escaping @Sendable (Call) -> Void = { _ in }) { self.onCall = onCall }

    package var calls: [Call] { state.withLock { $0 } }

    package func didSendBodyData(
        _ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?
    ) {
        take(.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpected))
    }

    package func didFinishSending() { take(.finished) }

    package func didBreak(totalBytesSent: ByteCount) { take(.broke(total: totalBytesSent)) }

    private func take(_ call: Call) {
        state.withLock { $0.append(call) }
        onCall(call)
    }
}
