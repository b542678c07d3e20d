import FerryProtocols
import Foundation
import Synchronization

extension SourceFile {
    /// Refuses what only looks like a file: what the kernel makes up when it is read has neither a size nor an end
    /// that can be relied upon.
    static func checkMedium(_ identity: FileIdentity, _ path: LocalPath) throws(UploadFailure) {
        if MadeUpFiles.system.hold(identity.device) { throw unreadable(path, "is not a file on a disk") }
    }
}

/// The file systems that the kernel makes up, by their device numbers. Asked of the table of mounts, since `fstatfs(2)`
/// is not to be had from Swift.
final class MadeUpFiles: Sendable {
    static let system = MadeUpFiles { FileManager.default.contents(atPath: "/proc/self/mountinfo") }

    private static let kinds: Set<String> = [
        "proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs", "bpf",
        "efivarfs",
        "pstore", "selinuxfs", "binfmt_misc", "nsfs",
    ]

    private let mounts: @Sendable () -> Data?
    /// Devices that are something else. What is made up is looked for anew each time: a number may be given again.
    private let others = Mutex<Set<UInt64>>([])

    /// - Parameter mounts: As proc_pid_mountinfo(5) has it; nil where there is no such table.
    init(mounts: @escaping @Sendable () -> Data?) { self.mounts = mounts }

    func hold(_ device: UInt64) -> Bool {
        if others.withLock({ $0.contains(device) }) { return false }
        // As glibc puts them into one number.
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        let isMadeUp =
            Self.kind(of: "\(major):\(minor)", in: mounts() ?? Data()).map(Self.kinds.contains) ?? false
        if !isMadeUp { others.withLock { _ = $0.insert(device) } }
        return isMadeUp
    }

    /// The type of the file system with a number, which stands third; the type stands after a lone hyphen.
    private static func kind(of number: String, in table: Data) -> String? {
        for line in table.split(separator: 0x0A) {
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 2, fields[2] == number, let hyphen = fields.firstIndex(of: "-") else {
                continue
            }
            return fields[(hyphen + 1)...].first.map(String.init)
        }
        return nil
    }
}
