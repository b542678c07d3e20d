import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity and version of a file: equal before and after means that the same bytes were read.
///
/// Taken from `fstat(2)` of an open descriptor. The change time catches a modification time that was set back.
public struct FileIdentity: Hashable, Codable, Sendable {
    /// `st_dev`: the file system.
    public var device: UInt64
    /// `st_ino`: the file within it. A file that was replaced by another of the same name has another.
    public var inode: UInt64
    /// Bytes.
    public var size: Int64
    /// Nanoseconds since 1970.
    public var modified: Int64
    /// Nanoseconds since 1970.
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
    /// The identity of the regular file with this name, without opening it or following a link; nil for anything else.
    package static func ofName(_ path: LocalPath) -> FileIdentity? {
        guard let status = FileStatus.of(path, follows: false), status.kind == .file else { return nil }
        return status.identity
    }

    /// True for the same bytes under another device number, mode, owner or name: a medium may come back as another
    /// device, and all else leaves the content alone.
    package func isSameContent(as other: FileIdentity) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }
}
