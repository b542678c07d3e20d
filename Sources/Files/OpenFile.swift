import CFerryFiles
import Synchronization
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open file. It is closed when the last reference is released. Its methods block.
package final class OpenFile: Sendable {
    /// The purpose for which a file is opened. Opening never follows a symbolic link in the last component, waits for
    /// the other end of a pipe, acquires a terminal or leaves the descriptor to child processes. Only the owner can
    /// access a file that it creates.
    package enum Access: Sendable {
        case reading
        /// Reading at any offset, writing at the end.
        case appending
        /// Reading at any offset and writing at the end, in a new file. Fails if the name exists.
        case creating
        /// Writing at the end of an existing or new file.
        case appendingOrCreating
        /// Writing at the end of an emptied or new file.
        case emptying
        /// Reading and writing at any offset.
        case writing
        /// Reading and writing at any offset, in a new file. Fails if the name exists.
        case creatingForWriting
        /// Reading and writing at any offset, in an existing or new file.
        case locking

        fileprivate var flags: CInt {
            switch self {
            case .reading: O_RDONLY
            case .appending: O_RDWR | O_APPEND
            case .creating: O_RDWR | O_APPEND | O_CREAT | O_EXCL
            case .appendingOrCreating: O_WRONLY | O_APPEND | O_CREAT
            case .emptying: O_WRONLY | O_APPEND | O_CREAT | O_TRUNC
            case .writing: O_RDWR
            case .creatingForWriting: O_RDWR | O_CREAT | O_EXCL
            case .locking: O_RDWR | O_CREAT
            }
        }
    }

    package let descriptor: FileDescriptor
    private let isOpen = Atomic(true)
    private let name: String
    private let reserve: DescriptorReserve?

    /// Takes ownership of the descriptor, which `reserve` receives in the end.
    package init(_ descriptor: FileDescriptor, name: String, reserve: DescriptorReserve? = nil) {
        self.descriptor = descriptor
        self.name = name
        self.reserve = reserve
    }

    /// - Throws: `SystemCallError`, with `ELOOP` if the last component is a symbolic link.
    package convenience init(_ path: LocalPath, for access: Access) throws(SystemCallError) {
        try self.init(path, in: AT_FDCWD, for: access, reserve: nil)
    }

    init(
        _ name: LocalPath, in folder: CInt, for access: Access, reserve: DescriptorReserve?
    ) throws(SystemCallError) {
        let flags = access.flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let open = { name.withCString { openat(folder, $0, flags, 0o600) } }
        let opened = try SystemCallError.check("openat", name.text) { reserve?.open(open) ?? open() }
        descriptor = FileDescriptor(rawValue: opened)
        self.name = name.text
        self.reserve = reserve
    }

    deinit {
        guard isOpen.load(ordering: .relaxed) else { return }
        if let reserve {
            reserve.take(over: descriptor.rawValue)
        } else {
            _ = systemClose(descriptor.rawValue)
        }
    }

    /// Closes the file before the last reference is released.
    ///
    /// - Throws: `SystemCallError` if the system reports only now that it could not store the bytes.
    package func close() throws(SystemCallError) {
        guard isOpen.exchange(false, ordering: .relaxed) else { return }
        // Not repeated after EINTR: the number may belong to another file by then.
        guard systemClose(descriptor.rawValue) == 0 else { throw SystemCallError("close", name: name) }
    }

    package func status() throws(SystemCallError) -> FileStatus { try descriptor.status(name: name) }

    package func length() throws(SystemCallError) -> Int { Int(try status().identity.size) }

    /// Fills `buffer` from `offset` on; fewer bytes are read only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemCallError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let result = try SystemCallError.check("pread", name) {
                systemRead(descriptor.rawValue, rest, Int64(offset + count))
            }
            if result == 0 { break }
            count += result
        }
        return count
    }

    /// Reads at most `limit` bytes, also of a file that reports no length, such as one in `/proc`.
    package func content(upTo limit: Int) throws(SystemCallError) -> [UInt8] {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let room = min(block.count, limit - bytes.count)
            let result = block.withUnsafeMutableBytes { block in
                Result { () throws(SystemCallError) in
                    try read(into: UnsafeMutableRawBufferPointer(rebasing: block[..<room]), at: bytes.count)
                }
            }
            let count = try result.get()
            bytes += block[..<count]
            if count < room { break }
        }
        return bytes
    }

    /// Waits for the next bytes, for example of a pipe; none at the end of the stream.
    package func readNext(upTo limit: Int) throws(SystemCallError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try SystemCallError.check("read", name) { systemRead(descriptor.rawValue, &bytes, limit) }
        return Array(bytes.prefix(count))
    }

    /// Writes all of `bytes`, at the end if the file was opened for appending; after an error, possibly a part.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
        try writeAll(bytes) { rest, _ in systemWrite(descriptor.rawValue, rest) }
    }

    /// Writes all of `bytes` from an offset on; after an error, possibly a part.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemCallError) {
        try writeAll(bytes) { rest, written in
            pwrite(descriptor.rawValue, rest.baseAddress, rest.count, off_t(offset + written))
        }
    }

    private func writeAll(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer, _ written: Int) -> Int
    ) throws(SystemCallError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let result = try SystemCallError.check("write", name) { write(rest, written) }
            guard result > 0 else { throw SystemCallError(call: "write", name: name, code: .ioError) }
            written += result
        }
    }

    /// Writes `bytes`, or the number of them that it returns, with one system call.
    package func appendOnce(_ bytes: [UInt8]) throws(SystemCallError) -> Int {
        try SystemCallError.check("write", name) {
            bytes.withUnsafeBytes { systemWrite(descriptor.rawValue, $0) }
        }
    }

    package func truncate(to length: Int) throws(SystemCallError) {
        try SystemCallError.check("ftruncate", name) { ftruncate(descriptor.rawValue, off_t(length)) }
    }

    /// Makes the content survive a power cut. If this fails, bytes may be dropped, and a later call succeeds.
    package func synchronize() throws(SystemCallError) {
        #if os(Linux)
            // Not repeated after EINTR or any other error: a second call would report success.
            guard fdatasync(descriptor.rawValue) == 0 else { throw SystemCallError("fdatasync", name: name) }
        #else
            // `fsync` on Darwin leaves the data in the drive's cache.
            guard fcntl(descriptor.rawValue, F_FULLFSYNC) == 0 else {
                throw SystemCallError("F_FULLFSYNC", name: name)
            }
        #endif
    }

    #if os(Linux)
        /// Allocates `length` bytes for the empty file. Returns false if the file system does not support that.
        package func reserve(_ length: Int) throws(SystemCallError) -> Bool {
            var code: CInt
            repeat { code = posix_fallocate(descriptor.rawValue, 0, off_t(length)) } while code == EINTR
            // glibc returns EBADF then, since the descriptor is opened with O_APPEND.
            if [EBADF, EINVAL, ENOSYS, EOPNOTSUPP].contains(code) { return false }
            guard code == 0 else {
                throw SystemCallError(call: "posix_fallocate", name: name, code: Errno(rawValue: code))
            }
            return true
        }
    #endif

    /// Takes the lock of the file (`flock(2)`) until the release of this object, without waiting. Returns false for a
    /// conflicting lock of another open file.
    package func tryLock(isShared: Bool = false) throws(SystemCallError) -> Bool {
        do throws(SystemCallError) {
            try SystemCallError.check("flock", name) {
                flock(descriptor.rawValue, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB)
            }
            return true
        } catch {
            if error.code == .wouldBlock { return false }
            throw error
        }
    }

    /// Ends the lock of the file; does nothing without a lock.
    package func unlock() { _ = flock(descriptor.rawValue, LOCK_UN) }
}

extension OpenFile {
    package func append(_ bytes: [UInt8]) throws(SystemCallError) {
        // Typed throws do not pass through the closure of `withUnsafeBytes` on all compilers.
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemCallError) in try append(buffer) }
        }
        try result.get()
    }
}

/// The C functions `close`, `write`, `read` and `pread`, renamed because methods of `OpenFile` hide them.
private func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }
func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int {
    pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
}

extension FileDescriptor {
    /// Announces to Linux's kernel that a range of the file will be read soon.
    package func willNeed(_ range: Range<Int64>) {
        #if os(Linux)
            posix_fadvise(
                rawValue, off_t(range.lowerBound), off_t(range.upperBound - range.lowerBound),
                POSIX_FADV_WILLNEED)
        #endif
    }

    /// True if a process has the file open, or mapped, for writing; nil if unknown, for example for files of other
    /// users.
    ///
    /// The check takes a lease on the file (fcntl(2)), which only a local file system grants reliably.
    package var hasWriters: Bool? {
        #if os(Linux)
            // F_SETSIG and F_SETLEASE of fcntl(2), which the C library hides behind _GNU_SOURCE.
            let (setSignal, setLease) = (CInt(10), CInt(1024))
            // A process that opens the file meanwhile waits a moment, and the kernel sends this process a signal:
            // SIGURG, which is ignored without a handler.
            guard fcntl(rawValue, setSignal, SIGURG) == 0 else { return nil }
            if fcntl(rawValue, setLease, CInt(F_RDLCK)) == 0 {
                _ = fcntl(rawValue, setLease, CInt(F_UNLCK))
                return false
            }
            return errno == EAGAIN ? true : nil
        #else
            return nil
        #endif
    }

    /// True if the open file is known to be on a local file system (on Linux), so that a system call needs no network.
    package var isOnLocalDisk: Bool {
        #if os(Linux)
            var status = statfs()
            guard fstatfs(rawValue, &status) == 0 else { return false }
            // linux/magic.h: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs.
            return [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994].contains(Int(status.f_type))
        #else
            false
        #endif
    }
}
