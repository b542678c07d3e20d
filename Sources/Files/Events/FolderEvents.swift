/// A change in a watched folder. It is only a reason to scan the folder. The scan determines what has changed.
package enum FolderEvent: Hashable, Sendable {
    /// A file with this path was created, closed after writing, moved in or out, or deleted.
    case changed(LocalPath)
    /// A folder was created or moved in.
    case folderCame(LocalPath)
    /// A folder was deleted, moved away or unmounted, with its content.
    case folderWent(LocalPath)
    /// The system has dropped events, so any folder may have changed.
    case lost
}

/// A source of folder events for one thread. It is a protocol, so that tests can replace the system's source.
package protocol FolderEvents: AnyObject {
    /// Watches the entries of a folder from now on, but not the content of its subfolders. A second call for the same
    /// folder is allowed.
    ///
    /// - Returns: The reason if the folder cannot be watched; nil for success.
    func watch(_ folder: LocalPath) -> UnwatchedFolder?

    /// Returns the events since the last call. If there are none, waits for an event or for a call of `wakeup.ring()`.
    ///
    /// - Parameter limit: The longest wait; nil for no limit.
    /// - Returns: The events; empty if none came during the wait.
    func wait(for wakeup: WakeupPipe, upTo limit: Duration?) -> [FolderEvent]
}

/// The reason why the system does not report the changes of a folder.
package enum UnwatchedFolder: Error, Hashable, Sendable {
    /// The system reports no folder events.
    case unsupported
    /// A limit of the kernel is reached. `setting` names it, such as `fs.inotify.max_user_watches`.
    case limit(setting: String)
    /// The path does not exist, is a symbolic link or is not a folder; or this process has no permission to read the
    /// folder.
    case gone
}

/// A source that never returns an event, so the caller must scan the folders repeatedly.
package final class NoFolderEvents: FolderEvents {
    private let reason: UnwatchedFolder

    package init(because reason: UnwatchedFolder = .unsupported) { self.reason = reason }

    package func watch(_ folder: LocalPath) -> UnwatchedFolder? { reason }

    package func wait(for wakeup: WakeupPipe, upTo limit: Duration?) -> [FolderEvent] {
        _ = try? wakeup.wait(for: nil, upTo: limit)
        return []
    }
}
