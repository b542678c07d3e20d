/// Where a line points that is being typed: a folder, and the beginning of a name in it.
struct TypedPlace: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A folder to look into: nothing, or ending with a slash.
        case folder
        /// A path whose last name may not be whole yet.
        case name
        /// A pattern, quoted words or an address: more than the list can show.
        case pattern
    }

    /// The line up to its last slash, in a pattern up to the last one before it.
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
        // By bytes: a mark on a slash makes it another character, but no other path.
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
