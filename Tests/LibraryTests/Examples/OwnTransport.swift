// Example: own transport
import Ferry
import Synchronization

/// Records every request instead of sending it.
final class RecordingTransport: Transport {
    private let recorded = Mutex<[(url: String, body: [UInt8])]>([])

    var requests: [(url: String, body: [UInt8])] { recorded.withLock { $0 } }

    func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        let body = try await request.body.bytes()  // of files and of forms' files too
        recorded.withLock { $0.append((request.url, body)) }
        delegate?.didFinishSending()
        return TransportResponse(status: 201, bodySent: ByteCount(body.count))
    }
}
// end
