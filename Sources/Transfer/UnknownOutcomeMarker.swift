import FerryProtocols
import Synchronization

/// Records a mark on disk before the last bytes of a request are sent: the server possibly has the whole file. A later
/// attempt learns so of a lost response. The attempt removes its mark when it learns that the server lacks the file.
final class UnknownOutcomeMarker: Sendable {
    typealias Record = @Sendable (UploadResource?) async throws(UploadFailure) -> Void

    /// The upload resource with the mark; nil if the request needs none.
    private let mark: UploadResource?
    private let record: Record
    private let isSet = Mutex(false)

    init(mark: UploadResource?, record: @escaping Record) {
        self.mark = mark
        self.record = record
    }

    func set() async throws(UploadFailure) {
        guard let mark else { return }
        isSet.withLock { $0 = true }
        try await record(mark)
    }

    /// Removes the mark, if it was set, by recording `known`. If that fails, the mark stays, which is safe: a later
    /// attempt then treats the outcome as unknown.
    func remove(leaving known: UploadResource?) async {
        guard isSet.withLock({ $0 }), (try? await record(known)) != nil else { return }
        isSet.withLock { $0 = false }
    }
}
