public import FerryTransfer

/// A folder whose files are uploaded when they are complete.
public struct WatchedFolder: Sendable {
    /// The treatment of a file after its upload: it is kept, deleted or moved.
    public enum After: Hashable, Sendable {
        case keep
        /// Delete the file if the server has confirmed the stored bytes by a digest.
        case delete
        /// Move the file to the same path below another folder on the same file system.
        case move(to: LocalPath)
    }

    /// The absolute path of the folder. If it contains symbolic links, the watcher follows them.
    public var path: LocalPath
    /// The patterns that choose files in the folder.
    public var patterns: FilePatterns
    /// True if the files in folders below the watched folder are included.
    public var isRecursive: Bool
    /// The time for which a file must be unchanged before it counts as complete.
    public var settle: Duration
    /// The treatment of a file after its upload: it is kept, deleted or moved.
    public var after: After

    public init(
        path: LocalPath, patterns: FilePatterns = FilePatterns(), isRecursive: Bool = false,
        settle: Duration = .seconds(5), after: After = .keep
    ) {
        self.path = path
        self.patterns = patterns
        self.isRecursive = isRecursive
        self.settle = settle
        self.after = after
    }

    /// Returns whether a file, with these names below the watched folder, is to be uploaded.
    package func takes(_ names: [[UInt8]]) -> Bool {
        (isRecursive || names.count == 1) && patterns.take(file: names)
    }
}
