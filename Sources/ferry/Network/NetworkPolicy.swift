/// The networks that uploads avoid: part of `connectivity` in the configuration.
struct NetworkPolicy: Equatable {
    enum Metered: String, Decodable, CaseIterable {
        case use, pause
    }

    var metered = Metered.use
    /// The user's names of the avoided networks.
    var avoided: Set<String> = []

    /// True if the policy depends on the current network.
    var isNeeded: Bool { metered == .pause || !avoided.isEmpty }

    /// The reason why uploads pause on this network, as part of a sentence; nil if they may run.
    func objection(to network: CurrentNetwork) -> String? {
        if let name = network.name, avoided.contains(name) { return "the network \(name) is avoided" }
        guard metered == .pause, network.isMetered else { return nil }
        return network.name.map { "the network \($0) is metered" } ?? "the network is metered"
    }
}

/// The network of the default route.
struct CurrentNetwork: Equatable, Sendable {
    /// The user's name of the connection, often that of the wireless network; nil if it has none.
    var name: String?
    /// True also if the system only guesses that the network is metered.
    var isMetered = false
}
