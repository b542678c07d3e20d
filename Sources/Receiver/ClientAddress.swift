import FerryFiles
import NIOCore

/// The identity of a client for limits such as the number of its connections: an IPv4 address, or the /64 network of an
/// IPv6 address. All loopback addresses are one client.
///
/// A host is free to choose the last 64 bits of its IPv6 address (RFC 4291 §2.5.1), so they identify no client. In the
/// same way, a local program is free to choose an address of 127.0.0.0/8.
struct ClientAddress: Hashable, Sendable {
    /// The IPv4 address or IPv6 network as text; empty if the client's address is unknown.
    let text: String

    init(_ address: SocketAddress?) {
        switch address?.ipAddress.flatMap({ IPAddress($0.prefix { $0 != "%" }) })?.unmapped {
        case let local? where local.isLocal: text = "127.0.0.1"
        case .ipv4(let bytes): text = bytes.map { "\($0)" }.joined(separator: ".")
        case .ipv6(let bytes):
            text =
                stride(from: 0, to: 8, by: 2).map { index in
                    String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
                }.joined(separator: ":") + "::/64"
        case nil: text = ""
        }
    }
}
