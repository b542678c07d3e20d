import Foundation

/// Where Ferry's own files are, by the XDG base directory specification.
enum LocalFiles {
    static var configuration: String { folder("XDG_CONFIG_HOME", default: ".config") + "/ferry/config.json" }
    static var state: String { folder("XDG_STATE_HOME", default: ".local/state") + "/ferry" }

    /// The path with a leading `~` replaced by the home folder.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return home + path.dropFirst(1)
    }

    /// The permission bits and type of a file; nil if it cannot be looked at.
    static func mode(of path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt32(status.st_mode) : nil
    }

    static var home: String {
        ProcessInfo.processInfo.environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
    }

    private static func folder(_ variable: String, default name: String) -> String {
        // The specification wants relative values ignored.
        if let set = ProcessInfo.processInfo.environment[variable], set.hasPrefix("/") { return set }
        return "\(home)/\(name)"
    }
}
