import FerryProtocols
import FerryTransfer

/// The number of pending uploads, which run or will start without a user's action, the ranks, and the uploads by path.
struct UploadIndex {
    private(set) var pending = 0
    private(set) var ranks: ClosedRange<Int64> = 0...0
    /// The number of lookups that scan all uploads. A few scans are faster than building `byPath`.
    private static let fewLookups = 4

    /// The uploads of each file; nil for the first `fewLookups`. Only watched folders and some commands need it.
    private var byPath: UploadsByPath?
    private var lookups = 0
    /// The files in watched folders, whose uploads are held after a change until a watcher finds them complete.
    var watchedFiles: Set<LocalPath> = []

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

    mutating func ids(of file: LocalPath, in uploads: QueueTable) -> [Upload.ID] {
        guard uploads.count > 0 else { return [] }
        lookups += 1
        if byPath == nil, lookups <= Self.fewLookups {
            return uploads.ids { $0.path == file }
        }
        let index = byPath ?? UploadsByPath(uploads.values)
        byPath = index
        return index[file]
    }
}

/// The ids of the uploads of each file. A lookup of a file is fast, even in a queue of a million uploads.
struct UploadsByPath {
    private var first: [LocalPath: Upload.ID] = [:]
    /// The ids of a file's uploads after the first one: an array for each of a million files takes much memory.
    private var others: [LocalPath: [Upload.ID]] = [:]

    init(_ uploads: some Sequence<Upload>) {
        for upload in uploads { insert(upload) }
    }

    subscript(path: LocalPath) -> [Upload.ID] {
        first[path].map { [$0] + others[path, default: []] } ?? []
    }

    mutating func insert(_ upload: Upload) {
        guard let earlier = first.updateValue(upload.id, forKey: upload.path) else { return }
        first[upload.path] = earlier
        others[upload.path, default: []].append(upload.id)
    }

    mutating func remove(_ upload: Upload) {
        let left = self[upload.path].filter { $0 != upload.id }
        first[upload.path] = left.first
        others[upload.path] = left.count > 1 ? Array(left.dropFirst()) : nil
    }
}
