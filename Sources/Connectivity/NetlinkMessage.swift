/// One message from the kernel's routing socket (rtnetlink(7)), reduced to what shows whether there is a network.
struct NetlinkMessage: Hashable {
    enum Body: Hashable {
        case link(NetworkLink)
        case linkRemoved(Int32)
        /// `isUsable` is false for an address that is not routable, or not (yet) free of duplicates.
        case address(NetworkAddress, isUsable: Bool)
        case addressRemoved(NetworkAddress)
        case routes([NetworkRoute])
        /// New routes that replaced old routes. The message does not name the old routes.
        case routesReplaced([NetworkRoute])
        case routeRemoved
        /// The end of a dump, the kernel's list of a whole table.
        case done
        /// The error number with which the kernel responded to a request; 0 for success.
        case failure(errno: Int32)
        /// The kernel dropped messages (`NLMSG_OVERRUN`).
        case overrun
        /// A message that is not needed, or that cannot be parsed.
        case other
    }

    var body: Body
    /// The number of the request that this message answers.
    var sequence: UInt32
    /// The port number of the socket that made the request, also of another program's request that caused a change.
    var port: UInt32
    /// True for a dump with possible gaps: the table changed during it (`NLM_F_DUMP_INTR`), or it failed.
    var isInterrupted: Bool
}

extension NetlinkMessage {
    /// Splits the bytes of one read into messages. Stops at the first message whose length is impossible.
    static func parse(_ datagram: [UInt8]) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = datagram[...]
        while let length = rest.integer(at: 0, as: UInt32.self).flatMap({ Int(exactly: $0) }),
            length >= headerLength, length <= rest.count
        {
            messages.append(NetlinkMessage(rest.prefix(length)))
            rest = rest.dropFirst(NetlinkAttribute.aligned(length))
        }
        return messages
    }

    // struct nlmsghdr: u32 length, u16 type, u16 flags, u32 sequence, u32 port.
    static let headerLength = 16

    /// Parses one message. `bytes` is at least `headerLength` long.
    private init(_ bytes: ArraySlice<UInt8>) {
        let content = bytes.dropFirst(Self.headerLength)
        let type = bytes.integer(at: 4, as: UInt16.self) ?? 0
        let flags = bytes.integer(at: 6, as: UInt16.self) ?? 0
        sequence = bytes.integer(at: 8, as: UInt32.self) ?? 0
        port = bytes.integer(at: 12, as: UInt32.self) ?? 0
        // A dump that ended early carries the error in its last message.
        let isBroken = type == 3 && content.integer(at: 0, as: Int32.self).map { $0 < 0 } ?? false
        isInterrupted = flags & 0x10 != 0 || isBroken
        body =
            switch type {
            case 2: .failure(errno: content.integer(at: 0, as: Int32.self).map { 0 &- $0 } ?? 0)
            case 3: .done
            case 4: .overrun
            case 16: NetworkLink(message: content).map(Body.link) ?? .other
            case 17: NetworkLink(message: content).map { .linkRemoved($0.index) } ?? .other
            case 20: Self.address(content) ?? .other
            case 21: NetworkAddress(message: content).map(Body.addressRemoved) ?? .other
            // NLM_F_REPLACE
            case 24 where flags & 0x100 != 0: Self.routes(content).map(Body.routesReplaced) ?? .other
            case 24: Self.routes(content).map(Body.routes) ?? .other
            case 25: Self.routes(content).map { _ in .routeRemoved } ?? .other
            default: .other
            }
    }

    private static func address(_ content: ArraySlice<UInt8>) -> Body? {
        guard let address = NetworkAddress(message: content),
            let byteFlags = content.integer(at: 2, as: UInt8.self)
        else { return nil }
        let allFlags = NetlinkAttribute.all(in: content, after: NetworkAddress.messageLength)
            .first { $0.type == 8 }?.value.integer(at: 0, as: UInt32.self)
        let flags = allFlags ?? UInt32(byteFlags)
        // 0x40 is IFA_F_TENTATIVE, 0x08 IFA_F_DADFAILED. An IFA_F_OPTIMISTIC (0x04) address may be used meanwhile.
        let isTentative = flags & 0x40 != 0 && flags & 0x04 == 0
        let isDuplicate = flags & 0x08 != 0
        return .address(address, isUsable: address.isRoutable && !isTentative && !isDuplicate)
    }

    /// Returns the routes in a message. Returns nil if the message has no route to other machines, or cannot be parsed.
    private static func routes(_ content: ArraySlice<UInt8>) -> [NetworkRoute]? {
        // struct rtmsg: u8 family, dst_len, src_len, tos, table, protocol, scope, type; u32 flags.
        guard let family = NetworkAddress.Family(number: content.integer(at: 0, as: UInt8.self)),
            let destinationLength = content.integer(at: 1, as: UInt8.self),
            let sourceLength = content.integer(at: 2, as: UInt8.self),
            let table = content.integer(at: 4, as: UInt8.self),
            let type = content.integer(at: 7, as: UInt8.self),
            let flags = content.integer(at: 8, as: UInt32.self)
        else { return nil }
        // Only unicast routes (RTN_UNICAST), without own addresses (table 255) and cached copies (RTM_F_CLONED).
        guard type == 1, table != 255, flags & 0x200 == 0 else { return nil }
        let attributes = NetlinkAttribute.all(in: content, after: 12)
        if destinationLength >= 8, let destination = attributes.first(where: { $0.type == 1 })?.value {
            // ff00::/8 and fe80::/10 are on every IPv6 interface, also on one without a route to other machines.
            let isMulticast = destination.first == 0xff
            let isLinkLocal = destination.first == 0xfe && (destination.dropFirst().first ?? 0) & 0xc0 == 0x80
            if family == .ipv6, isMulticast || isLinkLocal { return nil }
        }
        var route = NetworkRoute(family: family)
        // Other tables belong to policy routing, and apply to some packets only.
        if destinationLength == 0, sourceLength == 0, table == mainTable || table == defaultTable {
            let metric = attributes.first { $0.type == 6 }?.value.integer(at: 0, as: UInt32.self)
            route.defaultMetric = metric ?? 0
        }
        if let link = attributes.first(where: { $0.type == 4 })?.value.integer(at: 0, as: Int32.self) {
            route.link = link
        } else if let paths = attributes.first(where: { $0.type == 9 })?.value {
            return multipathLinks(paths).map { link in
                NetworkRoute(family: family, link: link, defaultMetric: route.defaultMetric)
            }
        }
        return [route]
    }

    // RT_TABLE_MAIN, RT_TABLE_DEFAULT.
    private static let mainTable: UInt8 = 254
    private static let defaultTable: UInt8 = 253

    /// Returns the interfaces of a multipath route: struct rtnexthop (u16 length, u8 flags, u8 hops, s32 interface).
    private static func multipathLinks(_ paths: ArraySlice<UInt8>) -> [Int32] {
        var links: [Int32] = []
        var rest = paths
        while let length = rest.integer(at: 0, as: UInt16.self), length >= 8, Int(length) <= rest.count,
            let link = rest.integer(at: 4, as: Int32.self)
        {
            links.append(link)
            rest = rest.dropFirst(NetlinkAttribute.aligned(Int(length)))
        }
        return links
    }
}

extension NetworkLink {
    /// Parses struct ifinfomsg (u8 family, u8 padding, u16 type, s32 index, u32 flags, u32 change), then attributes.
    /// Returns nil if the message is too short, or if it describes a port of a bridge.
    fileprivate init?(message: ArraySlice<UInt8>) {
        guard let index = message.integer(at: 4, as: Int32.self),
            let flags = message.integer(at: 8, as: UInt32.self), message.count >= 16
        else { return nil }
        // Only AF_UNSPEC (0) describes the interface itself; a bridge describes its ports in such messages, too.
        guard message.integer(at: 0, as: UInt8.self) == 0 else { return nil }
        let attributes = NetlinkAttribute.all(in: message, after: 16)
        let operationalState = attributes.first { $0.type == 16 }?.value.integer(at: 0, as: UInt8.self)
        self.index = index
        isLoopback = flags & 0x8 != 0
        isEnabled = flags & 0x1 != 0
        // 0x10000 is IFF_LOWER_UP. States of RFC 2863: 0 is unknown (the driver reports no state), and 6 is up.
        isConnected = isEnabled && flags & 0x10000 != 0 && [0, 6, nil].contains(operationalState)
        device = NetworkDevice(hardware: message.integer(at: 2, as: UInt16.self), attributes: attributes)
    }
}

extension NetworkAddress {
    // struct ifaddrmsg: u8 family, u8 prefix length, u8 flags, u8 scope, u32 index; then attributes.
    fileprivate static let messageLength = 8

    fileprivate init?(message: ArraySlice<UInt8>) {
        guard let family = Family(number: message.integer(at: 0, as: UInt8.self)),
            let prefixLength = message.integer(at: 1, as: UInt8.self),
            let link = message.integer(at: 4, as: UInt32.self).flatMap({ Int32(exactly: $0) })
        else { return nil }
        let attributes = NetlinkAttribute.all(in: message, after: Self.messageLength)
        // On a point-to-point link, IFA_ADDRESS is the address of the other end, and IFA_LOCAL is this machine's.
        let local = attributes.first { $0.type == 2 } ?? attributes.first { $0.type == 1 }
        guard let bytes = local?.value, bytes.count == (family == .ipv4 ? 4 : 16) else { return nil }
        self.init(link: link, family: family, bytes: Array(bytes), prefixLength: prefixLength)
    }
}

extension NetworkAddress.Family {
    /// Converts the number of an address family in Linux; nil for a family other than IPv4 and IPv6.
    fileprivate init?(number: UInt8?) {
        switch number {
        case 2: self = .ipv4
        case 10: self = .ipv6
        default: return nil
        }
    }
}
