/// The properties of an interface that show whether there is a network.
struct NetworkLink: Hashable {
    var index: Int32
    var isLoopback: Bool
    /// True if the administrator has enabled the interface (`IFF_UP`).
    var isEnabled: Bool
    /// True if the interface is enabled, has carrier, and does not wait for a login such as 802.1X.
    var isConnected: Bool
    var device = NetworkDevice()
}

struct NetworkAddress: Hashable {
    enum Family: Hashable { case ipv4, ipv6 }

    var link: Int32
    var family: Family
    /// The address: 4 or 16 bytes, in network byte order.
    var bytes: [UInt8]
    var prefixLength: UInt8

    /// True if other machines can be reached from this address: it is not loopback, link-local or unspecified.
    var isRoutable: Bool {
        switch family {
        case .ipv4:
            guard bytes.count == 4 else { return false }
            let isLinkLocal = bytes[0] == 169 && bytes[1] == 254
            return bytes[0] != 127 && bytes[0] != 0 && !isLinkLocal
        case .ipv6:
            guard bytes.count == 16 else { return false }
            let isLinkLocal = bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
            let isLoopbackOrNone = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
            return !isLinkLocal && !isLoopbackOrNone
        }
    }
}

/// A route of one address family through an interface. The destination prefix is left out, because a route to any
/// destination shows that there is a network. On a router, most routes are equal without their prefixes.
struct NetworkRoute: Hashable {
    var family: NetworkAddress.Family
    /// The index of the interface; nil if the kernel's message names none.
    var link: Int32?
    /// The metric of a default route; nil for any other route. The default route with the lowest metric is used.
    var defaultMetric: UInt32?
}

/// The interfaces, addresses and routes of this machine, and the conclusion whether there is a network (`obstacle`).
struct NetworkTable: Hashable {
    var links: [Int32: NetworkLink] = [:]
    /// The usable addresses: other machines can be reached from them.
    var addresses: Set<NetworkAddress> = []
    /// The routes; nil if they cannot be read and are assumed to exist.
    var routes: Set<NetworkRoute>? = []

    /// The reason why there is no network, as a part of a sentence; nil if there is one, also without a gateway.
    var obstacle: String? {
        guard links.values.contains(where: { !$0.isLoopback }) else { return "no network interface" }
        let (connected, families) = (connected, families)
        guard !connected.isEmpty else { return "no interface is connected" }
        guard !families.isEmpty else { return "no address on any interface" }
        guard let routes else { return nil }
        // The route may leave by any interface: a tunnel need not have an address of its own.
        let hasRoute = routes.contains { route in
            families.contains(route.family) && route.link.map(connected.contains) ?? true
        }
        return hasRoute ? nil : "no route"
    }

    /// The indices of the links that could carry packets to other machines.
    var connected: Set<Int32> { Set(links.values.filter { $0.isConnected && !$0.isLoopback }.map(\.index)) }

    /// The address families for which a connected link has an address.
    var families: Set<NetworkAddress.Family> {
        let connected = connected
        return Set(addresses.filter { connected.contains($0.link) }.map(\.family))
    }

    /// The links that carry the traffic to other machines, sorted by index: those of the default route with the lowest
    /// metric, or else of all routes, or else the connected links that have an address.
    var carriers: [NetworkLink] {
        let (connected, families) = (connected, families)
        let leaving = (routes ?? []).filter { route in
            families.contains(route.family) && route.link.map(connected.contains) ?? false
        }
        var indices = Set(leaving.compactMap(\.link))
        if let metric = leaving.compactMap(\.defaultMetric).min() {
            indices = Set(leaving.filter { $0.defaultMetric == metric }.compactMap(\.link))
        } else if indices.isEmpty {
            indices = Set(addresses.map(\.link)).intersection(connected)
        }
        return indices.sorted().compactMap { links[$0] }
    }

    mutating func remove(link index: Int32) {
        links[index] = nil
        addresses = addresses.filter { $0.link != index }
        routes = routes?.filter { $0.link != index }
    }
}
