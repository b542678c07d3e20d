import Testing

@testable import FerryCommand

struct NetworkPolicyTests {
    @Test(
        arguments: [
            (NetworkPolicy(), CurrentNetwork(name: "Phone", isMetered: true), nil),
            (NetworkPolicy(metered: .pause), CurrentNetwork(name: "Home"), nil),
            (
                NetworkPolicy(metered: .pause), CurrentNetwork(name: "Phone", isMetered: true),
                "the network Phone is metered"
            ),
            (NetworkPolicy(metered: .pause), CurrentNetwork(isMetered: true), "the network is metered"),
            (
                NetworkPolicy(avoided: ["Phone"]), CurrentNetwork(name: "Phone"),
                "the network Phone is avoided"
            ),
            (NetworkPolicy(avoided: ["Phone"]), CurrentNetwork(name: "Phone 2", isMetered: true), nil),
            (NetworkPolicy(avoided: [""]), CurrentNetwork(), nil),
        ] as [(NetworkPolicy, CurrentNetwork, String?)])
    func `a network is avoided for what it is or is called`(
        policy: NetworkPolicy, network: CurrentNetwork, objection: String?
    ) {
        #expect(policy.objection(to: network) == objection)
    }
}
