import FerryFiles
package import HTTPTypes

/// One authentication scheme that a server offers with a 401 (RFC 9110 §11.6.1).
package struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme as the server wrote it: `Basic`, `Digest`, `Bearer`.
    package var scheme: String
    /// The parameters by name in lower case. If a name occurs twice, its first value counts.
    package var parameters: [String: String] = [:]

    /// True if the scheme has the given name. The comparison ignores letter case.
    package func isScheme(_ name: String) -> Bool { scheme.lowercased() == name.lowercased() }

    /// Returns the challenges in the `WWW-Authenticate` field of a response; none without the field.
    package static func list(in fields: HTTPFields) -> [AuthenticationChallenge] {
        fields[.wwwAuthenticate].map(list) ?? []
    }

    /// Parses a `WWW-Authenticate` field, up to malformed text. Returns at most 16 challenges.
    package static func list(_ value: String) -> [AuthenticationChallenge] {
        var reader = ChallengeReader(value)
        return reader.challenges()
    }

    /// Parses a header field that has parameters but no scheme, such as `Authentication-Info` (RFC 7615 §3).
    package static func parameters(_ value: String) -> [String: String] {
        list("Info " + value).first?.parameters ?? [:]
    }
}

/// A parser for `WWW-Authenticate`, where commas separate both the challenges and their parameters.
private struct ChallengeReader {
    /// The maximum number of bytes to parse. The rest of a longer value is dropped.
    private static let longest = 8192
    private static let mostChallenges = 16

    private var rest: Substring.UTF8View

    init(_ value: String) { rest = value.utf8.prefix(Self.longest) }

    mutating func challenges() -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        while challenges.count <= Self.mostChallenges {
            skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
            let word = take(Self.token.contains)
            guard !word.isEmpty else { break }
            skip(Self.isSpace)
            if rest.first == UInt8(ascii: "="), !challenges.isEmpty {
                rest.removeFirst()
                skip(Self.isSpace)
                guard let value = value() else { break }
                let name = word.lowercased()
                let known = challenges[challenges.count - 1].parameters[name]
                challenges[challenges.count - 1].parameters[name] = known ?? value
            } else {
                challenges.append(AuthenticationChallenge(scheme: word))
                skipToken68()
            }
        }
        return Array(challenges.prefix(Self.mostChallenges))
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

    private mutating func take(_ isTaken: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }

    /// Reads a token or a quoted string at the current position. Returns nil if a quoted string has no closing quote.
    private mutating func value() -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return take(Self.token.contains) }
        rest.removeFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                text.append(escaped)
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Skips a token68 (data similar to Base64), which can follow a scheme such as `Negotiate`, up to a comma or the
    /// end. If any other text follows, the skipped characters belong to a parameter, and are read again.
    private mutating func skipToken68() {
        let start = rest
        skip(Self.token68.contains)
        skip { $0 == UInt8(ascii: "=") }
        skip(Self.isSpace)
        if let byte = rest.first, byte != UInt8(ascii: ",") { rest = start }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The characters of a token (RFC 9110 §5.6.2).
    private static let token = PlainCharacters(alphanumericsAnd: "!#$%&'*+-.^_`|~")

    /// The characters of a token68, but the `=` at its end (RFC 9110 §11.2).
    private static let token68 = PlainCharacters(alphanumericsAnd: "-._~+/")
}
