/// A change in a watched folder. It is only a reason to scan: the files themselves are authoritative.
package enum FolderEvent: Hashable, Sendable {
    /// A name was created, closed after writing, moved in or out, or deleted.
    case changed(LocalPath)
    /// A folder was created or moved in.
    case folderCame(LocalPath)
    /// A folder was removed, with its content.
    case folderWent(LocalPath)
    /// The system has dropped events.
    case lost
}

/// The system's events of folders: a protocol, so that tests can replace it. One thread uses it.
package protocol FolderEvents: AnyObject {
    /// Watches the names in a folder from now on, not those in its subfolders. A second call for the same folder is
    /// allowed.
    ///
    /// - Returns: The reason if the folder cannot be watched; nil for success.
    func watch(_ folder: LocalPath) -> UnwatchedFolder?

    /// Returns the events since the last call; waits for an event until `alarm` rings or the time is over.
    ///
    /// - Parameter limit: The longest wait; nil for no limit.
    func wait(for alarm: WakeupPipe, upTo limit: Duration?) -> [FolderEvent]
}

/// The reason why the system does not report the changes of a folder.
package enum UnwatchedFolder: Error, Hashable, Sendable {
    /// The system reports no folder events.
    case unsupported
    /// The number that the setting limits (fs.inotify.…) is reached.
    case limit(setting: String)
    /// The folder does not exist, or may not be read.
    case gone
}

/// The events of a system that reports none: the folders must be scanned repeatedly.
package final class NoFolderEvents: FolderEvents {
    private let reason: UnwatchedFolder

    package init(because reason: UnwatchedFolder = .unsupported) { self.reason = reason }

    package func watch(_ folder: LocalPath) -> UnwatchedFolder? { reason }

    package func wait(for alarm: WakeupPipe, upTo limit: Duration?) -> [FolderEvent] {
        _ = try? alarm.wait(for: nil, upTo: limit)
        return []
    }
}
