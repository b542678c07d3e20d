import FerryFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open directory. Everything inside is opened by one name at a time, never through a link, so no name can lead
/// outside.
final class Folder: Sendable {
    let descriptor: CInt

    private init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    convenience init(path: String) throws(SystemCallError) {
        self.init(
            descriptor: try SystemCallError.check("open") { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    }

    /// - Throws: `ELOOP` or `ENOTDIR` if the name is a link or a file.
    func folder(_ name: String) throws(SystemCallError) -> Folder {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        return Folder(descriptor: try SystemCallError.check("open") { openat(descriptor, name, flags) })
    }

    /// Opens the folder of that name, creating it if it is missing.
    func makeFolder(_ name: String, mode: mode_t = 0o700) throws(SystemCallError) -> Folder {
        if mkdirat(descriptor, name, mode) == 0 {
            try sync()
        } else if errno != EEXIST {
            throw SystemCallError("mkdir")
        }
        return try folder(name)
    }

    /// The reason why other users could change this folder's content; nil if they cannot.
    var distrust: String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return SystemCallError("stat").reason }
        if status.st_uid != geteuid() { return "it belongs to another user" }
        return status.st_mode & 0o077 == 0 ? nil : "others may use it"
    }

    /// - Throws: `EEXIST` if the name is taken.
    func makeNewFolder(_ name: String) throws(SystemCallError) {
        try SystemCallError.check("mkdir") { mkdirat(descriptor, name, 0o700) }
        try sync()
    }

    /// Returns the status of the entry of that name. A link is not followed.
    func status(of name: String) throws(SystemCallError) -> PartFile.Status {
        var status = stat()
        try SystemCallError.check("stat") { fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) }
        return PartFile.Status(status)
    }

    func status() throws(SystemCallError) -> PartFile.Status {
        var status = stat()
        try SystemCallError.check("stat") { fstat(descriptor, &status) }
        return PartFile.Status(status)
    }

    func file(_ name: String, flags: CInt, mode: mode_t = 0o600) throws(SystemCallError) -> PartFile {
        let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        return PartFile(
            descriptor: try SystemCallError.check("open") { openat(descriptor, name, flags, mode) })
    }

    func remove(_ name: String) throws(SystemCallError) {
        if unlinkat(descriptor, name, 0) != 0, errno != ENOENT { throw SystemCallError("unlink") }
    }

    func exists(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Makes renames and removals in this folder survive a power cut.
    func sync() throws(SystemCallError) { try SystemCallError.check("fsync") { fsync(descriptor) } }

    func rename(_ name: String, to folder: Folder, as newName: String) throws(SystemCallError) {
        try SystemCallError.check("rename") { renameat(descriptor, name, folder.descriptor, newName) }
    }

    /// - Throws: `EEXIST` if the new name is taken.
    func renameExclusively(_ name: String, to folder: Folder, as newName: String) throws(SystemCallError) {
        #if os(Linux)
            // Creating a link is exclusive. A crash between the two steps leaves one file with both names.
            if linkat(descriptor, name, folder.descriptor, newName, 0) == 0 { return try remove(name) }
            guard errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK else {
                throw SystemCallError("link")
            }
            // On a file system without links: reserves the name with an empty file, then replaces that.
            _ = try folder.file(newName, flags: O_WRONLY | O_CREAT | O_EXCL)
            try rename(name, to: folder, as: newName)
        #else
            try SystemCallError.check("rename") {
                renameatx_np(descriptor, name, folder.descriptor, newName, UInt32(RENAME_EXCL))
            }
        #endif
    }

    /// Returns at most `limit` names of this folder, unsorted.
    func names(limit: Int = .max) throws(SystemCallError) -> [String] {
        let copy = try SystemCallError.check("open") {
            openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let stream = fdopendir(copy) else {
            let error = SystemCallError("opendir")
            close(copy)
            throw error
        }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)
                ) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
