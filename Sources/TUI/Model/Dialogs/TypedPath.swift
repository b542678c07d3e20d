/// The path in a line that the user is typing: a folder, and the beginning of a name in it.
struct TypedPath: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case folder
        case name
        /// A pattern, quoted words or a `file://` URL, of which the folder list cannot show the files.
        case pattern
    }

    /// The line up to its last slash, or the last one before a pattern. It is the whole line if that has quotes or
    /// backslashes, is `~` or a `file://` URL, or has `..` as its last component.
    let folder: String
    /// The text after the last slash; empty for a pattern and if `folder` is the whole line.
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
