import FerryProtocols
import Synchronization

/// Records that a body is about to be complete, and removes the record if it was not completed.
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

    /// Removes the mark. If this fails, the mark stays and the user must decide, which is the safe result.
    func remove(leaving known: UploadResource?) async {
        guard isSet.withLock({ $0 }), (try? await recorder.record(known, durably: true)) != nil else {
            return
        }
        isSet.withLock { $0 = false }
    }
}
