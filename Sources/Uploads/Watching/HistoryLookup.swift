import FerryTransfer
import Synchronization

/// The history of uploads that are not in the queue any more.
final class HistoryLookup: Sendable {
    /// Uploads that leave the queue at the same time are among the newest so many.
    private static let newest = 5000

    private enum All {
        case unread
        case read([LocalPath: [Upload]])
        /// No question is asked any more.
        case forgotten
    }

    private let read: @Sendable (Int) -> [HistoryEntry]
    private let all = Mutex(All.unread)

    /// - Parameter read: The newest entries, so many at most.
    init(read: @escaping @Sendable (Int) -> [HistoryEntry]) { self.read = read }

    /// Looks in the history that lies beside the queue of `lock`.
    convenience init(_ lock: StateLock) {
        let files = lock.files
        self.init { limit in
            do throws(JournalError) { return try UploadHistory.read(files: files, limit: limit) } catch {
                // Nothing depends on it: at worst a file is sent again.
                return []
            }
        }
    }

    /// The one that brought the same content to the same place.
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

    /// Lets go of them: what is found from now on was not there when this engine began.
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
