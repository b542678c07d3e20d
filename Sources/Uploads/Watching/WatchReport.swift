public import FerryTransfer

/// A finding in a watched folder, in the order in which it was made.
package enum WatchReport: Hashable, Sendable {
    /// The file is whole. Told once for each version.
    case ready(FileSelection.File)
    /// A file that was told, or was known before, is not there any more.
    case gone(LocalPath)
    /// The folder has a notice for people.
    case notice(String)
    /// The round is over, with this state.
    case state(WatchState)
    /// The attempt to take a file away ended so.
    case removed(LocalPath, UploadedFileDisposal.Outcome)
}

/// The state of a watched folder.
public struct WatchState: Hashable, Sendable {
    /// Whether it has been looked for.
    public internal(set) var isKnown = false
    /// The path of the folder, without a symbolic link; nil while it is not there.
    public internal(set) var place: LocalPath?
    /// Whether all that is in it has been looked at once.
    public internal(set) var isScanned = false
    /// Files that have not kept still for long enough.
    public internal(set) var settling = 0
    /// Files that keep still and that somebody has open to write to them, or that cannot be read.
    public internal(set) var inUse = 0

    /// True if it is known that the folder is not there.
    public var isAway: Bool { isKnown && place == nil }

    init() {}
}
