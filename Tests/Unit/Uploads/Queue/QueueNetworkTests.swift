import FerryConnectivity
import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import FerryUploads

struct QueueNetworkTests {
    @Test func `losing the link pauses running uploads and costs no try`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(1)
        _ = try await fixture.runner.next()
        fixture.monitor.report(.down(reason: "no route"))
        let paused = try await fixture.wait(for: ids[0]) { $0 == .paused(.offline) }
        #expect(paused.tries.network == 0)
    }

    @Test func `a server's response that comes just after the loss of the link still counts`() async throws {
        let fixture = QueueFixture(ignoresCancelling: true)
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(1)
        let attempt = try await fixture.runner.next()
        fixture.monitor.report(.down(reason: "no route"))
        _ = try await fixture.wait(for: ids[0]) { $0 == .paused(.offline) }
        attempt.finish(.failed(UploadFailure(.server, "busy", status: 503, retryAfter: 60)))
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
    }

    @Test
    func `nothing starts before the link is known, where that matters, and no outage is shown`()
        async throws
    {
        let fixture = QueueFixture()
        let monitor = ScriptedMonitor(holdsUntilKnown: true)
        try await fixture.queue.start(monitor: monitor)
        let ids = await fixture.add(1)
        #expect(await fixture.queue.core.runs.isEmpty)
        #expect(await fixture.queue.status.network == .online)
        monitor.report(.up(generation: 0))
        #expect(try await fixture.runner.next().upload.id == ids[0])
    }

    @Test func `the user can start uploads before the link is known, and they pause when it is away`()
        async throws
    {
        let fixture = QueueFixture()
        let monitor = ScriptedMonitor(holdsUntilKnown: true)
        try await fixture.queue.start(monitor: monitor)
        let ids = await fixture.add(1)
        _ = await fixture.queue.perform(.tryNow)
        #expect(try await fixture.runner.next().upload.id == ids[0])
        monitor.report(.down(reason: "no route"))
        _ = try await fixture.wait(for: ids[0]) { $0 == .paused(.offline) }
        #expect(await fixture.queue.core.hosts.link.isClosed)
    }

    @Test(arguments: [false, true])
    func `another reason why the link is away replaces the first`(isForced: Bool) async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.down(reason: "no route"))
        try await fixture.until { $0.core.hosts.link.isClosed }
        if isForced { _ = await fixture.queue.perform(.tryNow) }
        let since = fixture.clock.now
        fixture.clock.advance(by: .seconds(60))
        fixture.monitor.report(.down(reason: "the network is metered"))
        try await fixture.until {
            $0.status.network
                == .offline(
                    since: Date(timeIntervalSince1970: 1_800_000_000 + since.offset / .seconds(1)),
                    reason: "the network is metered")
        }
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
        #expect(await fixture.queue.core.uploads[ids[0]]?.state == .paused(.user))
    }

    @Test func `N9 losing an address while online gives up what was connected from it`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.up(generation: 0))
        fixture.monitor.report(.up(generation: 1))
        try await fixture.until { $0.core.hosts.lastGeneration == 1 }
        #expect(fixture.runner.invalidations == [.addressLost])
    }

    @Test func `N9 an address that went while the link was away is doubted when it is back`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.down(reason: "no route"))
        fixture.monitor.report(.up(generation: 1))
        try await fixture.until { $0.core.hosts.lastGeneration == 1 }
        #expect(fixture.runner.invalidations == [.addressLost])
    }

    @Test
    func `N9 an upload starts anew at once when its connection lost its address, and is charged nothing`()
        async throws
    {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        attempt.fail(.addressLost)
        let second = try await fixture.runner.next()
        #expect(second.upload.id == id)
        #expect(second.upload.tries.network == 0)
    }

    @Test func `N5 after a sleep idle connections are doubted, and what resumes asks anew`() async throws {
        let fixture = QueueFixture()
        let sleeper = ManualClock()
        let slept = Mutex(Duration.zero)
        try await fixture.queue.start(
            monitor: nil,
            suspensions: SuspensionMonitor(
                asleep: { slept.withLock { $0 } },
                pause: { try await sleeper.sleep(until: sleeper.now.advanced(by: $0)) }))
        let ids = await fixture.add(1)
        _ = try await fixture.runner.next()
        try await sleeper.waitForSleepers()
        slept.withLock { $0 = .seconds(600) }
        sleeper.advance(by: .seconds(2))
        let second = try await fixture.runner.next()
        #expect(second.upload.id == ids[0])
        #expect(second.upload.tries.network == 0)
        #expect(fixture.runner.invalidations == [.slept])
    }

    @Test func `N11 behind a sign-in page one upload looks every ten seconds and the others wait`()
        async throws
    {
        let fixture = QueueFixture(concurrency: 2)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(4)
        try await fixture.runner.next().fail(.signInPage)
        try await fixture.runner.next().fail(.signInPage)
        for id in ids.prefix(2) {
            let upload = try await fixture.wait(for: id) { $0.isWaiting }
            #expect(upload.tries.network == 0)
        }
        #expect(await fixture.queue.core.runs.isEmpty)
        #expect(await fixture.queue.status.notice?.category == .signInPage)

        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(10))
        let look = try await fixture.runner.next()
        try await fixture.until { $0.core.runs.count == 1 }
        look.complete()
        _ = try await fixture.runner.next()
        _ = try await fixture.runner.next()
        #expect(await fixture.queue.status.notice == nil)
    }

    @Test func `N11 another network is tried at once`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(2)
        try await fixture.runner.next().fail(.signInPage)
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        fixture.monitor.report(.up(generation: 1))
        #expect(try await fixture.runner.next().upload.id == ids[0])
    }

    /// Returns two uploads that met a captive portal, at the time when one of them may try again.
    private func twoBehindPage() async throws -> (fixture: QueueFixture, ids: [Upload.ID]) {
        let fixture = QueueFixture(concurrency: 2)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(2)
        try await fixture.runner.next().fail(.signInPage)
        try await fixture.runner.next().fail(.signInPage)
        for id in ids { _ = try await fixture.wait(for: id) { $0.isWaiting } }
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(10))
        return (fixture, ids)
    }

    @Test func `N11 once the upload that looks makes progress, the others follow`() async throws {
        let (fixture, ids) = try await twoBehindPage()
        let look = try await fixture.runner.next()
        var resource = UploadResource(url: "http://host.test/1")
        resource.confirmed = 10
        try await look.recorder.record(resource, durably: false)
        let second = try await fixture.runner.next()
        #expect(Set([look.upload.id, second.upload.id]) == Set(ids))
    }

    @Test func `N11 an upload that says nothing for long has met no page, and the others follow`()
        async throws
    {
        let fixture = try await twoBehindPage().fixture
        _ = try await fixture.runner.next()
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(20))
        _ = try await fixture.runner.next()
        #expect(await fixture.queue.status.notice == nil)
    }

    @Test func `A3 a sign-in server that is away is no matter of the upload's host`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        let (id, attempt) = try await fixture.startOne()
        attempt.fail(.signInAway)
        _ = try await fixture.wait(for: id) { $0.isWaiting }
        #expect(await fixture.queue.core.hosts.nextProbe == nil)
    }

    @Test func `N4 while requests to a host time out fewer uploads run there, and it is said`() async throws {
        let fixture = QueueFixture(concurrency: 2)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(2)
        // Both attempts run, and either may be reported first.
        let attempts = [try await fixture.runner.next(), try await fixture.runner.next()]
        try #require(attempts.first { $0.upload.id == ids[1] }).fail(.timedOut)
        _ = try await fixture.wait(for: ids[1]) { $0.isWaiting }
        fixture.clock.advance(by: .seconds(30))
        try await fixture.runner.next().fail(.timedOut)
        _ = try await fixture.wait(for: ids[1]) { $0.isWaiting }
        try await fixture.until { $0.status.notice != nil }
        #expect(
            await fixture.queue.status.notice
                == UploadFailure(.timedOut, "requests to host.test time out: 1 at a time for now"))
        fixture.clock.advance(by: .seconds(15))
        try await fixture.until { $0.core.uploads[ids[1]]?.state == .queued }
        #expect(await fixture.queue.core.runs.count == 1)
    }

    @Test func `P3 a busy server's pause applies to all its uploads, and not to a retry by the user`()
        async throws
    {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(2)
        let busy = UploadFailure(.server, "busy", status: 503, retryAfter: 60)
        try await fixture.runner.next().finish(.failed(busy))
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        #expect(await fixture.queue.core.runs.isEmpty)
        #expect(await fixture.queue.core.uploads[ids[1]]?.state == .queued)
        fixture.clock.advance(by: .seconds(60))
        let attempt = try await fixture.runner.next()
        #expect(attempt.upload.id == ids[0])
        attempt.finish(.failed(busy))
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        _ = await fixture.queue.perform(.retry(.ids([ids[0]])))
        _ = try await fixture.runner.next()
    }

    @Test func `P3 a lock of one upload holds up no other`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(2)
        let locked = UploadFailure(.server, "locked", status: 423, retryAfter: 3)
        try await fixture.runner.next().finish(.failed(locked))
        #expect(try await fixture.runner.next().upload.id == ids[1])
    }

    @Test func `nothing starts while the link is away`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: fixture.monitor)
        fixture.monitor.report(.down(reason: "no route"))
        for await update in await fixture.queue.updates() where update.status.network != .online { break }
        let ids = await fixture.add(1)
        #expect(await fixture.queue.core.uploads[ids[0]]?.state == .queued)
        #expect(await fixture.queue.core.runs.isEmpty)
    }

    @Test func `uploads on this machine run without a network`() async throws {
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

    @Test func `N2 a host that cannot be reached is asked for by one probe, and its return starts all`()
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
        // The host counts as unreachable after two failures.
        fixture.clock.advance(by: .milliseconds(250))
        try await fixture.until { _ in answers.withLock { $0.count == 1 } }
        try await fixture.until { $0.core.hosts.nextProbe != nil }
        fixture.clock.advance(by: .milliseconds(250))
        let second = try await fixture.runner.next()
        second.complete()
        _ = try await fixture.wait(for: ids[0]) { $0.isDone }
    }

    @Test func `N1 the cause of an unreachable host is reported with the number of waiting uploads`()
        async throws
    {
        let answers = Mutex<[Reachability]>([.nameNotFound, .refused])
        let fixture = QueueFixture(concurrency: 1) { _ in
            answers.withLock { $0.isEmpty ? .reachable : $0.removeFirst() }
        }
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(3)
        try await fixture.runner.next().fail(.network)
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        // A single failure may be a lost packet, so the next upload starts. The host counts as unreachable when it
        // fails too.
        _ = try await fixture.runner.next()
        for reason in ["is not found", "refuses connections"] {
            try await fixture.until { $0.core.hosts.nextProbe != nil }
            fixture.clock.advance(by: .milliseconds(250))
            let expected = [UnreachableHost(host: "host.test", reason: reason, waiting: 2)]
            try await fixture.until { $0.status.unreachableHosts == expected }
        }
        try await fixture.until { $0.core.hosts.nextProbe != nil }
        fixture.clock.advance(by: .milliseconds(250))
        try await fixture.until { $0.status.unreachableHosts.isEmpty }
    }

    @Test func `N2 a host that many uploads lose at once is asked for as soon as any other`()
        async throws
    {
        let probes = Mutex(0)
        let fixture = QueueFixture(concurrency: 32) { _ in
            probes.withLock { $0 += 1 }
            return .refused
        }
        try await fixture.queue.start(monitor: fixture.monitor)
        let ids = await fixture.add(32)
        var attempts: [ScriptedRunner.Attempt] = []
        for _ in ids { attempts.append(try await fixture.runner.next()) }
        for attempt in attempts { attempt.fail(.network) }
        for id in ids { _ = try await fixture.wait(for: id) { $0.isWaiting } }
        for count in 1...4 {
            try await fixture.until { $0.core.hosts.nextProbe != nil }
            fixture.clock.advance(by: .milliseconds(250))
            try await fixture.until { _ in probes.withLock { $0 == count } }
        }
    }
}
