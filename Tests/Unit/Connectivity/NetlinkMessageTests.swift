import FerryTestSupport
import Testing

@testable import FerryConnectivity

/// Tests messages that are built byte by byte after rtnetlink(7), in this machine's byte order.
@Suite struct NetlinkMessageTests {
    @Test func `a link with carrier is connected`() {
        let bytes = RawMessage.link(index: 2, flags: 0x11043, state: 6)
        #expect(bodies(bytes) == [.link(.make(index: 2))])
    }

    @Test(arguments: [(UInt32(0x1043), UInt8(6)), (0x11042, 6), (0x11043, 2), (0x11043, 5)])
    func `a link without carrier, switched off or waiting for a login is not connected`(
        flags: UInt32, state: UInt8
    ) {
        guard case .link(let link)? = bodies(RawMessage.link(index: 2, flags: flags, state: state)).first
        else {
            Issue.record("no link")
            return
        }
        #expect(!link.isConnected)
    }

    @Test func `a driver that does not report its state is believed to have carrier`() {
        #expect(bodies(RawMessage.link(index: 2, flags: 0x10041, state: 0)) == [.link(.make(index: 2))])
    }

    @Test func `a bridge's message about its port is not taken for the port's removal`() {
        #expect(bodies(RawMessage.link(type: 17, index: 2, flags: 0, state: 6, family: 7)) == [.other])
    }

    @Test func `the end of a link is understood`() {
        #expect(bodies(RawMessage.link(type: 17, index: 7, flags: 0, state: 2)) == [.linkRemoved(7)])
    }

    @Test func `an address is understood`() {
        let expected = NetworkAddress.make(link: 2, bytes: [10, 0, 0, 1])
        #expect(bodies(RawMessage.address()) == [.address(expected, isUsable: true)])
        #expect(bodies(RawMessage.address(type: 21)) == [.addressRemoved(expected)])
    }

    @Test(arguments: [
        (UInt32(0x40), false), (0x44, true), (0x08, false), (0x48, false), (0x20, true), (0x80, true),
    ])
    func `an address may be used unless it is checked for duplicates or is one`(flags: UInt32, isUsable: Bool)
    {
        let expected = NetworkAddress.make(link: 2, bytes: [10, 0, 0, 1])
        #expect(bodies(RawMessage.address(flags: flags)) == [.address(expected, isUsable: isUsable)])
    }

    @Test func `the near address of a point-to-point link is the one that counts`() {
        let bytes = RawMessage.address(attributes: [(1, [10, 0, 0, 9]), (2, [10, 0, 0, 1])])
        #expect(bodies(bytes) == [.address(.make(link: 2, bytes: [10, 0, 0, 1]), isUsable: true)])
    }

    @Test func `an address of the wrong length is not understood`() {
        #expect(bodies(RawMessage.address(attributes: [(2, [10, 0, 0])])) == [.other])
        #expect(bodies(RawMessage.address(attributes: [])) == [.other])
    }

    @Test func `a default route counts`() {
        let expected = NetworkRoute(family: .ipv4, link: 3, defaultMetric: 0)
        #expect(bodies(RawMessage.route(link: 3)) == [.routes([expected])])
    }

    @Test(arguments: [UInt8(2), 10])
    func `a default route carries its metric`(family: UInt8) {
        let bytes = RawMessage.route(family: family, link: 3, attributes: [(6, native(UInt32(600)))])
        let expected = NetworkRoute(family: family == 2 ? .ipv4 : .ipv6, link: 3, defaultMetric: 600)
        #expect(bodies(bytes) == [.routes([expected])])
    }

    @Test func `a route to one network, or for some packets, is no default route`() {
        let expected = NetlinkMessage.Body.routes([NetworkRoute(family: .ipv4, link: 3)])
        let network = [(UInt16(1), [10, 0, 0, 0] as [UInt8]), (6, native(UInt32(600)))]
        #expect(bodies(RawMessage.route(destinationLength: 8, link: 3, attributes: network)) == [expected])
        #expect(bodies(RawMessage.route(sourceLength: 8, link: 3)) == [expected])
        #expect(bodies(RawMessage.route(link: 3, table: 100)) == [expected])
    }

    @Test func `a route that replaces another is recognized as one`() {
        let expected = NetworkRoute(family: .ipv4, link: 3, defaultMetric: 0)
        #expect(bodies(RawMessage.route(flags: 0x100, link: 3)) == [.routesReplaced([expected])])
    }

    @Test func `a virtual interface says what it is and what is below and above it`() {
        // IFLA_LINK, IFLA_MASTER, and IFLA_LINKINFO with IFLA_INFO_KIND.
        let bytes = RawMessage.link(
            index: 2, flags: 0x11043, state: 6,
            attributes: [
                (5, native(Int32(3))), (10, native(Int32(4))),
                (18, RawMessage.attribute(1, Array("vlan\0".utf8))),
            ])
        #expect(bodies(bytes) == [.link(.make(index: 2, kind: "vlan", lower: 3, master: 4))])
    }

    @Test func `an interface below in another namespace is not taken for one here`() {
        let bytes = RawMessage.link(
            index: 2, flags: 0x11043, state: 6,
            attributes: [(5, native(Int32(3))), (37, native(Int32(0)))])
        #expect(bodies(bytes) == [.link(.make(index: 2))])
    }

    @Test func `a route with several next hops names each`() {
        let ways = RawMessage.nextHop(link: 3) + RawMessage.nextHop(link: 4)
        let expected = [3, 4].map { NetworkRoute(family: .ipv4, link: $0, defaultMetric: 0) }
        #expect(bodies(RawMessage.route(link: nil, attributes: [(9, ways)])) == [.routes(expected)])
    }

    @Test func `a route that stays on this machine does not count`() {
        #expect(bodies(RawMessage.route(link: 3, table: 255)) == [.other])
        #expect(bodies(RawMessage.route(link: 3, kind: 7)) == [.other])
    }

    @Test(arguments: [UInt8(0xfe), 0xff])
    func `the prefixes that every IPv6 interface has do not count`(first: UInt8) {
        let destination: [UInt8] = [first, first == 0xfe ? 0x80 : 0x00] + [UInt8](repeating: 0, count: 14)
        let bytes = RawMessage.route(
            family: 10, destinationLength: first == 0xfe ? 64 : 8, link: 3, attributes: [(1, destination)])
        #expect(bodies(bytes) == [.other])
    }

    @Test func `several messages of one read are separated`() {
        let bytes = RawMessage.address() + RawMessage.route(link: 3) + RawMessage.control(type: 3)
        #expect(bodies(bytes).count == 3)
        #expect(bodies(bytes).last == .done)
    }

    @Test func `errors carry the number of the system`() {
        #expect(bodies(RawMessage.control(type: 2, value: -1)) == [.failure(errno: 1)])
        #expect(bodies(RawMessage.control(type: 2, value: .min)) == [.failure(errno: .min)])
    }

    @Test func `a dump that broke off counts as interrupted`() {
        #expect(NetlinkMessage.parse(RawMessage.control(type: 3, value: -16)).map(\.isInterrupted) == [true])
        #expect(NetlinkMessage.parse(RawMessage.control(type: 3, value: 0)).map(\.isInterrupted) == [false])
    }

    @Test(arguments: 0..<48)
    func `a message cut at any byte is left out`(length: Int) {
        let bytes = RawMessage.address(attributes: [
            (1, [10, 0, 0, 9]), (2, [10, 0, 0, 1]), (3, [1, 2, 3, 4]),
        ])
        #expect(bytes.count >= 48)
        #expect(NetlinkMessage.parse(Array(bytes.prefix(length))).isEmpty)
    }

    @Test func `bytes changed anywhere to anything are survived`() {
        let bytes =
            RawMessage.link(index: 2, flags: 0x11043, state: 6) + RawMessage.address()
            + RawMessage.route(link: nil, attributes: [(9, RawMessage.nextHop(link: 3))])
        var view = NetworkView(port: 1)
        for place in bytes.indices {
            for value: UInt8 in [0, 1, 2, 3, 4, 7, 15, 16, 17, 0x7f, 0x80, 0xff] {
                var changed = bytes
                changed[place] = value
                let messages = NetlinkMessage.parse(changed)
                #expect(messages.count <= 3)
                for message in messages { _ = view.handle(message) }
            }
        }
    }

    @Test func `random bytes are survived`() {
        var generator = SeededGenerator(seed: 7)
        var view = NetworkView(port: 1)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0..<96, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            // With a correct length and a known type, the parser reads further.
            if bytes.count >= 16 {
                bytes.replaceSubrange(0..<4, with: native(UInt32(bytes.count)))
                bytes.replaceSubrange(4..<6, with: native(UInt16.random(in: 0..<28, using: &generator)))
            }
            for message in NetlinkMessage.parse(bytes) { _ = view.handle(message) }
        }
        #expect(view.table.addresses.allSatisfy { $0.bytes.count == 4 || $0.bytes.count == 16 })
    }

    private func bodies(_ bytes: [UInt8]) -> [NetlinkMessage.Body] {
        NetlinkMessage.parse(bytes).map(\.body)
    }
}

/// The bytes of netlink messages.
enum RawMessage {
    static func link(
        type: UInt16 = 16, index: Int32, flags: UInt32, state: UInt8, family: UInt8 = 0,
        attributes: [(UInt16, [UInt8])] = []
    ) -> [UInt8] {
        message(
            type, [family, 0] + native(UInt16(1)) + native(index) + native(flags) + native(UInt32(0)),
            [(3, Array("eth0\0".utf8)), (16, [state])] + attributes)
    }

    static func address(
        type: UInt16 = 20, flags: UInt32 = 0x80, attributes: [(UInt16, [UInt8])] = [(2, [10, 0, 0, 1])]
    ) -> [UInt8] {
        message(type, [2, 24, 0, 0] + native(UInt32(2)), attributes + [(8, native(flags))])
    }

    static func route(
        type: UInt16 = 24, flags: UInt16 = 0, family: UInt8 = 2, destinationLength: UInt8 = 0,
        sourceLength: UInt8 = 0, link: Int32?, table: UInt8 = 254, kind: UInt8 = 1,
        attributes: [(UInt16, [UInt8])] = []
    ) -> [UInt8] {
        message(
            type, [family, destinationLength, sourceLength, 0, table, 3, 0, kind] + native(UInt32(0)),
            attributes + (link.map { [(UInt16(4), native($0))] } ?? []), flags: flags)
    }

    static func nextHop(link: Int32) -> [UInt8] {
        native(UInt16(16)) + [0, 0] + native(link) + attribute(5, [10, 0, 0, 254])
    }

    static func control(type: UInt16, value: Int32 = 0) -> [UInt8] {
        message(type, native(value), [])
    }

    private static func message(
        _ type: UInt16, _ header: [UInt8], _ attributes: [(UInt16, [UInt8])], flags: UInt16 = 0
    ) -> [UInt8] {
        let content = header + attributes.flatMap { attribute($0.0, $0.1) }
        return native(UInt32(16 + content.count)) + native(type) + native(flags) + native(UInt32(0))
            + native(UInt32(0)) + content
    }

    static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: NetlinkAttribute.aligned(value.count) - value.count)
        return native(UInt16(4 + value.count)) + native(type) + value + padding
    }
}

private func native(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
}
