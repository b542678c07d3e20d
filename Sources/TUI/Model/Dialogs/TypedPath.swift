/// The path in a line that the user is typing: a folder, and the beginning of a name in it.
struct TypedPath: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A folder: an empty line, or a path that ends with a slash.
        case folder
        /// A path whose last component is possibly incomplete.
        case name
        /// A pattern, quoted words or a `file://` URL. The folder list of the Add dialog cannot show which files such a
        /// line names.
        case pattern
    }

    /// The path of the folder: the line up to and including its last slash. It is empty if the line has no slash.
    ///
    /// If the line has a pattern, this is the text up to and including the last slash before the pattern. It is the
    /// whole line if the line has quotes or backslashes, is a `file://` URL or `~`, or has `..` as its last component.
    let folder: String
    /// The beginning of a name in `folder`: the text after the last slash. It is empty if `folder` is the whole line,
    /// and for a pattern.
    let started: String
    let kind: Kind

    init(_ line: String) {
        let isQuoted = line.contains { "'\"\\".contains($0) } || line.hasPrefix("file://")
        if isQuoted {
            (folder, started, kind) = (line, "", .pattern)
            return
        }
        // Searches bytes: a slash with a combining mark is a different `Character`, but it still separates names.
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
