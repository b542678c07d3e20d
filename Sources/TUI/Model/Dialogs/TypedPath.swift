/// The path in a line that the user is typing: a folder, and the beginning of a name in it.
struct TypedPath: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A folder: an empty line, or a path that ends with a slash.
        case folder
        /// A path whose last component is possibly incomplete.
        case name
        /// A pattern, quoted words or a `file://` URL, which the list cannot show.
        case pattern
    }

    /// The line up to its last slash; with a pattern, up to the last slash before the pattern. The whole line if it is
    /// quoted, a URL or `~`, or if its last component is `..`.
    let folder: String
    /// The beginning of a name in that folder.
    let started: String
    let kind: Kind

    init(_ line: String) {
        let isQuoted = line.contains { "'\"\\".contains($0) } || line.hasPrefix("file://")
        if isQuoted {
            (folder, started, kind) = (line, "", .pattern)
            return
        }
        // Searches bytes: a slash with a combining mark is another character, but still separates names.
        let bytes = line.utf8
        let pattern = bytes.firstIndex { "*?[".utf8.contains($0) }
        let slash = bytes[..<(pattern ?? bytes.endIndex)].lastIndex(of: UInt8(ascii: "/"))
        let split = slash.map { bytes.index(after: $0) } ?? bytes.startIndex
        let rest = line[split...]
        if pattern != nil {
            (folder, started, kind) = (String(line[..<split]), "", .pattern)
        } else if rest.isEmpty {
            (folder, started, kind) = (line, "", .folder)
        } else if rest == ".." || line == "~" {
            (folder, started, kind) = (line, "", .name)
        } else {
            (folder, started, kind) = (String(line[..<split]), String(rest), .name)
        }
    }
}
