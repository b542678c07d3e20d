/// The state of this machine's network. It says nothing about any single destination.
public enum LinkStatus: Hashable, Sendable {
    /// Some interface has carrier, a usable address and a route.
    ///
    /// `generation` starts at 0 and grows each time this machine loses an address. A connection made under an older
    /// generation may be bound to a lost address, and the kernel reports no error for it. An added address changes
    /// nothing.
    case up(generation: Int)
    /// `reason` is a part of a sentence: `no address on any interface`, `no route`.
    case down(reason: String)

    /// True if there is a network.
    public var isUp: Bool {
        if case .up = self { true } else { false }
    }
}

/// A source of the network's status.
public protocol LinkMonitor: Sendable {
    /// The current status, then each change. Equal statuses in a row come once, and a slow reader receives only the
    /// newest. Each call starts its own watch, with generations from 0, which ends with its reader.
    func statuses() -> AsyncStream<LinkStatus>
    /// True if the caller must send nothing before the first status.
    var holdsUntilKnown: Bool { get }
    /// True if a `down` with this reason means that a network exists and must not be used. No connection may then stay
    /// open. If the network is only away, a connection may survive the outage.
    func forbidsNetwork(because reason: String) -> Bool
}

extension LinkMonitor {
    /// Connectivity is a hint: the network counts as up until a monitor reports `down`.
    public var holdsUntilKnown: Bool { false }
    /// Every `down` means that the network is away.
    public func forbidsNetwork(because reason: String) -> Bool { false }
}
