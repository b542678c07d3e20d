/// Whether this machine has a network at all. Says nothing about any one destination.
public enum LinkStatus: Hashable, Sendable {
    /// Some interface has carrier, a usable address and a route.
    ///
    /// `generation` starts at 0 and grows each time this machine loses an address. A connection made under an older
    /// generation may be bound to an address that no longer exists, and will never hear of it.
    /// An address that is added changes nothing.
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
    /// The status now, then each change. Equal statuses in a row come once, a slow reader finds only the newest, and
    /// watching ends with the reader. Every call watches for itself, with generations from 0.
    func statuses() -> AsyncStream<LinkStatus>
    /// True if nothing is to be sent before the first status has come.
    var holdsUntilKnown: Bool { get }
    /// True if a `down` with this reason means that there is a network which must not be used. Nothing may then stay
    /// connected; while a network is away, a connection can outlive that.
    func forbidsNetwork(because reason: String) -> Bool
}

extension LinkMonitor {
    /// Connectivity is a hint: the network is there until somebody says that it is not.
    public var holdsUntilKnown: Bool { false }
    /// Every `down` means that the network is away.
    public func forbidsNetwork(because reason: String) -> Bool { false }
}
