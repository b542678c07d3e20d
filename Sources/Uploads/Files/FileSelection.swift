public import FerryTransfer

/// The result of a search: the selected files, and the paths that were left out with the reasons.
public struct FileSelection: Sendable, Hashable {
    /// A readable regular file.
    public struct File: Sendable, Hashable {
        /// The absolute path of the file, in which the search has resolved symbolic links.
        public var path: LocalPath
        /// The version of the file when the search found it.
        public var identity: FileIdentity
        /// The name for the server. It begins with the searched folder's name, as in `day3/a.mov`, unless the user
        /// named the folder with `/`, `.` or `..` at the end.
        public var relativeName: String

        public init(path: LocalPath, identity: FileIdentity, relativeName: String) {
            self.path = path
            self.identity = identity
            self.relativeName = relativeName
        }

        /// Few files are selected under several names, so the path alone tells most of them apart.
        public func hash(into hasher: inout Hasher) { hasher.combine(path) }
    }

    /// A path that the search left out, with the reason.
    public struct Problem: Sendable, Hashable {
        /// The kind of a problem. A program can suggest a remedy for every kind but `other`.
        public enum Cause: Sendable, Hashable {
            /// The path is a folder, and the search is not recursive.
            case folder
            /// Another selected file would have the same name on the server, where U+FFFD replaces invalid UTF-8.
            case nameTaken
            /// The user may not read the file or folder.
            case permission
            /// Any other reason: for example, the file is hidden or does not exist.
            case other
        }

        /// The path that was left out, as the user gave it or as the search found it.
        public var path: LocalPath
        /// The reason in a few words: `no such file`, `is a folder`.
        public var reason: String
        /// The kind of the problem, from which a program can suggest a remedy.
        public var cause: Cause

        public init(path: LocalPath, reason: String, cause: Cause = .other) {
            self.path = path
            self.reason = reason
            self.cause = cause
        }
    }

    /// The selected files as found. A file occurs once for each different name on the server.
    public var files: [File]
    /// The paths that were left out, in the sequence in which the search found them.
    public var problems: [Problem]
    /// The number of `files` whose names are not valid UTF-8. On the server, U+FFFD replaces the invalid bytes.
    public var changedNames = 0

    public init(files: [File] = [], problems: [Problem] = []) {
        self.files = files
        self.problems = problems
    }
}
