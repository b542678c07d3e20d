public import FerryTransfer

/// A folder whose files are uploaded when they are complete.
public struct WatchedFolder: Sendable {
    /// The treatment of an uploaded file.
    public enum After: Hashable, Sendable {
        case keep
        /// Delete the file, if the server reported a digest of the stored bytes that equals the digest of the file.
        case delete
        /// Move the file to another folder on the same file system. The file's path below the watched folder becomes
        /// its path below the other folder.
        case move(to: LocalPath)
    }

    /// The absolute path; a symbolic link is followed.
    public var path: LocalPath
    /// The patterns that choose files in the folder.
    public var patterns: FilePatterns
    /// Whether the files in folders below the watched folder are included.
    public var isRecursive: Bool
    /// The time for which a file must be unchanged before it counts as complete.
    public var settle: Duration
    /// The treatment of an uploaded file.
    public var after: After

    /// - Parameter after: The treatment of an uploaded file; by default the file stays.
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

    /// Returns whether a file is included. `names` are the folders below the watched folder and the file's name.
    package func takes(_ names: [[UInt8]]) -> Bool {
        (isRecursive || names.count == 1) && patterns.take(file: names)
    }
}
