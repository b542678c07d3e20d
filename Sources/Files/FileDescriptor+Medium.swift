import CFerryFiles
package import SystemPackage

extension FileDescriptor {
    /// True if the open file is known to be on a local file system, so that a system call on it needs no network. It is
    /// always false on systems other than Linux.
    package var isOnLocalDisk: Bool {
        #if os(Linux)
            var status = statfs()
            guard fstatfs(rawValue, &status) == 0 else { return false }
            // linux/magic.h: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs.
            return [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994].contains(Int(status.f_type))
        #else
            false
        #endif
    }
}
