public import FerryTransfer

/// The files that paths and patterns select, and the paths that were left out, each with the reason.
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

    /// A path that the search left out, with the reason.
    public struct Problem: Sendable, Hashable {
        /// The kind of a problem. A program can suggest a remedy for every kind but `other`.
        public enum Cause: Sendable, Hashable {
            /// The path is a folder, and the search is not recursive.
            case folder
            /// Another file gets the same name on the server, because U+FFFD replaces invalid UTF-8. The user can
            /// choose another name.
            case nameTaken
            /// Any other reason, such as a missing or hidden file.
            case other
        }

        /// The path that was left out, as the user gave it or as the search found it.
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
