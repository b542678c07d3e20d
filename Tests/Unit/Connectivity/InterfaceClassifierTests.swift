import Testing

@testable import FerryConnectivity

@Suite struct InterfaceClassifierTests {
    private typealias Interface = ConnectivityMonitor.Interface

    private static let ethernet = DeviceFolder(index: 2, type: nil, isWireless: false, hasHardware: true)
    private static let radio = DeviceFolder(index: 2, type: "wlan", isWireless: true, hasHardware: true)

    /// Makes an interface.
    ///
    /// - Parameter folders: The folder below /sys/class/net of each interface, by its name.
    private func interface(
        of link: NetworkLink, below: [NetworkLink] = [], folders: [String: DeviceFolder] = [:]
    ) -> Interface {
        InterfaceClassifier { folders[$0.device.name] }
            .interface(of: link, in: .make(links: [link] + below))
    }

    @Test func `loopback is loopback`() {
        #expect(interface(of: .make(isLoopback: true)) == .loopback)
    }

    @Test(arguments: [
        (DeviceFolder(index: 2, type: nil, isWireless: false, hasHardware: true), Interface.wired),
        (DeviceFolder(index: 2, type: "wlan", isWireless: false, hasHardware: true), .wireless),
        (DeviceFolder(index: 2, type: nil, isWireless: true, hasHardware: true), .wireless),
        (DeviceFolder(index: 2, type: "wwan", isWireless: false, hasHardware: true), .cellular),
        (DeviceFolder(index: 2, type: "bluetooth", isWireless: false, hasHardware: true), .other),
        (DeviceFolder(index: 2, type: nil, isWireless: false, hasHardware: false), .other),
    ])
    private func `a real interface is what its folder says`(folder: DeviceFolder, expected: Interface) {
        #expect(interface(of: .make(), folders: ["eth0": folder]) == expected)
    }

    @Test func `without a folder Wi-Fi cannot be distinguished from Ethernet`() {
        #expect(interface(of: .make()) == .other)
    }

    @Test(arguments: [(UInt16(801), Interface.wireless), (803, .wireless), (519, .cellular), (512, .other)])
    private func `without a folder the hardware may decide`(hardware: UInt16, expected: Interface) {
        var link = NetworkLink.make()
        link.device.hardware = hardware
        #expect(interface(of: link) == expected)
    }

    @Test(arguments: [
        ("veth", Interface.wired), ("dsa", .wired), ("wwan", .cellular), ("rmnet", .cellular),
        ("wireguard", .other), ("tun", .other), ("gre", .other), ("dummy", .other), ("vxlan", .other),
        ("ifb", .other), ("", .other),
    ])
    private func `a virtual interface is what made it`(kind: String, expected: Interface) {
        #expect(interface(of: .make(kind: kind)) == expected)
    }

    @Test(arguments: ["vlan", "macvlan", "ipvlan"])
    func `an interface on top of another is that one`(kind: String) {
        let below = NetworkLink.make(index: 3, name: "wlan0")
        #expect(
            interface(of: .make(kind: kind, lower: 3), below: [below], folders: ["wlan0": Self.radio])
                == .wireless)
    }

    @Test func `an interface on top of one outside the container is the container's cable`() {
        #expect(interface(of: .make(kind: "macvlan")) == .wired)
    }

    @Test(arguments: ["bridge", "bond", "team"])
    func `an interface made of others is the first that is known and connected`(kind: String) {
        let ports = [
            NetworkLink.make(index: 3, isConnected: false, name: "wlan0", master: 2),
            .make(index: 4, name: "vnet0", kind: "tun", master: 2), .make(index: 5, name: "eth1", master: 2),
            .make(index: 6, name: "wlan1"),
        ]
        let folders = ["wlan0": Self.radio, "eth1": Self.ethernet, "wlan1": Self.radio]
        #expect(interface(of: .make(kind: kind), below: ports, folders: folders) == .wired)
    }

    @Test func `a bridge of containers alone leads nowhere that is known`() {
        let port = NetworkLink.make(index: 3, name: "veth1", kind: "veth", master: 2)
        #expect(interface(of: .make(kind: "bridge"), below: [port]) == .other)
    }

    @Test func `interfaces that stand on each other end`() {
        let (first, second) = (
            NetworkLink.make(kind: "vlan", lower: 3), NetworkLink.make(index: 3, kind: "vlan", lower: 2)
        )
        #expect(interface(of: first, below: [second]) == .other)
        let (bridge, port) = (
            NetworkLink.make(kind: "bridge", master: 3), NetworkLink.make(index: 3, kind: "bridge", master: 2)
        )
        #expect(interface(of: bridge, below: [port]) == .other)
        #expect(interface(of: .make(kind: "vlan", lower: 2)) == .other)
    }
}

@Suite struct CarriersTests {
    /// Returns the indexes of the interfaces that carry traffic. Each of the two links has an address.
    private func carriers(_ routes: Set<NetworkRoute>?, links: [NetworkLink] = [.make(), .make(index: 3)])
        -> [Int32]
    {
        let addresses = [
            NetworkAddress.make(), .make(link: 3, bytes: [10, 0, 1, 1]),
            .make(link: 3, family: .ipv6, bytes: [0x20, 0x01] + Array(repeating: 1, count: 14)),
        ]
        return NetworkTable.make(links: links, addresses: Set(addresses), routes: routes).carriers.map(
            \.index)
    }

    private func route(
        _ link: Int32?, _ metric: UInt32?, _ family: NetworkAddress.Family = .ipv4
    ) -> NetworkRoute {
        NetworkRoute(family: family, link: link, defaultMetric: metric)
    }

    @Test func `the default route with the lowest metric carries`() {
        #expect(carriers([route(2, 600), route(3, 100)]) == [3])
        #expect(carriers([route(2, 0), route(3, 100)]) == [2])
    }

    @Test func `a default route goes before any other`() {
        #expect(carriers([route(2, nil), route(3, .max)]) == [3])
    }

    @Test func `the default route may be of IPv6 alone`() {
        #expect(carriers([route(2, nil), route(3, 1024, .ipv6)]) == [3])
    }

    @Test func `a default route of a family without an address does not carry`() {
        let table = NetworkTable.make(
            links: [.make(), .make(index: 3)], routes: [route(2, 100), route(3, 1, .ipv6)])
        #expect(table.carriers.map(\.index) == [2])
    }

    @Test func `a default route by a link without carrier does not count`() {
        #expect(
            carriers([route(2, 600), route(3, 100)], links: [.make(), .make(index: 3, isConnected: false)])
                == [2])
    }

    @Test func `a default route with several next hops has several carriers`() {
        #expect(carriers([route(3, 100), route(2, 100)]) == [2, 3])
    }

    @Test func `without a default route every other route counts`() {
        #expect(carriers([route(3, nil), route(2, nil)]) == [2, 3])
        #expect(carriers([route(3, nil)]) == [3])
    }

    @Test func `without any known route the addresses decide`() {
        #expect(carriers(nil) == [2, 3])
        #expect(carriers([route(nil, 0)]) == [2, 3])
    }

    @Test func `loopback carries nothing`() {
        #expect(carriers([route(2, 0)], links: [.make(isLoopback: true)]).isEmpty)
    }
}
