/// Turns what is known about the network into statuses worth reporting: no repetition, and the interface named.
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
        // Not `unknown`: an attempt to connect will tell, and must not be held back.
        guard let table else { return .reachable(.other) }
        return table.obstacle.map(ConnectivityMonitor.Status.notReachable)
            ?? .reachable(classifier.interface(of: table))
    }
}
