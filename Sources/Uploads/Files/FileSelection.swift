public import FerryTransfer

/// The files that paths and patterns select, and the reasons for those that were left out.
public struct FileSelection: Sendable, Hashable {
    /// A readable regular file.
    public struct File: Sendable, Hashable {
        /// The absolute path without symbolic links: the file to which the given path led at the search.
        public var path: LocalPath
        /// The version that was found.
        public var identity: FileIdentity
        /// The path below the named folder (`day3/a.mov`), else the file's name.
        public var relativeName: String

        public init(path: LocalPath, identity: FileIdentity, relativeName: String) {
            self.path = path
            self.identity = identity
            self.relativeName = relativeName
        }
    }

    /// A requested path that cannot be uploaded.
    public struct Problem: Sendable, Hashable {
        /// The path, as given or found.
        public var path: LocalPath
        /// The reason in a few words: `no such file`, `is a directory; add --recursive`.
        public var reason: String

        public init(path: LocalPath, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// The files in the sequence in which they were found, without duplicates.
    public var files: [File]
    /// The problems in the sequence in which they were found.
    public var problems: [Problem]
    /// The number of `files` whose names are not UTF-8: at the server they contain U+FFFD for the unreadable bytes.
    public var changedNames = 0

    public init(files: [File] = [], problems: [Problem] = []) {
        self.files = files
        self.problems = problems
    }
}
