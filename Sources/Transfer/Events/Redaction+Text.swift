// The patterns match scalars. A `Character` may contain the first letter of a credential and the scalar before it.
extension Redaction {
    /// Returns a text from any source as one line. URLs in it are redacted by `address(_:)`. Texts that look like
    /// credentials are cut.
    package static func text(_ text: String) -> String {
        var text = oneLine(text)
        if ByteSearch.finds(Array("://".utf8), in: text) {
            let pattern = /[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^\s"'<>]+/.matchingSemantics(.unicodeScalar)
            text.replace(pattern) { shown(String($0.output)) }
        }
        if text.utf8.contains(UInt8(ascii: "?")) {
            text.replace(/[^\s"'<>]+/.matchingSemantics(.unicodeScalar)) { cutReference($0.output) }
        }
        return cutNamedValues(credentials(cutFrom: text))
    }

    /// Returns the text without credentials after the name of an authentication scheme: `Bearer`, `Basic`, `Digest` or
    /// `Negotiate`. The word after that name is cut if it has at least six characters and contains a digit, `=`, `+` or
    /// `_`.
    static func credentials(cutFrom text: String) -> String {
        let credential = /(?i)\b(bearer|basic|digest|negotiate)\s+(?=\S*[0-9=+_])[^\s"',;<>]{6,}/
            .matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple)
        return text.replacing(credential) { $0.output.1 + " " + mark }
    }

    /// Returns the word. If the word contains a URL without a host, such as `/a?b=c`, returns it without the query
    /// values.
    private static func cutReference(_ word: Substring) -> String {
        let scalars = word.unicodeScalars
        guard let slash = scalars.firstIndex(of: "/"), let mark = scalars[slash...].firstIndex(of: "?"),
            scalars.index(after: mark) < scalars.endIndex
        else { return String(word) }
        return word[..<slash] + shown(String(word[slash...]))
    }

    /// Returns the text without values whose names suggest a secret, as in `token=x`, `"password": "x"` and
    /// `X-Api-Key: x1`. If a colon follows a name without quotes, only a value with a digit is cut.
    ///
    /// The maximum lengths in the patterns keep the time proportional to the length of the text. Without them, the
    /// search in a word of 4 KB took half a second.
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

    /// True if there is a digit between the start of `value` and the next white space. Looks at 256 characters at most.
    /// The words of a sentence have no digits, as in `token: expired`.
    private static func holdsDigit(_ value: Substring) -> Bool {
        value.base[value.startIndex...].prefix(256).prefix { !$0.isWhitespace }.contains { "0"..."9" ~= $0 }
    }

    /// Returns the URL, redacted by `address(_:)`. Punctuation after the URL is not a part of it and stays.
    private static func shown(_ url: String) -> String {
        let end = url.lastIndex { !".,;:)]".contains($0) }.map { url.index(after: $0) } ?? url.startIndex
        return address(String(url[..<end])) + url[end...]
    }

    /// Returns the text with each line break and each control character replaced by a space. Tabs stay.
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
