public import FerryTransfer

/// A report about a watched folder, from the thread that watches it.
package enum WatchReport: Hashable, Sendable {
    /// The file is complete. Reported once for each version, and again after `WatchedTree.lookAgain`.
    case ready(FileSelection.File)
    /// A reported or known file is missing now.
    case gone(LocalPath)
    /// A notice for users about the folder.
    case notice(String)
    /// The state of the folder: the last report of each call of `WatchedTree.work`.
    case state(WatchState)
    /// The attempt to remove a file ended with this outcome.
    case removed(LocalPath, UploadedFileDisposal.Outcome)
}

/// The state of a watched folder.
public struct WatchState: Hashable, Sendable {
    /// True after the first search for the folder.
    public internal(set) var isKnown = false
    /// The path of the folder without symbolic links; nil while it is missing.
    public internal(set) var path: LocalPath?
    /// True after the first scan of the folder, even if some folders in it could not be read.
    public internal(set) var isScanned = false
    /// The number of files that changed too recently to count as complete.
    public internal(set) var settling = 0
    /// The number of unchanged files that a process has open for writing, or that cannot be read.
    public internal(set) var inUse = 0

    /// True if the folder is known to be missing.
    public var isAway: Bool { isKnown && path == nil }

    init() {}
}
