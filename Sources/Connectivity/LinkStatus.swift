/// The state of this machine's network. It says nothing about any single destination.
public enum LinkStatus: Hashable, Sendable {
    /// An interface has carrier and a usable address, and there is a route.
    ///
    /// `generation` starts at 0 and grows each time this machine loses an address. A connection of an older generation
    /// may be bound to a lost address, and the kernel reports no error for it.
    case up(generation: Int)
    /// There is no network, or the monitor forbids its use. `reason` is a part of a sentence: `no route`.
    case down(reason: String)

    /// True for `up`, false for `down`.
    public var isUp: Bool {
        if case .up = self { true } else { false }
    }
}

/// A source of the state of this machine's network, such as `SystemLinkMonitor`.
public protocol LinkMonitor: Sendable {
    /// Returns a stream of the current status and of each later change. Two statuses in a row differ, and a slow reader
    /// receives only the newest. Each call begins a separate observation with `generation` 0. The observation ends when
    /// the stream is cancelled or released.
    func statuses() -> AsyncStream<LinkStatus>
    /// True if the caller must send nothing before the first status, because that status can forbid the network.
    var holdsUntilKnown: Bool { get }
    /// True if a `down` with this reason forbids a network that exists, so that every connection must be closed. If
    /// false, there is no network, and a connection may survive the outage.
    func forbidsNetwork(because reason: String) -> Bool
}

extension LinkMonitor {
    /// The default, false: the network counts as up until the first status.
    public var holdsUntilKnown: Bool { false }
    /// Returns the default, false: every `down` means that there is no network.
    public func forbidsNetwork(because reason: String) -> Bool { false }
}
