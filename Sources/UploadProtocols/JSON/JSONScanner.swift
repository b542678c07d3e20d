import FerryFiles

/// A strict reader of JSON text (RFC 8259). It reads one value at a time, as the caller requests, and builds no tree.
/// It must not be used after its buffer is freed.
package struct JSONScanner {
    /// The maximum nesting depth of a value that `skipValue` accepts. A string or a number adds a level too.
    package static let maximumDepth = 32

    package let bytes: UnsafeBufferPointer<UInt8>
    /// The position of the next byte to read.
    package var position: Int

    package init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The name of a member, with its escapes not decoded.
    package struct Key {
        /// The bytes between the quotes.
        package let bytes: UnsafeBufferPointer<UInt8>
        /// The position of the opening quote.
        package let start: Int

        /// The name as it stands in the text, with its escapes not decoded.
        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Makes an error at the current position.
    package func malformed(_ reason: String) -> MalformedJSON {
        MalformedJSON(position: position, reason: reason)
    }

    /// Makes the error for a text that needs a feature of a newer version of Ferry.
    package func newer(_ needed: String) -> MalformedJSON {
        MalformedJSON(position: position, reason: needed, kind: .newer)
    }

    /// Makes the error for a byte that the grammar does not allow here. At the end of the text, the error is another.
    func unexpected(_ reason: String) -> MalformedJSON {
        isAtEnd
            ? MalformedJSON(position: position, reason: "it ends too early", kind: .endsTooEarly)
            : malformed(reason)
    }

    /// True if all of the text has been read.
    package var isAtEnd: Bool { position == bytes.count }

    /// The next byte. The end of the text reads as NUL, which no rule of the grammar accepts.
    var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    // Inlined, because the reading of a long queue calls this for nearly every sign.
    @inline(__always)
    package mutating func skipWhitespace() {
        while next <= 0x20, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    /// Reads `sign` after optional white space. Throws if another byte follows.
    package mutating func expect(_ sign: Unicode.Scalar) throws(MalformedJSON) {
        guard take(sign) else { throw unexpected("expected '\(sign)'") }
    }

    /// Reads `sign` after optional white space. Returns false if another byte follows.
    @inline(__always)
    package mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipWhitespace()
        guard next == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    /// Reads `text` if exactly these bytes follow, without skipping white space. Returns false if not.
    package mutating func take(_ text: [UInt8]) -> Bool {
        guard UnsafeRawBufferPointer(bytes).holds(text, at: position) else { return false }
        position += text.count
        return true
    }

    /// Reads the name of the next member and the colon after it. At the end of the object, reads the closing brace and
    /// returns nil. Call this after `expect("{")`, with `isFirst` true.
    package mutating func key(isFirst: inout Bool) throws(MalformedJSON) -> Key? {
        if take("}") { return nil }
        try skipComma(before: "}", isFirst: &isFirst)
        let start = position
        guard next == UInt8(ascii: "\"") else { throw unexpected("expected a name in double quotes") }
        let key = Key(bytes: try rawString().text, start: start)
        guard take(":") else { throw unexpected("expected a colon") }
        return key
    }

    /// Returns true if the array has another element. At the end of the array, returns false and reads the closing
    /// bracket. Call this after `expect("[")`, with `isFirst` true.
    package mutating func element(isFirst: inout Bool) throws(MalformedJSON) -> Bool {
        if take("]") { return false }
        try skipComma(before: "]", isFirst: &isFirst)
        return true
    }

    private mutating func skipComma(
        before closing: Unicode.Scalar, isFirst: inout Bool
    ) throws(MalformedJSON) {
        if isFirst {
            isFirst = false
        } else {
            guard take(",") else { throw unexpected("expected a comma or \(closing)") }
            let comma = position - 1
            skipWhitespace()
            guard next != UInt8(ascii: closing) else {
                throw MalformedJSON(position: comma, reason: "a comma before \(closing)")
            }
        }
    }

    /// Reads an integer with an optional minus sign, as a JSON number or as digits in quotes. Its absolute value must
    /// fit in 64 bits. The result type is fixed, because other modules could not specialize a generic function.
    package mutating func wholeNumber() throws(MalformedJSON) -> Int128 {
        let isQuoted = take("\"")
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        var value: UInt64 = 0
        while case let digit = next &- UInt8(ascii: "0"), digit < 10 {
            let (product, productOverflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(UInt64(digit))
            guard !productOverflow, !sumOverflow else { throw malformed("number out of range") }
            value = sum
            position += 1
        }
        let hasLeadingZero = position - start > 1 && bytes[start] == UInt8(ascii: "0")
        guard position > start, !hasLeadingZero else { throw malformed("expected a whole number") }
        if isQuoted {
            guard next == UInt8(ascii: "\"") else { throw malformed("expected a whole number") }
            position += 1
        } else if next == UInt8(ascii: ".") || next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            throw malformed("expected a whole number")
        }
        return isNegative ? -Int128(value) : Int128(value)
    }

    /// Reads a number, or one of the strings "inf", "-inf" and "nan". JSON has no numbers for these values.
    package mutating func double() throws(MalformedJSON) -> Double {
        skipWhitespace()
        if next == UInt8(ascii: "\"") {
            let text = try string()
            if ["inf", "-inf", "nan"].contains(text), let value = Double(text) { return value }
            throw malformed("expected a number")
        }
        let start = position
        try skipNumber()
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        guard let value = Double(text) else { throw malformed("expected a number") }
        return value
    }

    package mutating func boolean() throws(MalformedJSON) -> Bool {
        skipWhitespace()
        let value = next == UInt8(ascii: "t")
        try skipWord(value ? "true" : "false")
        return value
    }

    /// Skips one value of any kind and checks it. Returns the range of the value's bytes.
    @discardableResult
    package mutating func skipValue(depth: Int = 0) throws(MalformedJSON) -> Range<Int> {
        guard depth < Self.maximumDepth else { throw malformed("nested too deeply") }
        skipWhitespace()
        let start = position
        var isFirst = true
        switch next {
        case UInt8(ascii: "{"):
            position += 1
            while try key(isFirst: &isFirst) != nil { try skipValue(depth: depth + 1) }
        case UInt8(ascii: "["):
            position += 1
            while try element(isFirst: &isFirst) { try skipValue(depth: depth + 1) }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
        default: throw unexpected("invalid value")
        }
        return start..<position
    }

    /// Skips one value, of an object or array by its brackets and strings alone: several times as fast as `skipValue`.
    /// Returns the range of its bytes. This is for a text that has a checksum, or that is read again.
    package mutating func skipUnchecked() throws(MalformedJSON) -> Range<Int> {
        skipWhitespace()
        guard next == UInt8(ascii: "{") || next == UInt8(ascii: "[") else { return try skipValue() }
        let start = position
        var depth = 0
        repeat {
            switch next {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                position = endOfPlainText(from: position + 1)
                while next == UInt8(ascii: "\\") {
                    position = endOfPlainText(from: min(position + 2, bytes.count))
                }
                guard next == UInt8(ascii: "\"") else { throw unexpected("a text that does not end") }
            default: guard !isAtEnd else { throw unexpected("a value that does not end") }
            }
            position += 1
        } while depth > 0
        return start..<position
    }

    private mutating func skipWord(_ word: StaticString) throws(MalformedJSON) {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[index] else {
                let error = unexpected("invalid value")
                throw error.kind == .endsTooEarly
                    ? error : MalformedJSON(position: start, reason: error.reason)
            }
            position += 1
        }
    }

    private mutating func skipNumber() throws(MalformedJSON) {
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(MalformedJSON) {
        let start = position
        while next &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > start else { throw unexpected("expected a digit") }
    }
}
