import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The disk or network share that a file is on, as far as it can be away without the file being gone.
package enum Volume {
    /// True for what a disk says that is pulled out or broken, and a share whose server does not answer: the file may
    /// be readable again.
    package static func isTrouble(_ code: Errno) -> Bool { isTroubleOfDisk(code) || isTroubleOfShare(code) }

    /// The part of it that no connection to a server says of itself.
    package static func isTroubleOfDisk(_ code: Errno) -> Bool {
        #if os(Linux)
            // A card that was taken out; a folder that is locked by encryption; a link to a share that was cut.
            if [ENOMEDIUM, EUCLEAN, EREMOTEIO, ENOKEY, EKEYEXPIRED, ENOLINK, ECOMM].contains(code.rawValue) {
                return true
            }
        #endif
        return [EIO, ENODEV, ENXIO, ESTALE, EBADMSG, EBUSY].contains(code.rawValue)
    }

    private static func isTroubleOfShare(_ code: Errno) -> Bool {
        // ENOTCONN and ECONNABORTED are said by file systems in user space whose program has ended; EAGAIN by a file
        // that another machine holds a lease on.
        [
            ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENETRESET, ENOTCONN, ECONNABORTED,
            ECONNREFUSED, ECONNRESET, EPIPE, EPROTO, EAGAIN, ENOMEM, ENOBUFS,
        ].contains(code.rawValue)
    }

    /// True if a path leads to no file because its medium is not mounted: what there is of the path is on another
    /// device than the file was.
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

    /// False of file systems whose files are on other devices than their folders: overlays say of a file where it lies
    /// below them, and the subvolumes of btrfs are devices that nothing is mounted from.
    private static func tellsDevice(_ folder: UInt64) -> Bool {
        #if os(Linux)
            guard let kind = MountTable.current?.kind(of: folder) else { return false }
            return kind.name != "overlay"
        #else
            true
        #endif
    }
}
