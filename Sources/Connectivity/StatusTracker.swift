/// Converts network tables into the reports that the reader of a monitor receives.
protocol NetworkTracker: Sendable {
    associatedtype Report: Sendable

    /// Returns the report; nil if it equals the previous one. A table that cannot be read (nil) counts as connected.
    mutating func update(_ table: NetworkTable?) -> Report?
}

/// Converts network tables into link statuses, counts lost addresses (`generation`), and drops repeated statuses.
struct StatusTracker: NetworkTracker {
    /// The addresses without their interfaces: an address that moves to another interface is not lost.
    private var addresses: Set<[UInt8]> = []
    private var generation = 0
    private var reported: LinkStatus?

    mutating func update(_ table: NetworkTable?) -> LinkStatus? {
        update(obstacle: table?.obstacle, addresses: table?.addresses)
    }

    /// - Parameters:
    ///   - obstacle: The reason why there is no network; nil if there is a network.
    ///   - addresses: All usable addresses, also those of an interface without carrier: a cable that is unplugged for a
    ///     second loses none. If they cannot be read (nil), no address counts as lost.
    /// - Returns: The status, if it differs from the status that was returned last; nil otherwise.
    mutating func update(obstacle: String?, addresses: Set<NetworkAddress>?) -> LinkStatus? {
        if let addresses {
            let current = Set(addresses.map(\.bytes))
            if !self.addresses.isSubset(of: current) { generation += 1 }
            self.addresses = current
        }
        let status = obstacle.map(LinkStatus.down) ?? .up(generation: generation)
        guard status != reported else { return nil }
        reported = status
        return status
    }
}

/// Converts network tables into connectivity statuses with the kind of the interface, and drops repeated statuses.
struct ConnectivityTracker: NetworkTracker {
    private let classifier: InterfaceClassifier
    private var reported: ConnectivityMonitor.Status?

    init(classifier: InterfaceClassifier = InterfaceClassifier()) { self.classifier = classifier }

    mutating func update(_ table: NetworkTable?) -> ConnectivityMonitor.Status? {
        // Not `unknown`: a connection attempt will show the state, and the monitor must not prevent it.
        let status =
            table.map {
                $0.obstacle.map(ConnectivityMonitor.Status.notReachable)
                    ?? .reachable(classifier.interface(of: $0))
            } ?? .reachable(.other)
        guard status != reported else { return nil }
        reported = status
        return status
    }
}
