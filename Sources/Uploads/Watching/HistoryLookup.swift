import FerryTransfer
import Synchronization

/// A lookup of done uploads in the history.
final class HistoryLookup: Sendable {
    /// The minimum number of entries that are searched for uploads by id, beginning with the newest entry. Uploads that
    /// have just left the queue are among the newest.
    private static let newest = 5000

    private enum All {
        case unread
        case read([LocalPath: [Upload]])
        /// The entries were dropped. From then on, `done` returns nil for every new file.
        case forgotten
    }

    private let read: @Sendable (Int) -> [HistoryEntry]
    private let all = Mutex(All.unread)

    /// - Parameter read: Returns the newest entries of the history. Its argument is their maximum number.
    init(read: @escaping @Sendable (Int) -> [HistoryEntry]) { self.read = read }

    /// Creates a lookup in the history of the queue that `lock` locks.
    convenience init(_ lock: StateLock) {
        let files = lock.files
        self.init { limit in
            do throws(JournalError) { return try UploadHistory.read(files: files, limit: limit) } catch {
                // Without the history, a file may be sent again, but nothing fails.
                return []
            }
        }
    }

    /// Returns a done upload with the content, the path and the target of `new`; nil if there is none, or after
    /// `forget`.
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

    /// Drops the entries, to save memory. They serve only for files that already existed when this engine started.
    func forget() { all.withLock { $0 = .forgotten } }

    /// Returns the done uploads with these ids, if they are among the newest entries of the history.
    func done(_ ids: [Upload.ID]) -> [Upload.ID: Upload] {
        let wanted = Set(ids)
        var found: [Upload.ID: Upload] = [:]
        for entry in read(Self.newest + ids.count) where wanted.contains(entry.upload.id) {
            if entry.upload.isDone { found[entry.upload.id] = entry.upload }
        }
        return found
    }
}
