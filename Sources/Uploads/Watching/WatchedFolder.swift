public import FerryTransfer

/// A folder whose files are uploaded when they are whole.
public struct WatchedFolder: Sendable {
    /// The treatment of a file that has been uploaded.
    public enum After: Hashable, Sendable {
        case keep
        /// If the server told a digest of what it holds, and it is the file's.
        case delete
        /// Into another folder, by its path below this one. It must be on the same file system.
        case move(to: LocalPath)
    }

    /// Absolute; a symbolic link is followed.
    public var path: LocalPath
    /// The patterns of its files.
    public var patterns: FilePatterns
    /// Whether folders in it belong to it.
    public var isRecursive: Bool
    /// The time for which a file has to be the same before it is taken for whole.
    public var settle: Duration
    /// The treatment of a file that has been uploaded.
    public var after: After

    /// - Parameter after: What becomes of a file that has been uploaded; by default it stays where it is.
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

    /// Whether a file with these names below it is one of its own.
    package func takes(_ names: [[UInt8]]) -> Bool {
        (isRecursive || names.count == 1) && patterns.take(file: names)
    }
}
