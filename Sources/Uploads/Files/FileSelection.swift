public import FerryTransfer

/// The result of a person's paths and patterns: the files to queue, and the reasons for what was left out.
public struct FileSelection: Sendable, Hashable {
    /// A regular file that can be read.
    public struct File: Sendable, Hashable {
        /// Absolute, without a symbolic link on it: where the path that was given led when it was looked at.
        public var path: LocalPath
        /// The version that was found.
        public var identity: FileIdentity
        /// The path below the folder that was named (`day3/a.mov`), else the file's name.
        public var relativeName: String

        public init(path: LocalPath, identity: FileIdentity, relativeName: String) {
            self.path = path
            self.identity = identity
            self.relativeName = relativeName
        }
    }

    /// A path that was asked for and cannot be uploaded.
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

    /// The files in the order in which they were found, none twice.
    public var files: [File]
    /// The problems in the order in which they were met.
    public var problems: [Problem]
    /// Files of `files` whose names are not UTF-8: at the server they have U+FFFD for what cannot be read.
    public var changedNames = 0

    public init(files: [File] = [], problems: [Problem] = []) {
        self.files = files
        self.problems = problems
    }
}
