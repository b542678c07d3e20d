public import FerryTransfer

/// A report about a watched folder, from the thread that watches it.
package enum WatchReport: Hashable, Sendable {
    /// The file is complete. Each version is reported once, and again after `WatchedTree.lookAgain`.
    case ready(FileSelection.File)
    /// The file, which was reported as complete or known, is missing now.
    case gone(LocalPath)
    case notice(String)
    /// The state of the folder. Each call of `WatchedTree.work` returns it as the last report.
    case state(WatchState)
    /// The attempt to remove a file ended with this outcome.
    case removed(LocalPath, UploadedFileDisposal.Outcome)
}

/// The state of a watched folder.
public struct WatchState: Hashable, Sendable {
    /// True once the watcher has looked for the folder for the first time.
    public internal(set) var isKnown = false
    /// The path of the folder without symbolic links; nil while it is missing.
    public internal(set) var path: LocalPath?
    /// True after the first scan of the folder, even if some folders in it could not be read.
    public internal(set) var isScanned = false
    /// The number of files that were found or changed too recently to be complete.
    public internal(set) var settling = 0
    /// The number of unchanged files that a process has open for writing, or that cannot be read.
    public internal(set) var inUse = 0

    /// True if the folder is known to be missing.
    public var isAway: Bool { isKnown && path == nil }
}
