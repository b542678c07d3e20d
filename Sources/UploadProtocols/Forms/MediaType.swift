/// The lookup of media types by file extension, in a table of Ferry, so that they are the same on every system.
package enum MediaType {
    /// The type of unknown content (RFC 2046 §4.5.1).
    package static let unknown = "application/octet-stream"

    /// Returns the media type of a file; `application/octet-stream` if the extension is unknown.
    ///
    /// - Parameter name: A file name without folders. Dots at its beginning, as of hidden files, begin no extension.
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
