extension ConnectivityMonitor {
    /// The reachability of a destination, as this machine's interfaces, addresses and routes show it.
    public enum Status: Hashable, Sendable {
        /// The status before the first report, and while nothing uses `start`, `statuses` or `waitUntilReachable`.
        case unknown
        /// No connection is possible. `reason` is a part of a sentence: `no interface is connected`, `no route`.
        case notReachable(reason: String)
        /// The network of this machine permits a connection. The destination itself is not checked.
        case reachable(Interface)

        /// True if the destination is reachable; false also while the status is unknown.
        public var isReachable: Bool {
            if case .reachable = self { true } else { false }
        }
    }

    /// The kind of the interface that carries the traffic. On Linux, it is the interface whose default route has the
    /// lowest metric. On macOS, it is the interface that the system prefers.
    ///
    /// On Linux, a VLAN, a bridge or a bond has the kind of the interface below it. A VPN is `other` if its default
    /// route has the lowest metric, and otherwise ignored.
    public enum Interface: Hashable, Sendable, CaseIterable {
        /// Ethernet, or the virtual Ethernet of a container or a virtual machine, whose real link is not visible.
        case wired
        /// Wi-Fi.
        case wireless
        /// A modem of this machine. A telephone that shares its network with this machine counts as Wi-Fi or Ethernet.
        case cellular
        /// The destination is this machine.
        case loopback
        /// A VPN, a tunnel, Bluetooth, or an interface of unknown kind.
        case other
    }
}

extension ConnectivityMonitor.Status {
    /// Converts the status of a monitor that does not report interfaces.
    init(_ status: LinkStatus) {
        self =
            switch status {
            case .up: .reachable(.other)
            case .down(let reason): .notReachable(reason: reason)
            }
    }
}
