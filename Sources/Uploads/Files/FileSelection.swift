public import FerryTransfer

/// The files that paths and patterns select, and the paths that were left out with the reasons.
public struct FileSelection: Sendable, Hashable {
    /// A readable regular file.
    public struct File: Sendable, Hashable {
        /// The absolute path of the file. Symbolic links were resolved at the search.
        public var path: LocalPath
        /// The version of the file at the search.
        public var identity: FileIdentity
        /// The name for the server. For a file below a searched folder, it includes the folders: `day3/a.mov`.
        public var relativeName: String

        public init(path: LocalPath, identity: FileIdentity, relativeName: String) {
            self.path = path
            self.identity = identity
            self.relativeName = relativeName
        }
    }

    /// A requested path that cannot be uploaded.
    public struct Problem: Sendable, Hashable {
        /// The causes that have a remedy.
        public enum Cause: Sendable, Hashable {
            /// The path is a folder, and the search is not recursive.
            case folder
            /// Another file has the same name once U+FFFD replaces the invalid bytes. Another name can be chosen.
            case nameTaken
            /// No change of the search helps.
            case other
        }

        /// The path, as given or found.
        public var path: LocalPath
        /// The reason in a few words: `no such file`, `is a folder`.
        public var reason: String
        /// The cause, by which a program can suggest a remedy.
        public var cause: Cause

        public init(path: LocalPath, reason: String, cause: Cause = .other) {
            self.path = path
            self.reason = reason
            self.cause = cause
        }
    }

    /// The files in the sequence in which they were found, without duplicates.
    public var files: [File]
    /// The problems in the sequence in which they were found.
    public var problems: [Problem]
    /// The number of `files` whose names are not valid UTF-8. On the server, U+FFFD replaces the invalid bytes.
    public var changedNames = 0

    public init(files: [File] = [], problems: [Problem] = []) {
        self.files = files
        self.problems = problems
    }
}
