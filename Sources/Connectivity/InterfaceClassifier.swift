/// Determines the kind of the interface that carries the traffic, from a network table and sysfs.
struct InterfaceClassifier: Sendable {
    typealias Interface = ConnectivityMonitor.Interface

    var folder: @Sendable (NetworkLink) -> DeviceFolder? = { DeviceFolder.read($0) }

    /// Returns the kind of the interface that carries the traffic: of several interfaces, the first of a known kind.
    func interface(of table: NetworkTable) -> Interface {
        let found = table.carriers.map { interface(of: $0, in: table) }
        return found.first { $0 != .other } ?? .other
    }

    func interface(of link: NetworkLink, in table: NetworkTable) -> Interface {
        var unvisited = table.links
        return interface(of: link, among: &unvisited)
    }

    /// Returns the kind of an interface. For a VLAN, a bridge or a bond, this is the kind of an interface below it.
    ///
    /// - Parameter links: The interfaces not visited yet, because the kernel's chain of lower ones can be circular.
    private func interface(of link: NetworkLink, among links: inout [Int32: NetworkLink]) -> Interface {
        links[link.index] = nil
        if link.isLoopback { return .loopback }
        let device = link.device
        switch device.kind {
        case "wwan", "rmnet": return .cellular
        // A container sees its network as a `veth` without its other end. A `dsa` is a port of a network switch.
        case "veth", "dsa": return .wired
        case "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap":
            guard let lower = device.lower else { return .wired }
            return links[lower].map { interface(of: $0, among: &links) } ?? .other
        case "bridge", "bond", "team":
            let ports = links.values.filter { $0.device.master == link.index && $0.isConnected }
            for port in ports.sorted(by: { $0.index < $1.index }) where port.device.kind != "veth" {
                let found = interface(of: port, among: &links)
                if found != .other { return found }
            }
            return .other
        case nil: return realInterface(of: link)
        default: return .other
        }
    }

    private func realInterface(of link: NetworkLink) -> Interface {
        let folder = folder(link)
        // 801 to 803 are ARPHRD_IEEE80211 and its monitoring variants. 519 is ARPHRD_RAWIP, for modems.
        if folder?.isWireless == true || folder?.type == "wlan" { return .wireless }
        if let hardware = link.device.hardware, (801...803).contains(hardware) { return .wireless }
        if folder?.type == "wwan" || link.device.hardware == 519 { return .cellular }
        // Plain Ethernet has no `DEVTYPE`. Without the sysfs folder, Wi-Fi looks like Ethernet, so the kind is `other`.
        return folder?.type == nil && folder?.hasHardware == true ? .wired : .other
    }
}
