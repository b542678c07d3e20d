import FerryProtocols
import Synchronization

/// Records a mark before a body is complete, since the outcome may become unknown. Removes it if the body was not sent
/// completely.
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

    /// Replaces the mark by `known`. If this fails, the mark stays and the user must decide, which is safe.
    func remove(leaving known: UploadResource?) async {
        guard isSet.withLock({ $0 }), (try? await recorder.record(known, durably: true)) != nil else {
            return
        }
        isSet.withLock { $0 = false }
    }
}
