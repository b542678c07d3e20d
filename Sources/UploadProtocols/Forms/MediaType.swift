/// The media type of a file by its name's extension; `application/octet-stream` where there is no telling.
///
/// The answer comes from a table of our own and not from the system, so it is the same everywhere.
package enum MediaType {
    /// The type of unknown content (RFC 2046 §4.5.1).
    package static let unknown = "application/octet-stream"

    /// - Parameter name: A file's name without folders. Only what follows the last dot counts, in any case; a name
    ///   that begins with its only dots, as hidden files do, has no extension.
    package static func ofFile(named name: String) -> String {
        let visible = name.drop { $0 == "." }
        guard let dot = visible.lastIndex(of: "."), dot != visible.startIndex else { return unknown }
        return byExtension[visible[visible.index(after: dot)...].lowercased()] ?? unknown
    }

    static let byExtension: [String: String] = table.split(separator: "\n").reduce(into: [:]) { types, line in
        let words = line.split(separator: " ").map(String.init)
        for suffix in words.dropFirst() { types[suffix] = words[0] }
    }
}
