import FerryTransfer
import Synchronization

/// A lookup of done uploads in the history, so that files in watched folders are not sent again.
final class HistoryLookup: Sendable {
    /// The minimum number of the newest history entries that a search by id reads. Uploads that have just left the
    /// queue are among these entries.
    private static let newest = 5000

    private enum All {
        case unread
        case read([LocalPath: [Upload]])
        /// `forget` has removed the entries from memory. The function `done` then returns nil for every new upload.
        case forgotten
    }

    private let read: @Sendable (Int) -> [HistoryEntry]
    private let all = Mutex(All.unread)

    /// - Parameter read: Returns the newest entries of the history. The argument is the maximum number of entries to
    ///   return.
    init(read: @escaping @Sendable (Int) -> [HistoryEntry]) { self.read = read }

    /// Creates a lookup in the history of the queue that `lock` locks. If the history cannot be read, the lookup finds
    /// no uploads.
    convenience init(_ lock: StateLock) {
        let files = lock.files
        self.init { limit in
            do throws(JournalError) { return try UploadHistory.read(files: files, limit: limit) } catch {
                // Without the history, a file may be sent again, but nothing fails.
                return []
            }
        }
    }

    /// Returns a done upload from the history with the same path, the same target and the same content as `new`.
    /// Returns nil if there is none, or if `forget` was called before.
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

    /// Removes the entries from memory. They are needed only for files that already existed when the watching of the
    /// folders began.
    func forget() { all.withLock { $0 = .forgotten } }

    /// Returns the done uploads with these ids. Searches only the newest entries of the history, and leaves out an
    /// upload that is not among them.
    func done(_ ids: [Upload.ID]) -> [Upload.ID: Upload] {
        let wanted = Set(ids)
        var found: [Upload.ID: Upload] = [:]
        for entry in read(Self.newest + ids.count) where wanted.contains(entry.upload.id) {
            if entry.upload.isDone { found[entry.upload.id] = entry.upload }
        }
        return found
    }
}
