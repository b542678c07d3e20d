import Foundation

/// A file system in an image file. `cutPower` discards everything that is not yet on its disk.
final class LoopDisk {
    enum Kind: String, CaseIterable { case ext4, xfs }

    struct CannotCut: Error {
        var code: Int32
    }

    let kind: Kind
    /// The mount point.
    let path: String
    private let image: String
    private var isMounted = false

    /// Makes an image below `parent` and mounts it.
    init(_ kind: Kind, in parent: String) throws {
        self.kind = kind
        path = parent + "/" + kind.rawValue
        image = path + ".image"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        switch kind {
        case .ext4:
            try Child.output(of: ["truncate", "-s", "64M", image])
            try Child.output(of: [
                "mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image,
            ])
        case .xfs:
            // mkfs.xfs refuses smaller images.
            try Child.output(of: ["truncate", "-s", "320M", image])
            try Child.output(of: ["mkfs.xfs", "-q", "-f", image])
        }
        try mount()
    }

    deinit {
        try? unmount()
        try? FileManager.default.removeItem(atPath: image)
    }

    private func mount() throws {
        try Child.output(of: ["mount", "-t", kind.rawValue, "-o", "loop", image, path])
        isMounted = true
    }

    private func unmount() throws {
        guard isMounted else { return }
        // A killed program may still have writes under way.
        for attempt in 0..<50 {
            if (try? Child.output(of: ["umount", path])) != nil {
                isMounted = false
                return
            }
            usleep(UInt32(1000 * (attempt + 1)))
        }
        throw Child.Failure(command: "umount \(path)")
    }

    /// Shuts the file system down without flushing its log, by the ioctl `XFS_IOC_GOINGDOWN` (ext4 has the same).
    func cutPower() throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CannotCut(code: errno) }
        defer { close(descriptor) }
        // _IOR('X', 125, uint32_t) with 2: no flush of the log.
        var flag: UInt32 = 2
        let result = withUnsafeMutablePointer(to: &flag) {
            ioctl(descriptor, 0x8004_587D, UnsafeMutableRawPointer($0))
        }
        guard result == 0 else { throw CannotCut(code: errno) }
    }

    /// Mounts the file system again, with what was on its disk.
    func restart() throws {
        try unmount()
        try mount()
    }

    /// Syncs another file on the disk. This also writes the folder's names to disk, but not the contents of other
    /// files.
    func syncOther() throws {
        let descriptor = open(path + "/other", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CannotCut(code: errno) }
        defer { close(descriptor) }
        guard Foundation.write(descriptor, "x", 1) == 1, fsync(descriptor) == 0 else {
            throw CannotCut(code: errno)
        }
    }

    /// True if this user and machine can make and mount each kind of file system.
    static let isPossible: Bool = {
        guard geteuid() == 0, access("/dev/loop-control", R_OK | W_OK) == 0,
            (try? Child.output(of: ["unshare", "--mount", "true"])) != nil
        else { return false }
        return Kind.allCases.allSatisfy { (try? Child.output(of: ["mkfs.\($0.rawValue)", "-V"])) != nil }
    }()
}
