import FerryTestSupport
import Testing

@testable import FerryConnectivity

@Suite(.timeLimit(.minutes(10)))
struct ConnectivityMonitorTests {
    private let up = LinkStatus.up(generation: 0)
    private let down = LinkStatus.down(reason: "no route")

    /// A listener of a monitor, with a stream of the statuses that it received.
    private struct Listener {
        let statuses: AsyncStream<ConnectivityMonitor.Status>
        let tell: @Sendable (ConnectivityMonitor.Status) -> Void

        init() {
            let (statuses, continuation) = AsyncStream.makeStream(of: ConnectivityMonitor.Status.self)
            self.statuses = statuses
            tell = { continuation.yield($0) }
        }
    }

    // LeftOut.md, item 74
    @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "/run/upload.sock", "%2Frun%2Fupload.sock"])
    func `a destination on this machine is reachable at once and without watching`(host: String) async {
        let link = FakeLink(.down(reason: "no route"))
        let monitor = ConnectivityMonitor(host: host) { link.statuses().map { .init($0) } }
        #expect(monitor.status == .reachable(.loopback))
        #expect(monitor.isReachable)
        #expect(await monitor.statuses().first { _ in true } == .reachable(.loopback))
        #expect(link.watchCount == 0)
    }

    @Test func `any other destination follows the link`() async {
        let link = FakeLink(down)
        let monitor = ConnectivityMonitor(host: "example.org") { link.statuses().map { .init($0) } }
        #expect(monitor.status == .unknown)
        #expect(await monitor.statuses().first { _ in true } == .notReachable(reason: "no route"))
    }

    // LeftOut.md, item 74
    @Test func `this machine has a network when the link monitor says so`() async {
        let status = await ConnectivityMonitor().statuses().first { _ in true }
        let link = await SystemLinkMonitor().statuses().first { _ in true }
        #expect(status?.isReachable == link?.isUp)
    }

    @Test func `the status is unknown until it is asked for`() {
        let monitor = ConnectivityMonitor(FakeLink(up))
        #expect(monitor.status == .unknown)
        #expect(!monitor.isReachable)
    }

    // LeftOut.md, item 75
    @Test func `a listener receives the present status once, and then what changes`() async {
        let (link, listener) = (FakeLink(up), Listener())
        let monitor = ConnectivityMonitor(link)
        monitor.start(onUpdate: listener.tell)
        var statuses = listener.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .reachable(.other))
        #expect(monitor.isReachable)
        link.report(up)
        link.report(down)
        #expect(await statuses.next() == .notReachable(reason: "no route"))
        link.report(down)
        link.report(.down(reason: "no interface is connected"))
        #expect(await statuses.next() == .notReachable(reason: "no interface is connected"))
    }

    @Test func `a lost address changes nothing for a listener`() async {
        let (link, listener) = (FakeLink(up), Listener())
        let monitor = ConnectivityMonitor(link)
        monitor.start(onUpdate: listener.tell)
        var statuses = listener.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .reachable(.other))
        link.report(.up(generation: 1))
        link.report(down)
        #expect(await statuses.next() == .notReachable(reason: "no route"))
    }

    // LeftOut.md, item 75
    @Test func `a listener that stops and starts again receives the status again`() async throws {
        let (link, listener) = (FakeLink(up), Listener())
        let monitor = ConnectivityMonitor(link)
        var statuses = listener.statuses.makeAsyncIterator()
        for round in 1...3 {
            monitor.start(onUpdate: listener.tell)
            #expect(await statuses.next() == .reachable(.other))
            monitor.stop()
            try await link.waitForWatchers(0)
            #expect(link.watchCount == round)
            #expect(monitor.status == .unknown)
        }
    }

    @Test func `a second start replaces the first without watching anew`() async {
        let (link, first, second) = (FakeLink(up), Listener(), Listener())
        let monitor = ConnectivityMonitor(link)
        monitor.start(onUpdate: first.tell)
        var firstStatuses = first.statuses.makeAsyncIterator()
        #expect(await firstStatuses.next() == .reachable(.other))
        monitor.start { status in
            second.tell(status)
            // If the first listener had received anything, it would come before this status.
            first.tell(.unknown)
        }
        var secondStatuses = second.statuses.makeAsyncIterator()
        #expect(await secondStatuses.next() == .reachable(.other))
        link.report(down)
        #expect(await secondStatuses.next() == .notReachable(reason: "no route"))
        #expect(await firstStatuses.next() == .unknown)
        #expect(link.watchCount == 1)
    }

    @Test func `a listener may stop from inside`() async throws {
        let link = FakeLink(up)
        let monitor = ConnectivityMonitor(link)
        monitor.start { [weak monitor] _ in monitor?.stop() }
        try await link.waitForWatchers(0)
    }

    @Test func `stopping what was never started changes nothing`() {
        let monitor = ConnectivityMonitor(FakeLink(up))
        monitor.stop()
        monitor.stop()
        #expect(monitor.status == .unknown)
    }

    @Test func `listeners and readers share one watcher, which ends with the last`() async throws {
        let (link, listener) = (FakeLink(up), Listener())
        let monitor = ConnectivityMonitor(link)
        monitor.start(onUpdate: listener.tell)
        var statuses = listener.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .reachable(.other))
        let readers = (0..<4).map { _ in
            Task { [statuses = monitor.statuses()] in await statuses.first { !$0.isReachable } }
        }
        monitor.stop()
        #expect(monitor.isReachable)
        link.report(down)
        for reader in readers { #expect(await reader.value == .notReachable(reason: "no route")) }
        try await link.waitForWatchers(0)
        #expect(link.watchCount == 1)
    }

    @Test func `a reader that comes later receives the present status`() async {
        let link = FakeLink(up)
        let monitor = ConnectivityMonitor(link)
        var early = monitor.statuses().makeAsyncIterator()
        #expect(await early.next() == .reachable(.other))
        var late = monitor.statuses().makeAsyncIterator()
        #expect(await late.next() == .reachable(.other))
        link.report(down)
        #expect(await early.next() == .notReachable(reason: "no route"))
        #expect(await late.next() == .notReachable(reason: "no route"))
    }

    @Test func `a reader that was away for a change and its undoing receives nothing`() async {
        let link = FakeLink(up)
        let monitor = ConnectivityMonitor(link)
        var away = monitor.statuses().makeAsyncIterator()
        var present = monitor.statuses().makeAsyncIterator()
        #expect(await away.next() == .reachable(.other))
        #expect(await present.next() == .reachable(.other))
        for (status, expected) in [
            (down, ConnectivityMonitor.Status.notReachable(reason: "no route")), (up, .reachable(.other)),
        ] {
            link.report(status)
            #expect(await present.next() == expected)
        }
        link.end()
        #expect(await away.next() == nil)
    }

    @Test func `a monitor that ends ends its readers and leaves nothing known`() async {
        let link = FakeLink(up)
        let monitor = ConnectivityMonitor(link)
        var statuses = monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next() == .reachable(.other))
        link.end()
        #expect(await statuses.next() == nil)
        #expect(monitor.status == .unknown)
    }

    @Test func `a sequence continues without the monitor it came from`() async {
        let link = FakeLink(up)
        var statuses = ConnectivityMonitor(link).statuses().makeAsyncIterator()
        #expect(await statuses.next() == .reachable(.other))
        link.report(down)
        #expect(await statuses.next() == .notReachable(reason: "no route"))
    }

    @Test func `an unread sequence watches only while it is kept`() async throws {
        let link = FakeLink(up)
        let monitor = ConnectivityMonitor(link)
        do {
            let statuses = monitor.statuses()
            #expect(link.watchCount == 1)
            _ = statuses
        }
        try await link.waitForWatchers(0)
    }

    @Test func `many who come and go at once leave one watcher or none`() async throws {
        let link = FakeLink(up)
        let monitor = ConnectivityMonitor(link)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        monitor.start { _ in }
                        monitor.stop()
                    } else {
                        #expect(await monitor.statuses().first { _ in true } == .reachable(.other))
                    }
                }
            }
        }
        monitor.stop()
        try await link.waitForWatchers(0)
        #expect(monitor.status == .unknown)
    }
}
