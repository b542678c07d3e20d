import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import HTTPTypes
import Testing

@testable import FerryUploads

/// Tests uploads whose bytes the server discards if the connection breaks, while the network is away.
struct QueueStandingTests {
    private static func whole(_ size: ByteCount = 1000) -> Exchange {
        Exchange(
            .put, "http://host.test/1", body: .file(range: 0..<size), traits: [.idempotent, .completes])
    }

    private static func append(keeping: Bool, _ range: Range<ByteCount>) -> Exchange {
        var exchange = Exchange(.patch, "http://host.test/1", body: .file(range: range))
        exchange.set(.kept, if: keeping)
        return exchange
    }

    private let fixture = QueueFixture(ignoresCancelling: false)

    private func start(_ exchange: Exchange) async throws -> ScriptedRunner.Attempt {
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.up(generation: 0))
        _ = await fixture.add(1)
        let attempt = try await fixture.runner.next()
        attempt.recorder.didStart(exchange, reached: 0)
        attempt.recorder.didSend(500, reached: 500)
        return attempt
    }

    @Test
    func `N8 a whole upload is left to the kernel while the network is away, and is done in one attempt`()
        async throws
    {
        let attempt = try await start(Self.whole())
        fixture.monitor.report(.down(reason: "no carrier"))
        try await fixture.until { $0.core.hosts.link.isClosed }
        #expect(await fixture.queue.core.uploads[attempt.upload.id]?.state.isRunning == true)
        #expect(fixture.runner.links == [false, true])
        fixture.monitor.report(.up(generation: 0))
        try await fixture.until { $0.core.hosts.link == .open }
        #expect(fixture.runner.links == [false, true, false])
        attempt.complete()
        let done = try await fixture.wait(for: attempt.upload.id) { $0.isDone }
        #expect(done.tries.attempts == 1)
        #expect(done.tries.resent == 0)
    }

    @Test(arguments: [append(keeping: true, 0..<1000), append(keeping: false, 0..<400)])
    func `N8 a request that the server keeps, or one for a part alone, pauses at once`(exchange: Exchange)
        async throws
    {
        let attempt = try await start(exchange)
        fixture.monitor.report(.down(reason: "no carrier"))
        _ = try await fixture.wait(for: attempt.upload.id) { $0 == .paused(.offline) }
    }

    @Test func `N8 a connection that does not outlive the outage costs no try and begins again after it`()
        async throws
    {
        let attempt = try await start(Self.whole())
        fixture.monitor.report(.down(reason: "no carrier"))
        try await fixture.until { $0.core.hosts.link.isClosed }
        attempt.fail(.network)
        let paused = try await fixture.wait(for: attempt.upload.id) { $0 == .paused(.offline) }
        #expect(paused.tries.network == 0)
        fixture.monitor.report(.up(generation: 0))
        #expect(try await fixture.runner.next().upload.tries.resent == 500)
    }

    @Test func `a network that must not be used ends whole uploads too`() async throws {
        fixture.monitor.forbid("the network is metered")
        let attempt = try await start(Self.whole())
        fixture.monitor.report(.down(reason: "no carrier"))
        try await fixture.until { $0.core.hosts.link.isClosed }
        #expect(await fixture.queue.core.uploads[attempt.upload.id]?.state.isRunning == true)
        fixture.monitor.report(.down(reason: "the network is metered"))
        _ = try await fixture.wait(for: attempt.upload.id) { $0 == .paused(.offline) }
    }

    @Test func `N8 a failure on a link that has just come back is retried within moments`() async throws {
        let attempt = try await start(Self.append(keeping: true, 0..<1000))
        fixture.monitor.report(.down(reason: "no carrier"))
        _ = try await fixture.wait(for: attempt.upload.id) { $0 == .paused(.offline) }
        fixture.monitor.report(.up(generation: 0))
        try await fixture.runner.next().fail(.network)
        let waiting = try await fixture.wait(for: attempt.upload.id) { $0.isWaiting }
        #expect(waiting.tries.network == 0)
        #expect(waiting.tries.delay <= 0.25)
    }

    @Test func `bytes that the kernel never sent do not count as sent again, even if they were noted`()
        async throws
    {
        let attempt = try await start(Self.whole())
        fixture.clock.advance(by: .seconds(1))
        attempt.recorder.didSend(200, reached: 700)
        try await fixture.until { $0.core.uploads[attempt.upload.id]?.tries.sent == 700 }
        attempt.recorder.didSend(0, reached: 550)
        attempt.fail(.network)
        // The upload may have started again, which moves its bytes from `sent` to `resent`.
        try await fixture.until { queue in
            queue.core.uploads[attempt.upload.id].map { $0.tries.sent + $0.tries.resent } == 550
        }
    }

    @Test func `N3 the bytes that a killed engine had sent of a whole upload count as sent again`()
        async throws
    {
        let attempt = try await start(Self.whole())
        fixture.clock.advance(by: .seconds(1))
        attempt.recorder.didSend(200, reached: 700)
        try await fixture.until { $0.core.uploads[attempt.upload.id]?.tries.sent == 700 }
        try await fixture.until { _ in fixture.journal.uploads[attempt.upload.id]?.tries.sent == 700 }
        let found = try #require(fixture.journal.uploads[attempt.upload.id])

        let next = QueueFixture([found])
        try await next.queue.start(monitor: nil)
        let again = try await next.runner.next()
        #expect(again.upload.tries.resent == 700)
        #expect(again.upload.tries.sent == 0)
    }
}

/// Tests the wait after an attempt that sent bytes, and its effect on other uploads.
struct QueueMovementTests {
    private func resource(_ confirmed: ByteCount) -> UploadResource {
        UploadResource(url: "http://host.test/1", confirmed: confirmed)
    }

    @Test func `N2 after attempts that each moved the next one follows at once`() async throws {
        let fixture = QueueFixture(isLocal: true)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        for confirmed in stride(from: ByteCount(100), through: 900, by: 100) {
            let attempt = try await fixture.runner.next()
            try await attempt.recorder.record(resource(confirmed), durably: false)
            attempt.fail(.network)
            let waiting = try await fixture.wait(for: ids[0]) { $0.isWaiting }
            #expect(waiting.tries.delay <= 0.125)
            try await fixture.clock.waitForSleepers()
            fixture.clock.advance(by: .milliseconds(125))
        }
    }

    @Test func `N2 a server that takes a byte of each connection is not asked without a pause`() async throws
    {
        // The fixture always draws the longest possible wait.
        let fixture = QueueFixture([.make(1, size: 1 << 20)], isLocal: true)
        try await fixture.queue.start(monitor: nil)
        var delays: [Double] = []
        for confirmed in 1...5 as ClosedRange<ByteCount> {
            let attempt = try await fixture.runner.next()
            try await attempt.recorder.record(resource(confirmed), durably: false)
            attempt.recorder.didSend(500_000, reached: 500_000)
            attempt.fail(.network)
            delays.append(try await fixture.wait(for: 1) { $0.isWaiting }.tries.delay)
            try await fixture.clock.waitForSleepers()
            fixture.clock.advance(by: .seconds(2))
        }
        #expect(delays[0] <= 0.125)
        #expect(await fixture.queue.core.runs.retriedAtOnce == [1: 1])
    }

    @Test func `N6 uploads that are stuck at one host do not keep one to another host waiting`() async throws
    {
        let fixture = QueueFixture(concurrency: 2)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.add(3)
        let first = try await fixture.runner.next()
        let second = try await fixture.runner.next()
        for attempt in [first, second] { attempt.recorder.didSend(1, reached: 1) }
        let others = await fixture.add(2, url: "http://other.test/")
        fixture.clock.advance(by: .seconds(9))
        first.recorder.didSend(1, reached: 2)
        #expect(await fixture.queue.core.runs.count == 2)
        for _ in 0..<2 {
            try await fixture.clock.waitForSleepers()
            fixture.clock.advance(by: .seconds(3))
        }
        #expect(try await fixture.runner.next().upload.id == others[0])
        #expect(await fixture.queue.core.runs.count == 3)
    }

    @Test func `N6 uploads that cannot send a first byte do not keep one to another host waiting`()
        async throws
    {
        let fixture = QueueFixture(concurrency: 1)
        _ = try await fixture.startOne()
        let others = await fixture.add(1, url: "http://other.test/")
        for _ in 0..<2 {
            try await fixture.clock.waitForSleepers()
            fixture.clock.advance(by: .seconds(5))
        }
        #expect(try await fixture.runner.next().upload.id == others[0])
    }

    @Test func `N6 a request that follows a reading is stuck only some seconds after its start`() async throws
    {
        let fixture = QueueFixture(concurrency: 1)
        let (_, attempt) = try await fixture.startOne()
        attempt.recorder.isReading()
        let others = await fixture.add(1, url: "http://other.test/")
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(60))
        try await fixture.clock.waitForSleepers()
        attempt.recorder.didStart(Exchange(.post, "http://host.test/"), reached: 0)
        fixture.clock.advance(by: .seconds(9))
        try await fixture.clock.waitForSleepers()
        #expect(await fixture.queue.core.runs.count == 1)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.runner.next().upload.id == others[0])
    }
}
