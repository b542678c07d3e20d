import FerryTestSupport
import Testing

@testable import FerryConnectivity

@Suite(.timeLimit(.minutes(10)))
struct ConnectivityWaitTests {
    private let link = FakeLink(.down(reason: "no route"))
    private let clock = ManualClock()

    /// Starts tasks that wait for up to five seconds for the monitor, and returns when all of them wait.
    private func waiting(_ count: Int, for monitor: ConnectivityMonitor) async throws -> [Task<Bool, Never>] {
        let tasks = (0..<count).map { _ in
            Task { [clock] in await monitor.waitUntilReachable(upTo: .seconds(5), clock: clock) }
        }
        try await clock.waitForSleepers(count)
        return tasks
    }

    @Test func `four waiters resume together, and again the next time`() async throws {
        let monitor = ConnectivityMonitor(link)
        for round in 1...2 {
            let tasks = try await waiting(4, for: monitor)
            link.report(.up(generation: 0))
            for task in tasks { #expect(await task.value) }
            try await link.waitForWatchers(0)
            #expect(link.watchCount == round)
            #expect(clock.deadlines.isEmpty)
            link.report(.down(reason: "no route"))
        }
    }

    @Test func `a wait that exceeds its timeout ends with false`() async throws {
        let tasks = try await waiting(4, for: ConnectivityMonitor(link))
        clock.advance(by: .seconds(5))
        for task in tasks { #expect(await task.value == false) }
        try await link.waitForWatchers(0)
    }

    @Test func `a wait that is cancelled ends at once, and the others continue`() async throws {
        let tasks = try await waiting(2, for: ConnectivityMonitor(link))
        tasks[0].cancel()
        #expect(await tasks[0].value == false)
        link.report(.up(generation: 0))
        #expect(await tasks[1].value)
    }

    @Test func `a network that is known to be there is not waited for`() async {
        let monitor = ConnectivityMonitor(FakeLink(.up(generation: 0)))
        var statuses = monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.isReachable == true)
        #expect(await monitor.waitUntilReachable(upTo: .zero, clock: clock))
    }

    @Test func `a destination on this machine is not waited for`() async {
        let monitor = ConnectivityMonitor(host: "localhost")
        #expect(await monitor.waitUntilReachable(upTo: .zero, clock: clock))
    }

    @Test func `a network that has not been looked at yet is found`() async {
        let monitor = ConnectivityMonitor(FakeLink(.up(generation: 0)))
        #expect(await monitor.waitUntilReachable(upTo: .seconds(5), clock: clock))
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min / 4)])
    func `a wait without time ends`(limit: Duration) async {
        #expect(await ConnectivityMonitor(link).waitUntilReachable(upTo: limit, clock: clock) == false)
    }

    @Test func `the longest wait that can be expressed ends when the network comes`() async throws {
        let (monitor, link) = (ConnectivityMonitor(link), link)
        let task = Task { await monitor.waitUntilReachable(upTo: .seconds(Int64.max / 4)) }
        var statuses = monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.isReachable == false)
        link.report(.up(generation: 0))
        #expect(await task.value)
    }

    @Test func `a wait for a monitor that has ended ends`() async throws {
        let tasks = try await waiting(1, for: ConnectivityMonitor(link))
        link.end()
        #expect(await tasks[0].value == false)
    }
}
