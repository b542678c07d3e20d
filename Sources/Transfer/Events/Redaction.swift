import FerryFiles
import FerryProtocols
package import HTTPTypes

/// The removal of secrets from texts that are shown or logged.
package enum Redaction {
    static let mark = "…"
    static let unreadable = "(an address that cannot be read)"

    /// Returns the URL without user info, query values, fragment and possible secrets in its path. If the URL cannot be
    /// parsed, returns `unreadable`.
    package static func address(_ url: String) -> String {
        // A plain URL has no secrets. Parsing it would cost more than the system calls for a small file.
        if UploadAddress.plainAuthority(of: url) != nil { return url }
        // The mark of an earlier cut is escaped: otherwise the parser would escape the rest of the URL again.
        let url = url.replacing(mark, with: "%E2%80%A6")
        guard var parts = URLComponents(string: url) else { return unreadable }
        if parts.percentEncodedHost?.isEmpty ?? true, mayHoldUserInfo(url) { return unreadable }
        let (path, query, fragment) = (parts.percentEncodedPath, parts.percentEncodedQuery, parts.fragment)
        parts.user = nil
        parts.password = nil
        parts.percentEncodedPath = ""
        parts.percentEncodedQuery = nil
        parts.percentEncodedFragment = nil
        guard let head = parts.string else { return unreadable }
        var text = head + cutPath(path)
        if let query, !query.isEmpty {
            text += "?" + query.split(separator: "&").map(cutItem).joined(separator: "&")
        }
        if let fragment, !fragment.isEmpty { text += "#" + mark }
        return text.replacing("%E2%80%A6", with: mark)
    }

    static func fields(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(
            fields.map { field in
                HTTPField(name: field.name, value: holdsSecret(field) ? mark : value(field.value))
            })
    }

    /// Returns the value of a header field for display. A value with `=`, `?` or `@` can contain a URL, or a secret
    /// such as `token=x`. So such a value is redacted by `text(_:)`. Any other value stays as it is.
    private static func value(_ value: String) -> String {
        value.utf8.contains { [UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "@")].contains($0) }
            ? text(value) : value
    }

    /// True if the name of the header field shows that its value is a secret. Also true if the value has the form of
    /// credentials (RFC 9110 §11.4).
    package static func holdsSecret(_ field: HTTPField) -> Bool {
        holdsSecret(field.name) || beginsWithScheme(field.value)
    }

    /// True if the value of a configured header field is possibly, but not clearly, a secret. Such a value has at least
    /// 16 characters. The result is false for common fields (`harmless`), because they never contain a secret. It is
    /// also false for fields for which `holdsSecret(_:)` is true, because their value clearly is a secret.
    package static func mayHoldSecret(_ field: HTTPField) -> Bool {
        field.value.count >= Secrets.telling && !harmless.contains(field.name.canonicalName)
            && !holdsSecret(field)
    }

    /// True if a value has the form of a key or a token. Such a value has at least 16 characters and no white space. It
    /// contains at least 16 letters or digits in a row. A row of 12 is enough if it has both letters and digits.
    package static func looksRandom(_ value: String) -> Bool {
        guard value.count >= Secrets.telling, !value.contains(where: \.isWhitespace) else { return false }
        return value.split { !$0.isLetter && !$0.isNumber }.contains { part in
            part.count >= Secrets.telling
                || part.count >= 12 && part.contains(where: \.isLetter) && part.contains(where: \.isNumber)
        }
    }

    /// True for `Authorization` and `Proxy-Authorization`, and for any other field whose value begins with the name of
    /// an authentication scheme.
    static func hasScheme(_ field: HTTPField) -> Bool {
        [.authorization, .proxyAuthorization].contains(field.name) || beginsWithScheme(field.value)
    }

    private static func beginsWithScheme(_ value: String) -> Bool {
        guard let first = value.utf8.first, "bdnaBDNA".utf8.contains(first) else { return false }
        let value = value.prefix(12).lowercased()
        return ["bearer ", "basic ", "digest ", "negotiate ", "aws4-hmac-"].contains { value.hasPrefix($0) }
    }

    static func holdsSecret(_ name: HTTPField.Name) -> Bool {
        !harmless.contains(name.canonicalName) && tellsSecret(name.canonicalName)
    }

    /// The names of common header fields that never contain a secret.
    static let harmless: Set<String> = [
        "accept", "accept-language", "cache-control", "content-disposition", "content-encoding",
        "content-language", "content-length", "content-range", "content-type", "depth", "destination",
        "if-match",
        "if-none-match", "origin", "overwrite", "prefer", "referer", "repr-digest", "tus-resumable",
        "upload-checksum", "upload-complete",
        "upload-draft-interop-version", "upload-length", "upload-metadata", "upload-offset", "user-agent",
        "want-repr-digest", "x-amz-content-sha256", "x-amz-date",
    ]

    /// True if the name suggests that its value is a secret. Always false for `Idempotency-Key`.
    package static func tellsSecret(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        // The value of this field is shown, so that a person can find it in the server's log.
        guard name != "idempotency-key" else { return false }
        return telling.contains { ByteSearch.finds($0, in: name) }
            || name.split { !$0.isLetter }.contains { tellingWords.contains(String($0)) }
    }

    /// The texts that make a name suggest a secret if they occur anywhere in it.
    private static let telling: [[UInt8]] = [
        "authorization", "authentic", "token", "secret", "password", "passwd", "passphrase", "credential",
        "signature", "session", "cookie", "api-key", "apikey", "access-key", "accesskey", "encryption",
        "bearer",
    ].map { Array($0.utf8) }
    /// The words that make a name suggest a secret if they occur in it as whole words.
    private static let tellingWords: Set<String> = [
        "key", "auth", "pass", "pwd", "otp", "sig", "hmac", "jwt", "sas", "csrf", "xsrf", "sid",
    ]

    /// True if a URL in which the parser found no host possibly contains user info. This is so for a URL with `@` or
    /// `:` after its scheme. For example, the parser finds no host in `user:word@host/f`, because `user` looks like a
    /// scheme.
    private static func mayHoldUserInfo(_ url: String) -> Bool {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return rest.contains { "@:".contains($0) }
    }

    /// Returns the path without possible secrets. Cuts the values of parameters (`;jsessionid=…`). If the path contains
    /// another URL, also cuts the values and the user info in that URL.
    private static func cutPath(_ path: String) -> String {
        var path = path
        if path.contains("=") || path.contains("%3D") || path.contains("%3d") {
            path.replace(/(=|%3[Dd])[^\/;&]+/) { $0.output.1 + mark }
        }
        if path.contains("@") || path.contains("%40") {
            path.replace(/(\/\/|%2[Ff]%2[Ff])([^\/]*)/) { found in
                let (start, rest) = (found.output.1, found.output.2)
                let end = [rest.ranges(of: "@").last, rest.ranges(of: "%40").last].compactMap {
                    $0?.lowerBound
                }.max()
                return end.map { start + mark + rest[$0...] } ?? found.output.0
            }
        }
        return path
    }

    /// Returns a query item without its value. An item without a value is cut completely, since the item itself is
    /// possibly a secret. A name is cut too if it has more than 64 characters, or a character other than ASCII letters,
    /// digits and `_.-~[]%+`.
    private static func cutItem(_ item: Substring) -> String {
        guard let equals = item.firstIndex(of: "="), item[equals...].contains(where: { $0 != "=" }) else {
            return mark
        }
        let name = item[..<equals]
        let isName =
            name.count <= 64
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-~[]%+".contains($0)) }
        return (isName ? String(name) : mark) + "=" + mark
    }
}
