import FerryFiles
import NIOCore
import Synchronization

/// A client's identity for limits: an IPv4 address, or the /64 network of an IPv6 address.
///
/// A host is free to choose the last 64 bits of its IPv6 address (RFC 4291 §2.5.1), so they identify no client.
struct ClientAddress: Hashable, Sendable {
    /// The address as text; empty for a client without one.
    let text: String

    init(_ address: SocketAddress?) {
        switch address?.ipAddress.flatMap({ IPAddress($0.prefix { $0 != "%" }) })?.unmapped {
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

/// The number of open connections of each client.
final class ClientTable: Sendable {
    private let limit: Int
    private let counts = Mutex<[ClientAddress: Int]>([:])

    init(limit: Int) { self.limit = limit }

    /// Counts one more connection of a client. At the limit, counts nothing and returns false.
    func enter(_ client: ClientAddress) -> Bool {
        counts.withLock { counts in
            let count = counts[client, default: 0]
            guard count < limit else { return false }
            counts[client] = count + 1
            return true
        }
    }

    /// Counts one connection less, when a connection that `enter` counted closes.
    func leave(_ client: ClientAddress) {
        counts.withLock { counts in
            let count = counts[client, default: 1] - 1
            counts[client] = count > 0 ? count : nil
        }
    }
}
