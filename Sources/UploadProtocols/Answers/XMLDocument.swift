/// An element of an XML answer: names, text and children. What S3 and WebDAV say needs no attributes.
struct XMLElement: Hashable, Sendable {
    /// The namespace's name; empty if the element is in none.
    var namespace = ""
    /// The name without its prefix.
    var name: String
    /// Its own text, without that of its children and without white space at both ends.
    var text = ""
    /// The children in the order of the document.
    var children: [XMLElement] = []

    /// The first child of that name, in any namespace unless one is given.
    func child(named name: String, in namespace: String? = nil) -> XMLElement? {
        children.first { $0.isNamed(name, namespace) }
    }

    /// All children of that name, in any namespace unless one is given.
    func children(named name: String, in namespace: String? = nil) -> [XMLElement] {
        children.filter { $0.isNamed(name, namespace) }
    }

    /// Every element below this one, each before its own children.
    var descendants: [XMLElement] { children.flatMap { [$0] + $0.descendants } }

    private func isNamed(_ name: String, _ namespace: String?) -> Bool {
        self.name == name && (namespace == nil || self.namespace == namespace)
    }
}

/// XML as servers send it, which may be anything.
enum XMLDocument {
    /// No protocol nests deeper than ten; whoever walks the tree may do so by recursion.
    static let depthLimit = 64
    /// Far above the longest page of a list, and little enough to keep.
    static let sizeLimit = 16 << 20

    /// The root of a whole, well-formed document in UTF-8; nil for one that is cut, too deep or too large. Also nil for
    /// one with a document type, whose entities could grow without end or name files (RFC 4918 §20.6).
    ///
    /// White space before the declaration is let pass: some servers send it to keep a connection open.
    static func parse(_ bytes: [UInt8]) -> XMLElement? {
        guard bytes.count <= sizeLimit, String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = XMLReader(bytes, depthLimit: depthLimit)
        return try? reader.document()
    }

    /// `text` as it stands between tags and in attributes. Characters that XML 1.0 cannot hold at all are left out.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            // Read back as a line feed if it stood there bare (XML 1.0 §2.11).
            case "\r": escaped += "&#13;"
            case let scalar where XMLReader.isCharacter(scalar): escaped.unicodeScalars.append(scalar)
            default: break
            }
        }
    }
}
