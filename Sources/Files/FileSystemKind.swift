/// The kind of file system a folder is on, by its name: as Linux's `mountinfo` and Darwin's `statfs(2)` have it.
package struct FileSystemKind: Hashable, Sendable {
    package let name: String

    package init(name: String) { self.name = name }

    /// True if its files are on another machine, or on the host of a virtual one.
    package var isRemote: Bool {
        // Of FUSE it cannot be known where its files are; these are known to keep them on this machine.
        if name == "fuse" || name.hasPrefix("fuse.") { return !Self.localFUSE.contains(name) }
        return Self.remote.contains(name)
    }

    private static let remote: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "lustre", "afs", "coda", "gfs2", "ocfs2",
        "gpfs",
        "orangefs", "pvfs2", "panfs", "beegfs", "ncpfs", "virtiofs", "vboxsf", "prl_fs", "vmhgfs", "drvfs",
        "davfs", "afpfs", "webdav", "ftp", "macfuse", "osxfuse", "osxfusefs",
    ]

    private static let localFUSE: Set<String> = [
        "fuse.ntfs-3g", "fuse.ntfs", "fuse.exfat", "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs",
        "fuse.cryfs", "fuse.bindfs", "fuse.fuse-overlayfs", "fuse.squashfuse", "fuse.ext2fs", "fuse.fuse2fs",
    ]

    /// File systems of this machine that grant a lease whenever nobody has the file open to write to it. Those of a
    /// network refuse for reasons of their own.
    private static let leasing: Set<String> = [
        "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay", "zfs", "bcachefs", "jfs",
        "nilfs2", "vfat", "exfat", "ntfs3", "ramfs",
    ]

    /// True if `FileDescriptor.hasWriters` can be asked of a file there.
    package static func tellsWriters(_ path: LocalPath, _ device: UInt64) -> Bool {
        holding(path, device).map { leasing.contains($0.name) } ?? false
    }

    /// The file system of a folder; nil if the system does not tell.
    ///
    /// - Parameters:
    ///   - path: Without a symbolic link on it.
    ///   - device: Its number. Some file systems have numbers that the table does not know.
    package static func holding(_ path: LocalPath, _ device: UInt64) -> FileSystemKind? {
        guard let table = MountTable.current else { return nil }
        return table.kind(of: device) ?? table.kind(above: path)
    }
}
