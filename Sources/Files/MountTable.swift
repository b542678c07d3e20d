import Synchronization

/// The mounted file systems, as listed by `proc_pid_mountinfo(5)`:
/// `36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw`.
package struct MountTable: Sendable {
    private struct Mount {
        var device: Substring
        var mountPoint: LocalPath
        var kind: FileSystemKind
    }

    private let mounts: [Mount]

    package init(_ text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 6, let mark = fields.dropFirst(6).firstIndex(of: "-"),
                mark + 1 < fields.count
            else { return nil }
            return Mount(
                device: fields[2], mountPoint: LocalPath(Self.unescaped(fields[4])),
                kind: FileSystemKind(name: String(fields[mark + 1])))
        }
    }

    /// Returns the field without the octal escapes of a space, tab, line feed and backslash.
    private static func unescaped(_ field: Substring) -> String {
        guard field.utf8.contains(UInt8(ascii: "\\")) else { return String(field) }
        return [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")].reduce(String(field)) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    /// The mounts that this process sees; nil without `/proc/self/mountinfo`.
    package static var current: MountTable? {
        LocalPath("/proc/self/mountinfo").content(upTo: 16 << 20).map {
            MountTable(String(decoding: $0, as: UTF8.self))
        }
    }

    /// Returns the kind of the file system with this device number.
    package func kind(of device: UInt64) -> FileSystemKind? {
        // Unpacked as in glibc's gnu_dev_major and gnu_dev_minor.
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        let number = "\(major):\(minor)"
        return mounts.first { $0.device == number }?.kind
    }

    /// Returns the kind of the file system of a path without symbolic links. Of several mounts at one point, the last
    /// covers the others.
    package func kind(above path: LocalPath) -> FileSystemKind? {
        var nearest: Mount?
        for mount in mounts
        where (mount.mountPoint == path || path.isBelow(mount.mountPoint))
            && mount.mountPoint.bytes.count >= nearest?.mountPoint.bytes.count ?? 0
        {
            nearest = mount
        }
        return nearest?.kind
    }
}

/// The file systems whose files the kernel generates when they are read, with a wrong or missing length.
package enum PseudoFileSystems {
    private static let kinds: Set<String> = [
        "proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs", "bpf",
        "efivarfs", "pstore", "selinuxfs", "binfmt_misc", "nsfs",
    ]
    /// The known device numbers of other file systems. The kernel can reuse that of a pseudo file system.
    private static let others = Mutex<Set<UInt64>>([])

    /// True if the device number belongs to a pseudo file system in the mount table.
    package static func hold(_ device: UInt64) -> Bool {
        if others.withLock({ $0.contains(device) }) { return false }
        // If the table cannot be read, a descriptor may be free again at the next call.
        guard let table = MountTable.current else { return false }
        let isPseudo = table.kind(of: device).map { kinds.contains($0.name) } ?? false
        if !isPseudo { others.withLock { _ = $0.insert(device) } }
        return isPseudo
    }
}
