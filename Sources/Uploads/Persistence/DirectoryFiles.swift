#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The state folder on disk. Every name is looked up in the one descriptor opened at the start, so that nobody can
/// swap the folder under us, and no symbolic link is followed.
package final class DirectoryFiles: StateFiles {
    package let path: String
    private let descriptor: Int32
    private let reserve: DescriptorReserve

    /// Takes over `descriptor`, an open folder.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
        reserve = DescriptorReserve(of: descriptor)
    }

    deinit { close(descriptor) }

    package func names() throws(SystemCallError) -> [String] {
        // A descriptor of its own: reading the folder moves the position, and `closedir` closes it.
        let copy = reserve.open { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard copy >= 0, let stream = fdopendir(copy) else { throw failure("opendir", "") }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            // Names that are not UTF-8 are never ours.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    String(validatingCString: $0)
                }
            }
            if let name, name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw failure("readdir", "") }
        return names
    }

    package func open(_ name: String, for access: FileAccess) throws(SystemCallError) -> (any StateFile)? {
        try openFile(name, for: access)
    }

    /// Opens a file that is there, to read it and to ask for its lock.
    func openToRead(_ name: String) throws(SystemCallError) -> DescriptorFile? {
        try openFile(name, for: .reading)
    }

    private func openFile(_ name: String, for access: FileAccess) throws(SystemCallError) -> DescriptorFile? {
        let flags = access == .reading ? O_RDONLY : O_RDWR | O_APPEND
        // O_NONBLOCK: opening a FIFO that somebody put here must not wait for its other end.
        let file = reserve.open { openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw danger(.symbolicLink, name, 0o777) }
            throw failure("openat", name)
        }
        let opened = DescriptorFile(descriptor: file, name: name, reserve: reserve)
        try check(file, name)
        return opened
    }

    package func create(_ name: String) throws(SystemCallError) -> any StateFile {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = reserve.open { openat(descriptor, name, flags, 0o600) }
        guard file >= 0 else { throw failure("openat", name) }
        return DescriptorFile(descriptor: file, name: name, reserve: reserve)
    }

    package func link(_ name: String, as other: String) throws(SystemCallError) {
        guard linkat(descriptor, name, descriptor, other, 0) == 0 else { throw failure("linkat", other) }
    }

    package func rename(_ name: String, to other: String) throws(SystemCallError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else { throw failure("renameat", other) }
    }

    package func remove(_ name: String) throws(SystemCallError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw failure("unlinkat", name) }
    }

    package func isSame(_ name: String, _ other: String) throws(SystemCallError) -> Bool {
        guard let first = try status(name), let second = try status(other) else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    package func synchronize() throws(SystemCallError) {
        // Some network file systems cannot sync a folder and say EINVAL; there is no other way to ask them.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("fsync", "") }
    }

    /// Opens the file that is locked, making it if there is none.
    func openLock(_ name: String) throws(SystemCallError) -> DescriptorFile {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let file = reserve.open { openat(descriptor, name, flags, 0o600) }
        guard file >= 0 else {
            if errno == ELOOP { throw danger(.symbolicLink, name, 0o777) }
            throw failure("openat", name)
        }
        let opened = DescriptorFile(descriptor: file, name: name, reserve: reserve)
        try check(file, name)
        return opened
    }

    /// What the folder is on; nil if the system does not tell.
    var fileSystem: FileSystemKind? {
        #if os(Linux)
            var status = stat()
            let table = Glibc.open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
            guard table >= 0, fstat(descriptor, &status) == 0 else { return nil }
            let file = DescriptorFile(descriptor: table, name: "mountinfo")
            // Its length is not known before it is read.
            var text = [UInt8](repeating: 0, count: 1 << 20)
            let count = (try? text.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }) ?? 0
            return .mounted(UInt64(status.st_dev), in: String(decoding: text[..<count], as: UTF8.self))
        #else
            var status = statfs()
            guard fstatfs(descriptor, &status) == 0 else { return nil }
            return FileSystemKind(
                name: withUnsafeBytes(of: &status.f_fstypename) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        #endif
    }

    private func status(_ name: String) throws(SystemCallError) -> stat? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("fstatat", name)
        }
        return status
    }

    private func check(_ file: Int32, _ name: String) throws(SystemCallError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("fstat", name) }
        let mode = UInt32(status.st_mode)
        guard status.st_mode & S_IFMT == S_IFREG else { throw danger(.notARegularFile, name, mode) }
        guard status.st_uid == geteuid() else { throw danger(.owner(status.st_uid), name, mode) }
        guard mode & 0o077 == 0 else { throw danger(.openToOthers, name, mode) }
        guard status.st_nlink <= 1 else {
            // A crash between the two steps of a compaction leaves both snapshots as names of one file.
            guard status.st_nlink == 2, SnapshotFile.names.contains(name),
                try isSame(SnapshotFile.current, SnapshotFile.previous)
            else { throw danger(.otherNames(count: Int(status.st_nlink)), name, mode) }
            return
        }
    }

    private func failure(_ call: String, _ name: String) -> SystemCallError {
        SystemCallError(call: call, name: name, code: errno)
    }

    private func danger(_ danger: JournalError.Danger, _ name: String, _ mode: UInt32) -> SystemCallError {
        SystemCallError(call: "openat", name: name, code: EPERM, danger: danger, mode: mode & 0o7777)
    }
}

/// An open file of the state folder.
package final class DescriptorFile: StateFile {
    let descriptor: Int32
    private let name: String
    private let reserve: DescriptorReserve?

    /// - Parameter reserve: Gets the descriptor when the file is done with.
    init(descriptor: Int32, name: String, reserve: DescriptorReserve? = nil) {
        self.descriptor = descriptor
        self.name = name
        self.reserve = reserve
    }

    deinit {
        if let reserve { reserve.take(over: descriptor) } else { close(descriptor) }
    }

    package func length() throws(SystemCallError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        return Int(status.st_size)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError)
        -> Int
    {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let result = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + count))
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw failure("pread") }
            if result == 0 { break }
            count += result
        }
        return count
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
        var rest = bytes
        while !rest.isEmpty {
            let result = write(descriptor, rest.baseAddress, rest.count)
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw failure("write") }
            rest = UnsafeRawBufferPointer(rebasing: rest[result...])
        }
    }

    #if os(Linux)
        package func allocate(_ length: Int) throws(SystemCallError) {
            var code: Int32
            repeat { code = posix_fallocate(descriptor, 0, off_t(length)) } while code == EINTR
            // EBADF is how glibc says that it will not write in place of a file system that cannot allocate.
            if [EBADF, EINVAL, ENOSYS, EOPNOTSUPP].contains(code) { return try fill(length) }
            guard code == 0 else {
                throw SystemCallError(call: "posix_fallocate", name: name, code: code)
            }
        }
    #endif

    package func truncate(to length: Int) throws(SystemCallError) {
        while ftruncate(descriptor, off_t(length)) != 0 {
            guard errno == EINTR else { throw failure("ftruncate") }
        }
    }

    package func synchronize() throws(SystemCallError) {
        #if os(Linux)
            // Not repeated after EINTR or any other error: a second call would report success.
            guard fdatasync(descriptor) == 0 else { throw failure("fdatasync") }
        #else
            // `fsync` on Darwin leaves the data in the drive's cache.
            guard fcntl(descriptor, F_FULLFSYNC) == 0 else { throw failure("F_FULLFSYNC") }
        #endif
    }

    private func failure(_ call: String) -> SystemCallError {
        SystemCallError(call: call, name: name, code: errno)
    }
}
