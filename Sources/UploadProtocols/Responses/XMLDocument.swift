/// An element of an XML response. Attributes are left out, because the responses of S3 and WebDAV do not need them.
struct XMLElement: Hashable, Sendable {
    /// The URI of the namespace; empty if the element has none.
    var namespace = ""
    var name: String
    /// The element's own text, without the text of its children and without white space at both ends.
    var text = ""
    var children: [XMLElement] = []

    /// Returns the first child with this name, in `namespace` or, if it is nil, in any.
    func child(named name: String, in namespace: String? = nil) -> XMLElement? {
        children.first { $0.isNamed(name, namespace) }
    }

    /// Returns all children with this name, in `namespace` or, if it is nil, in any.
    func children(named name: String, in namespace: String? = nil) -> [XMLElement] {
        children.filter { $0.isNamed(name, namespace) }
    }

    var descendants: [XMLElement] { children.flatMap { [$0] + $0.descendants } }

    private func isNamed(_ name: String, _ namespace: String?) -> Bool {
        self.name == name && (namespace == nil || self.namespace == namespace)
    }
}

/// The parser for XML from servers, which may be malformed or hostile, and the escaping of texts for XML.
enum XMLDocument {
    /// The maximum size of a document in bytes. The lists of files that servers send are far smaller.
    static let sizeLimit = 16 << 20

    /// Parses an XML document in UTF-8 and returns its root; nil if it is malformed, incomplete, too deep or too large.
    /// Also nil for a document type declaration, whose entities could expand without limit, or read local files (RFC
    /// 4918 §20.6). White space before the XML declaration is allowed, because some servers send it for long responses.
    static func parse(_ bytes: [UInt8]) -> XMLElement? {
        guard bytes.count <= sizeLimit, String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = XMLReader(bytes)
        return try? reader.document()
    }

    /// Escapes `text` for use between tags and in attributes. Characters that XML 1.0 does not allow are dropped.
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
