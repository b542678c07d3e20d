/// The kind of file system a folder is on, by its name: as Linux's `mountinfo` and Darwin's `statfs(2)` have it.
struct FileSystemKind: Hashable {
    let name: String

    /// True if its files are on another machine, or on the host of a virtual one.
    var isRemote: Bool {
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

    /// The file system that is mounted with this device number; nil if the text does not name it.
    ///
    /// - Parameter table: As in `proc_pid_mountinfo(5)`: `36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw`.
    static func mounted(_ device: UInt64, in table: String) -> FileSystemKind? {
        // As the kernel packs them for user space (glibc's gnu_dev_major and gnu_dev_minor).
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == "\(major):\(minor)", let mark = fields.firstIndex(of: "-"),
                mark + 1 < fields.count
            else { continue }
            return FileSystemKind(name: String(fields[mark + 1]))
        }
        return nil
    }
}
