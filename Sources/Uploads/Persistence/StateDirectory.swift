public import FerryTransfer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder that holds the queue: ours, closed to everybody else, and opened once.
public final class StateDirectory: Sendable {
    /// As given.
    public let path: LocalPath
    package let files: DirectoryFiles

    /// Opens the folder at `path`, making it and the folders above it if they are missing.
    ///
    /// - Throws: `.folderCannotBeMade`, `.notAllowed`, or `.unsafe` if it is a link, belongs to somebody else, is
    ///   open to others, or lies below a folder that everybody may change.
    public init(at path: LocalPath) throws(JournalError) {
        self.path = path
        let text = path.text
        if !Self.exists(path) { try Self.make(path) }
        let descriptor = path.withCString { open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { throw Self.openFailure(path, code: errno) }
        files = DirectoryFiles(descriptor: descriptor, path: text)
        try Self.check(descriptor, text)
        try Self.checkParents(descriptor, text)
    }

    /// Opens the folder at `path` to look into it: nothing is made, and it may be on a disk that cannot be written.
    ///
    /// - Throws: As `init(at:)`.
    public init?(reading path: LocalPath) throws(JournalError) {
        guard Self.exists(path) else { return nil }
        self.path = path
        let descriptor = path.withCString { open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { throw Self.openFailure(path, code: errno) }
        files = DirectoryFiles(descriptor: descriptor, path: path.text)
        try Self.check(descriptor, path.text, rights: R_OK | X_OK)
    }

    /// Why files here may not keep what they are trusted with; nil if nothing is known against the file system.
    public var fileSystemWarning: String? {
        guard let kind = files.fileSystem, kind.isRemote else { return nil }
        return
            "the state folder \(path.text) is on a network file system (\(kind.name)): two machines may both take "
            + "the queue, and what was saved may be lost with the server; name a folder on a local disk with --state-dir"
    }

    /// Takes the queue for this process until the lock is let go; the end of the process lets go of it in any case.
    ///
    /// - Throws: `.inUse` if another process has it, `.locksNotSupported`.
    public func lock() throws(JournalError) -> StateLock { try StateLock(self) }

    private static func exists(_ path: LocalPath) -> Bool {
        var status = stat()
        return path.withCString { lstat($0, &status) } == 0
    }

    private static func make(_ path: LocalPath) throws(JournalError) {
        var prefix = LocalPath(bytes: [])
        let components = path.bytes.split(separator: UInt8(ascii: "/"))
        if path.bytes.first == UInt8(ascii: "/") { prefix = LocalPath(bytes: [UInt8(ascii: "/")]) }
        for component in components {
            prefix =
                prefix.bytes.isEmpty ? LocalPath(bytes: Array(component)) : prefix.appending(Array(component))
            if prefix.withCString({ mkdir($0, 0o700) }) != 0, errno != EEXIST {
                let code = errno
                // Folders that are there may refuse with something else than EEXIST.
                if exists(prefix) { continue }
                switch code {
                case EACCES, EPERM, EROFS: throw .notAllowed(path: prefix.text, mode: nil, code: code)
                default: throw .folderCannotBeMade(path: prefix.text, code: code)
                }
            }
        }
    }

    private static func openFailure(_ path: LocalPath, code: Int32) -> JournalError {
        var status = stat()
        let mode = path.withCString { lstat($0, &status) } == 0 ? UInt32(status.st_mode) : nil
        switch (code, mode) {
        case (_, let mode?) where mode & UInt32(S_IFMT) == UInt32(S_IFLNK):
            return .unsafe(path: path.text, mode: mode & 0o7777, .symbolicLink)
        case (ENOTDIR, let mode?): return .unsafe(path: path.text, mode: mode & 0o7777, .notADirectory)
        case (EACCES, _), (EPERM, _), (EROFS, _):
            return .notAllowed(path: path.text, mode: mode.map { $0 & 0o7777 }, code: code)
        default: return .folderCannotBeMade(path: path.text, code: code)
        }
    }

    private static func check(
        _ descriptor: Int32, _ path: String, rights: Int32 = R_OK | W_OK | X_OK
    ) throws(JournalError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed(call: "fstat", path: path, code: errno) }
        let mode = UInt32(status.st_mode) & 0o7777
        guard status.st_uid == geteuid() else { throw .unsafe(path: path, mode: mode, .owner(status.st_uid)) }
        guard mode & 0o077 == 0 else { throw .unsafe(path: path, mode: mode, .openToOthers) }
        guard faccessat(descriptor, ".", rights, 0) == 0 else {
            throw .notAllowed(path: path, mode: mode, code: errno)
        }
    }

    /// Whoever may change a folder above can put another one in our place, unless the sticky bit forbids it.
    private static func checkParents(_ descriptor: Int32, _ path: String) throws(JournalError) {
        var status = stat()
        var below = stat()
        guard fstat(descriptor, &below) == 0 else { return }
        var above = ".."
        for _ in 0..<256 {
            guard fstatat(descriptor, above, &status, 0) == 0,
                status.st_ino != below.st_ino || status.st_dev != below.st_dev
            else { return }
            let mode = UInt32(status.st_mode) & 0o7777
            guard mode & 0o002 == 0 || mode & 0o1000 != 0 else {
                throw .unsafe(path: "\(path)/\(above)", mode: mode, .parentOpenToAll)
            }
            below = status
            above += "/.."
        }
    }
}
