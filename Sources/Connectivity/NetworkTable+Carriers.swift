extension NetworkTable {
    /// The links that carry the traffic to other machines, sorted by index; empty if no connected link has an address.
    ///
    /// The links are those of the default route with the lowest metric, whether the route is IPv4 or IPv6. Without a
    /// default route, they are the links of all routes. If no route names a connected link, they are the connected
    /// links that have an address.
    var carriers: [NetworkLink] {
        let (connected, families) = (connected, families)
        let leaving = routes?.filter { route in
            families.contains(route.family) && route.link.map(connected.contains) ?? false
        }
        var indices = Set((leaving ?? []).compactMap(\.link))
        if let metric = leaving?.compactMap(\.defaultMetric).min() {
            indices = Set((leaving ?? []).filter { $0.defaultMetric == metric }.compactMap(\.link))
        } else if indices.isEmpty {
            indices = Set(addresses.map(\.link)).intersection(connected)
        }
        return indices.sorted().compactMap { links[$0] }
    }
}
