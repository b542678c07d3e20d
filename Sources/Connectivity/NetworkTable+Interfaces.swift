#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension NetworkTable {
    /// Returns the interfaces and addresses that getifaddrs(3) reports, without routes; nil if the call fails.
    static func ofThisMachine() -> NetworkTable? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var table = NetworkTable(routes: nil)
        var next = list
        while let entry = next {
            table.add(entry.pointee)
            next = entry.pointee.ifa_next
        }
        return table
    }

    private mutating func add(_ entry: ifaddrs) {
        guard let index = Int32(exactly: if_nametoindex(entry.ifa_name)), index > 0 else { return }
        // IFF_UP, IFF_LOOPBACK and IFF_RUNNING are the same numbers on Linux and macOS.
        let flags = UInt32(truncatingIfNeeded: entry.ifa_flags)
        let isEnabled = flags & 0x1 != 0
        links[index] = NetworkLink(
            index: index, isLoopback: flags & 0x8 != 0, isEnabled: isEnabled,
            isConnected: isEnabled && flags & 0x40 != 0,
            device: NetworkDevice(name: String(cString: entry.ifa_name)))
        guard let pointer = entry.ifa_addr, let (family, bytes) = addressBytes(pointer) else { return }
        // Only netlink messages need the prefix length, to tell addresses apart.
        let address = NetworkAddress(link: index, family: family, bytes: bytes, prefixLength: 0)
        if address.isRoutable { addresses.insert(address) }
    }

    private func addressBytes(_ pointer: UnsafePointer<sockaddr>) -> (NetworkAddress.Family, [UInt8])? {
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                (.ipv4, withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) })
            }
        case AF_INET6:
            pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                (.ipv6, withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) })
            }
        default: nil
        }
    }
}
