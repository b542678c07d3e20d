/// Which networks uploads are not to use: part of `connectivity` in the configuration.
struct NetworkPolicy: Equatable {
    enum Metered: String, Decodable, CaseIterable {
        case use, pause
    }

    var metered = Metered.use
    /// By the names that people gave them.
    var avoided: Set<String> = []

    /// True if it matters which network there is.
    var isNeeded: Bool { metered == .pause || !avoided.isEmpty }

    /// Why uploads pause on this network, as part of a sentence; nil if they need not.
    func objection(to network: CurrentNetwork) -> String? {
        if let name = network.name, avoided.contains(name) { return "the network \(name) is not to be used" }
        guard metered == .pause, network.isMetered else { return nil }
        return network.name.map { "the network \($0) is metered" } ?? "the network is metered"
    }
}

/// The network that the default route goes by.
struct CurrentNetwork: Equatable, Sendable {
    /// As a person named the connection; often the name of the wireless network. Nil if there is none.
    var name: String?
    /// Also where the system only guesses that it is.
    var isMetered = false
}
