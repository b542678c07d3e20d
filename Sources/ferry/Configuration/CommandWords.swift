import FerryFiles

/// Finds the paths in a configured command, so that Ferry can check that no other user can change them.
enum CommandWords {
    /// Returns the absolute paths that the words of a command name, without its own streams such as `/dev/stdin`.
    /// Includes a path such as `/a` or `~/a` even if no file exists there, because another user can possibly create it.
    static func paths(in words: [String]) -> [String] {
        var paths: [String] = []
        var previous = ""
        for word in words {
            // env(1) splits the value of its option -S into words.
            let isSplit =
                previous.hasPrefix("--s") && "--split-string".hasPrefix(previous)
                || previous.hasPrefix("-") && previous.hasSuffix("S")
            let parts =
                isSplit || word.hasPrefix("-")
                ? word.split { $0.isWhitespace || $0 == "'" || $0 == "\"" } : []
            for path in ([word] + parts.map { String($0) }).flatMap(Self.paths(inWord:))
            where !paths.contains(path) && !isStream(path) {
                paths.append(path)
            }
            previous = word
        }
        return paths
    }

    /// Returns the paths that one word possibly names, such as `/b` for `a=/b`, `-f/b` and `@/b`. Does not search the
    /// text of a shell script, such as the word after `sh -c`.
    private static func paths(inWord word: String) -> [String] {
        var names = [word]
        if let equals = word.firstIndex(of: "=") { names.append(String(word[word.index(after: equals)...])) }
        if word.hasPrefix("-") { names.append(String(word.dropFirst(2))) }
        if word.hasPrefix("@") { names.append(String(word.dropFirst())) }
        var paths = names.flatMap(Self.paths(named:)) + searched(by: word)
        if let slash = word.firstIndex(of: "/"), !word.contains(where: \.isWhitespace) {
            let rest = String(word[slash...])
            if kind(of: rest) == .file { paths.append(rest) }
        }
        return paths
    }

    /// Returns the path in a text, the paths in a list such as `/a.jar:/b.jar`, or the existing files in `host:/b`.
    private static func paths(named name: String) -> [String] {
        let isPath = ["/", "~/", "./", "../"].contains { name.hasPrefix($0) }
        let parts = name.split { $0 == ":" || $0 == "," }.map { String($0) }.filter { $0.hasPrefix("/") }
        var paths = isPath ? parts : parts.filter { kind(of: $0) == .file }
        // A colon or comma may be a part of a file's name, so the whole text may be one path.
        let isList = parts.first.map { kind(of: $0) != nil } ?? false
        if !name.isEmpty, kind(of: name) != nil || isPath && !isList {
            paths.append(LocalFiles.configured(name))
        }
        return paths
    }

    /// Returns the folders of a search path for programs or libraries, such as `PATH=/a:/b`.
    ///
    /// Also returns a path such as `/a/*` for each: `PathTrust` rejects it if another user can create files in the
    /// folder, even if the folder has the sticky bit.
    private static func searched(by word: String) -> [String] {
        guard let equals = word.firstIndex(of: "="), !word.hasPrefix("-") else { return [] }
        let variable = word[..<equals]
        guard ["PATH", "LIB", "PRELOAD"].contains(where: { variable.hasSuffix($0) }) else { return [] }
        return word[word.index(after: equals)...].split(separator: ":").filter { $0.hasPrefix("/") }.flatMap {
            ["\($0)", "\($0)/*"]
        }
    }

    /// True if the path leads to a file that the command itself has open, such as `/dev/stdin` or `/dev/fd/3`.
    private static func isStream(_ path: String) -> Bool {
        let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
        guard let number = folder.map({ path.dropFirst($0.count) }) else {
            return ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path)
        }
        return !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func kind(of name: String) -> FileKind? {
        FileStatus.of(LocalPath(LocalFiles.configured(name)), follows: true)?.kind
    }
}
