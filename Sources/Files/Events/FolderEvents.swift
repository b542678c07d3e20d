/// A change in a watched folder. It is only a reason to look: the files themselves say what is there.
package enum FolderEvent: Hashable, Sendable {
    /// A name was made, closed after writing, moved in or out, or deleted.
    case changed(LocalPath)
    /// A folder was made or moved in.
    case folderCame(LocalPath)
    /// A folder is not there any more, nor what was in it.
    case folderWent(LocalPath)
    /// The system has dropped events.
    case lost
}

/// The system's events of folders: a seam, so that tests can make them. Used by one thread.
package protocol FolderEvents: AnyObject {
    /// Tells of what happens to the names in a folder from now on, not of what happens below. May be asked for again.
    ///
    /// - Returns: Why it does not.
    func watch(_ folder: LocalPath) -> UnwatchedFolder?

    /// Returns the events since the last call; waits for one until `alarm` rings or the time is over.
    ///
    /// - Parameter limit: nil for ever.
    func wait(for alarm: WakeupPipe, upTo limit: Duration?) -> [FolderEvent]
}

/// The reason why the system tells no changes of a folder.
package enum UnwatchedFolder: Error, Hashable, Sendable {
    /// The system tells nobody.
    case unsupported
    /// There are too many of what the setting limits (fs.inotify.…).
    case limit(setting: String)
    /// The folder does not exist, or may not be read.
    case gone
}

/// The events of a system that tells none: the folders have to be read again and again.
package final class NoFolderEvents: FolderEvents {
    private let reason: UnwatchedFolder

    package init(because reason: UnwatchedFolder = .unsupported) { self.reason = reason }

    package func watch(_ folder: LocalPath) -> UnwatchedFolder? { reason }

    package func wait(for alarm: WakeupPipe, upTo limit: Duration?) -> [FolderEvent] {
        _ = try? alarm.wait(for: nil, upTo: limit)
        return []
    }
}
