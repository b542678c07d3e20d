import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The privileges of the user who runs the tests, and ways to drop them.
enum Privilege {
    static let isRoot = geteuid() == 0

    /// The words to put before a command to remove root's right to read every file; empty for other users.
    static var without: [String] {
        isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
    }

    /// Returns true if a program is in `PATH`.
    static func has(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // Without the type annotation, the compiler would split the path into characters.
        let folders: [String] = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return folders.contains { folder in
            FileManager.default.isExecutableFile(atPath: "\(folder)/\(program)")
        }
    }
}
