package import FerryFiles

extension UploadAddress {
    /// True if `url` leads to a Unix socket or to a private, loopback or link-local host, and `origin`, a URL of the
    /// server that sent it, does not. Names that resolve to a private address are not detected.
    package static func leadsInside(_ url: URL, from origin: URL) -> Bool {
        func isInside(_ url: URL) -> Bool {
            isUnixSocket(url.absoluteString)
                || url.host(percentEncoded: false).map(PrivateHost.isPrivate) ?? false
        }
        return isInside(url) && !isInside(origin)
    }
}

/// The check for hosts on this machine or in a private network (RFC 6890).
enum PrivateHost {
    /// True for a private, loopback or link-local host, as in a URL; an IPv6 address may have brackets.
    static func isPrivate(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name.removeLast() }
        // The text from `%` on is the zone of an IPv6 address.
        switch IPAddress(name.prefix { $0 != "%" })?.unmapped {
        case .ipv4(let bytes): return isPrivate(ipv4: bytes)
        case .ipv6(let bytes): return isPrivate(ipv6: bytes)
        case nil: return name == "localhost" || name.hasSuffix(".localhost")
        }
    }

    private static func isPrivate(ipv4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127): true
        default: false
        }
    }

    private static func isPrivate(ipv6 bytes: [UInt8]) -> Bool {
        // The IPv6 form of an IPv4 address behind a translator (RFC 6052 §2.1).
        let isTranslated = bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if isTranslated { return isPrivate(ipv4: Array(bytes[12...])) }
        let isLocal = bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1
        // The prefixes of unique local addresses (fc00::/7, RFC 4193) and of link-local addresses (fe80::/10).
        return isLocal || bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}
