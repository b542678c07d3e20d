import FerryTransfer
import Synchronization

/// A lookup of done uploads in the history, so that files in watched folders are not sent again.
final class HistoryLookup: Sendable {
    /// The number of the newest entries that a search by id reads. Uploads that just left the queue are there.
    private static let newest = 5000

    private enum All {
        case unread
        case read([LocalPath: [Upload]])
        /// `forget` has removed the entries from memory.
        case forgotten
    }

    private let read: @Sendable (Int) -> [HistoryEntry]
    private let all = Mutex(All.unread)

    /// - Parameter read: Returns the newest entries of the history, at most as many as its argument.
    init(read: @escaping @Sendable (Int) -> [HistoryEntry]) { self.read = read }

    /// Creates a lookup in the history of a queue, which is empty if it cannot be read.
    convenience init(_ lock: StateLock) {
        let files = lock.files
        self.init { limit in
            do throws(JournalError) { return try UploadHistory.read(files: files, limit: limit) } catch {
                // Without the history, a file may be sent again, but nothing fails.
                return []
            }
        }
    }

    /// Returns a done upload with the same path, target and content as `new`; nil after `forget`.
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

    /// Frees the entries, which are needed only for files that existed when the watching began.
    func forget() { all.withLock { $0 = .forgotten } }

    /// Returns those of these done uploads that are among the newest entries.
    func done(_ ids: [Upload.ID]) -> [Upload.ID: Upload] {
        let wanted = Set(ids)
        var found: [Upload.ID: Upload] = [:]
        for entry in read(Self.newest + ids.count) where wanted.contains(entry.upload.id) {
            if entry.upload.isDone { found[entry.upload.id] = entry.upload }
        }
        return found
    }
}
