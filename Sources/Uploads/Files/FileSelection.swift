public import FerryTransfer

/// What a person's paths and patterns came to: the files to queue, and what was left out and why.
public struct FileSelection: Sendable, Hashable {
    /// A regular file that can be read.
    public struct File: Sendable, Hashable {
        /// Absolute, without a symbolic link on it: where the path that was given led when it was looked at.
        public var path: LocalPath
        /// Which version was found.
        public var identity: FileIdentity
        /// The path below the folder that was named (`day3/a.mov`), else the file's name.
        public var relativeName: String

        public init(path: LocalPath, identity: FileIdentity, relativeName: String) {
            self.path = path
            self.identity = identity
            self.relativeName = relativeName
        }
    }

    /// Something that was asked for and cannot be uploaded.
    public struct Problem: Sendable, Hashable {
        /// What was named, as given or found.
        public var path: LocalPath
        /// Why it was left out, in a few words: `no such file`, `is a directory; add --recursive`.
        public var reason: String

        public init(path: LocalPath, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// In the order they were found, none twice.
    public var files: [File]
    /// What was left out and why, in the order it was met.
    public var problems: [Problem]
    /// Files of `files` whose names are not UTF-8: at the server they have U+FFFD for what cannot be read.
    public var changedNames = 0

    public init(files: [File] = [], problems: [Problem] = []) {
        self.files = files
        self.problems = problems
    }
}
