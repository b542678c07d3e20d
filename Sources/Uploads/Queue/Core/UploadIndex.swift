import FerryProtocols
import FerryTransfer

/// The number of pending uploads, the range of ranks in use, and the uploads of each file. An upload is pending if it
/// runs or will start without a user's action.
struct UploadIndex {
    /// The number of uploads that are queued, running, waiting for a retry, or paused until the link returns.
    private(set) var pending = 0
    /// The range from the lowest to the highest rank that was ever assigned. At first it contains only 0.
    private(set) var ranks: ClosedRange<Int64> = 0...0
    /// The uploads of each file; nil until the first lookup: only watched folders and some commands need it.
    private var byPath: UploadsByPath?
    /// The files in watched folders. If such a file changes, its upload is held until the watcher finds the file
    /// complete.
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
