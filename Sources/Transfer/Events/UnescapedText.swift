/// A text with its escapes of HTML, JSON, JavaScript and URLs decoded, and the original position of each byte.
struct UnescapedText {
    /// The maximum number of decodings. A server can escape a text several times, such as for HTML and then for JSON.
    private static let maximumDepth = 3
    /// The minimum number of leading bytes of a secret that are cut if a `…` follows them.
    private static let shortestBeginning = 4
    /// The maximum length of an HTML entity without its `&`. Without it, the search would take quadratic time.
    private static let longestEntity = 12

    private(set) var bytes: [UInt8] = []
    /// The position of each byte in the original text, and the length of that. All bytes of one escape have the
    /// position at which it begins.
    private var offsets: [Int] = []

    /// Returns the text as it is, then after each decoding of its escapes, until none is left.
    static func layers(of text: String) -> [UnescapedText] {
        var layer = UnescapedText()
        layer.bytes = Array(text.utf8)
        layer.offsets = Array(0...layer.bytes.count)
        var layers = [layer]
        while layers.count <= maximumDepth, let next = layers[layers.count - 1].unescaped() {
            layers.append(next)
        }
        return layers
    }

    /// Returns the text with its letters in lower case. A letter outside of ASCII can become longer or shorter.
    func caseFolded() -> UnescapedText {
        var text = UnescapedText()
        text.bytes.reserveCapacity(bytes.count)
        text.offsets.reserveCapacity(offsets.count)
        var rest = bytes[...]
        while let first = rest.first {
            let offset = offsets[rest.startIndex]
            if let scalar = Self.scalar(beginning: rest) {
                let folded = Self.caseFolded(scalar)
                text.bytes += folded
                text.offsets += repeatElement(offset, count: folded.count)
                rest = rest.dropFirst(scalar.utf8.count)
            } else {
                text.bytes.append(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first ? first | 0x20 : first)
                text.offsets.append(offset)
                rest = rest.dropFirst()
            }
        }
        text.offsets.append(offsets[bytes.count])
        return text
    }

    /// Returns the text in lower case, through upper case, because some letters have several forms in lower case.
    static func caseFolded(_ text: some StringProtocol) -> [UInt8] {
        Array(text.uppercased().lowercased().utf8)
    }

    /// Returns the scalar outside of ASCII that `bytes` begins with; nil if there is none.
    private static func scalar(beginning bytes: ArraySlice<UInt8>) -> String? {
        let length =
            switch bytes.first ?? 0 {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        return length == 0 ? nil : String(validating: bytes.prefix(length), as: UTF8.self)
    }

    private func unescaped() -> UnescapedText? {
        guard bytes.contains(where: { $0 == 0x25 || $0 == 0x26 || $0 == 0x5C }) else { return nil }
        var result = UnescapedText()
        var position = 0
        while position < bytes.count {
            guard let escape = Self.escape(bytes[position...]) else {
                result.bytes.append(bytes[position])
                result.offsets.append(offsets[position])
                position += 1
                continue
            }
            for byte in escape.decoded {
                result.bytes.append(byte)
                result.offsets.append(offsets[position])
            }
            position += escape.length
        }
        // Every escape is longer than its bytes, so the same length means that there was none.
        guard result.bytes.count < bytes.count else { return nil }
        result.offsets.append(offsets[bytes.count])
        return result
    }

    /// Returns the ranges of the original text that repeat `value`, or at least its first `shown` bytes, because
    /// servers shorten long values.
    ///
    /// The search compares bytes, because one `Character` can contain the first letter of a secret and the scalar
    /// before it, such as U+0600.
    func repetitions(of value: [UInt8], shown: Int) -> [Range<Int>] {
        guard shown > 0, value.count >= shown else { return [] }
        return bytes.withUnsafeBufferPointer { bytes in
            var found: [Range<Int>] = []
            var from = 0
            while let start = ByteSearch.first(value[..<shown], in: bytes, from: from) {
                var length = shown
                while length < value.count, start + length < bytes.count,
                    bytes[start + length] == value[length]
                {
                    length += 1
                }
                from = start + length
                // A scalar of which only a part is repeated stays.
                while length < value.count, value[length] & 0xC0 == 0x80 { length -= 1 }
                found.append(offsets[start]..<offsets[start + length])
            }
            return found
        }
    }

    /// Returns the ranges of the original text that repeat the beginning of `value`, shorter than `shown`, directly
    /// before a `…`, with which this program and servers shorten a text.
    func beginnings(of value: [UInt8], below shown: Int, before marks: [Int]) -> [Range<Int>] {
        marks.compactMap { mark in
            let longest = min(shown - 1, value.count, mark)
            guard longest >= Self.shortestBeginning else { return nil }
            let length = (Self.shortestBeginning...longest).last { length in
                bytes[(mark - length)..<mark] == value[..<length]
            }
            return length.map { offsets[mark - $0]..<offsets[mark] }
        }
    }

    var marks: [Int] {
        let mark = Array(Redaction.mark.utf8)
        return bytes.withUnsafeBufferPointer { bytes in
            var found: [Int] = []
            var from = 0
            while let position = ByteSearch.first(mark[...], in: bytes, from: from) {
                found.append(position)
                from = position + mark.count
            }
            return found
        }
    }
}

extension UnescapedText {
    private struct Escape {
        let decoded: [UInt8]
        let length: Int
    }

    private static func escape(_ rest: ArraySlice<UInt8>) -> Escape? {
        switch rest.first ?? 0 {
        case UInt8(ascii: "&"): entity(rest)
        case UInt8(ascii: "\\"): backslash(rest)
        case UInt8(ascii: "%"):
            hexadecimal(rest.dropFirst(), digits: 2).map {
                Escape(decoded: [UInt8(truncatingIfNeeded: $0)], length: 3)
            }
        default: nil
        }
    }

    /// Decodes an HTML entity, such as `&#43;`, `&#x2B;` or `&plus;`.
    private static func entity(_ rest: ArraySlice<UInt8>) -> Escape? {
        let body = rest.dropFirst().prefix(longestEntity)
        guard let end = body.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: body[..<end], as: UTF8.self).lowercased()
        let length = end - rest.startIndex + 1
        guard name.hasPrefix("#") else {
            return entities[name].map { Escape(decoded: [UInt8(ascii: $0)], length: length) }
        }
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        return number.flatMap(utf8).map { Escape(decoded: $0, length: length) }
    }

    /// Decodes an escape of JSON, JavaScript or C: `\u002B`, `\u{2B}`, `\x2B`, `\053` or `\/`.
    private static func backslash(_ rest: ArraySlice<UInt8>) -> Escape? {
        guard let kind = rest.dropFirst().first else { return nil }
        let digits = rest.dropFirst(2)
        switch kind {
        case UInt8(ascii: "u") where digits.first == UInt8(ascii: "{"): return braced(digits.dropFirst())
        case UInt8(ascii: "u"):
            guard let unit = hexadecimal(digits, digits: 4) else { return nil }
            let next = digits.dropFirst(4)
            // RFC 8259 §7: a character beyond U+FFFF is two escapes.
            if 0xD800..<0xDC00 ~= unit, next.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]),
                let low = hexadecimal(next.dropFirst(2), digits: 4), 0xDC00..<0xE000 ~= low
            {
                let high: UInt32 = (unit - 0xD800) << 10
                return utf8(0x10000 + high + (low - 0xDC00)).map { Escape(decoded: $0, length: 12) }
            }
            return utf8(unit).map { Escape(decoded: $0, length: 6) }
        case UInt8(ascii: "x"):
            return hexadecimal(digits, digits: 2).map {
                Escape(decoded: [UInt8(truncatingIfNeeded: $0)], length: 4)
            }
        case UInt8(ascii: "0")...UInt8(ascii: "3"): return octal(rest.dropFirst().prefix(3))
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: "\\"):
            return Escape(decoded: [kind], length: 2)
        default: return nil
        }
    }

    /// Decodes an escape such as `\u{2B}`, from the one to six hexadecimal digits and the `}`.
    private static func braced(_ digits: ArraySlice<UInt8>) -> Escape? {
        guard let end = digits.prefix(7).firstIndex(of: UInt8(ascii: "}")), end > digits.startIndex else {
            return nil
        }
        let count = end - digits.startIndex
        return hexadecimal(digits, digits: count).flatMap(utf8).map {
            Escape(decoded: $0, length: count + 4)
        }
    }

    /// Decodes an escape such as `\053`, from the three octal digits.
    private static func octal(_ digits: ArraySlice<UInt8>) -> Escape? {
        let isOctal = digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 }
        guard digits.count == 3, isOctal else { return nil }
        return Escape(decoded: [digits.reduce(UInt8(0)) { $0 << 3 | ($1 & 7) }], length: 4)
    }

    /// Returns the number that the first `digits` hexadecimal digits stand for.
    private static func hexadecimal(_ bytes: ArraySlice<UInt8>, digits: Int) -> UInt32? {
        guard bytes.count >= digits else { return nil }
        var number: UInt32 = 0
        for byte in bytes.prefix(digits) {
            guard let digit = byte.hexDigit else { return nil }
            number = number << 4 | UInt32(digit)
        }
        return number
    }

    private static func utf8(_ scalar: UInt32) -> [UInt8]? {
        Unicode.Scalar(scalar).map { Array(String($0).utf8) }
    }

    /// The ASCII characters with a name in HTML 5, except letters and digits, by that name in lower case.
    private static let entities: [String: Unicode.Scalar] = [
        "amp": "&", "apos": "'", "ast": "*", "bsol": "\\", "colon": ":", "comma": ",", "commat": "@",
        "dollar": "$", "equals": "=", "excl": "!", "grave": "`", "gt": ">", "hat": "^", "lbrace": "{",
        "lbrack": "[", "lcub": "{", "lowbar": "_", "lpar": "(", "lsqb": "[", "lt": "<", "num": "#",
        "percnt": "%", "period": ".", "plus": "+", "quest": "?", "quot": "\"", "rbrace": "}", "rbrack": "]",
        "rcub": "}", "rpar": ")", "rsqb": "]", "semi": ";", "sol": "/", "verbar": "|", "vert": "|",
    ]
}
