/// The kind of a file system, by its name in Linux's `mountinfo` or Darwin's `statfs(2)`.
package struct FileSystemKind: Hashable, Sendable {
    package let name: String

    package init(name: String) { self.name = name }

    /// True if the files are on another machine, or on the host of this virtual one.
    package var isRemote: Bool {
        // A FUSE name does not show where the files are; those in `localFUSE` are on this machine.
        if name == "fuse" || name.hasPrefix("fuse.") { return !Self.localFUSE.contains(name) }
        return Self.remote.contains(name)
    }

    private static let remote: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "lustre", "afs", "coda", "gfs2", "ocfs2",
        "gpfs", "orangefs", "pvfs2", "panfs", "beegfs", "ncpfs", "virtiofs", "vboxsf", "prl_fs", "vmhgfs",
        "drvfs", "davfs", "afpfs", "webdav", "ftp", "macfuse", "osxfuse", "osxfusefs",
    ]

    private static let localFUSE: Set<String> = [
        "fuse.ntfs-3g", "fuse.ntfs", "fuse.exfat", "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs",
        "fuse.cryfs", "fuse.bindfs", "fuse.fuse-overlayfs", "fuse.squashfuse", "fuse.ext2fs", "fuse.fuse2fs",
    ]

    /// The local file systems that grant a lease (fcntl(2)) whenever no process has the file open for writing.
    private static let leasing: Set<String> = [
        "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay", "zfs", "bcachefs", "jfs",
        "nilfs2", "vfat", "exfat", "ntfs3", "ramfs",
    ]

    /// True if `FileDescriptor.hasWriters` is reliable for a file, because the file system grants leases.
    package static func tellsWriters(_ path: LocalPath, _ device: UInt64) -> Bool {
        holding(path, device).map { leasing.contains($0.name) } ?? false
    }

    /// Returns the kind of a folder's file system, by its path without links if the mount table lacks its device.
    package static func holding(_ path: LocalPath, _ device: UInt64) -> FileSystemKind? {
        guard let table = MountTable.current else { return nil }
        return table.kind(of: device) ?? table.kind(above: path)
    }
}
