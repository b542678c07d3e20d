#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An IP address in any numeric form of the system's resolver, except one with an IPv6 zone.
package enum IPAddress: Hashable, Sendable {
    case ipv4([UInt8])
    case ipv6([UInt8])

    package init?(_ text: some StringProtocol) {
        // C reads a text only up to the first NUL, so `127.0.0.1\0.example` would pass for an address.
        guard !text.utf8.contains(0) else { return nil }
        let text = String(text)
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_pton(AF_INET6, text, &ipv6) == 1 {
            self = .ipv6(withUnsafeBytes(of: ipv6) { Array($0) })
        } else if text.utf8.allSatisfy({ $0.hexDigit != nil || ".xX".utf8.contains($0) }),
            // inet_aton ignores all text after a space.
            inet_aton(text, &ipv4) == 1
        {
            self = .ipv4(withUnsafeBytes(of: ipv4) { Array($0) })
        } else {
            return nil
        }
    }

    /// The IPv4 address in an IPv4-mapped one (RFC 4291 §2.5.5.2), which a dual-stack socket reports.
    package var unmapped: IPAddress {
        guard case .ipv6(let bytes) = self, bytes.prefix(10).allSatisfy({ $0 == 0 }),
            bytes[10...11].allSatisfy({ $0 == 0xFF })
        else { return self }
        return .ipv4(Array(bytes.suffix(4)))
    }

    /// True for a loopback address, and for the unspecified address, which connects to this machine too.
    package var isLocal: Bool {
        switch unmapped {
        case .ipv4(let bytes): bytes.first == 127 || bytes.allSatisfy { $0 == 0 }
        case .ipv6(let bytes): bytes.dropLast().allSatisfy { $0 == 0 } && (bytes.last ?? 0) <= 1
        }
    }
}
