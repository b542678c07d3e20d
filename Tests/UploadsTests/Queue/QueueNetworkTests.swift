import Connectivity
import Support
import Synchronization
import Testing
import Transfer
import UploadProtocols

@testable import Uploads

struct QueueNetworkTests {
    @Test func `losing the link pauses what runs and costs no try`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(1)
        _ = try await fixture.runner.next()
        fixture.monitor.report(.down(reason: "no route"))
        let paused = try await fixture.wait(for: ids[0]) { $0 == .paused(.offline) }
        #expect(paused.tries.network == 0)
    }

    @Test func `a server's answer that comes just after the link went still counts`() async throws {
        let fixture = QueueFixture(ignoresCancelling: true)
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(1)
        let attempt = try await fixture.runner.next()
        fixture.monitor.report(.down(reason: "no route"))
        _ = try await fixture.wait(for: ids[0]) { $0 == .paused(.offline) }
        attempt.finish(.failed(UploadFailure(.server, "busy", status: 503, retryAfter: 60)))
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
    }

    @Test func `the link coming back resumes at once`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(1)
        _ = try await fixture.runner.next()
        fixture.monitor.report(.down(reason: "no route"))
        _ = try await fixture.wait(for: ids[0]) { $0 == .paused(.offline) }
        fixture.monitor.report(.up(generation: 0))
        #expect(try await fixture.runner.next().upload.id == ids[0])
    }

    @Test func `the link coming back never lifts a person's pause`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(2)
        _ = try await fixture.runner.next()
        _ = try await fixture.runner.next()
        fixture.monitor.report(.down(reason: "no route"))
        _ = try await fixture.wait(for: ids[1]) { $0 == .paused(.offline) }
        _ = await fixture.queue.perform(.pause(.ids([ids[0]])))
        fixture.monitor.report(.up(generation: 0))
        #expect(try await fixture.runner.next().upload.id == ids[1])
        #expect(await fixture.queue.uploads[ids[0]]?.state == .paused(.user))
    }

    @Test func `losing an address while online starts what runs anew, on a connection that works`()
        async throws
    {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.up(generation: 0))
        let ids = await fixture.add(1)
        _ = try await fixture.runner.next()
        fixture.monitor.report(.up(generation: 1))
        let second = try await fixture.runner.next()
        #expect(second.upload.id == ids[0])
        #expect(second.upload.tries.network == 0)
    }

    @Test func `nothing starts while the link is away`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.down(reason: "no route"))
        for await update in await fixture.queue.updates() where update.status.network != .online { break }
        let ids = await fixture.add(1)
        #expect(await fixture.queue.uploads[ids[0]]?.state == .queued)
        #expect(await fixture.queue.runs.isEmpty)
    }

    @Test func `uploads on this machine go on without a network`() async throws {
        let fixture = QueueFixture(isLocal: true)
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.down(reason: "no route"))
        for await update in await fixture.queue.updates() where update.status.network != .online { break }
        let ids = await fixture.add(1)
        #expect(try await fixture.runner.next().upload.id == ids[0])
    }

    @Test func `a person can have it tried whatever the monitor says`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.down(reason: "no route"))
        for await update in await fixture.queue.updates() where update.status.network != .online { break }
        let ids = await fixture.add(1)
        _ = await fixture.queue.perform(.tryNow)
        try await fixture.runner.next().fail(.network)
        let paused = try await fixture.wait(for: ids[0]) { $0 == .paused(.offline) }
        #expect(paused.tries.network == 0)
    }

    @Test func `a retry is tried without a network too`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(1)
        _ = try await fixture.runner.next()
        fixture.monitor.report(.down(reason: "no route"))
        _ = try await fixture.wait(for: ids[0]) { $0 == .paused(.offline) }
        _ = await fixture.queue.perform(.retry(.ids(ids)))
        #expect(try await fixture.runner.next().upload.id == ids[0])
    }

    @Test func `a host that cannot be reached is asked for by one probe, and its return starts all`()
        async throws
    {
        let answers = Mutex<[Reachability]>([.refused, .reachable])
        let fixture = QueueFixture(concurrency: 1) { _ in
            answers.withLock { $0.isEmpty ? .reachable : $0.removeFirst() }
        }
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(.network)
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        // The wait of the upload and the probe's both sleep; after two failures the host counts as away.
        try await fixture.clock.waitForSleepers(2)
        fixture.clock.advance(by: .milliseconds(250))
        try await fixture.until { _ in answers.withLock { $0.count == 1 } }
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .milliseconds(250))
        let second = try await fixture.runner.next()
        second.complete()
        _ = try await fixture.wait(for: ids[0]) { $0.isDone }
    }
}
