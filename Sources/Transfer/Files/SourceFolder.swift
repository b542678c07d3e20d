package import FerryProtocols

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder that is open: what is found in it is found there, whatever takes its name meanwhile. Symbolic links are
/// seen and never followed.
package final class SourceFolder: Sendable {
    /// What a name in a folder is, itself.
    package enum Kind: Hashable, Sendable {
        case file, folder, link
        /// A device, a pipe or a socket.
        case special
        /// Gone since it was listed, or not to be looked at.
        case missing
    }

    /// By which it was found.
    package let path: LocalPath
    private let descriptor: CInt
    /// `st_dev`: the file system it is on.
    package let device: UInt64
    private let inode: UInt64

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW

    /// - Parameter path: Without a symbolic link on it, as `LocalPath.resolved()` gives it.
    /// - Throws: `UploadFailure` (`sourceUnreadable`) that names the path and the reason.
    package convenience init(_ path: LocalPath) throws(UploadFailure) {
        try self.init(path, opened: path.withCString { open($0, Self.flags) })
    }

    private init(_ path: LocalPath, opened: CInt) throws(UploadFailure) {
        guard opened >= 0 else { throw SourceFile.failure(path, errno) }
        var status = stat()
        guard fstat(opened, &status) == 0 else {
            let code = errno
            close(opened)
            throw SourceFile.failure(path, code)
        }
        self.path = path
        descriptor = opened
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    deinit { close(descriptor) }

    /// True if both are one folder, which a mount can show at two places.
    package func isSame(as other: SourceFolder) -> Bool { device == other.device && inode == other.inode }

    /// The names in it, as bytes: names need not be UTF-8, and Foundation loses those that are not. Sorted by bytes,
    /// without `.` and `..`.
    /// - Throws: as `init`.
    package func names() throws(UploadFailure) -> [[UInt8]] {
        // A stream owns its descriptor, and the place in it.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw SourceFile.failure(path, errno) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw SourceFile.failure(path, code)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in Array(raw.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw SourceFile.failure(path, errno) }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// - Parameter name: One of `names()`.
    package func kind(of name: [UInt8]) -> Kind {
        var status = stat()
        let result = LocalPath(bytes: name).withCString {
            fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
        }
        guard result == 0 else { return .missing }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .special
        }
    }

    /// The file system of a folder, or of the nearest one above it that is there.
    package static func device(holding folder: LocalPath) -> UInt64? {
        var end = folder.bytes.count
        while true {
            var status = stat()
            let place = LocalPath(bytes: end == 0 ? [0x2F] : Array(folder.bytes[..<end]))
            if place.withCString({ stat($0, &status) }) == 0 {
                return UInt64(truncatingIfNeeded: status.st_dev)
            }
            guard end > 0, let slash = folder.bytes[..<end].lastIndex(of: 0x2F) else { return nil }
            end = slash
        }
    }

    /// Which version of a regular file has a name in it, without opening it; nil if there is none to be seen.
    package func version(named name: [UInt8]) -> FileIdentity? {
        var status = stat()
        let result = LocalPath(bytes: name).withCString {
            fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
        }
        return result == 0 && status.st_mode & S_IFMT == S_IFREG ? FileIdentity(status) : nil
    }

    /// - Throws: as `init`.
    package func folder(named name: [UInt8]) throws(UploadFailure) -> SourceFolder {
        let opened = LocalPath(bytes: name).withCString { openat(descriptor, $0, Self.flags) }
        return try SourceFolder(path.appending(name), opened: opened)
    }

    /// Which version of a file is there.
    /// - Throws: as `SourceFile.init`.
    package func identity(ofFile name: [UInt8]) throws(UploadFailure) -> FileIdentity {
        let path = path.appending(name)
        guard path.bytes.count < PATH_MAX else {
            throw SourceFile.failure(path, ENAMETOOLONG)
        }
        let opened = LocalPath(bytes: name).withCString {
            openat(descriptor, $0, PathWalk.fileFlags | O_NOFOLLOW)
        }
        guard opened >= 0 else { throw SourceFile.failure(path, errno) }
        return try SourceFile(path, opened: opened).identity
    }
}
