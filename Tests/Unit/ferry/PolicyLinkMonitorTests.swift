import FerryConnectivity
import FerryTestSupport
import Synchronization
import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(10)))
struct PolicyLinkMonitorTests {
    /// The current network, which the test changes. It can delay the information about it.
    private final class Network: Sendable {
        private let current: Mutex<CurrentNetwork?>
        let asked = Gate()
        let answers: Gate

        init(_ network: CurrentNetwork?, answersAtOnce: Bool = true) {
            current = Mutex(network)
            answers = Gate()
            if answersAtOnce { answers.open() }
        }

        func become(_ network: CurrentNetwork?) { current.withLock { $0 = network } }

        @Sendable func look() async -> CurrentNetwork? {
            asked.open()
            try? await answers.wait()
            return current.withLock { $0 }
        }
    }

    private let link = FakeLink(.up(generation: 0))
    private let clock = ManualClock()

    private func monitor(_ network: Network) -> PolicyLinkMonitor<ManualClock> {
        PolicyLinkMonitor(
            base: link, policy: NetworkPolicy(metered: .pause), clock: clock, network: network.look)
    }

    private func statuses(_ network: Network) -> AsyncStream<LinkStatus>.Iterator {
        monitor(network).statuses().makeAsyncIterator()
    }

    @Test func `until it is known which network there is, none is used`() {
        #expect(monitor(Network(nil)).holdsUntilKnown)
    }

    @Test func `a metered network is a link that is down, until it is none`() async throws {
        let network = Network(CurrentNetwork(name: "Phone", isMetered: true))
        var statuses = statuses(network)
        #expect(await statuses.next() == .down(reason: "the network Phone is metered"))
        network.become(CurrentNetwork(name: "Home"))
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(15))
        #expect(await statuses.next() == .up(generation: 0))
    }

    @Test func `a link that comes up is not used before it is known which network it is`() async throws {
        let network = Network(CurrentNetwork(isMetered: true), answersAtOnce: false)
        var statuses = statuses(network)
        try await network.asked.wait()
        link.report(.down(reason: "no route"))
        // The status is reported at once, although the information about the network is delayed.
        #expect(await statuses.next() == .down(reason: "no route"))
        link.report(.up(generation: 1))
        network.answers.open()
        #expect(await statuses.next() == .down(reason: "the network is metered"))
    }

    @Test func `another network is looked at before it is used`() async {
        let network = Network(CurrentNetwork(name: "Home"))
        var statuses = statuses(network)
        #expect(await statuses.next() == .up(generation: 0))
        network.become(CurrentNetwork(name: "Phone", isMetered: true))
        link.report(.up(generation: 1))
        #expect(await statuses.next() == .down(reason: "the network Phone is metered"))
    }

    @Test func `a network without information is not avoided`() async {
        var statuses = statuses(Network(nil))
        #expect(await statuses.next() == .up(generation: 0))
    }

    @Test func `a lost address is passed on through a network that may be used`() async {
        var statuses = statuses(Network(CurrentNetwork(name: "Home")))
        #expect(await statuses.next() == .up(generation: 0))
        link.report(.up(generation: 1))
        #expect(await statuses.next() == .up(generation: 1))
    }
}
