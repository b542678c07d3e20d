import struct Foundation.Date

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The right to use a state folder. The file `lock` is never removed: the lock is the kernel's, the text in it only
/// tells others whose it is.
public final class StateLock: Sendable {
    static let name = "lock"

    let files: DirectoryFiles
    // Closing it lets go of the lock. It is closed on exec, so that no child keeps it.
    private let file: DescriptorFile

    init(_ directory: StateDirectory) throws(JournalError) {
        files = directory.files
        do throws(SystemCallError) {
            file = try files.openLock(Self.name)
        } catch {
            throw JournalError(error, in: directory.files.path)
        }
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: throw Self.holder(of: file)
            case ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL: throw .locksNotSupported(path: files.path)
            default: throw .failed(call: "flock", path: files.path + "/" + Self.name, code: errno)
            }
        }
        // For information only: the lock holds without it, even on a full disk.
        try? describe()
    }

    private func describe() throws(SystemCallError) {
        var writer = JSONWriter()
        writer.raw("{\"pid\":")
        writer.integer(getpid())
        writer.raw(",\"since\":")
        writer.date(Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))
        writer.raw(",\"boot\":")
        writer.string(Self.boot)
        writer.raw(",\"host\":")
        writer.string(Self.host)
        writer.raw("}\n")
        try file.truncate(to: 0)
        try file.append(writer.bytes)
    }

    private static func holder(of file: DescriptorFile) -> JournalError {
        let text = (try? file.content()) ?? []
        return text.withUnsafeBufferPointer { buffer in
            var cursor = JSONCursor(buffer)
            guard text.count < 4096, let holder = try? cursor.holder() else {
                return .inUse(pid: nil, since: nil, host: nil)
            }
            return .inUse(pid: holder.pid, since: holder.since, host: stranger(holder.host, holder.boot))
        }
    }

    /// The machine that holds the lock if it is not this one. Two may have one name, but never one boot.
    static func stranger(
        _ host: String?, _ boot: String?, here: String = StateLock.host, bootHere: String = StateLock.boot
    ) -> String? {
        guard let host, host == here else { return host }
        guard let boot, !boot.isEmpty, !bootHere.isEmpty, boot != bootHere else { return nil }
        return "another machine named \(host) (boot \(boot.prefix(8)))"
    }

    /// Who has the queue, found out without keeping it from others for longer than the
    /// question takes; nil if nobody has.
    static func holder(in files: DirectoryFiles) throws(JournalError) -> JournalError? {
        do throws(SystemCallError) {
            guard let file = try files.openToRead(name) else { return nil }
            while flock(file.descriptor, LOCK_SH | LOCK_NB) != 0 {
                if errno == EINTR { continue }
                return errno == EWOULDBLOCK ? holder(of: file) : nil
            }
            return nil
        } catch {
            throw JournalError(error, in: files.path)
        }
    }

    static var boot: String {
        #if os(Linux)
            let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return "" }
            let file = DescriptorFile(descriptor: descriptor, name: "boot_id")
            var bytes = [UInt8](repeating: 0, count: 36)
            let count = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }) ?? 0
            return String(decoding: bytes[..<count], as: UTF8.self)
        #else
            var bytes = [UInt8](repeating: 0, count: 64)
            var size = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return "" }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #endif
    }

    static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension JSONCursor {
    fileprivate mutating func holder() throws(MalformedJSON) -> (
        pid: Int32, since: Date?, host: String?, boot: String?
    ) {
        var pid: Int32?
        var since: Date?
        var host: String?
        var boot: String?
        var isFirst = true
        try expect("{")
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "pid": pid = try integer()
            case "since": since = try date()
            case "host": host = try string()
            case "boot": boot = try string()
            default: try skipValue()
            }
        }
        return (try require(pid, "pid"), since, host, boot)
    }
}

extension StateDirectory {
    /// Whether the process has the queue now. If that cannot be found out, it may.
    package func isHeld(by process: Int32) -> Bool {
        do throws(JournalError) {
            guard case .inUse(let pid, _, _)? = try StateLock.holder(in: files) else { return false }
            return pid == nil || pid == process
        } catch {
            return true
        }
    }
}
