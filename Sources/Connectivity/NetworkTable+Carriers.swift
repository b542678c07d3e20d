extension NetworkTable {
    /// The links that carry the traffic to other machines, sorted by index; empty without a network.
    ///
    /// The links are those of the default route with the lowest metric, of either address family. A machine without a
    /// default route has the links of all its routes.
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
