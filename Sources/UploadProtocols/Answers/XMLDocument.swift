/// An element of an XML response: names, text and children. The responses of S3 and WebDAV need no attributes.
struct XMLElement: Hashable, Sendable {
    /// The name of the namespace; empty if the element has none.
    var namespace = ""
    /// The name without its prefix.
    var name: String
    /// The element's own text, without that of its children and without white space at both ends.
    var text = ""
    /// The children in the order of the document.
    var children: [XMLElement] = []

    /// Returns the first child of that name, in any namespace unless one is given.
    func child(named name: String, in namespace: String? = nil) -> XMLElement? {
        children.first { $0.isNamed(name, namespace) }
    }

    /// Returns all children of that name, in any namespace unless one is given.
    func children(named name: String, in namespace: String? = nil) -> [XMLElement] {
        children.filter { $0.isNamed(name, namespace) }
    }

    /// All elements below this one, each before its own children.
    var descendants: [XMLElement] { children.flatMap { [$0] + $0.descendants } }

    private func isNamed(_ name: String, _ namespace: String?) -> Bool {
        self.name == name && (namespace == nil || self.namespace == namespace)
    }
}

/// XML from servers, which may be malformed or hostile.
enum XMLDocument {
    /// The limit of nesting. No protocol nests deeper than ten, so the tree can be walked by recursion.
    static let depthLimit = 64
    /// The limit of the size: far above the longest page of a list, and small enough for memory.
    static let sizeLimit = 16 << 20

    /// Parses a complete, well-formed document in UTF-8 and returns its root; nil for one that is incomplete, too deep
    /// or too large. Also nil for one with a document type, whose entities could grow without limit or name files (RFC
    /// 4918 §20.6).
    ///
    /// White space before the declaration is allowed: some servers send it to keep a connection open.
    static func parse(_ bytes: [UInt8]) -> XMLElement? {
        guard bytes.count <= sizeLimit, String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = XMLReader(bytes, depthLimit: depthLimit)
        return try? reader.document()
    }

    /// Returns `text` for use between tags and in attributes. Characters that XML 1.0 does not allow are dropped.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            // A bare carriage return would be read as a line feed (XML 1.0 §2.11).
            case "\r": escaped += "&#13;"
            case let scalar where XMLReader.isCharacter(scalar): escaped.unicodeScalars.append(scalar)
            default: break
            }
        }
    }
}
