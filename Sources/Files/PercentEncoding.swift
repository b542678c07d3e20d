/// A set of ASCII characters that percent-encoding leaves unchanged (RFC 3986 §2.1).
package struct PlainCharacters: Sendable {
    /// One bit for each ASCII character of the set: 0 to 63 in `low`, 64 to 127 in `high`.
    private let low: UInt64
    private let high: UInt64

    /// Creates the set of all ASCII letters, all digits and the ASCII characters of `others`.
    package init(alphanumericsAnd others: StaticString) {
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        func insert(_ byte: UInt8) {
            if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte & 63) }
        }
        for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { insert(byte) }
        for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { insert(byte) }
        for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { insert(byte) }
        for byte in others.description.utf8 where byte < 128 { insert(byte) }
        (low, high) = bits
    }

    /// The unreserved characters of RFC 3986 §2.3.
    package static let unreserved = PlainCharacters(alphanumericsAnd: "-._~")

    package func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}

extension StringProtocol {
    /// Returns the text with each UTF-8 byte percent-encoded, except the characters in `plain`.
    package func percentEncoded(keeping plain: PlainCharacters = .unreserved) -> String {
        Array(utf8).percentEncoded { plain.contains($1) }
    }

    /// Returns the text with each `%XX` decoded; nil for another `%`, or if the result is not UTF-8.
    package func percentDecoded() -> String? {
        let encoded = Array(utf8)
        guard encoded.contains(UInt8(ascii: "%")) else { return String(self) }
        var bytes: [UInt8] = []
        var rest = encoded.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next()?.hexDigit, let low = rest.next()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Returns the bytes as text, percent-encoded unless they are plain.
    package func percentEncoded(unless isPlain: (Index, UInt8) -> Bool) -> String {
        let digits = HexadecimalDigits.uppercase
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in indices {
            let byte = self[index]
            guard !isPlain(index, byte) else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(ascii: "%"))
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The hexadecimal digits as ASCII characters, in the order of their values.
package enum HexadecimalDigits {
    package static let lowercase = Array("0123456789abcdef".utf8)
    package static let uppercase = Array("0123456789ABCDEF".utf8)
}

extension UInt8 {
    /// The value of an ASCII character as a hexadecimal digit; nil for any other character.
    package var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
