import FerryTransfer

/// The default paths of Ferry's files (XDG Base Directory Specification), and functions for paths and small files.
enum LocalFiles {
    static var configuration: String { folder("XDG_CONFIG_HOME", default: ".config") + "/ferry/config.json" }
    static var state: String { folder("XDG_STATE_HOME", default: ".local/state") + "/ferry" }

    /// The path of the configuration if `XDG_CONFIG_HOME` is not set.
    static var usualConfiguration: String { home + "/.config/ferry/config.json" }
    /// The path of the state folder if `XDG_STATE_HOME` is not set.
    static var usualState: String { home + "/.local/state/ferry" }

    /// Returns the path with a leading `~` replaced by the home folder.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return home + path.dropFirst(1)
    }

    /// Returns the absolute path of a file that the configuration names. A relative path starts in the home folder: the
    /// working directory possibly belongs to another user.
    static func configured(_ path: String) -> String {
        let path = expanded(path)
        return path.hasPrefix("/") ? path : "\(home)/\(path)"
    }

    /// Returns the absolute path of a program that the configuration names. A name without a slash stays unchanged, and
    /// so does a word such as `LANG=C`, which env(1) takes for a variable.
    static func program(_ name: String) -> String {
        let path = expanded(name)
        return path.prefix { $0 != "=" }.contains("/") ? configured(path) : path
    }

    /// The working directory of configured commands: the home folder, or `/` if this user cannot enter it or others can
    /// create files in it. Programs such as Python load files from their working directory.
    static var commandFolder: String {
        let isUsable =
            FileManager.default.isExecutableFile(atPath: home) && PathTrust.isClosed(LocalPath(home))
        return isUsable ? home : "/"
    }

    /// Returns the absolute path, with a leading `~` replaced by the home folder, and `.` and `..` resolved.
    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: expanded(path)).standardizedFileURL.path
    }

    /// Returns the paths that the user gave as arguments, with the bytes that the argument parser replaced by U+FFFD
    /// because they are not UTF-8. Otherwise a leading `~` becomes the home folder.
    static func argumentPaths(_ paths: [String]) -> [LocalPath] {
        var damaged: [String: [[UInt8]]] = [:]
        for argument in CommandLine.rawArguments {
            let text = String(decoding: argument, as: UTF8.self)
            if text.contains("\u{FFFD}") { damaged[text, default: []].append(argument) }
        }
        return paths.map { path in
            guard var candidates = damaged[path], !candidates.isEmpty else {
                return LocalPath(expanded(path))
            }
            defer { damaged[path] = candidates }
            return LocalPath(bytes: candidates.removeFirst())
        }
    }

    /// Returns the permission bits of a file, following symbolic links; nil if stat(2) fails.
    static func mode(of path: String) -> UInt32? { FileStatus.of(LocalPath(path), follows: true)?.mode }

    /// The maximum size in bytes of a configuration file, or of a file with a secret.
    static let sizeLimit = 1 << 20

    /// Reads a file or a pipe; nil if it cannot be read. The caller must refuse more bytes than `sizeLimit`.
    /// - Parameter waitsForWriter: False if a pipe without a writer (FIFO) is empty, and not waited for.
    static func content(of path: String, waitsForWriter: Bool = true) -> Data? {
        LocalPath(path).content(upTo: sizeLimit + 1, waitsForWriter: waitsForWriter).map { Data($0) }
    }

    /// Returns whether the path is a folder, following symbolic links; nil if stat(2) fails.
    static func isFolder(_ path: String) -> Bool? {
        FileStatus.of(LocalPath(path), follows: true).map { $0.kind == .folder }
    }

    static var home: String {
        ProcessInfo.processInfo.environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? FileManager.default.homeDirectoryForCurrentUser.path
    }

    private static func folder(_ variable: String, default name: String) -> String {
        // The XDG specification says to ignore relative values.
        if let set = ProcessInfo.processInfo.environment[variable], set.hasPrefix("/") { return set }
        return "\(home)/\(name)"
    }
}

extension CommandLine {
    /// The arguments as the system passed them, without the program's name.
    fileprivate static var rawArguments: [[UInt8]] {
        (1..<max(1, Int(argc))).compactMap { index in
            unsafeArgv[index].map { start in
                Array(UnsafeRawBufferPointer(start: start, count: (0...).first { start[$0] == 0 } ?? 0))
            }
        }
    }
}
