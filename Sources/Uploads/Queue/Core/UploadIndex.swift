import FerryProtocols
import FerryTransfer

/// The number of pending uploads, the ranks in use and the uploads of each file, updated with each change.
struct UploadIndex {
    /// The number of uploads that are queued, running, waiting for a retry, or paused until the link returns.
    private(set) var pending = 0
    /// The lowest and the highest rank that were ever assigned.
    private(set) var ranks: ClosedRange<Int64> = 0...0
    /// The uploads of each file; nil until the first lookup: only watched folders and some commands need it.
    private var byPath: UploadsByPath?
    /// The files in watched folders. A change of a file holds its upload until the watcher finds the file complete.
    var watchedFiles: Set<LocalPath> = []

    /// Assigns and returns the next rank at the end of the queue.
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

    mutating func ids(of file: LocalPath, in uploads: UploadTable) -> [Upload.ID] {
        let index = byPath ?? UploadsByPath(uploads.values)
        byPath = index
        return index[file]
    }
}
