/// A parser for one document of XML 1.0 with namespaces, without a document type declaration. On Linux, Foundation's
/// parser crashes on some malformed documents from servers.
struct XMLReader {
    /// The error for every document that the parser refuses, without a reason, because no caller needs one.
    struct Malformed: Error {}

    private struct Open {
        var qualifiedName: [UInt8]
        var element: XMLElement
        var text: [UInt8] = []
        /// The prefixes that the element's tag declares, valid until the end of the element.
        var declared: [String]
    }

    /// The maximum nesting depth, which makes recursion over the tree safe. Real documents have at most ten levels.
    static let depthLimit = 64
    /// The maximum number of namespace declarations that are valid at the same time. SabreDAV declares seven.
    private static let declarationLimit = 256

    private var rest: ArraySlice<UInt8>
    /// The namespaces of each prefix, the valid one last. The empty prefix stands for the default namespace.
    private var namespaces = ["": [""], "xml": ["http://www.w3.org/XML/1998/namespace"]]
    private var declarationCount = 0
    private var open: [Open] = []
    private var root: XMLElement?

    /// - Parameter bytes: The document in valid UTF-8.
    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func document() throws(Malformed) -> XMLElement {
        _ = skip("\u{FEFF}")
        while !rest.isEmpty {
            if skip("<![CDATA[") {
                try append(Array(upTo("]]>")))
            } else if skip("<!--") {
                _ = try upTo("-->")
            } else if skip("<?") {
                _ = try upTo("?>")
            } else if skip("</") {
                try end()
            } else if skip("<") {
                try start()
            } else {
                try append(text { $0 == Self.lessThan })
            }
        }
        guard open.isEmpty, let root else { throw Malformed() }
        return root
    }

    /// True for a character that XML 1.0 §2.2 allows.
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && ![0xFFFE, 0xFFFF].contains(scalar.value)
            || [0x09, 0x0A, 0x0D].contains(scalar.value)
    }
}

// Tags (XML 1.0 §3.1, Namespaces in XML 1.0 §3).
extension XMLReader {
    private mutating func start() throws(Malformed) {
        guard open.count < Self.depthLimit, root == nil else { throw Malformed() }
        let qualifiedName = try name()
        var declared: [String] = []
        var isSeparated = skipSpace()
        while let next = rest.first, next != Self.slash, next != Self.greaterThan {
            guard isSeparated else { throw Malformed() }
            let (prefix, local) = try Self.split(name())
            let value = String(decoding: try attributeValue(), as: UTF8.self)
            if prefix == "xmlns" {
                try declare(local, value, in: &declared)
            } else if prefix.isEmpty, local == "xmlns" {
                try declare("", value, in: &declared)
            }
            isSeparated = skipSpace()
        }
        let isEmpty = skip("/")
        guard skip(">") else { throw Malformed() }
        let (prefix, local) = try Self.split(qualifiedName)
        guard let namespace = namespaces[prefix]?.last else { throw Malformed() }
        open.append(
            Open(
                qualifiedName: qualifiedName, element: XMLElement(namespace: namespace, name: local),
                declared: declared))
        if isEmpty { close() }
    }

    private mutating func declare(
        _ prefix: String, _ namespace: String, in declared: inout [String]
    ) throws(Malformed) {
        declarationCount += 1
        guard declarationCount <= Self.declarationLimit else { throw Malformed() }
        namespaces[prefix, default: []].append(namespace)
        declared.append(prefix)
    }

    private mutating func end() throws(Malformed) {
        let name = try name()
        _ = skipSpace()
        guard skip(">"), open.last?.qualifiedName == name else { throw Malformed() }
        close()
    }

    private mutating func close() {
        guard var closed = open.popLast() else { return }
        for prefix in closed.declared { namespaces[prefix]?.removeLast() }
        declarationCount -= closed.declared.count
        closed.element.text = Self.trimmed(closed.text)
        if open.isEmpty {
            root = closed.element
        } else {
            open[open.count - 1].element.children.append(closed.element)
        }
    }

    private mutating func attributeValue() throws(Malformed) -> [UInt8] {
        _ = skipSpace()
        guard skip("=") else { throw Malformed() }
        _ = skipSpace()
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw Malformed()
        }
        rest.removeFirst()
        let value = try text { $0 == quote || $0 == Self.lessThan }
        guard rest.popFirst() == quote else { throw Malformed() }
        return value
    }

    private mutating func name() throws(Malformed) -> [UInt8] {
        guard let first = rest.first, Self.isNamePart(first, first: true) else { throw Malformed() }
        let name = rest.prefix { Self.isNamePart($0, first: false) }
        rest = rest[name.endIndex...]
        return Array(name)
    }

    /// True for a byte that can be a part of a name, including all bytes of non-ASCII characters.
    private static func isNamePart(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x80..., UInt8(ascii: "_"), UInt8(ascii: ":"): true
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."): !first
        default: false
        }
    }

    private static func split(_ name: [UInt8]) throws(Malformed) -> (prefix: String, local: String) {
        let parts = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let last = parts.last, parts.allSatisfy({ !$0.isEmpty }) else {
            throw Malformed()
        }
        return (
            parts.count == 2 ? String(decoding: parts[0], as: UTF8.self) : "",
            String(decoding: last, as: UTF8.self)
        )
    }
}

// Text (XML 1.0 §2.2, §2.11, §4.1, §4.6).
extension XMLReader {
    /// Adds text to the innermost open element. Outside of all elements, only white space is allowed.
    private mutating func append(_ text: [UInt8]) throws(Malformed) {
        guard !open.isEmpty else {
            guard text.allSatisfy(Self.isSpace) else { throw Malformed() }
            return
        }
        open[open.count - 1].text += text
    }

    /// Reads text up to the first byte for which `ends` is true, or to the end. Replaces references such as `&amp;` by
    /// their characters, and every line break by a line feed.
    /// - Throws: `Malformed` for an unknown reference or a control character.
    private mutating func text(until ends: (UInt8) -> Bool) throws(Malformed) -> [UInt8] {
        var text: [UInt8] = []
        while true {
            let plain = rest.prefix {
                !ends($0) && $0 != UInt8(ascii: "&") && ($0 >= 0x20 || $0 == 0x09 || $0 == 0x0A)
            }
            text += plain
            rest = rest[plain.endIndex...]
            guard let next = rest.first, !ends(next) else { return text }
            rest = rest.dropFirst()
            switch next {
            case UInt8(ascii: "&"): text += try reference()
            case 0x0D:
                _ = skip("\n")
                text.append(0x0A)
            default: throw Malformed()
            }
        }
    }

    private mutating func reference() throws(Malformed) -> [UInt8] {
        let name = String(decoding: try upTo(";", within: 12), as: UTF8.self)
        if let known = Self.entities[name] { return [known] }
        guard name.hasPrefix("#") else { throw Malformed() }
        let isHexadecimal = name.hasPrefix("#x")
        guard let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number), Self.isCharacter(scalar)
        else { throw Malformed() }
        return Array(String(Character(scalar)).utf8)
    }

    private static let entities: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": lessThan, "gt": greaterThan, "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]

    private static func trimmed(_ text: [UInt8]) -> String {
        let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
        return String(decoding: text[..<end].drop(while: isSpace), as: UTF8.self)
    }
}

// Steps through the bytes of the document.
extension XMLReader {
    private static let lessThan = UInt8(ascii: "<")
    private static let greaterThan = UInt8(ascii: ">")
    private static let slash = UInt8(ascii: "/")

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private mutating func skipSpace() -> Bool {
        let space = rest.prefix(while: Self.isSpace)
        rest = rest[space.endIndex...]
        return !space.isEmpty
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard begins(with: text, at: rest.startIndex) else { return false }
        rest = rest.dropFirst(text.utf8CodeUnitCount)
        return true
    }

    private func begins(with text: StaticString, at start: Int) -> Bool {
        guard rest.endIndex - start >= text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount where rest[start + offset] != text.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Returns the bytes before `mark`, and moves the position behind `mark`.
    /// - Throws: `Malformed` if `mark` is not in the next `limit` bytes.
    private mutating func upTo(
        _ mark: StaticString, within limit: Int = .max
    ) throws(Malformed) -> ArraySlice<UInt8> {
        let last = rest.prefix(limit).endIndex - mark.utf8CodeUnitCount
        guard rest.startIndex <= last,
            let found = (rest.startIndex...last).first(where: { begins(with: mark, at: $0) })
        else { throw Malformed() }
        defer { rest = rest[(found + mark.utf8CodeUnitCount)...] }
        return rest[..<found]
    }
}
