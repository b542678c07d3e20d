/// The properties of an interface that show its kind, such as Ethernet or Wi-Fi (`InterfaceClassifier`).
struct NetworkDevice: Hashable {
    var name = ""
    /// The kind of hardware (ARPHRD in linux/if_arp.h); nil if the kernel does not name it.
    var hardware: UInt16?
    /// The kind of a virtual interface: `veth`, `bridge`, `wireguard`; nil for hardware.
    var kind: String?
    /// The index of the interface below a VLAN or a tunnel; nil if there is none in this network namespace.
    var lower: Int32?
    /// The index of the bridge or bond of which the interface is a port; nil if there is none.
    var master: Int32?
}

extension NetworkDevice {
    init(hardware: UInt16?, attributes: [NetlinkAttribute]) {
        func value(_ type: UInt16) -> ArraySlice<UInt8>? { attributes.first { $0.type == type }?.value }
        // IFLA_IFNAME, IFLA_LINKINFO with IFLA_INFO_KIND inside, IFLA_LINK, IFLA_LINK_NETNSID, IFLA_MASTER.
        let kind = value(18).flatMap { info in
            NetlinkAttribute.all(in: info, after: 0).first { $0.type == 1 }?.value
        }
        // An index of another namespace means a different interface here.
        let lower = value(37) == nil ? value(5)?.integer(at: 0, as: Int32.self) : nil
        self.init(
            name: value(3).map(Self.text) ?? "", hardware: hardware, kind: kind.map(Self.text),
            lower: lower == 0 ? nil : lower, master: value(10)?.integer(at: 0, as: Int32.self))
    }

    private static func text(_ value: ArraySlice<UInt8>) -> String {
        String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }
}
