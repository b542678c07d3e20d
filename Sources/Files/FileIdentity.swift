import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity and version of a file. If it is equal before and after reading, the same bytes were read.
///
/// The values come from `fstat(2)` of an open descriptor. The change time reveals a modification time that was set
/// back.
public struct FileIdentity: Hashable, Codable, Sendable {
    /// The file system (`st_dev`).
    public var device: UInt64
    /// The number of the file within the file system (`st_ino`). A replacement of the same name has another number.
    public var inode: UInt64
    /// The size in bytes.
    public var size: Int64
    /// The modification time in nanoseconds since 1970.
    public var modified: Int64
    /// The change time in nanoseconds since 1970.
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
            inode: UInt64(truncatingIfNeeded: status.inode.rawValue),
            size: status.size,
            modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
            changed: Int64(changed.tv_sec) &* 1_000_000_000 &+ Int64(changed.tv_nsec))
    }
}

extension FileIdentity {
    /// The identity of the regular file with this name, without opening it or following a link; nil for any other kind.
    package static func ofName(_ path: LocalPath) -> FileIdentity? {
        guard let status = FileStatus.of(path, follows: false), status.kind == .file else { return nil }
        return status.identity
    }

    /// True if the content is the same, whatever the device number, mode, owner or name: a medium may come back as
    /// another device, and the other values do not affect the content.
    package func isSameContent(as other: FileIdentity) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }
}
