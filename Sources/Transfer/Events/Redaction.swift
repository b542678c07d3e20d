import FerryProtocols
package import HTTPTypes

/// The removal of secrets from texts that are shown or logged.
package enum Redaction {
    static let mark = "…"
    static let unreadable = "(an address that cannot be read)"

    /// Returns the URL without user info, query values, fragment and possible secrets in its path.
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

    /// Returns the value of a header field for display. With `=`, `?` or `@` it can contain a URL or `token=x`.
    private static func value(_ value: String) -> String {
        value.utf8.contains { [UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "@")].contains($0) }
            ? text(value) : value
    }

    /// True if the name of the header field suggests a secret, or its value is credentials (RFC 9110 §11.4).
    package static func holdsSecret(_ field: HTTPField) -> Bool {
        holdsSecret(field.name) || beginsWithScheme(field.value)
    }

    /// True if the value of a configured header field of 16 characters or more is possibly, but not clearly, a secret.
    package static func mayHoldSecret(_ field: HTTPField) -> Bool {
        field.value.count >= Secrets.telling && !harmless.contains(field.name.canonicalName)
            && !holdsSecret(field)
    }

    /// True if a value has the form of a key or a token: no white space, and at least 16 letters or digits in a row, or
    /// 12 with both.
    package static func looksRandom(_ value: String) -> Bool {
        guard value.count >= Secrets.telling, !value.contains(where: \.isWhitespace) else { return false }
        return value.split { !$0.isLetter && !$0.isNumber }.contains { part in
            part.count >= Secrets.telling
                || part.count >= 12 && part.contains(where: \.isLetter) && part.contains(where: \.isNumber)
        }
    }

    /// True for `Authorization` and `Proxy-Authorization`, and for a value that begins with an authentication scheme.
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
        "if-match", "if-none-match", "origin", "overwrite", "prefer", "referer", "repr-digest",
        "tus-resumable", "upload-checksum", "upload-complete", "upload-draft-interop-version",
        "upload-length", "upload-metadata", "upload-offset", "user-agent", "want-repr-digest",
        "x-amz-content-sha256", "x-amz-date",
    ]

    /// True if the name suggests that its value is a secret.
    package static func tellsSecret(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        // The value of this field is shown, so that a person can find it in the server's log.
        guard name != "idempotency-key" else { return false }
        return telling.contains { ByteSearch.finds($0, in: name) }
            || name.split { !$0.isLetter }.contains { tellingWords.contains(String($0)) }
    }

    /// The texts that make a name suggest a secret anywhere in it.
    private static let telling: [[UInt8]] = [
        "authorization", "authentic", "token", "secret", "password", "passwd", "passphrase", "credential",
        "signature", "session", "cookie", "api-key", "apikey", "access-key", "accesskey", "encryption",
        "bearer",
    ].map { Array($0.utf8) }
    /// The texts that do so as whole words.
    private static let tellingWords: Set<String> = [
        "key", "auth", "pass", "pwd", "otp", "sig", "hmac", "jwt", "sas", "csrf", "xsrf", "sid",
    ]

    /// True if a URL in which the parser found no host possibly contains user info, by `@` or `:` after its scheme. In
    /// `user:word@host/f`, `user` looks like a scheme.
    private static func mayHoldUserInfo(_ url: String) -> Bool {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return rest.contains { "@:".contains($0) }
    }

    /// Returns the path without the values of parameters (`;jsessionid=…`), and without those and the user info of
    /// another URL in it.
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

    /// Returns a query item without its value. An item without a value, and an unusual or long name, are possibly
    /// secrets themselves and are cut completely.
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
