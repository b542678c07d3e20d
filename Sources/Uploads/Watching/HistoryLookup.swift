import FerryTransfer
import Synchronization

/// The history of uploads that have left the queue.
final class HistoryLookup: Sendable {
    /// The number of newest entries to read. Uploads that leave the queue at the same time are among them.
    private static let newest = 5000

    private enum All {
        case unread
        case read([LocalPath: [Upload]])
        /// No more lookups are made.
        case forgotten
    }

    private let read: @Sendable (Int) -> [HistoryEntry]
    private let all = Mutex(All.unread)

    /// - Parameter read: Returns the newest entries, at most this many.
    init(read: @escaping @Sendable (Int) -> [HistoryEntry]) { self.read = read }

    /// Creates a lookup in the history beside the queue of `lock`.
    convenience init(_ lock: StateLock) {
        let files = lock.files
        self.init { limit in
            do throws(JournalError) { return try UploadHistory.read(files: files, limit: limit) } catch {
                // Nothing depends on the history: at worst a file is sent again.
                return []
            }
        }
    }

    /// Returns the upload that brought the same content to the same target.
    func done(_ new: NewUpload) -> Upload? {
        all.withLock { all in
            if case .unread = all {
                let done = read(.max).map(\.upload).filter(\.isDone)
                all = .read(Dictionary(grouping: done, by: \.path))
            }
            guard case .read(let uploads) = all else { return nil }
            return uploads[new.path]?.first {
                $0.target == new.target && $0.identity.isSameContent(as: new.identity)
            }
        }
    }

    /// Drops the entries: files found from now on were not there when this engine started.
    func forget() { all.withLock { $0 = .forgotten } }

    /// Returns the uploads of `ids` that were done.
    func done(_ ids: [Upload.ID]) -> [Upload.ID: Upload] {
        let wanted = Set(ids)
        var found: [Upload.ID: Upload] = [:]
        for entry in read(Self.newest + ids.count) where wanted.contains(entry.upload.id) {
            if entry.upload.isDone { found[entry.upload.id] = entry.upload }
        }
        return found
    }
}
