import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Synchronization
import Testing

@testable import FerryUploads

/// Tests a queue whose configuration is replaced while it runs.
struct QueueConfigurationTests {
    @Test func `more slots let more uploads start at once`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.add(2)
        _ = try await fixture.runner.next()
        await fixture.queue.apply(.init(concurrency: 2))
        _ = try await fixture.runner.next()
        #expect(await fixture.queue.status.concurrency == 2)
    }

    @Test func `a value that a command set overrides the new configuration`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.limitConcurrency(3))
        _ = await fixture.queue.perform(.limitBandwidth(.atMost(7), .total))
        await fixture.queue.apply(
            .init(concurrency: 2, limits: [.total: Timetable(otherwise: .atMost(9))]))
        #expect(await fixture.queue.status.concurrency == 3)
        #expect(await fixture.queue.status.totalLimit.bandwidth == .atMost(7))
        _ = await fixture.queue.perform(.limitBandwidth(nil, .total))
        #expect(await fixture.queue.status.totalLimit.bandwidth == .atMost(9))
    }

    @Test func `a running upload ends as it began, and its next failure goes by the new policy`() async throws
    {
        let fixture = QueueFixture(retry: QueueRetryPolicy(onUncertain: .hold))
        let (id, attempt) = try await fixture.startOne()
        await fixture.queue.apply(.init(retry: QueueRetryPolicy(onUncertain: .fail)))
        #expect(await fixture.queue.core.uploads[id]?.state.isRunning == true)
        attempt.fail(.outcomeUnknown)
        let upload = try await fixture.wait(for: id) { $0.isFailed || $0.isHeld }
        #expect(upload.state.isFailed)
    }

    @Test func `an upload held for an unknown outcome follows the new configuration, as after a start`()
        async throws
    {
        let fixture = QueueFixture(retry: QueueRetryPolicy(onUncertain: .hold))
        let (id, attempt) = try await fixture.startOne()
        attempt.fail(.outcomeUnknown)
        _ = try await fixture.wait(for: id) { $0.isHeld }
        await fixture.queue.apply(.init(retry: QueueRetryPolicy(onUncertain: .retry)))
        #expect(try await fixture.runner.next().upload.id == id)
    }

    private let proxy = ProxyAddress(host: "proxy.test", port: 3128)

    @Test func `an upload that waits for its host is tried at once over a new proxy`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        attempt.fail(.network)
        _ = try await fixture.wait(for: id) { $0.isWaiting }
        await fixture.queue.apply(.init())
        #expect(await fixture.queue.core.uploads[id]?.state.isWaiting == true)
        await fixture.queue.apply(.init()) { fixture.runner.proxy.withLock { $0 = proxy } }
        #expect(try await fixture.runner.next().upload.id == id)
    }

    @Test func `a host that asked for a pause gets it over a new proxy too`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        await fixture.queue.pauseHost()
        _ = await fixture.add(2)
        await fixture.queue.apply(.init()) { fixture.runner.proxy.withLock { $0 = proxy } }
        #expect(await fixture.queue.status.retryAfterPauses.map(\.waiting) == [2])
        #expect(await fixture.queue.core.runs.isEmpty)
    }

    @Test func `queued uploads start in the order of the queue after a change of the configuration`()
        async throws
    {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(3)
        let first = try await fixture.runner.next()
        let wasCalled = Mutex(false)
        await fixture.queue.apply(.init(concurrency: 1)) { wasCalled.withLock { $0 = true } }
        #expect(wasCalled.withLock { $0 })
        first.complete()
        let second = try await fixture.runner.next()
        #expect(second.upload.id == ids[1])
        second.complete()
        #expect(try await fixture.runner.next().upload.id == ids[2])
    }
}

extension UploadQueue {
    /// Fails the attempt with a response by which `host.test` asks for a pause of a minute.
    fileprivate func pauseHost() {
        core.countHosts()
        core.hosts.pause(
            UploadHost(name: "host.test", port: 80, isLocal: false), seconds: 60, status: 503,
            now: clock.now())
    }
}
