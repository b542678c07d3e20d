import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The rights of the user who runs the tests, and ways to drop them.
enum Privilege {
    static let isRoot = geteuid() == 0

    /// Words before a command that take away root's right to look into everything; none for another user.
    static var without: [String] {
        isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
    }

    /// Whether a program is in the PATH.
    static func has(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // Spelled out: left alone, the compiler splits into arrays of characters, which are no folders.
        let folders: [String] = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return folders.contains { folder in
            FileManager.default.isExecutableFile(atPath: "\(folder)/\(program)")
        }
    }
}
