package import FerryFiles

extension UploadAddress {
    /// True if `url` leads to a Unix socket or to a private, loopback or link-local host, and `origin` does not.
    /// `origin` is a URL of the server that sent `url`. A server on the internet has no reason to send a client to such
    /// a host.
    ///
    /// Only the URL itself is checked. A host name that resolves to a private address is not detected.
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
    /// True for a private, loopback or link-local host.
    ///
    /// - Parameter host: The host as in a URL. An IPv6 address may have brackets.
    static func isPrivate(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if let bytes = ipv6(String(name.prefix { $0 != "%" })) { return isPrivate(ipv6: bytes) }
        if name.hasSuffix(".") { name.removeLast() }
        if let bytes = ipv4(name) { return isPrivate(ipv4: bytes) }
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    private static func isPrivate(ipv4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127): true
        default: false
        }
    }

    private static func isPrivate(ipv6 bytes: [UInt8]) -> Bool {
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        // The IPv6 form of an IPv4 address behind a translator (RFC 6052 §2.1).
        let isTranslated = bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if isMapped || isTranslated { return isPrivate(ipv4: Array(bytes[12...])) }
        let isLocal = bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1
        // The prefixes of unique local addresses (fc00::/7, RFC 4193) and of link-local addresses (fe80::/10).
        return isLocal || bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// Returns the four bytes of an IPv4 address; nil for any other text. As resolvers do, it accepts one to four
    /// numbers, each decimal, octal or hexadecimal (inet_aton(3)).
    private static func ipv4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(number)
        guard (1...4).contains(parts.count), let last = parts.last, let rest = last else { return nil }
        var address: UInt32 = 0
        for part in parts.dropLast() {
            guard let part, part <= 255 else { return nil }
            address = address << 8 | part
        }
        let restBits = UInt32(8 * (5 - parts.count))
        guard restBits == 32 || rest < 1 << restBits else { return nil }
        address = (restBits == 32 ? 0 : address << restBits) | rest
        return (0..<4).map { UInt8(truncatingIfNeeded: address >> (24 - 8 * $0)) }
    }

    private static func number(_ text: Substring) -> UInt32? {
        guard let first = text.utf8.first, (0x30...0x39).contains(first) else { return nil }
        if text.hasPrefix("0x") { return UInt32(text.dropFirst(2), radix: 16) }
        return text.count > 1 && first == 0x30 ? UInt32(text, radix: 8) : UInt32(text)
    }

    /// Returns the 16 bytes of an IPv6 address (RFC 4291 §2.2); nil for any other text. The last two groups can have
    /// the form of an IPv4 address.
    private static func ipv6(_ text: String) -> [UInt8]? {
        guard text.contains(":") else { return nil }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false).map(String.init)
        guard halves.count <= 2, let front = groups(halves[0]) else { return nil }
        guard halves.count == 2 else { return front.count == 16 ? front : nil }
        guard let back = groups(halves[1]), front.count + back.count <= 14 else { return nil }
        return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
    }

    private static func groups(_ text: String) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let tail = ipv4(String(part)) else { return nil }
                bytes += tail
            } else {
                guard (1...4).contains(part.utf8.count), let group = UInt16(part, radix: 16) else {
                    return nil
                }
                bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
            }
        }
        return bytes
    }
}
