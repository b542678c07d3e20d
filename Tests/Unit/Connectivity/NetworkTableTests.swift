import Testing

@testable import FerryConnectivity

@Suite struct NetworkTableTests {
    @Test func `an interface with carrier, an address and a route is a network`() {
        #expect(NetworkTable.make().obstacle == nil)
    }

    @Test func `a machine without interfaces says so`() {
        #expect(NetworkTable.make(links: []).obstacle == "no network interface")
        #expect(NetworkTable.make(links: [.make(isLoopback: true)]).obstacle == "no network interface")
    }

    @Test func `a cable that is pulled is named`() {
        #expect(NetworkTable.make(links: [.make(isConnected: false)]).obstacle == "no interface is connected")
    }

    @Test func `an interface without an address is no network`() {
        #expect(NetworkTable.make(addresses: []).obstacle == "no address on any interface")
    }

    @Test func `an address on an interface without carrier does not help`() {
        let table = NetworkTable.make(
            links: [.make(index: 2, isConnected: false), .make(index: 3)], addresses: [.make(link: 2)])
        #expect(table.obstacle == "no address on any interface")
    }

    @Test func `an address of the world on the loopback interface does not help`() {
        let table = NetworkTable.make(
            links: [.make(index: 1, isLoopback: true), .make(index: 2, isConnected: false)],
            addresses: [.make(link: 1)], routes: [.init(family: .ipv4, link: 1)])
        #expect(table.obstacle == "no interface is connected")
    }

    @Test func `an address without a route is no network`() {
        #expect(NetworkTable.make(routes: []).obstacle == "no route")
    }

    @Test func `a route by an interface without carrier does not help`() {
        let table = NetworkTable.make(
            links: [.make(index: 2), .make(index: 3, isConnected: false)],
            routes: [.init(family: .ipv4, link: 3)])
        #expect(table.obstacle == "no route")
    }

    @Test func `a route of the other family does not help`() {
        #expect(NetworkTable.make(routes: [.init(family: .ipv6, link: 2)]).obstacle == "no route")
    }

    @Test func `a route by a tunnel without an address of its own counts`() {
        let table = NetworkTable.make(
            links: [.make(index: 2), .make(index: 9)], routes: [.init(family: .ipv4, link: 9)])
        #expect(table.obstacle == nil)
    }

    @Test func `routes that cannot be read are assumed`() {
        #expect(NetworkTable.make(routes: nil).obstacle == nil)
    }

    @Test func `an interface that is taken out takes its addresses and routes along`() {
        var table = NetworkTable.make(links: [.make(index: 2), .make(index: 3)])
        table.remove(link: 2)
        #expect(table.addresses.isEmpty)
        #expect(table.routes == [])
    }

    @Test(arguments: [[10, 0, 0, 1], [192, 168, 1, 1], [8, 8, 8, 8], [169, 253, 0, 1]] as [[UInt8]])
    func `an IPv4 address that others can reach is one`(bytes: [UInt8]) {
        #expect(NetworkAddress.make(bytes: bytes).isRoutable)
    }

    @Test(arguments: [[127, 0, 0, 1], [0, 0, 0, 0], [169, 254, 3, 4], [], [1]] as [[UInt8]])
    func `an IPv4 address that leads nowhere is none`(bytes: [UInt8]) {
        #expect(!NetworkAddress.make(bytes: bytes).isRoutable)
    }

    @Test func `only IPv6 addresses that others can reach count`() {
        let zeros = [UInt8](repeating: 0, count: 13)
        func isRoutable(_ bytes: [UInt8]) -> Bool {
            NetworkAddress.make(family: .ipv6, bytes: bytes).isRoutable
        }
        #expect(isRoutable([0x20, 0x01] + zeros + [1]))
        #expect(isRoutable([0xfd, 0x00] + zeros + [1]))
        #expect(!isRoutable([0xfe, 0x80] + zeros + [1]))
        #expect(!isRoutable([0, 0] + zeros + [1]))
        #expect(!isRoutable([0, 0] + zeros + [0]))
        #expect(!isRoutable([0x20, 0x01]))
    }
}

@Suite struct StatusTrackerTests {
    private let address = NetworkAddress.make()
    private let other = NetworkAddress.make(bytes: [10, 0, 0, 2])

    @Test func `the first status is always reported`() {
        var tracker = StatusTracker()
        #expect(tracker.update(obstacle: nil, addresses: [address]) == .up(generation: 0))
    }

    @Test func `an equal status is not reported`() {
        var tracker = StatusTracker()
        _ = tracker.update(obstacle: nil, addresses: [address])
        #expect(tracker.update(obstacle: nil, addresses: [address]) == nil)
    }

    @Test func `an additional address is not reported`() {
        var tracker = StatusTracker()
        _ = tracker.update(obstacle: nil, addresses: [address])
        #expect(tracker.update(obstacle: nil, addresses: [address, other]) == nil)
    }

    @Test func `an address that moves to another interface is not lost`() {
        var tracker = StatusTracker()
        _ = tracker.update(obstacle: nil, addresses: [.make(link: 2)])
        #expect(tracker.update(obstacle: nil, addresses: [.make(link: 3)]) == nil)
    }

    @Test func `an address that is replaced begins a generation`() {
        var tracker = StatusTracker()
        _ = tracker.update(obstacle: nil, addresses: [address])
        #expect(tracker.update(obstacle: nil, addresses: [other]) == .up(generation: 1))
    }

    @Test func `a link that comes back with its address is the same generation`() {
        var tracker = StatusTracker()
        _ = tracker.update(obstacle: nil, addresses: [address])
        #expect(tracker.update(obstacle: "no route", addresses: [address]) == .down(reason: "no route"))
        #expect(tracker.update(obstacle: nil, addresses: [address]) == .up(generation: 0))
    }

    @Test func `a network that cannot be read for a moment has lost no address`() {
        var tracker = StatusTracker()
        _ = tracker.update(obstacle: nil, addresses: [address])
        #expect(tracker.update(nil) == nil)
        #expect(tracker.update(obstacle: nil, addresses: [address]) == nil)
    }

    @Test func `an address lost while the link is down begins a generation`() {
        var tracker = StatusTracker()
        _ = tracker.update(obstacle: nil, addresses: [address])
        _ = tracker.update(obstacle: "no route", addresses: [])
        #expect(tracker.update(obstacle: nil, addresses: [address]) == .up(generation: 1))
    }
}

extension NetworkLink {
    static func make(
        index: Int32 = 2, isLoopback: Bool = false, isConnected: Bool = true, name: String = "eth0",
        kind: String? = nil, lower: Int32? = nil, master: Int32? = nil
    ) -> NetworkLink {
        NetworkLink(
            index: index, isLoopback: isLoopback, isEnabled: true, isConnected: isConnected,
            device: NetworkDevice(name: name, hardware: 1, kind: kind, lower: lower, master: master))
    }
}

extension NetworkAddress {
    static func make(
        link: Int32 = 2, family: Family = .ipv4, bytes: [UInt8] = [10, 0, 0, 1]
    ) -> NetworkAddress {
        NetworkAddress(link: link, family: family, bytes: bytes, prefixLength: 24)
    }
}

extension NetworkTable {
    static func make(
        links: [NetworkLink] = [.make()], addresses: Set<NetworkAddress> = [.make()],
        routes: Set<NetworkRoute>? = [NetworkRoute(family: .ipv4, link: 2)]
    ) -> NetworkTable {
        NetworkTable(
            links: Dictionary(uniqueKeysWithValues: links.map { ($0.index, $0) }), addresses: addresses,
            routes: routes)
    }
}
