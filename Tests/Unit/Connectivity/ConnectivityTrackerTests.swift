import Testing

@testable import FerryConnectivity

@Suite struct ConnectivityTrackerTests {
    private typealias Status = ConnectivityMonitor.Status

    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var table: NetworkTable?
        var status: ConnectivityMonitor.Status

        init(_ name: String, _ table: NetworkTable?, _ status: ConnectivityMonitor.Status) {
            (testDescription, self.table, self.status) = (name, table, status)
        }
    }

    private static let loopback = NetworkLink.make(index: 1, isLoopback: true, name: "lo")
    private static let (cable, radio, modem, tunnel) = (
        NetworkLink.make(index: 2), NetworkLink.make(index: 3, name: "wlan0"),
        NetworkLink.make(index: 4, name: "wwan0"), NetworkLink.make(index: 5, name: "wg0", kind: "wireguard")
    )
    private static let world = [UInt8](repeating: 0x20, count: 16)
    private static let linkLocal = [0xfe, 0x80] + [UInt8](repeating: 1, count: 14)

    private static func folder(of link: NetworkLink) -> DeviceFolder? {
        let type: String?? = ["eth0": nil, "wlan0": "wlan", "wwan0": "wwan"][link.device.name]
        return type.map { type in
            DeviceFolder(index: link.index, type: type, isWireless: type == "wlan", hasHardware: true)
        }
    }

    /// Makes a table with an address on each of `links` and a default route over each. The first link has the lowest
    /// metric.
    private static func table(_ links: NetworkLink..., family: NetworkAddress.Family = .ipv4) -> NetworkTable
    {
        .make(
            links: [loopback] + links,
            addresses: Set(
                links.map { link in
                    let bytes = family == .ipv4 ? [10, 0, 0, UInt8(link.index)] : world
                    return .make(link: link.index, family: family, bytes: bytes)
                }),
            routes: Set(
                zip(links, UInt32(0)...).map {
                    NetworkRoute(family: family, link: $0.index, defaultMetric: $1 * 100)
                }))
    }

    private static func changed(_ change: (inout NetworkTable) -> Void) -> NetworkTable {
        var table = table(cable)
        change(&table)
        return table
    }

    // LeftOut.md, item 77: the flags of SystemConfiguration, expressed by interfaces, addresses and routes.
    static let rows = [
        Row("no interface", .make(links: []), .notReachable(reason: "no network interface")),
        Row("loopback alone", .make(links: [loopback]), .notReachable(reason: "no network interface")),
        Row(
            "no carrier", changed { $0.links[2]?.isConnected = false },
            .notReachable(reason: "no interface is connected")),
        Row(
            "no address", changed { $0.addresses = [] }, .notReachable(reason: "no address on any interface")),
        Row("no route", changed { $0.routes = [] }, .notReachable(reason: "no route")),
        Row(
            "a route of the other family",
            changed { $0.routes = [NetworkRoute(family: .ipv6, link: 2, defaultMetric: 0)] },
            .notReachable(reason: "no route")),
        Row(
            "a default route by a link without carrier",
            changed {
                $0.links[3] = .make(index: 3, isConnected: false)
                $0.routes = [NetworkRoute(family: .ipv4, link: 3, defaultMetric: 0)]
            }, .notReachable(reason: "no route")),
        Row("IPv4", table(cable), .reachable(.wired)),
        Row("IPv6 alone", table(cable, family: .ipv6), .reachable(.wired)),
        Row(
            "a subnet without a gateway",
            changed { $0.routes = [NetworkRoute(family: .ipv4, link: 2)] }, .reachable(.wired)),
        Row("routes that cannot be read", changed { $0.routes = nil }, .reachable(.wired)),
        Row("Wi-Fi", table(radio), .reachable(.wireless)),
        Row("a modem", table(modem), .reachable(.cellular)),
        Row("a modem and Wi-Fi, Wi-Fi first", table(radio, modem), .reachable(.wireless)),
        Row("a modem and Wi-Fi, the modem first", table(modem, radio), .reachable(.cellular)),
        Row("a VPN that takes everything", table(tunnel, radio), .reachable(.other)),
        Row("a VPN for some addresses", table(radio, tunnel), .reachable(.wireless)),
        Row("a machine that tells nothing", nil, .reachable(.other)),
    ]

    @Test(arguments: rows)
    func `the status follows from interfaces, addresses and routes`(row: Row) {
        var tracker = ConnectivityTracker(classifier: InterfaceClassifier { Self.folder(of: $0) })
        #expect(tracker.update(row.table) == row.status)
    }

    // LeftOut.md, item 77
    @Test(arguments: [(NetworkAddress.Family.ipv4, [169, 254, 1, 1] as [UInt8]), (.ipv6, linkLocal)])
    func `an address for the link alone is no network`(family: NetworkAddress.Family, bytes: [UInt8]) {
        var view = NetworkView(port: 1)
        let address = NetworkAddress.make(family: family, bytes: bytes)
        for body in [
            NetlinkMessage.Body.link(Self.cable), .address(address, isUsable: address.isRoutable),
            .routes([NetworkRoute(family: family, link: 2)]),
        ] {
            _ = view.handle(NetlinkMessage(body: body, sequence: 0, port: 0, isInterrupted: false))
        }
        var tracker = ConnectivityTracker()
        #expect(tracker.update(view.table) == .notReachable(reason: "no address on any interface"))
    }

    @Test func `an update that changes nothing is not reported, and another interface is`() {
        var tracker = ConnectivityTracker(classifier: InterfaceClassifier { Self.folder(of: $0) })
        #expect(tracker.update(Self.table(Self.cable)) == .reachable(.wired))
        #expect(tracker.update(Self.table(Self.cable, Self.radio)) == nil)
        #expect(tracker.update(Self.table(Self.radio, Self.cable)) == .reachable(.wireless))
        #expect(tracker.update(.make(links: [])) == .notReachable(reason: "no network interface"))
        #expect(tracker.update(.make(links: [])) == nil)
    }
}
