import Foundation

/// The disk or network share that a file is on, as far as it can be away without the file being gone.
enum SourceMedium {
    /// True for what a disk says that is pulled out or broken, and a share whose server does not answer: the file may
    /// be readable again.
    static func isTrouble(_ code: CInt) -> Bool { isTroubleOfDisk(code) || isTroubleOfShare(code) }

    /// The part of it that no connection to a server says of itself.
    static func isTroubleOfDisk(_ code: CInt) -> Bool {
        #if os(Linux)
            // A card that was taken out; a folder that is locked by encryption; a link to a share that was cut.
            if [ENOMEDIUM, EUCLEAN, EREMOTEIO, ENOKEY, EKEYEXPIRED, ENOLINK, ECOMM].contains(code) {
                return true
            }
        #endif
        return [EIO, ENODEV, ENXIO, ESTALE, EBADMSG, EBUSY].contains(code)
    }

    private static func isTroubleOfShare(_ code: CInt) -> Bool {
        // ENOTCONN and ECONNABORTED are said by file systems in user space whose program has ended; EAGAIN by a file
        // that another machine holds a lease on.
        [
            ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENETRESET, ENOTCONN, ECONNABORTED,
            ECONNREFUSED, ECONNRESET, EPIPE, EPROTO, EAGAIN, ENOMEM, ENOBUFS,
        ].contains(code)
    }

    static func isRegularFile(_ path: LocalPath) -> Bool {
        var status = stat()
        return path.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// True if a path leads to no file because its medium is not mounted: what there is of the path is on another
    /// device than the file was.
    static func isAway(_ path: LocalPath, expecting expected: FileIdentity) -> Bool {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) != 0, errno == ENOENT else { return false }
        var folder = path
        repeat {
            guard let parent = folder.parent else { return false }
            folder = parent
            guard folder.withCString({ stat($0, &status) }) == 0 else { continue }
            let device = UInt64(truncatingIfNeeded: status.st_dev)
            return device != expected.device && tellsDevice(device)
        } while errno == ENOENT
        return false
    }

    /// False of file systems whose files are on other devices than their folders: overlays say of a file where it lies
    /// below them, and the subvolumes of btrfs are devices that nothing is mounted from.
    private static func tellsDevice(_ folder: UInt64) -> Bool {
        #if os(Linux)
            let major = (folder >> 8) & 0xFFF | (folder >> 32) & ~0xFFF
            let minor = folder & 0xFF | (folder >> 12) & ~0xFF
            let mounts = FileManager.default.contents(atPath: "/proc/self/mountinfo") ?? Data()
            return String(decoding: mounts, as: UTF8.self).split(separator: "\n").contains { line in
                // proc(5): the device is the third field, the type is the first after a hyphen.
                let fields = line.split(separator: " ")
                guard fields.count > 3, fields[2] == "\(major):\(minor)",
                    let hyphen = fields.lastIndex(of: "-"), hyphen + 1 < fields.count
                else { return false }
                return fields[hyphen + 1] != "overlay"
            }
        #else
            return true
        #endif
    }
}

extension LocalPath {
    /// The folder that the last component is in; nil of the root and of what has no folder before it.
    fileprivate var parent: LocalPath? {
        let slash = UInt8(ascii: "/")
        let trimmed = bytes.reversed().drop { $0 == slash }
        let rest = Array(trimmed.drop { $0 != slash }.reversed())
        guard !trimmed.isEmpty else { return nil }
        return LocalPath(bytes: rest.isEmpty ? Array(".".utf8) : rest)
    }
}
