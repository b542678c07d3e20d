// The patterns match scalars. A `Character` may contain the first letter of a credential and the scalar before it.
extension Redaction {
    /// Returns a text from any source as one line, with URLs redacted by `address(_:)`, without likely credentials.
    package static func text(_ text: String) -> String {
        var text = oneLine(text)
        if ByteSearch.finds(Array("://".utf8), in: text) {
            let pattern = /[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^\s"'<>]+/.matchingSemantics(.unicodeScalar)
            text.replace(pattern) { shown(String($0.output)) }
        }
        if text.hasByte("?") {
            text.replace(/[^\s"'<>]+/.matchingSemantics(.unicodeScalar)) { cutReference($0.output) }
        }
        return cutNamedValues(credentials(cutFrom: text))
    }

    /// Returns the text without credentials after the name of an authentication scheme: a word of at least six
    /// characters with a digit, `=`, `+` or `_`.
    static func credentials(cutFrom text: String) -> String {
        let credential = /(?i)\b(bearer|basic|digest|negotiate)\s+(?=\S*[0-9=+_])[^\s"',;<>]{6,}/
            .matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple)
        return text.replacing(credential) { $0.output.1 + " " + mark }
    }

    /// Returns the word. If it contains a URL without a host, such as `/a?b=c`, its query values are cut.
    private static func cutReference(_ word: Substring) -> String {
        let scalars = word.unicodeScalars
        guard let slash = scalars.firstIndex(of: "/"), let mark = scalars[slash...].firstIndex(of: "?"),
            scalars.index(after: mark) < scalars.endIndex
        else { return String(word) }
        return word[..<slash] + shown(String(word[slash...]))
    }

    /// Returns the text without values whose names suggest a secret, as in `token=x`, `"password": "x"` and `X-Api-Key:
    /// x1`. After a colon and a name without quotes, only a value with a digit is cut.
    ///
    /// The maximum lengths in the patterns keep the time linear: the search in a word of 4 KB took half a second.
    private static func cutNamedValues(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) else {
            return text
        }
        var text = text
        let assigned = /([A-Za-z][A-Za-z0-9_.-]{0,63})("?\s{0,8}=\s{0,8}"?|"\s{0,8}:\s{0,8}"?)([^\s"'&,;<>]+)/
            .matchingSemantics(.unicodeScalar)
        text.replace(assigned) {
            tellsSecret($0.output.1) ? $0.output.1 + $0.output.2 + mark : $0.output.0
        }
        let named =
            /([A-Za-z][A-Za-z0-9_.-]{0,63})(:\s{0,8})(?:(?:[Bb]earer|[Bb]asic|[Tt]oken)\s{1,8})?([^\s"'&,;<>]+)/
            .matchingSemantics(.unicodeScalar)
        text.replace(named) {
            tellsSecret($0.output.1) && holdsDigit($0.output.3)
                ? $0.output.1 + $0.output.2 + mark : $0.output.0
        }
        return text
    }

    /// True if one of the first 256 characters before the next white space is a digit. The words of a sentence have
    /// none, as in `token: expired`.
    private static func holdsDigit(_ value: Substring) -> Bool {
        value.base[value.startIndex...].prefix(256).prefix { !$0.isWhitespace }.contains { "0"..."9" ~= $0 }
    }

    /// Returns the URL, redacted by `address(_:)`, with the punctuation after it.
    private static func shown(_ url: String) -> String {
        let end = url.lastIndex { !".,;:)]".contains($0) }.map { url.index(after: $0) } ?? url.startIndex
        return address(String(url[..<end])) + url[end...]
    }

    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar != "\t" else { return false }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
