package import FerryFiles

/// The rules for upload URLs: insertion of the file's name, comparison of servers, and validity.
package enum UploadAddress {
    /// The placeholder in a destination's URL. The file's name replaces it.
    package static let nameMark = "{name}"

    /// Returns the URL with `{name}` replaced by the percent-encoded name, or unchanged if it has no `{name}`.
    package static func filled(_ url: String, with name: String) -> String {
        guard url.hasByte("{") else { return url }
        return url.replacing(nameMark, with: name.percentEncoded(keeping: allowedInName))
    }

    /// Returns the URL of one file at a destination. `{name}` is replaced by the name. Without it, the name is appended
    /// to a path that ends with a slash, as with `curl -T`, and any other URL is returned unchanged.
    package static func address(_ url: String, for name: String) -> String {
        if url.hasByte("{"), url.contains(nameMark) { return filled(url, with: name) }
        let encoded = name.percentEncoded(keeping: allowedInName)
        let end = pathEnd(of: url)
        guard url.utf8[..<end].last == UInt8(ascii: "/") else { return url }
        return end == url.endIndex ? url + encoded : url[..<end] + encoded + url[end...]
    }

    /// Returns the URL without its query and fragment.
    package static func withoutQuery(_ url: String) -> String { String(url[..<pathEnd(of: url)]) }

    /// Returns where the query or fragment of a URL begins. Comparing bytes is many times as fast as characters.
    private static func pathEnd(of url: String) -> String.Index {
        [url.byteOffset(of: "?"), url.byteOffset(of: "#")].compactMap { $0 }.min()
            .map { url.utf8.index(url.startIndex, offsetBy: $0) } ?? url.endIndex
    }

    /// Splits a URL into the server, the path, and the query with its question mark. Leaves out the fragment.
    package static func parts(of url: String) -> (server: Substring, path: Substring, query: Substring) {
        let whole = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        let scheme = whole.prefix { $0 != UInt8(ascii: ":") }
        let start = whole[scheme.endIndex...].starts(with: "://".utf8) ? scheme.count + 3 : 0
        let host = whole.dropFirst(start).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = whole[host.endIndex...].prefix { $0 != UInt8(ascii: "?") }
        return (url[..<host.endIndex], Substring(path), url[path.endIndex..<whole.endIndex])
    }

    /// Returns the names and values in a URL's query, as written. The value is empty without a `=`. Some servers also
    /// end items at `;` (HTML 4.01, appendix B.2.2), so an item with `;` is returned as a whole, and then in parts.
    package static func queryItems(of url: String) -> [(name: String, value: String)] {
        let items = parts(of: url).query.dropFirst().split(separator: "&")
        let all = items.flatMap { $0.contains(";") ? [$0] + $0.split(separator: ";") : [$0] }
        return all.map { item in
            let name = item.prefix { $0 != "=" }
            return (String(name), String(item[name.endIndex...].dropFirst()))
        }
    }

    /// Returns `url` with the query of `other` at its end, unless `url` has a query already.
    package static func withQuery(of other: String, _ url: String) -> String {
        url.hasByte("?") ? url : url + parts(of: other).query
    }

    /// True if files with different names get different URLs, by `{name}` or a slash at the end of the path.
    package static func tellsNamesApart(_ url: String) -> Bool {
        address(url, for: "a") != address(url, for: "b")
    }

    /// Returns the scheme, host and port of a URL in lower case, such as `https://host:443`; nil without a scheme or
    /// host. The default port is 443 for https and 80 for any other scheme. A Unix socket's path counts as its host.
    package static func origin(_ url: URL) -> String? {
        guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased(), !host.isEmpty else {
            return nil
        }
        // A socket's path can be percent-encoded in several ways, which must all give the same origin.
        if scheme == unixScheme, let path = url.host(percentEncoded: false) {
            return "\(scheme)://\(path.percentEncoded())"
        }
        let shown = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme)://\(shown):\(url.port ?? (scheme == "https" ? 443 : 80))"
    }

    /// True if both URLs are valid and have the same origin.
    package static func haveSameOrigin(_ first: String, _ second: String) -> Bool {
        // Most URLs are plain. A complete parse takes 1 % of the time of a small upload.
        if let authority = plainAuthority(of: first), authority == plainAuthority(of: second) { return true }
        guard let known = URL(string: first).flatMap(origin) else { return false }
        return known == URL(string: second).flatMap(origin)
    }

    /// True for a URL with the scheme `http`. Anybody on the way can forge a response to a request to it.
    package static func isUnencrypted(_ url: String) -> Bool {
        url.utf8.prefix(5).elementsEqual("http:".utf8) || URL(string: url)?.scheme?.lowercased() == "http"
    }

    /// The maximum length of a URL in bytes. RFC 9110 §4.1 recommends support for at least 8,000. A URL many times
    /// longer makes a request head that crashes AsyncHTTPClient 1.37.0 (`HTTPRequestStateMachine.headSent()`).
    package static let longest = 8192

    /// Resolves the URL in a `Location` against `base`, the URL of the request (RFC 9110 §10.2.2).
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the URL is invalid, or has another origin than `base`: the
    ///   credentials and the file must reach only the configured server.
    package static func resolve(_ location: String, against base: String) throws(UploadFailure) -> String {
        // Most locations are plain URLs on the same server. A complete parse takes 3 % of the time of a small upload.
        if let authority = plainAuthority(of: location), authority == plainAuthority(of: base),
            location.utf8.count <= longest,
            // Resolving would remove a segment `.` or `..`.
            !zip(location.utf8, location.utf8.dropFirst()).contains(where: {
                $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".")
            })
        {
            return location
        }
        let resolved = try named(location, against: base)
        guard let origin = origin(resolved), origin == URL(string: base).flatMap(UploadAddress.origin) else {
            let origin = origin(resolved) ?? resolved.absoluteString
            throw UploadFailure(
                .permanent, "the server sends the upload to another address, \(ServerText.cleaned(origin))",
                hint: "if that is right, set the destination's url to that address")
        }
        return resolved.absoluteString
    }

    /// Resolves a URL in a response as `absolute(_:against:)` does.
    ///
    /// - Throws: `UploadFailure` (`permanent`), with the host of `base` in its summary, if the result would be nil.
    package static func named(_ location: String, against base: String) throws(UploadFailure) -> URL {
        if let resolved = absolute(location, against: base) { return resolved }
        let server = URL(string: base)?.host(percentEncoded: false).map(ServerText.cleaned) ?? "the server"
        let length = location.utf8.count
        throw UploadFailure(
            .permanent,
            length > longest
                ? "\(server) sent an address of \(length) bytes; at most \(longest) are taken"
                : "\(server) sent an address that cannot be read: \(ServerText.cleaned(location))")
    }

    /// Resolves a URL in a response against `base`, the URL of the request. The result can be on another host. Returns
    /// nil if the URL is malformed, has no host, contains user info or has more than `longest` bytes.
    package static func absolute(_ location: String, against base: String) -> URL? {
        guard location.utf8.count <= longest, let base = URL(string: base),
            let resolved = URL(string: escaped(location), relativeTo: base)?.absoluteURL.behindSocket(
                of: base),
            resolved.absoluteString.utf8.count <= longest, origin(resolved) != nil, resolved.user() == nil
        else { return nil }
        return resolved
    }

    /// Percent-encodes what RFC 3986 forbids in a URI reference. nginx 1.22 sends a `Location` with both unencoded
    /// brackets and `%20`, which must not be encoded again.
    static func escaped(_ reference: String) -> String {
        let bytes = Array(reference.utf8)
        // Brackets are allowed in the authority only, for an IPv6 address (RFC 3986 §3.2.2).
        let authority = authorityEnd(bytes)
        return bytes.percentEncoded { index, byte in
            switch byte {
            case UInt8(ascii: "%"):
                index + 2 < bytes.count && bytes[index + 1].hexDigit != nil
                    && bytes[index + 2].hexDigit != nil
            case UInt8(ascii: "["), UInt8(ascii: "]"): index < authority
            default: allowedInReference.contains(byte)
            }
        }
    }

    /// Returns the byte offset at which the authority of a URI reference ends; 0 without an authority.
    private static func authorityEnd(_ reference: [UInt8]) -> Int {
        let slash = UInt8(ascii: "/")
        let delimiters = Array("/?#".utf8)
        guard let first = reference.firstIndex(where: delimiters.contains), reference[first] == slash,
            first == 0 || reference[first - 1] == UInt8(ascii: ":"), first + 1 < reference.count,
            reference[first + 1] == slash
        else { return 0 }
        let rest = reference[(first + 2)...]
        return rest.firstIndex(where: delimiters.contains) ?? reference.count
    }

    /// The unreserved and reserved characters except brackets (RFC 3986 §2.2, §2.3).
    private static let allowedInReference = PlainCharacters(alphanumericsAnd: "-._~:/?#@!$&'()*+,;=")

    /// The phrase for a valid URL in error messages, which omits Unix sockets.
    package static let anyAddress = "an http or https address"
    /// The example of a Unix socket's URL in error messages.
    package static let socketExample = "http+unix://%2Frun%2Fname.sock/"

    /// Returns nil if `url` is valid, and otherwise the phrase for what is valid, such as "a port from 1 to 65535".
    package static func expectation(brokenBy url: String) -> String? {
        if plainAuthority(of: url) != nil { return nil }
        guard let parts = URL(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.host(percentEncoded: false), !host.isEmpty,
            ["http", "https", unixScheme].contains(scheme)
        else {
            let lacksHost = url.lowercased().prefixMatch(of: /https?:\/\/([\/?#:]|$)/) != nil
            return lacksHost ? "\(anyAddress) with a host" : anyAddress
        }
        if scheme == unixScheme {
            // The limit of sockaddr_un (unix(7)).
            guard host.hasPrefix("/"), (2...107).contains(host.utf8.count), !host.utf8.contains(0),
                parts.port == nil
            else { return "the socket's absolute path of at most 107 bytes, as \(socketExample)" }
            return nil
        }
        if host.contains(":"), host.contains("%") {
            return "an IPv6 address without a zone (what follows the %)"
        }
        guard isHost(host) else { return "a host's name or address, of at most 253 bytes" }
        if let port = parts.port, !(1...65_535).contains(port) { return "a port from 1 to 65535" }
        return nil
    }

    /// Returns the scheme, host and port of a plain URL such as `http://host:80/a/b`, as written; nil for any other
    /// URL. A plain URL has a path of ASCII letters, digits, `.`, `-`, `_` and `/`, and no user info, query or
    /// fragment. Most URLs are plain, so callers rarely need the slower complete parse.
    package static func plainAuthority(of url: String) -> Substring? {
        var text = url
        return text.withUTF8(plainAuthorityLength).map { url.utf8.prefix($0) }.map(Substring.init)
    }

    private static func plainAuthorityLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let plain = plain
        let isPlain = bytes.starts(with: "http://".utf8)
        guard isPlain || bytes.starts(with: "https://".utf8) else { return nil }
        let start = isPlain ? 7 : 8
        let end = bytes[start...].firstIndex { !plain.contains($0) } ?? bytes.endIndex
        guard (1...253).contains(end - start) else { return nil }
        var rest = bytes[end...]
        if rest.first == UInt8(ascii: ":") {
            let digits = rest.dropFirst().prefix { $0 != UInt8(ascii: "/") }
            guard digits.count <= 5, digits.first != UInt8(ascii: "0"),
                digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), !digits.isEmpty,
                digits.reduce(0, { $0 * 10 + Int($1 - UInt8(ascii: "0")) }) <= 65_535
            else { return nil }
            rest = bytes[digits.endIndex...]
        }
        guard rest.first == UInt8(ascii: "/"),
            rest.allSatisfy({ $0 == UInt8(ascii: "/") || plain.contains($0) })
        else { return nil }
        return rest.startIndex
    }

    private static let plain = PlainCharacters(alphanumericsAnd: ".-_")

    /// True if `text` can be sent as a host. A percent-decoded one can contain a line break (`%0A`).
    package static func isHost(_ text: String) -> Bool {
        // The limit of RFC 1035 §2.3.4, without the length octets.
        (1...253).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7f && !"/?#@\\<>\"%^`{|}".unicodeScalars.contains($0)
            }
    }

    /// The scheme of a Unix socket's URL.
    package static let unixScheme = "http+unix"

    /// The value of `Host` in a request to a Unix socket, as curl sends it.
    package static let socketHost = "localhost"

    /// True if the URL has the scheme `http+unix`.
    package static func isUnixSocket(_ url: String) -> Bool { url.lowercased().hasPrefix(unixScheme + "://") }

    private static let allowedInName = PlainCharacters(alphanumericsAnd: "-._~/")
}

extension URL {
    /// Returns this URL with the Unix socket of `base` in place of the host `localhost` with the port 80 or 443. A
    /// server on a Unix socket makes such URLs, because requests to it have `Host: localhost`.
    fileprivate func behindSocket(of base: URL) -> URL {
        guard base.scheme?.lowercased() == UploadAddress.unixScheme,
            let socket = base.host(percentEncoded: false),
            host()?.lowercased() == UploadAddress.socketHost, user() == nil,
            [nil, 80, 443].contains(port), var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        parts.scheme = UploadAddress.unixScheme
        parts.port = nil
        parts.percentEncodedHost = socket.percentEncoded()
        return parts.url ?? self
    }
}
