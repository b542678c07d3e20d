import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The disk or network share of a file. It may be temporarily unavailable although the file still exists.
package enum Volume {
    /// True for the errno values of a disk that is unplugged or broken, and of a share whose server does not respond:
    /// the file may be readable later.
    package static func isTrouble(_ code: Errno) -> Bool { isTroubleOfDisk(code) || isTroubleOfShare(code) }

    /// True for those errno values of `isTrouble` that only file I/O returns, never a socket.
    package static func isTroubleOfDisk(_ code: Errno) -> Bool {
        #if os(Linux)
            // A removed card; a folder locked by encryption; a broken link to a share.
            if [ENOMEDIUM, EUCLEAN, EREMOTEIO, ENOKEY, EKEYEXPIRED, ENOLINK, ECOMM].contains(code.rawValue) {
                return true
            }
        #endif
        return [EIO, ENODEV, ENXIO, ESTALE, EBADMSG, EBUSY].contains(code.rawValue)
    }

    private static func isTroubleOfShare(_ code: Errno) -> Bool {
        // A FUSE file system whose program has ended returns ENOTCONN and ECONNABORTED. A file under the lease of
        // another machine returns EAGAIN.
        [
            ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENETRESET, ENOTCONN, ECONNABORTED,
            ECONNREFUSED, ECONNRESET, EPIPE, EPROTO, EAGAIN, ENOMEM, ENOBUFS,
        ].contains(code.rawValue)
    }

    /// True if there is no file at `path` because its disk or share is not mounted. The sign of this is that the
    /// nearest existing folder of the path is on another device than the file was.
    ///
    /// - Parameter expected: The last known identity of the file.
    package static func isAway(_ path: LocalPath, expecting expected: FileIdentity) -> Bool {
        var folder = path
        do throws(SystemCallError) {
            _ = try FileStatus(path, follows: true)
            return false
        } catch {
            guard error.code == .noSuchFileOrDirectory else { return false }
        }
        while let parent = folder.parent {
            folder = parent
            do throws(SystemCallError) {
                let device = try FileStatus(folder, follows: true).identity.device
                return device != expected.device && tellsDevice(device)
            } catch {
                guard error.code == .noSuchFileOrDirectory else { return false }
            }
        }
        return false
    }

    /// True if files on this device report the same device number as their folder. False for an overlay file system,
    /// where a file reports the device of the lower layer. Also false for a device that is not in the mount table, such
    /// as a btrfs subvolume.
    private static func tellsDevice(_ folder: UInt64) -> Bool {
        #if os(Linux)
            guard let kind = MountTable.current?.kind(of: folder) else { return false }
            return kind.name != "overlay"
        #else
            true
        #endif
    }
}
