/// A change in a watched folder: a reason to scan it.
package enum FolderEvent: Hashable, Sendable {
    /// A file was created, closed after writing, moved in or out, or deleted.
    case changed(LocalPath)
    /// A folder was created or moved in.
    case folderCame(LocalPath)
    /// A folder was deleted, moved away or unmounted, with its content.
    case folderWent(LocalPath)
    /// The system has dropped events, so any folder may have changed.
    case lost
}

/// A source of folder events for one thread, which tests can replace.
package protocol FolderEvents: AnyObject {
    /// Watches the entries of a folder from now on, without its subfolders. Returns the reason if that is impossible.
    func watch(_ folder: LocalPath) -> UnwatchedFolder?

    /// Returns the events since the last call, or waits for one, for `wakeup.ring()` or until the limit.
    func wait(for wakeup: WakeupPipe, upTo limit: Duration?) -> [FolderEvent]
}

/// The reason why the system does not report the changes of a folder.
package enum UnwatchedFolder: Error, Hashable, Sendable {
    /// The system reports no folder events.
    case unsupported
    /// A limit of the kernel, such as `fs.inotify.max_user_watches`, is reached.
    case limit(setting: String)
    /// The path is not a folder that this process can read.
    case gone
}

/// A source without events: the caller must scan the folders repeatedly.
package final class NoFolderEvents: FolderEvents {
    private let reason: UnwatchedFolder

    package init(because reason: UnwatchedFolder = .unsupported) { self.reason = reason }

    package func watch(_ folder: LocalPath) -> UnwatchedFolder? { reason }

    package func wait(for wakeup: WakeupPipe, upTo limit: Duration?) -> [FolderEvent] {
        _ = try? wakeup.wait(for: nil, upTo: limit)
        return []
    }
}
