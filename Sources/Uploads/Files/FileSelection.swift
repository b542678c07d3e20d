public import Transfer

/// What a person's paths and patterns came to: the files to queue, and what was left out and why.
public struct FileSelection: Sendable, Hashable {
    public struct File: Sendable, Hashable {
        public var path: LocalPath
        public var identity: FileIdentity
        /// The path below the folder that was named (`day3/a.mov`), else the file's name.
        public var relativeName: String

        public init(path: LocalPath, identity: FileIdentity, relativeName: String) {
            self.path = path
            self.identity = identity
            self.relativeName = relativeName
        }
    }

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

    public var files: [File]
    public var problems: [Problem]

    public init(files: [File] = [], problems: [Problem] = []) {
        self.files = files
        self.problems = problems
    }
}
