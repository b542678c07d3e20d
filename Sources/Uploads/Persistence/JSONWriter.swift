/// A writer that appends JSON text to a buffer. Callers pass commas, braces and members' names as fixed texts.
package struct JSONWriter {
    package internal(set) var bytes: [UInt8]

    package init(bytes: [UInt8] = []) { self.bytes = bytes }

    package mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    // Other modules call these two for each member of a line. A generic function would be slow across modules.
    package mutating func raw(_ text: [UInt8]) { bytes.append(contentsOf: text) }
    package mutating func number(_ value: Int64) { digits(value) }

    mutating func raw(_ text: some Collection<UInt8>) { bytes.append(contentsOf: text) }

    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    mutating func path(_ path: LocalPath) {
        let isPlain = path.bytes.allSatisfy { $0 < 0x80 } && !path.bytes.starts(with: LocalPath.encodedPrefix)
        if isPlain {
            path.bytes.withUnsafeBufferPointer { string($0) }
        } else {
            string(path.encoded)
        }
    }

    /// Appends a JSON member, unless the value is nil. `name` is all text before the value, such as `,"name":`.
    mutating func member<Value>(
        _ name: StaticString, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard let value else { return }
        raw(name)
        write(&self, value)
    }

    mutating func member(_ name: StaticString, _ value: String?) { member(name, value) { $0.string($1) } }

    mutating func member(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
        member(name, value) { $0.integer($1) }
    }

    mutating func member(_ name: StaticString, _ value: Double?) { member(name, value) { $0.double($1) } }

    mutating func member(_ name: StaticString, _ value: Date?) { member(name, value) { $0.date($1) } }

    /// Appends a JSON member whose value is an array. `write` appends one element. Appends nothing if there are none.
    mutating func list<Elements: Collection>(
        _ name: StaticString, _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        guard !elements.isEmpty else { return }
        raw(name)
        array(elements, write)
    }

    /// Appends a JSON array. `write` appends one element.
    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        var separator: StaticString = ""
        raw("[")
        for element in elements {
            raw(separator)
            write(&self, element)
            separator = ","
        }
        raw("]")
    }

    mutating func pair(_ first: Int, _ second: Int) {
        raw("[")
        integer(first)
        raw(",")
        integer(second)
        raw("]")
    }

    mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for index in 0..<text.count where Self.needsEscape(text[index]) {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            escape(text[index])
            start = index + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an integer. Beyond 2^53 its digits are quoted, because other JSON readers would round the number.
    mutating func integer(_ value: some FixedWidthInteger) {
        if value.magnitude > 1 << 53 { quotedInteger(value) } else { digits(value) }
    }

    mutating func quotedInteger(_ value: some FixedWidthInteger) {
        raw("\"")
        digits(value)
        raw("\"")
    }

    /// Appends the shortest text of the same number. Infinity and NaN stand in quotes, because JSON lacks them.
    package mutating func double(_ value: Double) {
        if !value.isFinite { raw("\"") }
        raw(value.description.utf8)
        if !value.isFinite { raw("\"") }
    }

    /// Appends a date as ISO 8601 text, or as seconds since 2001-01-01T00:00:00Z if the text would not be exact.
    mutating func date(_ date: Date) {
        guard let text = WallTime.text(date) else { return double(date.timeIntervalSinceReferenceDate) }
        raw("\"")
        raw(text)
        raw("\"")
    }

    static func hexadecimal(_ value: UInt32) -> [UInt8] {
        (0..<8).map { HexadecimalDigits.lowercase[Int(value >> UInt32(28 - 4 * $0) & 0xF)] }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case UInt8(ascii: "\n"): raw("\\n")
        case UInt8(ascii: "\t"): raw("\\t")
        case UInt8(ascii: "\r"): raw("\\r")
        case 0x08: raw("\\b")
        case 0x0C: raw("\\f")
        default:
            raw("\\u00")
            bytes.append(HexadecimalDigits.lowercase[Int(byte >> 4)])
            bytes.append(HexadecimalDigits.lowercase[Int(byte & 0xF)])
        }
    }

    private mutating func digits(_ value: some FixedWidthInteger) {
        if value < 0 { raw("-") }
        bytes.append(decimal: UInt64(value.magnitude))
    }
}

extension [UInt8] {
    /// Appends a number in decimal digits, with zeros in front if it has fewer than `digits`, which is at most 20.
    mutating func append(decimal number: UInt64, digits: Int = 1) {
        // No number of 64 bits has more digits. They are made from the last to the first.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            var rest = number
            var start = text.count
            while rest > 0 || start > text.count - digits {
                start -= 1
                text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
    }
}

extension LocalPath {
    static let encodedPrefix = Array("base64:".utf8)
}
