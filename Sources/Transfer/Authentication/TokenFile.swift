import FerryProtocols
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that keeps tokens for this user alone, shared by all programs of his that use the same account.
///
/// The lock is a file beside it, because the file itself is replaced as a whole.
public struct TokenFile: Sendable {
    /// A renewal holds the lock for one request.
    private static let lockLimit = Duration.seconds(90)
    private static let sizeLimit = 65_536

    /// Absolute. The folder it is in is made if it is missing, those above are not.
    public let path: LocalPath

    /// - Parameter path: Absolute. Nothing is opened or made before the file is used.
    public init(_ path: LocalPath) { self.path = path }

    /// Runs `body` while no other program and no other task reads or replaces the file.
    ///
    /// - Throws: `UploadFailure`: `network` if the lock was not to be had in time, `authentication` if the file or its
    ///   folder could be read or changed by others.
    func locked<Result: Sendable>(
        _ body: (Locked) async throws(UploadFailure) -> Result
    ) async throws(UploadFailure) -> Result {
        let folder = try openFolder()
        let lock = try folder.open(name + ".lock", O_RDWR | O_CREAT)
        let end = ContinuousClock.now.advanced(by: Self.lockLimit)
        while flock(lock.number, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EINTR || code == EWOULDBLOCK else { throw folder.failure("lock", name, code) }
            guard ContinuousClock.now < end else {
                throw UploadFailure(
                    .network, "another program keeps \(path.text) locked",
                    hint: "end the other program that uses this account, then retry")
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        defer { _ = flock(lock.number, LOCK_UN) }
        return try await body(Locked(folder: folder, name: name))
    }

    private var name: String { path.name }

    private func openFolder() throws(UploadFailure) -> Folder {
        let end = path.bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
        let folder = LocalPath(bytes: Array(path.bytes[..<max(1, end)]))
        _ = folder.withCString { mkdir($0, 0o700) }
        let number = folder.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard number >= 0 else {
            let code = errno
            if DescriptorLimit.isLack(code) { throw .noDescriptor(code, for: folder.text) }
            let reason = Folder.text(of: code)
            throw UploadFailure(
                .authentication,
                "the folder \(folder.text) for tokens cannot be opened: \(reason)",
                hint: "make it, or set tokenFile to another place, then retry")
        }
        let opened = Folder(descriptor: Descriptor(number), path: folder.text)
        try opened.check(number, "", forbidding: 0o022)
        return opened
    }

    /// The file while this program has the lock.
    struct Locked: Sendable {
        fileprivate let folder: Folder
        fileprivate let name: String

        /// - Returns: nil if there is no file yet.
        func read() throws(UploadFailure) -> Data? {
            guard let file = try folder.openExisting(name) else { return nil }
            defer { withExtendedLifetime(file) {} }
            var bytes = [UInt8](repeating: 0, count: TokenFile.sizeLimit)
            var count = 0
            while count < bytes.count {
                let result = bytes.withUnsafeMutableBytes { buffer in
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                    return pread(file.number, rest.baseAddress, rest.count, off_t(count))
                }
                if result < 0, errno == EINTR { continue }
                guard result >= 0 else { throw folder.failure("read", name, errno) }
                if result == 0 { break }
                count += result
            }
            return Data(bytes[..<count])
        }

        /// Replaces the file. It is on disk, under its name, when this returns; if it throws, the old one is there.
        func replace(with data: Data) throws(UploadFailure) {
            let new = name + ".new"
            // Left by a program that was killed: we have the lock.
            _ = unlinkat(folder.descriptor.number, new, 0)
            let file = try folder.open(new, O_WRONLY | O_CREAT | O_EXCL)
            defer { withExtendedLifetime(file) {} }
            var rest = [UInt8](data)[...]
            while !rest.isEmpty {
                let result = rest.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { throw folder.failure("write", new, errno) }
                rest = rest.dropFirst(result)
            }
            guard fsync(file.number) == 0 else { throw folder.failure("sync", new, errno) }
            guard renameat(folder.descriptor.number, new, folder.descriptor.number, name) == 0 else {
                throw folder.failure("rename", new, errno)
            }
            // Some network file systems cannot sync a folder and say EINVAL.
            guard fsync(folder.descriptor.number) == 0 || errno == EINVAL else {
                throw folder.failure("sync", name, errno)
            }
        }
    }
}

/// An open file or folder, closed with the last reference.
private final class Descriptor: Sendable {
    let number: CInt
    init(_ number: CInt) { self.number = number }
    deinit { close(number) }
}

/// The folder of a token file. Names are looked up in the descriptor, and no symbolic link is followed.
private struct Folder: Sendable {
    let descriptor: Descriptor
    let path: String

    func open(_ name: String, _ flags: CInt) throws(UploadFailure) -> Descriptor {
        // O_NONBLOCK: opening a FIFO that somebody put here must not wait for its other end.
        let number = openat(descriptor.number, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard number >= 0 else { throw failure("open", name, errno) }
        let file = Descriptor(number)
        try check(number, name, forbidding: 0o077)
        return file
    }

    func openExisting(_ name: String) throws(UploadFailure) -> Descriptor? {
        var status = stat()
        if fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT { return nil }
        return try open(name, O_RDONLY)
    }

    /// - Parameter name: Empty for the folder itself.
    func check(_ number: CInt, _ name: String, forbidding bits: mode_t) throws(UploadFailure) {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw failure("look at", name, errno) }
        let file = name.isEmpty ? path : "\(path)/\(name)"
        guard status.st_uid == geteuid() else {
            throw unsafe("\(file) belongs to another user", "move it away, then retry")
        }
        guard name.isEmpty || status.st_mode & S_IFMT == S_IFREG else {
            throw unsafe("\(file) is not a regular file", "move it away, then retry")
        }
        let mode = status.st_mode & 0o7777
        guard mode & bits == 0 else {
            let what = name.isEmpty ? "changed" : "read"
            throw unsafe(
                "\(file) can be \(what) by others (mode \(String(mode, radix: 8)))",
                "chmod \(name.isEmpty ? "700" : "600") \(file), then retry")
        }
    }

    func failure(_ verb: String, _ name: String, _ code: CInt) -> UploadFailure {
        if code == ELOOP {
            return unsafe("\(path)/\(name) is a symbolic link", "put a file in its place, then retry")
        }
        if DescriptorLimit.isLack(code) { return .noDescriptor(code, for: "\(path)/\(name)") }
        return UploadFailure(
            .authentication, "cannot \(verb) \(path)/\(name): \(Self.text(of: code))",
            hint: "tokens must be kept there before they are used; put that right, then retry")
    }

    private func unsafe(_ summary: String, _ hint: String) -> UploadFailure {
        UploadFailure(.authentication, summary, hint: hint)
    }

    static func text(of code: CInt) -> String { String(cString: strerror(code)).lowercased() }
}
