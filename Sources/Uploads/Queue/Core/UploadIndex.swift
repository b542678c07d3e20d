import FerryProtocols
import FerryTransfer

/// The index of the uploads: counts, the ranks in use and the uploads of each file.
struct UploadIndex {
    /// The number of pending uploads.
    private(set) var pending = 0
    /// The ranks that were ever assigned.
    private(set) var ranks: ClosedRange<Int64> = 0...0
    /// The uploads of each file; nil until the first lookup: only watched folders need it.
    private var byPath: UploadsByPath?
    /// The files whose watcher decides when they are complete again after a change.
    var watchedFiles: Set<LocalPath> = []

    /// The next rank at the end of the queue.
    mutating func appendRank() -> Int64 {
        ranks = ranks.lowerBound...(ranks.upperBound + 1)
        return ranks.upperBound
    }

    mutating func include(rank: Int64) {
        ranks = min(ranks.lowerBound, rank)...max(ranks.upperBound, rank)
    }

    mutating func countPending(_ wasPending: Bool, _ isPending: Bool) {
        pending += (isPending ? 1 : 0) - (wasPending ? 1 : 0)
    }

    mutating func insert(_ upload: Upload) { byPath?.insert(upload) }
    mutating func remove(_ upload: Upload) { byPath?.remove(upload) }
    mutating func forgetPaths() { byPath = nil }

    /// The uploads of a file.
    mutating func ids(of file: LocalPath, in uploads: UploadTable) -> [Upload.ID] {
        let index = byPath ?? UploadsByPath(uploads.values)
        byPath = index
        return index[file]
    }
}
