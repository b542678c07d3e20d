package import FerryTransfer

/// What was found in a watched folder, in the order in which it was.
package enum WatchReport: Hashable, Sendable {
    /// It is whole. Told once for each version.
    case ready(FileSelection.File)
    /// A file that was told, or was known before, is not there any more.
    case gone(LocalPath)
    /// Something that a person should know.
    case notice(String)
    /// How things are after a round.
    case state(WatchState)
    /// What became of a file that was to be taken away.
    case removed(LocalPath, SentFile.Outcome)
}

/// How a watched folder is.
package struct WatchState: Hashable, Sendable {
    /// Whether it has been looked for.
    package var isKnown = false
    /// Where the folder is, without a symbolic link; nil while it is not there.
    package var place: LocalPath?
    /// Whether all that is in it has been looked at once.
    package var isScanned = false
    /// Files that have not kept still for long enough.
    package var settling = 0
    /// Files that keep still and that somebody has open to write to them, or that cannot be read.
    package var inUse = 0

    package init() {}
}
