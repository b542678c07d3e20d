import FerryProtocols
import Synchronization

/// Records a mark on disk before the last bytes of a request are sent. The mark means that the server possibly has the
/// whole file. If the response is lost, the mark shows this to a later attempt. The attempt that set the mark removes
/// it when it learns that the server does not have the whole file.
final class UnknownOutcomeMarker: Sendable {
    /// The upload resource to record before the last bytes are sent. It contains the mark that the server possibly has
    /// the whole file. Nil if the request needs no mark.
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

    /// Removes the mark by recording `known`, which does not contain the mark. `known` is an upload resource, or nil if
    /// the upload has none. Does nothing if no mark was set. If the recording fails, the mark stays. This is safe,
    /// because a later attempt then treats the outcome as unknown.
    func remove(leaving known: UploadResource?) async {
        guard isSet.withLock({ $0 }), (try? await recorder.record(known, durably: true)) != nil else {
            return
        }
        isSet.withLock { $0 = false }
    }
}
