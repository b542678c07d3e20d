import FerryProtocols
import Synchronization

/// Sets a mark before the last bytes of a request are sent. From then on, it is unknown whether the server has the
/// whole file. If the response is lost, the mark shows this to a later attempt. The attempt that set the mark removes
/// it when it learns that the server does not have the whole file.
final class UnknownOutcomeMarker: Sendable {
    /// The upload resource that contains the mark; nil if the request needs no mark.
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

    /// Removes the mark: records the upload resource `known`, which does not contain the mark. Does nothing if no mark
    /// was set. If the recording fails, the mark stays. This is safe, because a later attempt then treats the outcome
    /// as unknown.
    func remove(leaving known: UploadResource?) async {
        guard isSet.withLock({ $0 }), (try? await recorder.record(known, durably: true)) != nil else {
            return
        }
        isSet.withLock { $0 = false }
    }
}
