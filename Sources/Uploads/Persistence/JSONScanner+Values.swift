import FerryProtocols

extension JSONScanner.Key {
    // Not in the scanner's module: calls between modules are slow, and this runs for each JSON member.
    static func ~= (name: StaticString, key: JSONScanner.Key) -> Bool {
        guard name.utf8CodeUnitCount == key.bytes.count else { return false }
        for index in 0..<key.bytes.count where name.utf8Start[index] != key.bytes[index] { return false }
        return true
    }
}

extension JSONScanner {
    /// Reads the name of the next member and the colon after it. At the end of the object, reads the closing brace and
    /// returns nil. Must directly follow `expect("{")` or a value.
    mutating func key() throws(MalformedJSON) -> Key? {
        var isFirst = bytes[position - 1] == UInt8(ascii: "{")
        return try key(isFirst: &isFirst)
    }

    /// Returns true if the array has another element. Must directly follow `expect("[")` or a value.
    mutating func element() throws(MalformedJSON) -> Bool {
        var isFirst = bytes[position - 1] == UInt8(ascii: "[")
        return try element(isFirst: &isFirst)
    }

    /// Reads an integer that is written as a JSON number or as a number in quotes.
    mutating func integer<Value: FixedWidthInteger>() throws(MalformedJSON) -> Value {
        guard let value = Value(exactly: try wholeNumber()) else { throw malformed("number out of range") }
        return value
    }

    /// Reads a time that is written as ISO 8601 text, or as the number of seconds since 2001-01-01T00:00:00Z.
    mutating func date() throws(MalformedJSON) -> Date {
        let start = self
        guard take("\"") else { return Date(timeIntervalSinceReferenceDate: try double()) }
        self = start
        if let date = WallTime.date(try rawString().text) { return date }
        self = start
        guard let special = try? double() else {
            throw malformed("expected a time such as 2026-11-20T22:55:59Z")
        }
        return Date(timeIntervalSinceReferenceDate: special)
    }

    mutating func path() throws(MalformedJSON) -> LocalPath {
        let bytes = try stringBytes()
        if bytes.allSatisfy({ $0 < 0x80 }), !bytes.starts(with: LocalPath.encodedPrefix) {
            return LocalPath(bytes: bytes)
        }
        guard let encoded = String(validating: bytes, as: UTF8.self), let path = LocalPath(encoded: encoded)
        else {
            throw malformed("invalid UTF-8 or base64")
        }
        return path
    }

    /// Reads a string as the raw value of an enum, which the error's text calls `what`.
    mutating func named<Value: RawRepresentable<String>>(_ what: String) throws(MalformedJSON) -> Value {
        let name = try string()
        guard let value = Value(rawValue: name) else { throw malformed("unknown \(what) \(name)") }
        return value
    }

    mutating func list<Element>(
        _ read: (inout JSONScanner) throws(MalformedJSON) -> Element
    ) throws(MalformedJSON) -> [Element] {
        var elements: [Element] = []
        try expect("[")
        while try element() { elements.append(try read(&self)) }
        return elements
    }

    mutating func pair() throws(MalformedJSON) -> (Int, Int) {
        try expect("[")
        let first: Int = try integer()
        try expect(",")
        let second: Int = try integer()
        try expect("]")
        return (first, second)
    }

    func require<Value>(_ value: Value?, _ name: String) throws(MalformedJSON) -> Value {
        guard let value else { throw malformed("the member \(name) is missing") }
        return value
    }
}

extension Optional {
    /// Sets this optional to the value of a JSON member. Throws if the member occurs twice in the text.
    mutating func fill(_ value: Wrapped, at position: Int) throws(MalformedJSON) {
        guard case .none = self else {
            throw MalformedJSON(position: position, reason: "a member is there twice")
        }
        self = value
    }
}

extension JournalError {
    /// - Parameter offset: The position of the scanned text in the file, in bytes.
    init(_ error: MalformedJSON, path: String, offset: Int = 0) {
        let (byte, _) = offset.addingReportingOverflow(error.position)
        self =
            error.kind == .newer
            ? .newerFormat(path: path, needs: error.reason)
            : .damaged(path: path, byte: byte, reason: error.reason)
    }
}
