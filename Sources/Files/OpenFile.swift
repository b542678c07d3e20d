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
    /// The purpose for which a file is opened. Opening never follows a symbolic link in the last component, never waits
    /// for the other end of a pipe and never acquires a terminal. No child process inherits the descriptor.
    package enum Access: Sendable {
        case reading
        /// Reading at any offset, writing at the end.
        case appending
        /// Reading at any offset and writing at the end, in a new file that only its owner can access. Fails if the
        /// name exists.
        case creating
        /// Writing at the end. Creates the file if it does not exist; only its owner can access the new file.
        case appendingOrCreating
        /// Writing at the end, in a file that is emptied first. Creates the file if it does not exist; only its owner
        /// can access the new file.
        case emptying
        /// Reading and writing at any offset.
        case writing
        /// Reading and writing at any offset, in a new file that only its owner can access. Fails if the name exists.
        case creatingForWriting
        /// Reading and writing at any offset. Creates the file if it does not exist; only its owner can access the new
        /// file.
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

    /// Takes ownership of the descriptor.
    ///
    /// - Parameter reserve: Receives the descriptor after the last reference is released; nil to close the descriptor.
    package init(_ descriptor: FileDescriptor, name: String, reserve: DescriptorReserve? = nil) {
        self.descriptor = descriptor
        self.name = name
        self.reserve = reserve
    }

    /// Opens a path.
    ///
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

    /// Closes the file before the last reference is released; no method may be called afterwards.
    ///
    /// - Throws: `SystemCallError` if the system reports only now that it could not store the bytes.
    package func close() throws(SystemCallError) {
        guard isOpen.exchange(false, ordering: .relaxed) else { return }
        // Not repeated after EINTR: the number may belong to another file by then.
        guard systemClose(descriptor.rawValue) == 0 else { throw SystemCallError("close", name: name) }
    }

    package func status() throws(SystemCallError) -> FileStatus { try descriptor.status(name: name) }

    package func length() throws(SystemCallError) -> Int { Int(try status().identity.size) }

    /// Fills `buffer` from `offset` on and returns the number of bytes read. The number is lower than the size of
    /// `buffer` only at the end of the file.
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

    /// Reads the content, at most `limit` bytes. Also works for a file that reports no length, such as one in `/proc`.
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

    /// Waits for the next bytes, for example of a pipe, and reads at most `limit` of them. The result is empty at the
    /// end of the stream.
    package func readNext(upTo limit: Int) throws(SystemCallError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try SystemCallError.check("read", name) { systemRead(descriptor.rawValue, &bytes, limit) }
        return Array(bytes.prefix(count))
    }

    /// Writes all of `bytes`, at the end if the file was opened for appending. After an error, a part of `bytes` may
    /// have been written.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
        try writeAll(bytes) { rest, _ in systemWrite(descriptor.rawValue, rest) }
    }

    /// Writes all of `bytes` from an offset on. After an error, a part of `bytes` may have been written.
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

    /// Writes `bytes` with one system call, at the end if the file was opened for appending.
    ///
    /// - Returns: The number of bytes that the system wrote, which can be lower than the number of `bytes`.
    package func appendOnce(_ bytes: [UInt8]) throws(SystemCallError) -> Int {
        try SystemCallError.check("write", name) {
            bytes.withUnsafeBytes { systemWrite(descriptor.rawValue, $0) }
        }
    }

    package func truncate(to length: Int) throws(SystemCallError) {
        try SystemCallError.check("ftruncate", name) { ftruncate(descriptor.rawValue, off_t(length)) }
    }

    /// Makes the content survive a power cut. If this fails, the system may have dropped unwritten bytes, and a later
    /// call does not report this loss.
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
        /// Allocates `length` bytes of the disk for the file, which must be empty.
        ///
        /// - Returns: False if the file system does not support allocation.
        package func reserve(_ length: Int) throws(SystemCallError) -> Bool {
            var code: CInt
            repeat { code = posix_fallocate(descriptor.rawValue, 0, off_t(length)) } while code == EINTR
            // glibc returns EBADF on a file system that cannot allocate, since the descriptor is opened with O_APPEND.
            if [EBADF, EINVAL, ENOSYS, EOPNOTSUPP].contains(code) { return false }
            guard code == 0 else {
                throw SystemCallError(call: "posix_fallocate", name: name, code: Errno(rawValue: code))
            }
            return true
        }
    #endif

    /// Takes the lock of the file (`flock(2)`) without waiting. The lock ends when this object is released.
    ///
    /// - Parameter isShared: True for a shared lock, false for an exclusive one.
    /// - Returns: False if another open file holds a conflicting lock.
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
    /// Announces to the kernel that a range of the file will be read soon. Does nothing on systems other than Linux.
    package func willNeed(_ range: Range<Int64>) {
        #if os(Linux)
            posix_fadvise(
                rawValue, off_t(range.lowerBound), off_t(range.upperBound - range.lowerBound),
                POSIX_FADV_WILLNEED)
        #endif
    }

    /// True if a process has the file open, or mapped, for writing. nil if that cannot be determined, for example for
    /// files of other users. Always nil on systems other than Linux.
    ///
    /// The check takes a lease on the file (fcntl(2)) and gives it back. Call it only on a local file system. A network
    /// file system can refuse a lease even if no process writes to the file.
    package var hasWriters: Bool? {
        #if os(Linux)
            // F_SETSIG and F_SETLEASE of fcntl(2), which the C library hides behind _GNU_SOURCE.
            let (setSignal, setLease) = (CInt(10), CInt(1024))
            // During the lease, a process that opens the file for writing waits a moment, and the kernel sends this
            // process a signal. The signal is SIGURG, which a process without a handler ignores.
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

    /// True if the open file is known to be on a local file system, so that a system call on it needs no network. It is
    /// always false on systems other than Linux.
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
