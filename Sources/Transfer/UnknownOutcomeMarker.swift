import FerryProtocols
import Synchronization

/// Records, before the last bytes of a request are sent, that the outcome of the upload is unknown. If the response is
/// lost, this mark shows a later attempt that the server possibly has the whole file. The attempt that set the mark
/// removes it when it learns that the server does not have the whole file.
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

    /// Replaces the mark by `known`; does nothing if no mark was set. If the recorder fails, the mark stays. A later
    /// attempt then treats the outcome as unknown, which is safe.
    func remove(leaving known: UploadResource?) async {
        guard isSet.withLock({ $0 }), (try? await recorder.record(known, durably: true)) != nil else {
            return
        }
        isSet.withLock { $0 = false }
    }
}
