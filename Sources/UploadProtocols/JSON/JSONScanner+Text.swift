import FerryFiles

extension JSONScanner {
    /// Reads a string and decodes its escapes.
    package mutating func string() throws(MalformedJSON) -> String {
        let (text, hasEscapes) = try rawString()
        // Nearly all texts are ASCII, and validation as UTF-8 takes longer.
        if !hasEscapes, Self.isASCII(text) { return String(decoding: text, as: UTF8.self) }
        let value =
            hasEscapes
            ? String(validating: try unescape(text), as: UTF8.self) : String(validating: text, as: UTF8.self)
        guard let value else { throw malformed("invalid UTF-8") }
        return value
    }

    /// Reads a string and decodes its escapes. The resulting bytes need not be UTF-8.
    package mutating func stringBytes() throws(MalformedJSON) -> [UInt8] {
        let (text, hasEscapes) = try rawString()
        return hasEscapes ? try unescape(text) : Array(text)
    }

    /// Skips a string, and checks its escapes and its UTF-8.
    mutating func skipString() throws(MalformedJSON) {
        let start = self
        let (text, hasEscapes) = try rawString()
        guard hasEscapes || !Self.isASCII(text) else { return }
        self = start
        _ = try string()
    }

    /// Reads a string. Returns the bytes between the quotes, and whether they contain escapes.
    package mutating func rawString() throws(MalformedJSON) -> (
        text: UnsafeBufferPointer<UInt8>, hasEscapes: Bool
    ) {
        try expect("\"")
        let start = position
        var hasEscapes = false
        while true {
            position = endOfPlainText(from: position)
            if next == UInt8(ascii: "\"") { break }
            guard next == UInt8(ascii: "\\") else {
                throw unexpected("a text that does not end on its line, or has a control character in it")
            }
            hasEscapes = true
            position += 1
            try skipEscape()
        }
        position += 1
        return (UnsafeBufferPointer(rebasing: bytes[start..<(position - 1)]), hasEscapes)
    }

    /// Returns true if all bytes are ASCII, by eight bytes per step.
    private static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(text)
        var index = 0
        while raw.count - index >= 8 {
            guard raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            else { return false }
            index += 8
        }
        return raw[index...].allSatisfy { $0 < 0x80 }
    }

    /// Returns the position of the first quote, backslash or control character, by eight bytes per step.
    func endOfPlainText(from start: Int) -> Int {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while bytes.count - index >= 8 {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            // The top bit of each matching byte is set; bits above the first match may be set wrongly.
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

    /// Skips the rest of an escape, after its backslash. Throws if JSON does not have such an escape.
    private mutating func skipEscape() throws(MalformedJSON) {
        guard next != UInt8(ascii: "u") else {
            position += 1
            for _ in 0..<4 {
                guard Character(Unicode.Scalar(next)).isHexDigit else {
                    throw unexpected("expected four hexadecimal digits")
                }
                position += 1
            }
            return
        }
        guard #""\/bfnrt"#.utf8.contains(next) else {
            throw unexpected("a backslash before what needs none; one that is meant is written twice")
        }
        position += 1
    }

    /// Decodes the escapes, whose form `skipEscape` has checked. Throws if half a surrogate pair is missing.
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
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): result.append(contentsOf: Character(try scalar(text, &index)).utf8)
            default: result.append(text[index - 1])
            }
        }
        return result
    }

    /// Returns the scalar of the `\uXXXX`, or of the surrogate pair, at `index`, and moves `index` to its end.
    private func scalar(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) throws(MalformedJSON)
        -> Unicode.Scalar
    {
        let first = Self.codeUnit(text, &index)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, UnsafeRawBufferPointer(text).holds("\\u".utf8, at: index) else {
            throw malformed("half a surrogate pair")
        }
        index += 2
        let second = Self.codeUnit(text, &index)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw malformed("half a surrogate pair") }
        return scalar
    }

    private static func codeUnit(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt32 {
        defer { index += 4 }
        return text[index..<index + 4].reduce(0) { unit, digit in
            unit << 4 | UInt32(Character(Unicode.Scalar(digit)).hexDigitValue ?? 0)
        }
    }
}
