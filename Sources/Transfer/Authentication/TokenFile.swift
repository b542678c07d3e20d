import FerryProtocols

/// A file that contains tokens and that only its owner can read, shared by the programs with the same account.
///
/// The lock is a separate file in the folder, because each change replaces the token file with a new one.
public struct TokenFile: Sendable {
    /// The longest wait for the lock, which a refresh holds during one or two requests.
    private static let lockLimit = Duration.seconds(90)
    private static let lockPause = Duration.milliseconds(50)
    private static let sizeLimit = 65_536

    /// The absolute path. The parent folder is created if it is missing.
    public let path: LocalPath

    private let calls: FileCalls
    private let wait: @Sendable (Duration) async throws -> Void

    public init(_ path: LocalPath) { self.init(path) { try await Task.sleep(for: $0) } }

    init(
        _ path: LocalPath, readers: BlockingIOPool = .shared,
        wait: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.path = path
        self.wait = wait
        calls = FileCalls(readers)
    }

    /// Runs `body` under the lock of the file, so that nobody else with a `TokenFile` reads or replaces it.
    ///
    /// - Throws: `UploadFailure`: `network` if the lock did not become free in time, `signInAway` if the disk or
    ///   network share does not respond, `descriptors` without a free descriptor. It is `authentication` for any other
    ///   problem with the folder or the lock file, for example if other users can change them.
    func locked<Value: Sendable>(
        _ body: (Locked) async throws(UploadFailure) -> Value
    ) async throws(UploadFailure) -> Value {
        let (folder, lock) = try await call { () throws(UploadFailure) in
            let folder = try openFolder()
            return (folder, Lock(try folder.open(name + ".lock", for: .locking)))
        }
        defer { withExtendedLifetime(lock) {} }
        try await take(lock, in: folder)
        return try await body(Locked(file: self, folder: folder, lock: lock))
    }

    private func take(_ lock: Lock, in folder: Folder) async throws(UploadFailure) {
        var waited = Duration.zero
        while try await !call({ () throws(UploadFailure) in
            try folder.doing("lock", name) { () throws(SystemCallError) in try lock.file.tryLock() }
        }) {
            guard waited < Self.lockLimit, !Task.isCancelled else {
                throw UploadFailure(
                    .network, "another program keeps \(path.text) locked",
                    hint: "end the other program that uses this account, then retry")
            }
            try? await wait(Self.lockPause)
            waited += Self.lockPause
        }
    }

    fileprivate func call<Value: Sendable>(
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) async throws(UploadFailure) -> Value {
        try await calls.outcome(on: path.text, late: { [path] in Self.late(path, after: $0) }, work).get()
    }

    private static func late(_ path: LocalPath, after timeout: Duration) -> UploadFailure {
        UploadFailure(
            .signInAway,
            "the file of tokens \(path.text) cannot be used: its disk or network share has not answered for \(timeout.inSeconds)",
            hint: "see whether it answers, or set tokenFile to another path; Ferry retries by itself")
    }

    fileprivate var name: String { path.name }

    private func openFolder() throws(UploadFailure) -> Folder {
        let folder = path.parent ?? LocalPath("/")
        try? folder.makeFolder()
        let opened: Folder
        do throws(SystemCallError) {
            opened = Folder(directory: try Directory(folder, follows: true), path: folder.text)
        } catch {
            if DescriptorLimit.isLack(error.code) { throw .noDescriptor(error.code, for: folder.text) }
            throw UploadFailure(
                .authentication,
                "the folder \(folder.text) for tokens cannot be opened: \(error.code.phrase)",
                hint: "make it, or set tokenFile to another path, then retry")
        }
        try opened.check("", forbidding: 0o022) { () throws(SystemCallError) in try opened.directory.status()
        }
        // A user who can change a folder above could replace this one.
        do throws(PathIssue) { try PathTrust.check(folder, isFolder: true) } catch {
            throw UploadFailure(
                .authentication, error.summary(of: "the file of tokens"), hint: "\(error.hint); then retry")
        }
        return opened
    }

    /// The token file while this program holds the lock. A call that hangs retains the lock, so that it cannot replace
    /// the file of another program later.
    struct Locked: Sendable {
        fileprivate let file: TokenFile
        fileprivate let folder: Folder
        fileprivate let lock: Lock

        /// - Returns: The content; nil if there is no file yet.
        func read() async throws(UploadFailure) -> Data? {
            let name = file.name
            return try await file.call { () throws(UploadFailure) in
                defer { withExtendedLifetime(lock) {} }
                guard let opened = try folder.openExisting(name) else { return nil }
                return try folder.doing("read", name) { () throws(SystemCallError) in
                    Data(try opened.content(upTo: TokenFile.sizeLimit))
                }
            }
        }

        /// Replaces the file. When this returns, the new file is on disk; if it throws, the old one usually remains.
        func replace(with data: Data) async throws(UploadFailure) {
            let name = file.name
            try await file.call { () throws(UploadFailure) in
                defer { withExtendedLifetime(lock) {} }
                // A temporary file that a killed program left can be replaced, since this program holds the lock.
                do throws(SystemCallError) {
                    try folder.directory.replace(
                        LocalPath(name), with: Array(data), draft: LocalPath(name + ".new"))
                } catch {
                    let verbs = ["openat": "open", "write": "write", "renameat": "rename"]
                    throw folder.failure(
                        verbs[error.call] ?? "sync", error.name.isEmpty ? name : error.name, error.code)
                }
            }
        }
    }
}

/// The open lock file. The lock ends when the last reference is released.
private final class Lock: Sendable {
    let file: OpenFile

    init(_ file: OpenFile) { self.file = file }

    deinit {
        // On a network share, closing a locked file can block.
        DetachedThread.start { [file] in try? file.close() }
    }
}

/// The open folder of a token file, in which no symbolic link is followed.
private struct Folder: Sendable {
    let directory: Directory
    let path: String

    func open(_ name: String, for access: OpenFile.Access) throws(UploadFailure) -> OpenFile {
        let file = try doing("open", name) { () throws(SystemCallError) in
            try directory.open(LocalPath(name), for: access)
        }
        try check(name, forbidding: 0o077) { () throws(SystemCallError) in try file.status() }
        return file
    }

    func openExisting(_ name: String) throws(UploadFailure) -> OpenFile? {
        do throws(SystemCallError) { _ = try directory.status(of: LocalPath(name)) } catch {
            if error.code == .noSuchFileOrDirectory { return nil }
        }
        return try open(name, for: .reading)
    }

    func doing<Value>(
        _ verb: String, _ name: String, _ body: () throws(SystemCallError) -> Value
    ) throws(UploadFailure) -> Value {
        do throws(SystemCallError) { return try body() } catch { throw failure(verb, name, error.code) }
    }

    /// Refuses a file or folder of another user, one whose permissions contain one of `bits`, and a special file.
    /// - Parameter name: The name of the file; empty for the folder itself.
    func check(
        _ name: String, forbidding bits: UInt32, _ status: () throws(SystemCallError) -> FileStatus
    ) throws(UploadFailure) {
        let status = try doing("look at", name, status)
        let file = name.isEmpty ? path : "\(path)/\(name)"
        guard status.isOwn else {
            throw unsafe("\(file) belongs to another user", "move it away, then retry")
        }
        guard name.isEmpty || status.kind == .file else {
            throw unsafe("\(file) is not a regular file", "move it away, then retry")
        }
        guard status.mode & bits == 0 else {
            let what = name.isEmpty ? "changed" : "read"
            throw unsafe(
                "\(file) can be \(what) by others (mode \(String(status.mode, radix: 8)))",
                "`chmod \(name.isEmpty ? "700" : "600") \(ShellWord.quoted(file))`, then retry")
        }
    }

    func failure(_ verb: String, _ name: String, _ code: Errno) -> UploadFailure {
        if code == .tooManySymbolicLinkLevels {
            return unsafe("\(path)/\(name) is a symbolic link", "replace it by a file, then retry")
        }
        if DescriptorLimit.isLack(code) { return .noDescriptor(code, for: "\(path)/\(name)") }
        return UploadFailure(
            .authentication, "cannot \(verb) \(path)/\(name): \(code.phrase)",
            hint: "tokens must be kept there before they are used; put that right, then retry")
    }

    private func unsafe(_ summary: String, _ hint: String) -> UploadFailure {
        UploadFailure(.authentication, summary, hint: hint)
    }
}
