package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open folder. Every name is looked up relative to its descriptor, even if another process renames or replaces the
/// folder. A symbolic link at the end of a name is not followed.
package final class Directory: Sendable {
    package let descriptor: FileDescriptor
    private let reserve: DescriptorReserve?

    /// - Parameters:
    ///   - follows: True to follow a symbolic link in the last component of the path.
    ///   - keepsReserve: True if files in the folder must open even when the process has no other free descriptor.
    package convenience init(
        _ path: LocalPath, follows: Bool = false, keepsReserve: Bool = false
    ) throws(SystemCallError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)
        try self.init(path, in: AT_FDCWD, flags: flags, keepsReserve: keepsReserve)
    }

    /// Opens a folder to look up names in it. On Linux, this needs no permission to read it, and it cannot be
    /// synchronized.
    convenience init(searching path: LocalPath) throws(SystemCallError) {
        try self.init(path, in: AT_FDCWD, flags: NoFollowOpen.folderFlags | O_NOFOLLOW, keepsReserve: false)
    }

    private init(
        _ name: LocalPath, in folder: CInt, flags: CInt, keepsReserve: Bool
    ) throws(SystemCallError) {
        let opened = try SystemCallError.check("open", name.text) {
            name.withCString { openat(folder, $0, flags) }
        }
        descriptor = FileDescriptor(rawValue: opened)
        reserve = keepsReserve ? DescriptorReserve(of: opened) : nil
    }

    deinit { close(descriptor.rawValue) }

    /// Returns names in the folder, unsorted, without `.` and `..`, as bytes: Foundation would drop all but UTF-8.
    package func names(upTo limit: Int = .max) throws(SystemCallError) -> [[UInt8]] {
        // A second descriptor, because reading moves its position, and `closedir` closes it.
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let open = { openat(self.descriptor.rawValue, ".", flags) }
        let copy = try SystemCallError.check("opendir") { reserve?.open(open) ?? open() }
        guard let stream = fdopendir(copy) else {
            let error = SystemCallError("opendir")
            close(copy)
            throw error
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        errno = 0
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in Array(raw.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
            errno = 0
        }
        guard names.count == limit || errno == 0 else { throw SystemCallError("readdir") }
        return names
    }

    /// Returns the names in a folder, sorted by their bytes; empty if the folder cannot be read.
    package static func names(in folder: LocalPath) -> [[UInt8]] {
        let names = try? Directory(folder, follows: true).names()
        return (names ?? []).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The status of the folder itself.
    package func status() throws(SystemCallError) -> FileStatus { try descriptor.status() }

    /// Returns the status of the entry `name`. If the entry is a symbolic link, this is the status of the link.
    package func status(of name: LocalPath) throws(SystemCallError) -> FileStatus {
        FileStatus(
            try SystemCallError.of("fstatat", name.text) { () throws(Errno) in
                try name.withCString { (text) throws(Errno) in
                    try Stat(text, relativeTo: descriptor, flags: .symlinkNoFollow)
                }
            })
    }

    /// Checks that this process may read the entry `name`, without opening it (`faccessat(2)`). With `AT_EACCESS`, its
    /// capabilities count too.
    package func checkReadable(_ name: LocalPath) throws(SystemCallError) {
        try SystemCallError.check("faccessat", name.text) {
            name.withCString { faccessat(descriptor.rawValue, $0, R_OK, AT_EACCESS) }
        }
    }

    /// - Throws: `SystemCallError`, with `ELOOP` for a symbolic link.
    package func open(_ name: LocalPath, for access: OpenFile.Access) throws(SystemCallError) -> OpenFile {
        try OpenFile(name, in: descriptor.rawValue, for: access, reserve: reserve)
    }

    /// Opens the subfolder `name`.
    ///
    /// - Throws: `SystemCallError`, with `ELOOP` or `ENOTDIR` for a symbolic link, and `ENOTDIR` for a file.
    package func folder(_ name: LocalPath) throws(SystemCallError) -> Directory {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        return try Directory(name, in: descriptor.rawValue, flags: flags, keepsReserve: false)
    }

    /// Opens the subfolder `name` to look up names in it (`init(searching:)`).
    func searching(_ name: LocalPath) throws(SystemCallError) -> Directory {
        try Directory(
            name, in: descriptor.rawValue, flags: NoFollowOpen.folderFlags | O_NOFOLLOW, keepsReserve: false)
    }

    /// Returns the target of the symbolic link `name`, as stored in the link.
    func linkTarget(of name: LocalPath) throws(SystemCallError) -> LocalPath {
        var buffer = [CChar](repeating: 0, count: LocalPath.lengthLimit)
        let size = buffer.count
        let count = try SystemCallError.check("readlinkat", name.text) {
            name.withCString { readlinkat(descriptor.rawValue, $0, &buffer, size) }
        }
        return LocalPath(bytes: buffer.prefix(count).map { UInt8(bitPattern: $0) })
    }

    /// Makes a folder that only its owner can access, and that survives a power cut.
    ///
    /// - Throws: `SystemCallError`, with `EEXIST` if the name is taken.
    package func makeFolder(_ name: LocalPath) throws(SystemCallError) {
        try makeFolder(name, mode: 0o700)
        try synchronize()
    }

    /// Makes a folder with the bits of `mode` that the umask leaves. It survives a power cut after `synchronize()`.
    package func makeFolder(_ name: LocalPath, mode: UInt32) throws(SystemCallError) {
        try SystemCallError.check("mkdirat", name.text) {
            name.withCString { mkdirat(descriptor.rawValue, $0, mode_t(mode)) }
        }
    }

    package func folderOrNew(_ name: LocalPath) throws(SystemCallError) -> Directory {
        do throws(SystemCallError) { try makeFolder(name) } catch {
            guard error.code == .fileExists else { throw error }
        }
        return try folder(name)
    }

    /// Makes a hard link, which must not exist yet.
    ///
    /// - Parameter folder: The folder of the new name; nil for this folder.
    package func link(
        _ name: LocalPath, as other: LocalPath, in folder: Directory? = nil
    ) throws(SystemCallError) {
        let (from, to) = (descriptor.rawValue, (folder ?? self).descriptor.rawValue)
        try SystemCallError.check("linkat", other.text) {
            name.withCString { name in other.withCString { linkat(from, name, to, $0, 0) } }
        }
    }

    /// Renames a file, in place of a file that has the new name.
    ///
    /// - Parameter folder: The folder of the new name; nil for this folder.
    package func rename(
        _ name: LocalPath, to other: LocalPath, in folder: Directory? = nil
    ) throws(SystemCallError) {
        let (from, to) = (descriptor.rawValue, (folder ?? self).descriptor.rawValue)
        try SystemCallError.check("renameat", other.text) {
            name.withCString { name in other.withCString { renameat(from, name, to, $0) } }
        }
    }

    /// Renames a file, without replacing an existing one.
    ///
    /// - Throws: `SystemCallError`, with `EEXIST` if the new name is taken.
    package func rename(
        _ name: LocalPath, toFree other: LocalPath, in folder: Directory
    ) throws(SystemCallError) {
        #if os(Linux)
            do throws(SystemCallError) {
                // `linkat` fails if the name is taken. A crash before the removal leaves one file with both names.
                try link(name, as: other, in: folder)
            } catch {
                guard [.notPermitted, .notSupportedOnSocket, .tooManyLinks].contains(error.code) else {
                    throw error
                }
                // On a file system without hard links: reserves the name with an empty file, then replaces that file.
                _ = try folder.open(other, for: .creating)
                do throws(SystemCallError) {
                    return try rename(name, to: other, in: folder)
                } catch {
                    try? folder.remove(other)
                    throw error
                }
            }
            try remove(name)
        #else
            let (from, to) = (descriptor.rawValue, folder.descriptor.rawValue)
            try SystemCallError.check("renameatx_np", other.text) {
                name.withCString { name in
                    other.withCString { renameatx_np(from, name, to, $0, UInt32(RENAME_EXCL)) }
                }
            }
        #endif
    }

    package func remove(_ name: LocalPath) throws(SystemCallError) {
        do throws(SystemCallError) {
            try SystemCallError.check("unlinkat", name.text) {
                name.withCString { unlinkat(descriptor.rawValue, $0, 0) }
            }
        } catch {
            guard error.code == .noSuchFileOrDirectory else { throw error }
        }
    }

    /// Writes the entries of this folder to disk: a power cut can then not undo a creation, renaming or removal in it.
    /// Does nothing on a network file system that cannot synchronize a folder.
    package func synchronize() throws(SystemCallError) {
        guard fsync(descriptor.rawValue) == 0 || errno == EINVAL else { throw SystemCallError("fsync") }
    }

    /// Replaces the file `name` by a new file that only its owner can access, and that survives a power cut. After an
    /// error the old file remains. But if only the sync of the folder failed, the new file is in use, and a power cut
    /// can bring back the old one.
    ///
    /// - Parameter draft: The name of the new file until it is complete. An existing one is removed.
    package func replace(_ name: LocalPath, with bytes: [UInt8], draft: LocalPath) throws(SystemCallError) {
        // If the old draft cannot be removed, opening the new one fails.
        try? remove(draft)
        do throws(SystemCallError) {
            let file = try open(draft, for: .creating)
            try file.append(bytes)
            try file.synchronize()
            try rename(draft, to: name)
        } catch {
            try? remove(draft)
            throw error
        }
        try synchronize()
    }

    /// Checks that this process may read and enter the folder, and write in it (`faccessat(2)`).
    package func checkAccess(toWrite: Bool) throws(SystemCallError) {
        try SystemCallError.check("faccessat") {
            faccessat(descriptor.rawValue, ".", R_OK | X_OK | (toWrite ? W_OK : 0), 0)
        }
    }

    /// Returns the free bytes on the file system, without those reserved for root, and its size.
    package func space() throws(SystemCallError) -> (free: Int, capacity: Int) {
        var status = statvfs()
        try SystemCallError.check("fstatvfs") { fstatvfs(descriptor.rawValue, &status) }
        func bytes(_ blocks: UInt64) -> Int {
            let (bytes, overflow) = blocks.multipliedReportingOverflow(by: UInt64(status.f_frsize))
            return overflow ? .max : Int(clamping: bytes)
        }
        return (bytes(UInt64(status.f_bavail)), bytes(UInt64(status.f_blocks)))
    }

    /// The kind of file system that the folder is on; nil if the system does not report it.
    package var fileSystem: FileSystemKind? {
        #if os(Linux)
            guard let device = try? status().identity.device else { return nil }
            return MountTable.current?.kind(of: device)
        #else
            var status = statfs()
            guard fstatfs(descriptor.rawValue, &status) == 0 else { return nil }
            return FileSystemKind(
                name: withUnsafeBytes(of: &status.f_fstypename) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        #endif
    }
}
