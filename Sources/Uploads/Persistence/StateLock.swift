import FerryProtocols

/// The exclusive right of one process to use a state folder: a kernel lock on a file, which names the process.
public final class StateLock: Sendable {
    static let name = "lock"

    let files: DirectoryFiles
    // Closing the file releases the lock. The file is closed on exec, so that no child process keeps the lock.
    private let file: OpenFile

    init(_ directory: StateDirectory) throws(JournalError) {
        files = directory.files
        file = try directory.files.perform { () throws(SystemCallError) in
            try directory.files.openLock(Self.name)
        }
        let isOurs: Bool
        do throws(SystemCallError) { isOurs = try Self.take(file) } catch {
            switch error.code {
            case .noLocks, .notSupported, .notSupportedOnSocket, .noFunction, .invalidArgument:
                throw .locksNotSupported(path: files.path)
            default: throw JournalError(error, in: files.path)
            }
        }
        guard isOurs else { throw Self.holder(of: file) }
        // The text is for information only: the lock works without it, even on a full disk.
        try? describe()
    }

    /// Tries to lock the file for this process alone. Returns false if another process owns it.
    ///
    /// A process that calls `holder(in:)` holds a shared lock for a moment: then another shared lock succeeds. A child
    /// that was forked while this process had the lock keeps it until it runs its program: then the text names this
    /// process.
    static func take(
        _ file: OpenFile,
        pause: () -> Void = { DetachedThread.sleep(for: .microseconds(.random(in: 500...1500))) }
    ) throws(SystemCallError) -> Bool {
        for _ in 0..<attempts {
            if try file.tryLock() { return true }
            let isFree = try file.tryLock(isShared: true)
            // Two processes that both wait with a shared lock would keep each other from the exclusive one.
            file.unlock()
            guard isFree || isOfThisProcess(file) else { return false }
            pause()
        }
        return false
    }

    /// The maximum number of tries to lock the file, about a millisecond apart.
    private static let attempts = 200

    private static func isOfThisProcess(_ file: OpenFile) -> Bool {
        guard case .inUse(let process?, _, nil) = holder(of: file) else { return false }
        return process == Machine.process
    }

    private func describe() throws(SystemCallError) {
        var writer = JSONWriter()
        writer.member("{\"pid\":", Machine.process)
        writer.member(",\"since\":", Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))
        writer.member(",\"boot\":", Machine.boot)
        writer.member(",\"host\":", Machine.host)
        writer.raw("}\n")
        try file.truncate(to: 0)
        try file.append(writer.bytes)
    }

    private static func holder(of file: OpenFile) -> JournalError {
        let text = (try? file.content()) ?? []
        return text.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            let holder = text.count < 4096 ? try? scanner.holder() : nil
            return holder ?? .inUse(pid: nil, since: nil, host: nil)
        }
    }

    /// Returns the name of the other machine whose process holds the lock, told apart by its boot id; nil for this one.
    static func stranger(
        _ host: String?, _ boot: String?, here: String = Machine.host, bootHere: String = Machine.boot
    ) -> String? {
        guard let host, host == here else { return host }
        guard let boot, !boot.isEmpty, !bootHere.isEmpty, boot != bootHere else { return nil }
        return "another machine named \(host) (boot \(boot.prefix(8)))"
    }

    /// Returns the process that owns the queue as the error `.inUse`; nil if there is none, or if there are no locks.
    static func holder(in files: DirectoryFiles) throws(JournalError) -> JournalError? {
        let file = try files.perform { () throws(SystemCallError) in
            try files.openOwn(name, for: .reading)
        }
        // On a file system without locks no process counts as the owner.
        guard let file, (try? file.tryLock(isShared: true)) == false else { return nil }
        return holder(of: file)
    }
}

extension JSONScanner {
    fileprivate mutating func holder() throws(MalformedJSON) -> JournalError {
        var pid: Int32?
        var since: Date?
        var host: String?
        var boot: String?
        try expect("{")
        while let key = try key() {
            switch key {
            case "pid": pid = try integer()
            case "since": since = try date()
            case "host": host = try string()
            case "boot": boot = try string()
            default: try skipValue()
            }
        }
        return .inUse(pid: try require(pid, "pid"), since: since, host: StateLock.stranger(host, boot))
    }
}

extension StateDirectory {
    /// Returns true if the process with the id `process` owns the queue now, or if the owner cannot be found out.
    package func isHeld(by process: Int32) -> Bool {
        do throws(JournalError) {
            guard case .inUse(let pid, _, _)? = try StateLock.holder(in: files) else { return false }
            return pid == nil || pid == process
        } catch {
            return true
        }
    }
}
