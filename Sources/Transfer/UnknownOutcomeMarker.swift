import FerryProtocols
import Synchronization

/// Records `mark` before the last bytes of a body are sent. If the response is lost, the mark shows a later attempt
/// that the server may have the whole file. Removes the mark if the body was not sent completely.
final class UnknownOutcomeMarker: Sendable {
    private let mark: UploadResource?
    private let recorder: any AttemptRecorder
    private let isSet = Mutex(false)

    init(mark: UploadResource?, recorder: any AttemptRecorder) {
        self.mark = mark
        self.recorder = recorder
    }

    func set() async throws(UploadFailure) {
        guard let mark else { return }
        isSet.withLock { $0 = true }
        try await recorder.record(mark, durably: true)
    }

    /// Replaces the mark by `known`. If this fails, the mark stays. The user must then decide whether the file is sent
    /// again, which is safe.
    func remove(leaving known: UploadResource?) async {
        guard isSet.withLock({ $0 }), (try? await recorder.record(known, durably: true)) != nil else {
            return
        }
        isSet.withLock { $0 = false }
    }
}
