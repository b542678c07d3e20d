import FerryProtocols

/// The forms in which servers repeat a secret.
extension Secrets {
    /// The minimum length of a value whose hexadecimal digits are cut. Those of a shorter one can be any number.
    private static let shortestInHexadecimal = 8
    /// The texts between two bytes in hexadecimal digits.
    private static let separators = ["", " ", ":", "-", ", ", " 0x", ",0x", ", 0x"]

    private static let plain = PlainCharacters(alphanumericsAnd: "-._")

    static func forms(of value: String) -> [String] {
        escapedForms(of: value)
            + hexadecimal(of: value.utf8, upTo: .max).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the value, its Base64 forms, its escaped forms in URLs and JSON, and the forms that it has in messages.
    static func escapedForms(of value: String) -> [String] {
        let base64 = Data(value.utf8).base64EncodedString()
        var forms = [value, base64]
        if base64.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }) {
            // RFC 4648 §5. The padding is often left out.
            forms.append(String(base64.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
        }
        // Nothing in a plain word is escaped.
        if value.utf8.allSatisfy(plain.contains) { return forms }
        let encoded = value.percentEncoded()
        var others = [encoded, lowercasedDigits(of: encoded)]
        // The form of WHATWG's application/x-www-form-urlencoded.
        if value.utf8.contains(UInt8(ascii: " ")) { others.append(encoded.replacing("%20", with: "+")) }
        let quoted = escaped(value) { byte in
            switch byte {
            case UInt8(ascii: "\\"): "\\\\"
            case UInt8(ascii: "\""): "\\\""
            default: nil
            }
        }
        // RFC 8259 §7: a solidus may be escaped. Go also writes `&`, `<` and `>` as numbers.
        let slashed = escaped(quoted) { $0 == UInt8(ascii: "/") ? "\\/" : nil }
        let numbered = escaped(quoted) { byte in
            switch byte {
            case UInt8(ascii: "&"): "\\u0026"
            case UInt8(ascii: "<"): "\\u003c"
            case UInt8(ascii: ">"): "\\u003e"
            default: nil
            }
        }
        others += [quoted, slashed, numbered]
        // The secret as it appears in a text that `ServerText` or `HTMLText` has cleaned.
        if value.utf8.contains(where: { !(0x21...0x7E).contains($0) }) {
            others.append(ServerText.cleaned(value))
        }
        if value.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) {
            let shown = ServerText.cleaned(HTMLText.plain(Array(value.utf8)))
            // `HTMLText` removes what looks like a tag. If little of the secret remains, it can be an ordinary word.
            if shown.utf8.count >= max(shownPrefix, value.utf8.count / 2) { others.append(shown) }
        }
        // A server that escapes some characters leaves escapes that decoding the text decodes too.
        let decoded = UnescapedText.layers(of: value).dropFirst()
        others += decoded.map { String(decoding: $0.bytes, as: UTF8.self) }.filter {
            $0.utf8.count >= shownPrefix
        }
        for form in others where !form.isEmpty && !forms.contains(form) { forms.append(form) }
        return forms
    }

    private static func escaped(_ text: String, by escape: (UInt8) -> String?) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if let escape = escape(byte) { bytes += escape.utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func lowercasedDigits(of encoded: String) -> String {
        var bytes = Array(encoded.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            for digit in bytes.indices[index...].dropFirst().prefix(2)
            where UInt8(ascii: "A")...UInt8(ascii: "F") ~= bytes[digit] {
                bytes[digit] |= 0x20
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the first `count` bytes of a value of eight bytes or more in hexadecimal digits, with each separator.
    static func hexadecimal(of value: String.UTF8View, upTo count: Int) -> [[UInt8]] {
        guard value.count >= shortestInHexadecimal else { return [] }
        let digits = HexadecimalDigits.lowercase
        let bytes = Array(value.prefix(count))
        return separators.map { separator in
            var form: [UInt8] = []
            form.reserveCapacity(bytes.count * (2 + separator.utf8.count))
            for byte in bytes {
                if !form.isEmpty { form += separator.utf8 }
                form.append(digits[Int(byte >> 4)])
                form.append(digits[Int(byte & 15)])
            }
            return form
        }
    }
}
