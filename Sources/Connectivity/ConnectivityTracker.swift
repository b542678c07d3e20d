/// Converts each network table (interfaces, addresses and routes) into a connectivity status with the kind of the
/// interface. `update` returns nil if the status has not changed.
struct ConnectivityTracker: NetworkTracker {
    var classifier = InterfaceClassifier()
    private var reported: ConnectivityMonitor.Status?

    init(classifier: InterfaceClassifier = InterfaceClassifier()) {
        self.classifier = classifier
    }

    mutating func update(_ table: NetworkTable?) -> ConnectivityMonitor.Status? {
        let status = status(of: table)
        guard status != reported else { return nil }
        reported = status
        return status
    }

    private func status(of table: NetworkTable?) -> ConnectivityMonitor.Status {
        // Not `unknown`: a connection attempt will show the state, and the monitor must not prevent it.
        guard let table else { return .reachable(.other) }
        return table.obstacle.map(ConnectivityMonitor.Status.notReachable)
            ?? .reachable(classifier.interface(of: table))
    }
}
