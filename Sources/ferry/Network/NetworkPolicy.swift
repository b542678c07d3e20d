/// The networks on which uploads pause: a part of `connectivity` in the configuration.
struct NetworkPolicy: Equatable {
    enum Metered: String, Decodable, CaseIterable {
        case use, pause
    }

    var metered = Metered.use
    /// The names of the networks on which uploads pause, as NetworkManager shows them to users.
    var avoided: Set<String> = []

    /// True if uploads pause on some networks. Only then does Ferry look up the current network.
    var isNeeded: Bool { metered == .pause || !avoided.isEmpty }

    /// Returns why uploads pause on this network, as a part of a sentence; nil if they do not.
    func objection(to network: CurrentNetwork) -> String? {
        if let name = network.name, avoided.contains(name) { return "the network \(name) is avoided" }
        guard metered == .pause, network.isMetered else { return nil }
        return network.name.map { "the network \($0) is metered" } ?? "the network is metered"
    }
}

/// The network of the default route.
struct CurrentNetwork: Equatable, Sendable {
    /// The name that NetworkManager shows for the connection, often that of the wireless network; nil if unknown.
    var name: String?
    /// True if the network is metered, or NetworkManager guesses that it is.
    var isMetered = false
}
