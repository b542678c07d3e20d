import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity and version of a file, from `stat(2)`. If it is equal before and after a read, the file did not change.
///
/// The change time reveals a modification time that was set back.
public struct FileIdentity: Hashable, Codable, Sendable {
    /// The number of the file system (`st_dev`).
    public var device: UInt64
    /// The number of the file within the file system (`st_ino`), new for a file that replaces this one.
    public var inode: UInt64
    /// The size in bytes.
    public var size: Int64
    /// The modification time in nanoseconds since 1970.
    public var modified: Int64
    /// The change time (`st_ctim`) in nanoseconds since 1970.
    public var changed: Int64

    public init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    init(_ status: Stat) {
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        self.init(
            device: UInt64(truncatingIfNeeded: status.deviceID.rawValue),
            inode: UInt64(truncatingIfNeeded: status.inode.rawValue), size: status.size,
            modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
            changed: Int64(changed.tv_sec) &* 1_000_000_000 &+ Int64(changed.tv_nsec))
    }
}

extension FileIdentity {
    /// Returns the identity of the regular file at this path, without following a symbolic link.
    package static func ofName(_ path: LocalPath) -> FileIdentity? {
        guard let status = FileStatus.of(path, follows: false), status.kind == .file else { return nil }
        return status.identity
    }

    /// True if the inode, size and modification time are equal, so that the content counts as equal. A disk may get
    /// another device number when it is mounted again; a new mode, owner or name changes the change time.
    package func isSameContent(as other: FileIdentity) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }
}
