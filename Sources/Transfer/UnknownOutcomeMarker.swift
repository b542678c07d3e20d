import FerryProtocols
import Synchronization

/// Records a mark on disk before the last bytes of a request are sent. The mark means that the server possibly has the
/// whole file. If the response is lost, the mark shows this to a later attempt. The attempt that set the mark removes
/// it when it learns that the server does not have the whole file.
final class UnknownOutcomeMarker: Sendable {
    typealias Record = @Sendable (UploadResource?) async throws(UploadFailure) -> Void

    /// The upload resource to record before the last bytes are sent. It contains the mark that the server possibly has
    /// the whole file. Nil if the request needs no mark.
    private let mark: UploadResource?
    private let record: Record
    private let isSet = Mutex(false)

    /// - Parameter record: Records an upload resource durably.
    init(mark: UploadResource?, record: @escaping Record) {
        self.mark = mark
        self.record = record
    }

    func set() async throws(UploadFailure) {
        guard let mark else { return }
        isSet.withLock { $0 = true }
        try await record(mark)
    }

    /// Removes the mark by recording `known`, which does not contain the mark. `known` is an upload resource, or nil if
    /// the upload has none. Does nothing if no mark was set. If the recording fails, the mark stays. This is safe,
    /// because a later attempt then treats the outcome as unknown.
    func remove(leaving known: UploadResource?) async {
        guard isSet.withLock({ $0 }), (try? await record(known)) != nil else { return }
        isSet.withLock { $0 = false }
    }
}
