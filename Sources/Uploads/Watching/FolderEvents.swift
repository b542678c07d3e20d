package import FerryTransfer

/// What happened in a folder that is watched. Only a reason to look: what is so is found out from the files.
package enum FolderEvent: Hashable, Sendable {
    /// A name was made, closed after writing, moved in or out, or deleted.
    case changed(LocalPath)
    /// A folder was made or moved in.
    case folderCame(LocalPath)
    /// A folder is not there any more, nor what was in it.
    case folderWent(LocalPath)
    /// Not all was told.
    case lost
}

/// Where the system tells what happens in folders: a seam, so that tests can tell it. Used by one thread.
package protocol FolderEvents: AnyObject {
    /// Tells of what happens to the names in a folder from now on, not of what happens below. May be asked for again.
    ///
    /// - Returns: Why it does not.
    func watch(_ folder: LocalPath) -> UnwatchedFolder?

    /// What happened since the last time; waits for it if nothing did, until `alarm` rings or the time is over.
    ///
    /// - Parameter limit: nil for ever.
    func wait(for alarm: WatchAlarm, upTo limit: Duration?) -> [FolderEvent]
}

/// Why changes in a folder are not told.
package enum UnwatchedFolder: Error, Hashable, Sendable {
    /// The system tells nobody.
    case unsupported
    /// There are too many of what the setting limits (fs.inotify.…).
    case limit(setting: String)
    /// It is not there, or not to be looked into.
    case gone
}

/// For where the system tells nothing: all is found out by looking.
package final class NoFolderEvents: FolderEvents {
    private let reason: UnwatchedFolder

    package init(because reason: UnwatchedFolder = .unsupported) { self.reason = reason }

    package func watch(_ folder: LocalPath) -> UnwatchedFolder? { reason }

    package func wait(for alarm: WatchAlarm, upTo limit: Duration?) -> [FolderEvent] {
        _ = alarm.waits(for: nil, upTo: limit)
        return []
    }
}
