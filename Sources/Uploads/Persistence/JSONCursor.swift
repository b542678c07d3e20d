import FerryTransfer

import struct Foundation.Date

/// Where a JSON text is not what it should be.
struct MalformedJSON: Error, Hashable {
    /// Bytes from the start of the text.
    var position: Int
    /// What is wrong there, or needed to read on, as a part of a sentence.
    var reason: String
    /// True if nothing is wrong, but only a newer version can read it.
    var isNewer = false
}

extension JournalError {
    /// - Parameter offset: Where the text begins in the file, in bytes.
    init(_ error: MalformedJSON, path: String, offset: Int = 0) {
        let (byte, _) = offset.addingReportingOverflow(error.position)
        self =
            error.isNewer
            ? .newerFormat(path: path, needs: error.reason)
            : .damaged(path: path, byte: byte, reason: error.reason)
    }
}

/// Reads JSON text strictly (RFC 8259), value by value, as the caller asks for them: no tree is built.
///
/// Valid only while the buffer is. Every access is preceded by a check of the position.
struct JSONCursor {
    /// Objects and arrays inside each other, at most.
    static let maximumDepth = 32

    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// A member's name as it stands in the text.
    struct Key {
        let bytes: UnsafeBufferPointer<UInt8>

        static func ~= (name: StaticString, key: Key) -> Bool {
            guard name.utf8CodeUnitCount == key.bytes.count else { return false }
            for index in 0..<key.bytes.count where name.utf8Start[index] != key.bytes[index] { return false }
            return true
        }
    }

    func malformed(_ reason: String) -> MalformedJSON { MalformedJSON(position: position, reason: reason) }

    func newer(_ needed: String) -> MalformedJSON {
        MalformedJSON(position: position, reason: needed, isNewer: true)
    }

    var isAtEnd: Bool { position == bytes.count }

    // An end of text reads as NUL, which no rule of the grammar accepts.
    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipWhitespace() {
        while position < bytes.count, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 {
            position += 1
        }
    }

    mutating func expect(_ byte: Unicode.Scalar) throws(MalformedJSON) {
        skipWhitespace()
        guard next == UInt8(ascii: byte) else { throw malformed("expected '\(byte)'") }
        position += 1
    }

    /// Takes `byte` if it comes next.
    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        skipWhitespace()
        guard next == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Takes `text` if exactly that comes next.
    mutating func take(_ text: [UInt8]) -> Bool {
        guard bytes.holds(text, at: position) else { return false }
        position += text.count
        return true
    }

    /// The name of the next member, or nil at the end of the object. Call after `expect("{")`.
    mutating func key(isFirst: inout Bool) throws(MalformedJSON) -> Key? {
        if take("}") { return nil }
        if isFirst { isFirst = false } else { try expect(",") }
        let key = Key(bytes: try rawString().text)
        try expect(":")
        return key
    }

    /// True if the array has another element. Call after `expect("[")`.
    mutating func element(isFirst: inout Bool) throws(MalformedJSON) -> Bool {
        if take("]") { return false }
        if isFirst { isFirst = false } else { try expect(",") }
        return true
    }

    /// An integer, as a number or as digits in quotes.
    mutating func integer<Value: FixedWidthInteger>() throws(MalformedJSON) -> Value {
        let isQuoted = take("\"")
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        var value = Value.zero
        while case let digit = next &- UInt8(ascii: "0"), digit < 10 {
            let (product, productOverflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Value(truncatingIfNeeded: digit)
            let (sum, sumOverflow) =
                isNegative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
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
        return value
    }

    mutating func double() throws(MalformedJSON) -> Double {
        skipWhitespace()
        let text: String
        if next == UInt8(ascii: "\"") {
            text = try string()
            guard ["inf", "-inf", "nan"].contains(text) else { throw malformed("expected a number") }
        } else {
            let start = position
            try skipNumber()
            text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        }
        guard let value = Double(text) else { throw malformed("expected a number") }
        return value
    }

    mutating func boolean() throws(MalformedJSON) -> Bool {
        skipWhitespace()
        if next == UInt8(ascii: "t") {
            try word("true")
            return true
        }
        try word("false")
        return false
    }

    mutating func date() throws(MalformedJSON) -> Date {
        skipWhitespace()
        guard next == UInt8(ascii: "\"") else { return Date(timeIntervalSinceReferenceDate: try double()) }
        let start = self
        if let date = WallTime.date(try rawString().text) { return date }
        self = start
        guard let special = try? double() else {
            throw malformed("expected a time such as 2026-11-20T22:55:59Z")
        }
        return Date(timeIntervalSinceReferenceDate: special)
    }

    mutating func string() throws(MalformedJSON) -> String {
        let (text, hasEscapes) = try rawString()
        // As nearly all are; to validate takes longer.
        if !hasEscapes, text.allSatisfy({ $0 < 0x80 }) { return String(decoding: text, as: UTF8.self) }
        let value =
            hasEscapes
            ? String(validating: try unescape(text), as: UTF8.self) : String(validating: text, as: UTF8.self)
        guard let value else { throw malformed("invalid UTF-8") }
        return value
    }

    mutating func path() throws(MalformedJSON) -> LocalPath {
        let (text, hasEscapes) = try rawString()
        let bytes = hasEscapes ? try unescape(text) : Array(text)
        if bytes.allSatisfy({ $0 < 0x80 }), !bytes.starts(with: LocalPath.encodedPrefix) {
            return LocalPath(bytes: bytes)
        }
        guard let encoded = String(validating: bytes, as: UTF8.self), let path = LocalPath(encoded: encoded)
        else {
            throw malformed("invalid UTF-8 or base64")
        }
        return path
    }

    /// The string's text between the quotes, escapes not yet undone.
    mutating func rawString() throws(MalformedJSON) -> (text: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
        try expect("\"")
        let start = position
        var hasEscapes = false
        while true {
            position = endOfPlainText(from: position)
            if next == UInt8(ascii: "\"") { break }
            guard next == UInt8(ascii: "\\") else {
                throw malformed("string without end, or a control character in it")
            }
            hasEscapes = true
            position += 1
            // Whatever follows belongs to the escape: it cannot end the string.
            guard next >= 0x20 else { throw malformed("escape without end") }
            position += 1
        }
        position += 1
        return (UnsafeBufferPointer(rebasing: bytes[start..<(position - 1)]), hasEscapes)
    }

    /// The first byte from `start` on that is not simply a part of a string: a quote, a backslash, a control character,
    /// or the end of the text. Eight bytes a step, as most of a queue's file is strings.
    private func endOfPlainText(from start: Int) -> Int {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while bytes.count - index >= 8 {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            // The top bit of a byte is set where it is what is looked for; above the first such byte perhaps wrongly.
            let found =
                ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word)
                & tops
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
            bytes[index] != UInt8(ascii: "\\")
        {
            index += 1
        }
        return index
    }

    /// Passes over one value of any kind, checking it, and says where it stands.
    @discardableResult
    mutating func skipValue(depth: Int = 0) throws(MalformedJSON) -> Range<Int> {
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
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try skipNumber()
        }
        return start..<position
    }

    private mutating func word(_ word: StaticString) throws(MalformedJSON) {
        for index in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[index] else { throw malformed("expected a value") }
            position += 1
        }
    }

    private mutating func skipNumber() throws(MalformedJSON) {
        if next == UInt8(ascii: "-") { position += 1 }
        let start = position
        try skipDigits()
        guard position - start == 1 || bytes[start] != UInt8(ascii: "0") else {
            throw malformed("leading zero")
        }
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
        guard position > start else { throw malformed("expected a value") }
    }

    private func unescape(_ text: UnsafeBufferPointer<UInt8>) throws(MalformedJSON) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "\\") else {
                result.append(text[index])
                index += 1
                continue
            }
            index += 2
            switch text[index - 1] {
            case UInt8(ascii: "\""): result.append(UInt8(ascii: "\""))
            case UInt8(ascii: "\\"): result.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "/"): result.append(UInt8(ascii: "/"))
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): result.append(contentsOf: UTF8.encodedBytes(try scalar(text, &index)))
            default: throw malformed("unknown escape")
            }
        }
        return result
    }

    /// `XXXX` or, for a pair of surrogates, `XXXX\uXXXX`.
    private func scalar(
        _ text: UnsafeBufferPointer<UInt8>, _ index: inout Int
    ) throws(MalformedJSON) -> Unicode.Scalar {
        let first = try codeUnit(text, &index)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, index + 2 <= text.count, text[index] == UInt8(ascii: "\\"),
            text[index + 1] == UInt8(ascii: "u")
        else { throw malformed("half a surrogate pair") }
        index += 2
        let second = try codeUnit(text, &index)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw malformed("half a surrogate pair") }
        return scalar
    }

    private func codeUnit(
        _ text: UnsafeBufferPointer<UInt8>, _ index: inout Int
    ) throws(MalformedJSON) -> UInt32 {
        guard index + 4 <= text.count else { throw malformed("escape without end") }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(text[index])).hexDigitValue else {
                throw malformed("expected four hexadecimal digits")
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }
}

extension UTF8 {
    fileprivate static func encodedBytes(_ scalar: Unicode.Scalar) -> [UInt8] {
        Array(String(Character(scalar)).utf8)
    }
}
