extension ConnectivityMonitor {
    /// Whether there is a way to a destination, as far as this machine's interfaces, addresses and routes tell.
    public enum Status: Hashable, Sendable {
        /// The status before the first report, and while nobody watches.
        case unknown
        /// `reason` is a part of a sentence: `no interface is connected`, `no route`.
        case notReachable(reason: String)
        /// A connection may be tried. Whether the destination answers is not known.
        case reachable(Interface)

        /// False while it is unknown, too.
        public var isReachable: Bool {
            if case .reachable = self { true } else { false }
        }
    }

    /// The kind of interface that packets leave by: the one whose default route has the lowest metric.
    ///
    /// A VLAN, a bridge or a bond is what is below it. A VPN is `other` if it has that route, and what it runs over
    /// if it has not.
    public enum Interface: Hashable, Sendable, CaseIterable {
        /// Ethernet, also the virtual Ethernet of a container or a virtual machine: what is behind it cannot be told.
        case wired
        /// Wi-Fi.
        case wireless
        /// A modem of this machine. A telephone that shares its network looks like Wi-Fi or Ethernet.
        case cellular
        /// The destination is this machine.
        case loopback
        /// A VPN, a tunnel, Bluetooth, or an interface of which nothing is known.
        case other
    }
}

extension ConnectivityMonitor.Status {
    /// Converts the status of a monitor that knows nothing of interfaces.
    init(_ status: LinkStatus) {
        self =
            switch status {
            case .up: .reachable(.other)
            case .down(let reason): .notReachable(reason: reason)
            }
    }
}
