public import FerryTransfer

/// A folder whose files are uploaded when they are whole.
public struct WatchedFolder: Sendable {
    /// What becomes of a file that has been uploaded.
    package enum After: Hashable, Sendable {
        case keep
        /// If the server told a digest of what it holds, and it is the file's.
        case delete
        /// Into another folder, by its path below this one. It must be on the same file system.
        case move(to: LocalPath)
    }

    /// Absolute; a symbolic link is followed.
    public var path: LocalPath
    /// Which of its files are meant.
    public var patterns: FilePatterns
    /// Whether folders in it belong to it.
    public var isRecursive: Bool
    /// For so long a file has to be the same before it is taken for whole.
    public var settle: Duration
    package var after: After

    /// A folder whose files stay where they are.
    public init(
        path: LocalPath, patterns: FilePatterns = FilePatterns(), isRecursive: Bool = false,
        settle: Duration = .seconds(5)
    ) {
        self.init(path: path, patterns: patterns, isRecursive: isRecursive, settle: settle, after: .keep)
    }

    package init(
        path: LocalPath, patterns: FilePatterns = FilePatterns(), isRecursive: Bool = false,
        settle: Duration = .seconds(5), after: After
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

extension LocalPath {
    /// True if it begins with the path of `folder` and goes on.
    package func isBelow(_ folder: LocalPath) -> Bool {
        let endsWithSlash = folder.bytes.last == 0x2F
        let start = folder.bytes.count + (endsWithSlash ? 0 : 1)
        return bytes.count > start && bytes.starts(with: folder.bytes)
            && (endsWithSlash || bytes[start - 1] == 0x2F)
    }

    /// The names that lead from a folder to this; nil if it is not below it.
    package func names(below folder: LocalPath) -> [[UInt8]]? {
        guard isBelow(folder) else { return nil }
        return bytes[folder.bytes.count...].split(separator: 0x2F).map(Array.init)
    }

    /// The folder it is in; nil for `/` and for a name alone.
    package var parent: LocalPath? {
        guard let slash = bytes.lastIndex(of: 0x2F), bytes.count > 1 else { return nil }
        return LocalPath(bytes: slash == 0 ? [0x2F] : Array(bytes[..<slash]))
    }
}
