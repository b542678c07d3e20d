/// Turns what is known about the network into what a reader is told.
protocol NetworkTracker: Sendable {
    associatedtype Report: Sendable

    /// - Parameter table: nil if the machine tells nothing; then there is taken to be a network.
    /// - Returns: What to tell, nil for nothing new.
    mutating func update(_ table: NetworkTable?) -> Report?
}

/// Turns what is known about the network into statuses worth reporting: no repetition, and lost addresses counted.
struct StatusTracker {
    /// The bare addresses: one that moves to another interface is not lost.
    private var addresses: Set<[UInt8]> = []
    private var generation = 0
    private var reported: LinkStatus?

    /// - Parameters:
    ///   - obstacle: Why there is no network, nil if there is one.
    ///   - addresses: Every usable address, with or without carrier: a cable pulled for a second loses none.
    /// - Returns: The status, if it differs from the one returned before.
    mutating func update(obstacle: String?, addresses: Set<NetworkAddress>) -> LinkStatus? {
        let current = Set(addresses.map(\.bytes))
        if !self.addresses.isSubset(of: current) { generation += 1 }
        self.addresses = current
        let status = obstacle.map(LinkStatus.down) ?? .up(generation: generation)
        guard status != reported else { return nil }
        reported = status
        return status
    }
}

extension StatusTracker: NetworkTracker {
    mutating func update(_ table: NetworkTable?) -> LinkStatus? {
        update(obstacle: table?.obstacle, addresses: table?.addresses ?? [])
    }
}
