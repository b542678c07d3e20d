#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A local address that a test's server listens on.
public enum ListeningAddress: Hashable, Sendable {
    /// A free port on 127.0.0.1.
    case ipv4
    /// A free port on ::1.
    case ipv6
    /// The path of a Unix socket.
    case unix(String)

    /// True if this machine has ::1, which many containers lack.
    public static let hasIPv6: Bool = {
        guard let (descriptor, _) = try? Descriptor.listening(at: .ipv6) else { return false }
        descriptor.close()
        return true
    }()
}

extension Descriptor {
    static func listening(at place: ListeningAddress) throws -> (Descriptor, UInt16) {
        switch place {
        case .ipv4: return try listening(receiveBuffer: nil)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            let descriptor = try listening(at: &address, family: AF_INET6)
            return (descriptor, UInt16(bigEndian: address.sin6_port))
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { space in
                space.copyBytes(from: path.utf8.prefix(space.count - 1))
            }
            return (try listening(at: &address, family: AF_UNIX), 0)
        }
    }

    /// Listens, and stores the chosen port in `address`.
    private static func listening<Address>(at address: inout Address, family: Int32) throws -> Descriptor {
        let number = socket(family, streamType, 0)
        guard number >= 0 else { throw currentError() }
        let descriptor = Descriptor(number)
        descriptor.prepare()
        var size = socklen_t(MemoryLayout<Address>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, size) == 0 && listen(number, 128) == 0
                    && getsockname(number, pointer, &size) == 0
            }
        }
        guard result else { throw descriptor.closing(currentError()) }
        return descriptor
    }
}
