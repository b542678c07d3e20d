extension Redaction {
    /// A text from anywhere as one line: addresses in it as `address(_:)` shows them, and without what looks like a
    /// credential.
    package static func text(_ text: String) -> String {
        var text = oneLine(text)
        if text.contains("://") {
            text.replace(/[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s"'<>]+/) { shown(String($0.output)) }
        }
        if text.contains("?") {
            // The rest of an address that names no server.
            text.replace(/\/[^\s"'<>?]*\?[^\s"'<>]+/) { shown(String($0.output)) }
        }
        return cutNamedValues(credentials(cutFrom: text))
    }

    /// A text without what follows the name of an authentication scheme, if that can be a credential.
    static func credentials(cutFrom text: String) -> String {
        text.replacing(/(?i)\b(bearer|basic|digest|negotiate)\s+(?=\S*[0-9=+_])[^\s"',;<>]{6,}/) {
            $0.output.1 + " " + mark
        }
    }

    /// `token=x`, `"password": "x"`, `X-Api-Key: x1`.
    private static func cutNamedValues(_ text: String) -> String {
        guard text.contains("=") || text.contains(":") else { return text }
        var text = text
        text.replace(/([A-Za-z][A-Za-z0-9_.-]*)("?\s*[=]\s*"?|"\s*:\s*"?)([^\s"'&,;<>]+)/) {
            tellsSecret($0.output.1) ? $0.output.1 + $0.output.2 + mark : $0.output.0
        }
        text.replace(
            /([A-Za-z][A-Za-z0-9_.-]*)(:\s*)((?:(?:[Bb]earer|[Bb]asic|[Tt]oken)\s+)?(?=\S*[0-9])[^\s"'&,;<>]+)/
        ) {
            tellsSecret($0.output.1) ? $0.output.1 + $0.output.2 + mark : $0.output.0
        }
        return text
    }

    /// Punctuation after an address belongs to the sentence.
    private static func shown(_ url: String) -> String {
        let end = url.lastIndex { !".,;:)]".contains($0) }.map { url.index(after: $0) } ?? url.startIndex
        return address(String(url[..<end])) + url[end...]
    }

    /// Nothing that begins a line or steers a terminal.
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
