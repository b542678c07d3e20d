/// The state folder of a queue, which only its owner can access.
public final class StateDirectory: Sendable {
    /// The path that was passed to the initializer.
    public let path: LocalPath
    package let files: DirectoryFiles

    /// Opens the folder at `path`. Creates the folder and its parent folders if they are missing. Throws `.unsafe` also
    /// if another user could replace it by another folder (`PathTrust`).
    public init(at path: LocalPath) throws(JournalError) {
        self.path = path
        if !Self.exists(path) { try Self.make(path) }
        try Self.checkParents(of: path)
        let directory = try Self.open(path)
        files = DirectoryFiles(directory, path: path.text)
        try Self.check(directory, path.text, toWrite: true)
    }

    /// Opens the folder at `path` for reading, even on a read-only disk. Returns nil if the path does not exist.
    public init?(reading path: LocalPath) throws(JournalError) {
        self.path = path
        let directory: Directory
        do throws(JournalError) { directory = try Self.open(path) } catch {
            guard case .folderCannotBeMade(_, let code) = error,
                [.noSuchFileOrDirectory, .notDirectory].contains(Errno(rawValue: code))
            else { throw error }
            return nil
        }
        files = DirectoryFiles(directory, path: path.text)
        try Self.check(directory, path.text, toWrite: false)
    }

    /// A warning if the state folder is on a network file system, where locks and syncs possibly fail.
    public var fileSystemWarning: String? {
        guard let kind = files.directory.fileSystem, kind.isRemote else { return nil }
        return
            "the state folder \(path.text) is on a network file system (\(kind.name)): two machines may both take "
            + "the queue, and what was saved may be lost with the server; use a folder on a local disk"
    }

    /// Locks the queue for this process, until the returned lock is released. Throws `.inUse` or `.locksNotSupported`.
    public func lock() throws(JournalError) -> StateLock { try StateLock(self) }

    private static func exists(_ path: LocalPath) -> Bool { FileStatus.of(path, follows: false) != nil }

    private static func make(_ path: LocalPath) throws(JournalError) {
        var prefix = LocalPath(bytes: [])
        let components = path.bytes.split(separator: UInt8(ascii: "/"))
        if path.bytes.first == UInt8(ascii: "/") { prefix = LocalPath(bytes: [UInt8(ascii: "/")]) }
        for component in components {
            prefix =
                prefix.bytes.isEmpty ? LocalPath(bytes: Array(component)) : prefix.appending(Array(component))
            do throws(SystemCallError) { try prefix.makeFolder() } catch {
                // For existing folders the system may return another error than EEXIST.
                if exists(prefix) { continue }
                switch error.code {
                case .permissionDenied, .notPermitted, .readOnlyFileSystem:
                    throw .notAllowed(path: prefix.text, mode: nil, code: error.code.rawValue)
                default: throw .folderCannotBeMade(path: prefix.text, code: error.code.rawValue)
                }
            }
        }
    }

    private static func open(_ path: LocalPath) throws(JournalError) -> Directory {
        do throws(SystemCallError) { return try Directory(path, keepsReserve: true) } catch {
            let status = FileStatus.of(path, follows: false)
            switch (error.code, status) {
            case (_, let status?) where status.kind == .link:
                throw .unsafe(path: path.text, mode: status.mode, .symbolicLink)
            case (.notDirectory, let status?):
                throw .unsafe(path: path.text, mode: status.mode, .notADirectory)
            case (.permissionDenied, _), (.notPermitted, _), (.readOnlyFileSystem, _):
                throw .notAllowed(path: path.text, mode: status?.mode, code: error.code.rawValue)
            default: throw .folderCannotBeMade(path: path.text, code: error.code.rawValue)
            }
        }
    }

    private static func check(_ directory: Directory, _ path: String, toWrite: Bool) throws(JournalError) {
        let status: FileStatus
        do throws(SystemCallError) { status = try directory.status() } catch {
            throw .failed(call: error.call, path: path, code: error.code.rawValue)
        }
        if let danger = status.danger { throw .unsafe(path: path, mode: status.mode, danger) }
        do throws(SystemCallError) { try directory.checkAccess(toWrite: toWrite) } catch {
            throw .notAllowed(path: path, mode: status.mode, code: error.code.rawValue)
        }
    }

    /// Throws an error if another user could replace the folder (`PathTrust`), or if a parent cannot be examined.
    private static func checkParents(of path: LocalPath) throws(JournalError) {
        guard let parent = path.parent else { return }
        let code: Errno?
        do throws(PathIssue) { code = try PathTrust.check(parent, isFolder: true) } catch {
            switch error.cause {
            case .owner(let user):
                throw .unsafe(path: error.path.text, mode: error.mode, .parentOfAnotherUser(user))
            case .writable: throw .unsafe(path: error.path.text, mode: error.mode, .parentOpenToOthers)
            case .links:
                throw .folderCannotBeMade(path: path.text, code: Errno.tooManySymbolicLinkLevels.rawValue)
            case .creatable:
                throw .folderCannotBeMade(path: path.text, code: Errno.noSuchFileOrDirectory.rawValue)
            }
        }
        if let code { throw .notAllowed(path: parent.text, mode: nil, code: code.rawValue) }
    }
}
