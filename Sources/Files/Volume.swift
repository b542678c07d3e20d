import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests whether an error or a missing file is caused by an unavailable disk or network share, whose files can possibly
/// be read later.
package enum Volume {
    /// True if file I/O returns this error for an unavailable disk or network share.
    package static func isTrouble(_ code: Errno) -> Bool { isTroubleOfDisk(code) || isTroubleOfShare(code) }

    /// True if a socket cannot return the error, so that the file and not the connection has failed.
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

    /// True if the file at `path` is missing because its disk or share is not mounted: the nearest existing folder has
    /// another device than the file had.
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

    /// True if each file on the device has the device number of its folder, unlike in an overlay file system. False if
    /// the mount table lacks the device, for example a btrfs subvolume.
    private static func tellsDevice(_ folder: UInt64) -> Bool {
        #if os(Linux)
            guard let kind = MountTable.current?.kind(of: folder) else { return false }
            return kind.name != "overlay"
        #else
            true
        #endif
    }
}
