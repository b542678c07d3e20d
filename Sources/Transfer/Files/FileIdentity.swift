public import FerryProtocols

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which file, and which version of it: equal before and after means that the same bytes were read.
///
/// Taken from `fstat(2)` of an open descriptor. The change time catches a modification time that was set back.
public struct FileIdentity: Hashable, Codable, Sendable {
    /// `st_dev`: the file system.
    public var device: UInt64
    /// `st_ino`: the file within it. A file that was replaced by another of the same name has another.
    public var inode: UInt64
    /// Bytes.
    public var size: ByteCount
    /// Nanoseconds since 1970.
    public var modified: Int64
    /// Nanoseconds since 1970.
    public var changed: Int64

    public init(device: UInt64, inode: UInt64, size: ByteCount, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    init(_ status: stat) {
        #if os(Linux)
            let (modified, changed) = (status.st_mtim, status.st_ctim)
        #else
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #endif
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino),
            size: ByteCount(status.st_size),
            modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
            changed: Int64(changed.tv_sec) &* 1_000_000_000 &+ Int64(changed.tv_nsec))
    }
}

extension FileIdentity {
    /// What has this name itself, without opening it or following a link; nil if that is no regular file.
    package static func ofName(_ path: LocalPath) -> FileIdentity? {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return FileIdentity(status)
    }

    /// True for the same bytes under another device number, mode, owner or name: a medium may come back as another
    /// device, and all else leaves the content alone.
    package func isSameContent(as other: FileIdentity) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }
}
