import FerryConnectivity
import FerryTestSupport
import Testing

@Suite struct DamperTests {
    private let down = LinkStatus.down(reason: "no route")
    private let up = LinkStatus.up(generation: 0)

    /// Makes a damper that observes statuses at times in milliseconds. Returns it with what it reported for each of
    /// them at once.
    private func damper(
        _ observations: [(Int, LinkStatus)]
    ) -> (damper: Damper<ManualClock.Instant>, reports: [LinkStatus?]) {
        var damper = Damper<ManualClock.Instant>()
        let reports = observations.map { damper.observe($0.1, at: at($0.0)) }
        return (damper, reports)
    }

    private func at(_ milliseconds: Int) -> ManualClock.Instant {
        ManualClock.Instant(offset: .milliseconds(milliseconds))
    }

    @Test func `the first status is reported at once`() {
        #expect(damper([(0, up)]).reports == [up])
        #expect(damper([(0, down)]).reports == [down])
    }

    @Test func `a link that comes back after one loss is reported at once`() {
        #expect(damper([(0, up), (5000, down), (5100, up)]).reports == [up, down, up])
    }

    @Test func `a link that was never up is reported up at once`() {
        #expect(damper([(0, down), (100, up)]).reports == [down, up])
    }

    @Test func `a loss is reported at once even while the link flaps`() {
        let reports = damper([(0, up), (100, down), (200, up), (300, down), (400, up), (500, down)]).reports
        #expect(reports == [up, down, up, down, nil, nil])
    }

    @Test func `a flapping link is reported up after holding for one second`() {
        var (damper, _) = damper([(0, up), (100, down), (200, up), (300, down), (400, up)])
        #expect(damper.deadline == at(1400))
        #expect(damper.elapse(at: at(1399)) == nil)
        #expect(damper.elapse(at: at(1400)) == up)
        #expect(damper.deadline == nil)
    }

    @Test func `a link that never holds is reported up at the latest after five seconds`() {
        var observations = [(0, up), (100, down), (200, up), (300, down)]
        for start in stride(from: 400, to: 6000, by: 800) {
            observations += [(start, up), (start + 700, down)]
        }
        var (shown, firstUp) = (Damper<ManualClock.Instant>(), Int?.none)
        for (time, status) in observations {
            if let deadline = shown.deadline, deadline < at(time), shown.elapse(at: deadline)?.isUp == true {
                firstUp = firstUp ?? Int(deadline.offset / .milliseconds(1))
            }
            if shown.observe(status, at: at(time))?.isUp == true, time >= 400 { firstUp = firstUp ?? time }
        }
        #expect(firstUp.map { (400...5400).contains($0) } == true)
    }

    @Test func `two losses more than ten seconds apart are no flapping`() {
        let reports = damper([(0, up), (100, down), (200, up), (10_101, down), (10_200, up)]).reports
        #expect(reports == [up, down, up, down, up])
    }

    @Test func `addresses lost over and over are reported together`() {
        var (damper, reports) = damper((0...4).map { ($0 * 100, LinkStatus.up(generation: $0)) })
        #expect(reports == [up, .up(generation: 1), nil, nil, nil])
        #expect(damper.elapse(at: at(1400)) == .up(generation: 4))
    }

    @Test func `the same status again is not reported again`() {
        #expect(damper([(0, up), (1, up), (2, down), (3, down)]).reports == [up, nil, down, nil])
    }

    @Test func `a changed reason is reported`() {
        let other = LinkStatus.down(reason: "no interface is connected")
        #expect(damper([(0, down), (1, other)]).reports == [down, other])
    }

    @Test func `a status may come from the far ends of time`() {
        var damper = Damper<ManualClock.Instant>()
        let far = ManualClock.Instant(offset: .seconds(Int64.max / 4))
        #expect(damper.observe(up, at: far) == up)
        #expect(damper.observe(down, at: at(0)) == down)
        #expect(damper.observe(up, at: at(0)) == up)
    }
}

@Suite struct DampedLinkMonitorTests {
    /// A monitor whose statuses the test sends.
    private struct ScriptedMonitor: LinkMonitor {
        let stream: AsyncStream<LinkStatus>
        let script: AsyncStream<LinkStatus>.Continuation

        init() {
            (stream, script) = AsyncStream.makeStream(of: LinkStatus.self)
        }

        func statuses() -> AsyncStream<LinkStatus> { stream }
    }

    @Test func `a delayed status is delivered when the clock reaches its deadline`() async throws {
        let (monitor, clock) = (ScriptedMonitor(), ManualClock())
        var statuses = DampedLinkMonitor(monitor, clock: clock).statuses().makeAsyncIterator()
        for generation in 0...1 {
            monitor.script.yield(.up(generation: generation))
            #expect(await statuses.next() == .up(generation: generation))
        }
        monitor.script.yield(.up(generation: 2))
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(await statuses.next() == .up(generation: 2))
    }

    @Test func `a monitor that ends ends the damped one`() async {
        let monitor = ScriptedMonitor()
        var statuses = DampedLinkMonitor(monitor, clock: ManualClock()).statuses().makeAsyncIterator()
        monitor.script.finish()
        #expect(await statuses.next() == nil)
    }

    @Test func `the monitor is released with the reader`() async throws {
        let (monitor, released) = (ScriptedMonitor(), Gate())
        monitor.script.onTermination = { _ in released.open() }
        let reader = Task {
            for await _ in DampedLinkMonitor(monitor, clock: ManualClock()).statuses() {}
        }
        reader.cancel()
        try await released.wait()
    }
}
