import FerryTransfer
import Foundation

extension FileSystemKind {
    /// File systems of this machine that grant a lease whenever nobody has the file open to write to it. Those of a
    /// network refuse for reasons of their own.
    private static let leasing: Set<String> = [
        "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay", "zfs", "bcachefs", "jfs",
        "nilfs2",
        "vfat", "exfat", "ntfs3", "ramfs",
    ]

    static func tellsWriters(_ path: LocalPath, _ device: UInt64) -> Bool {
        holding(path, device).map { leasing.contains($0.name) } ?? false
    }

    /// What a folder is on; nil if the system does not tell.
    ///
    /// - Parameters:
    ///   - path: Without a symbolic link on it.
    ///   - device: Its number. Some file systems have numbers that the table does not know.
    static func holding(_ path: LocalPath, _ device: UInt64) -> FileSystemKind? {
        guard let table = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return nil }
        let text = String(decoding: table, as: UTF8.self)
        return mounted(device, in: text) ?? mounted(above: path, in: text)
    }

    /// The file system that is mounted the nearest above a path.
    static func mounted(above path: LocalPath, in table: String) -> FileSystemKind? {
        var nearest: (length: Int, name: Substring)?
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 5, let mark = fields.firstIndex(of: "-"), mark + 1 < fields.count else {
                continue
            }
            // A space in it is written \040, and so on.
            let place = LocalPath(String(fields[4]).replacing("\\040", with: " "))
            guard place == path || path.isBelow(place), place.bytes.count >= nearest?.length ?? 0 else {
                continue
            }
            nearest = (place.bytes.count, fields[mark + 1])
        }
        return nearest.map { FileSystemKind(name: String($0.name)) }
    }
}
