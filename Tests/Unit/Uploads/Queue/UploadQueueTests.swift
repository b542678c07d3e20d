import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct UploadQueueTests {
    @Test func `an upload that is added runs and is done`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().complete()
        let upload = try await fixture.wait(for: ids[0]) { $0.isDone }
        #expect(upload.confirmed == 1000)
        #expect(fixture.journal.uploads[ids[0]]?.state.isDone == true)
    }

    @Test func `no more uploads run at once than the limit says`() async throws {
        let fixture = QueueFixture(concurrency: 2)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(3)
        let first = try await fixture.runner.next()
        _ = try await fixture.runner.next()
        #expect(await fixture.queue.core.uploads[ids[2]]?.state == .queued)
        first.complete()
        #expect(try await fixture.runner.next().upload.id == ids[2])
    }

    @Test func `raising the limit starts more at once`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.add(2)
        _ = try await fixture.runner.next()
        _ = await fixture.queue.perform(.limitConcurrency(2))
        _ = try await fixture.runner.next()
        #expect(fixture.journal.settings.concurrency == 2)
    }

    @Test func `the order of the queue decides what starts next`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(3)
        let first = try await fixture.runner.next()
        _ = await fixture.queue.perform(.move(.ids([ids[2]]), .top))
        first.complete()
        #expect(try await fixture.runner.next().upload.id == ids[2])
    }

    @Test func `the updates of a queue that was stopped are the whole queue, and end`() async throws {
        let fixture = QueueFixture([.make(1, state: .queued)])
        try await fixture.queue.start(monitor: nil)
        await fixture.queue.stop()
        var seen: [[Upload.ID]] = []
        for await update in await fixture.queue.updates() { seen.append(update.changed.map(\.id)) }
        #expect(seen == [[1]])
    }

    @Test func `pausing stops a running upload and keeps what the server holds`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        try await attempt.recorder.record(
            UploadResource(url: "http://host.test/1", confirmed: 400), durably: true)
        _ = await fixture.queue.perform(.pause(.ids([id])))
        #expect(await fixture.queue.core.uploads[id]?.state == .paused(.user))
        #expect(await fixture.queue.core.uploads[id]?.confirmed == 400)
    }

    @Test func `a paused upload continues with its resource when it is resumed`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let attempt = try await fixture.runner.next()
        try await attempt.recorder.record(
            UploadResource(url: "http://host.test/1", confirmed: 400), durably: true)
        _ = await fixture.queue.perform(.pause(.all))
        _ = await fixture.queue.perform(.resume(.all))
        let second = try await fixture.runner.next()
        #expect(second.upload.resource?.confirmed == 400)
        #expect(ids == [second.upload.id])
    }

    @Test func `a completion that arrives in the moment of a pause still counts`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        attempt.complete()
        _ = await fixture.queue.perform(.pause(.ids([id])))
        _ = try await fixture.wait(for: id) { $0.isDone }
    }

    @Test func `an upload that ran when the process died is queued again`() async throws {
        let running = Upload.make(7, state: .running(attempt: 1, since: .distantPast))
        let fixture = QueueFixture([running])
        _ = try await fixture.queue.open()
        #expect(await fixture.queue.core.uploads[7]?.state == .queued)
    }

    @Test func `a network failure is waited out and retried`() async throws {
        let fixture = QueueFixture(isLocal: true)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(.network)
        let waiting = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        #expect(waiting.tries.network == 1)
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.runner.next().upload.tries.attempts == 2)
    }

    @Test func `moving forward forgets earlier failures of the network`() async throws {
        let fixture = QueueFixture(isLocal: true)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(.network)
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        let second = try await fixture.runner.next()
        try await second.recorder.record(
            UploadResource(url: "http://host.test/1", confirmed: 1), durably: true)
        #expect(await fixture.queue.core.uploads[ids[0]]?.tries.network == 0)
    }

    @Test func `P3 a server's wish to wait is honoured`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(.server, retryAfter: 90)
        let waiting = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        #expect(waiting.tries.delay == 90)
    }

    @Test func `P2 a burst of refusals counts each, and keeps the upload's resource`() async throws {
        let fixture = QueueFixture()
        let (id, first) = try await fixture.startOne()
        let resource = UploadResource(url: "http://host.test/1", confirmed: 400)
        try await first.recorder.record(resource, durably: true)
        var attempt = first
        for (number, status) in [500, 502, 503, 504].enumerated() {
            attempt.finish(.failed(UploadFailure(.server, "busy", status: status)))
            let waiting = try await fixture.wait(for: id) {
                if case .waiting(_, let failure) = $0 { failure.status == status } else { false }
            }
            #expect(waiting.tries.server == number + 1)
            #expect(waiting.tries.attempts == number + 1)
            #expect(waiting.resource == resource)
            _ = await fixture.queue.perform(.retry(.ids([id])))
            attempt = try await fixture.runner.next()
            #expect(attempt.upload.resource == resource)
        }
    }

    @Test func `retrying a waiting upload starts it at once`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(.server, retryAfter: 90)
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        _ = await fixture.queue.perform(.retry(.ids(ids)))
        #expect(try await fixture.runner.next().upload.id == ids[0])
    }

    @Test(arguments: [UploadFailure.Category.authentication, .sourceChanged, .outcomeUnknown])
    func `an upload that only the user can decide about is held`(category: UploadFailure.Category)
        async throws
    {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(category)
        _ = try await fixture.wait(for: ids[0]) { $0.isHeld }
    }

    private static func uncertain() -> Upload {
        var upload = Upload.make(state: .held(UploadFailure(.outcomeUnknown, "no answer")))
        upload.resource = UploadResource(url: "http://host.test/", memory: ["wholeBodySent": "yes"])
        upload.tries.uncertain = 1
        return upload
    }

    @Test
    func `I10 an upload held for its unknown outcome is sent again if the engine is configured to retry`()
        async throws
    {
        let upload = Self.uncertain()
        let fixture = QueueFixture([upload], retry: QueueRetryPolicy(onUncertain: .retry))
        try await fixture.queue.start(monitor: nil)
        let attempt = try await fixture.runner.next()
        #expect(attempt.upload.resource == nil)
        #expect(attempt.upload.mayBeDuplicate)
        #expect(!attempt.upload.tries.acceptsPage)
        // The record was on disk before the attempt began.
        #expect(fixture.journal.uploads[upload.id]?.resource == nil)
        attempt.fail(.outcomeUnknown)
        let waiting = try await fixture.wait(for: upload.id) { $0.isWaiting }
        #expect(waiting.tries.uncertain == 2)
        #expect(waiting.resource == nil)
    }

    @Test
    func `I10 an upload held for its unknown outcome fails at the start if the engine is configured so`()
        async throws
    {
        let upload = Self.uncertain()
        let fixture = QueueFixture([upload], retry: QueueRetryPolicy(onUncertain: .fail))
        try await fixture.queue.start(monitor: nil)
        _ = try await fixture.wait(for: upload.id) { $0.isFailed }
        await fixture.queue.stop()
        #expect(fixture.journal.uploads[upload.id]?.state.isFailed == true)
    }

    @Test func `I10 nothing that a person decided or is to decide is changed by a start`() async throws {
        let held = Self.uncertain()
        for policy in [QueueRetryPolicy.OnUncertain.hold, .fail, .retry] {
            for state: Upload.State in [
                .failed(UploadFailure(.outcomeUnknown, "x")), .held(UploadFailure(.authentication, "x")),
                .paused(.user),
            ] {
                var upload = held
                upload.state = state
                let changed = upload.decide(by: QueueRetryPolicy(onUncertain: policy))
                #expect(!changed)
            }
        }
        var upload = held
        let isDecided = upload.decide(by: QueueRetryPolicy())
        #expect(!isDecided)
        upload.tries.uncertain = 11
        let isSentAgain = upload.decide(by: QueueRetryPolicy(onUncertain: .retry))
        #expect(!isSentAgain)
    }

    @Test func `I10 only a user's retry of an unknown outcome takes a page for the response`() {
        var retried = Self.uncertain()
        let isRetried = retried.retry(identity: nil, startsEarly: false)
        #expect(isRetried)
        #expect(retried.tries.acceptsPage)
        var automatic = Self.uncertain()
        let isDecided = automatic.decide(by: QueueRetryPolicy(onUncertain: .retry))
        #expect(isDecided)
        #expect(!automatic.tries.acceptsPage)
        var refused = Upload.make(state: .held(UploadFailure(.authentication, "x")))
        let isQueued = refused.retry(identity: nil, startsEarly: false)
        #expect(isQueued)
        #expect(!refused.tries.acceptsPage)
    }

    @Test func `I10 a wait to send it again ends where an engine is configured to hold`() {
        var upload = Self.uncertain()
        upload.state = .waiting(until: .distantPast, failure: UploadFailure(.outcomeUnknown, "x"))
        let changed = upload.decide(by: QueueRetryPolicy())
        #expect(changed)
        #expect(upload.state.isHeld)
    }

    @Test(arguments: [UploadFailure.Category.permanent, .sourceUnreadable])
    func `P1 a failure that no retry can correct fails the upload`(category: UploadFailure.Category)
        async throws
    {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(category)
        _ = try await fixture.wait(for: ids[0]) { $0.isFailed }
    }

    @Test func `removing an unfinished upload deletes it at the server`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let attempt = try await fixture.runner.next()
        try await attempt.recorder.record(
            UploadResource(url: "http://host.test/1", confirmed: 1), durably: true)
        _ = await fixture.queue.perform(.remove(.ids(ids)))
        await fixture.queue.stop()
        #expect(fixture.runner.discarded == ids)
        #expect(fixture.journal.uploads.isEmpty)
    }

    @Test func `an upload that ends while it is removed stays removed`() async throws {
        let fixture = QueueFixture(ignoresCancelling: true)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let attempt = try await fixture.runner.next()
        let gate = Gate()
        fixture.journal.gate = gate
        async let removal = fixture.queue.perform(.remove(.ids(ids)))
        try await fixture.until { queue in ids.allSatisfy(queue.core.unconfirmed.isInFlight) }
        attempt.complete()
        try await fixture.until { $0.core.runs.isEmpty }
        gate.open()
        #expect(await removal == .changed(ids))
        await fixture.queue.stop()
        #expect(fixture.journal.uploads.isEmpty)
    }

    @Test func `a completion that arrives after a pause and a resume still counts`() async throws {
        let fixture = QueueFixture(ignoresCancelling: true)
        let (id, attempt) = try await fixture.startOne()
        _ = await fixture.queue.perform(.pause(.ids([id])))
        _ = await fixture.queue.perform(.resume(.ids([id])))
        attempt.complete()
        _ = try await fixture.wait(for: id) { $0.isDone }
    }

    @Test func `a pause that the disk refuses does not leave an upload running without an attempt`()
        async throws
    {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        let gate = Gate()
        fixture.journal.gate = gate
        async let pause = fixture.queue.perform(.pause(.ids([id])))
        try await fixture.until { $0.core.uploads[id]?.state == .paused(.user) }
        attempt.fail(.network)
        try await fixture.until { $0.core.runs.isEmpty }
        fixture.journal.refusal = .diskFull(path: "journal", isQuota: false)
        gate.open()
        guard case .refused = await pause else {
            Issue.record("it was not refused")
            return
        }
        #expect(await fixture.queue.core.uploads[id]?.state == .queued)
    }

    @Test func `removing a finished upload leaves it at the server`() async throws {
        let done = Upload.make(
            1, state: .done(Receipt(), at: .distantPast), resource: UploadResource(url: "http://a/1"))
        let fixture = QueueFixture([done])
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.remove(.done))
        await fixture.queue.stop()
        #expect(fixture.runner.discarded.isEmpty)
    }

    @Test func `a command for an upload that is not there changes nothing`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        guard case .refused(let failure) = await fixture.queue.perform(.pause(.ids([ids[0], 99]))) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.summary.contains("99"))
        #expect(await fixture.queue.core.uploads[ids[0]]?.state != .paused(.user))
    }

    @Test func `ids are never given twice`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let first = await fixture.add(2)
        _ = await fixture.queue.perform(.remove(.all))
        #expect(Set(first).isDisjoint(with: await fixture.add(2)))
    }

    @Test func `the queue is idle when all that is left needs a person`() async throws {
        let fixture = QueueFixture([
            .make(1, state: .paused(.user)), .make(2, state: .held(UploadFailure(.authentication, "x"))),
        ])
        try await fixture.queue.start(monitor: nil)
        await fixture.queue.waitUntilIdle()
        #expect(await fixture.queue.core.isIdle)
    }

    @Test func `a queue that stops when idle lets the running upload end and starts nothing more`()
        async throws
    {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(2)
        let attempt = try await fixture.runner.next()
        _ = await fixture.queue.perform(.stopWhenIdle)
        attempt.complete()
        await fixture.queue.waitUntilIdle()
        #expect(await fixture.queue.core.uploads[ids[1]]?.state == .queued)
    }

    @Test func `an attempt that resumes at what the server holds counts as resumed`() async throws {
        let resource = UploadResource(url: "http://host.test/1")
        let fixture = QueueFixture([.make(1, resource: resource)])
        try await fixture.queue.start(monitor: nil)
        let attempt = try await fixture.runner.next()
        try await attempt.recorder.record(UploadResource(url: resource.url, confirmed: 5), durably: false)
        #expect(await fixture.queue.core.uploads[1]?.tries.resumes == 1)
    }

    @Test func `four small uploads share one slot, unless the user says how many run`() async throws {
        let fixture = QueueFixture(concurrency: 1, smallUploadsPerSlot: 4)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.add(6)
        for _ in 0..<4 { _ = try await fixture.runner.next() }
        #expect(await fixture.queue.core.runs.count == 4)
        _ = await fixture.queue.perform(.limitConcurrency(2))
        let queue = fixture.queue
        #expect(await queue.core.smallPerSlot == 1)
    }

    @Test(
        arguments: [
            (0, 1), (1, 1), (64 << 10, 1), (64 << 10 + 1, 2), (1 << 20, 16), (1 << 20 + 1, 16),
            (ByteCount.max, 16),
        ] as [(ByteCount, Int)])
    func `an upload takes up a sixteenth of a slot for each 64 KiB`(size: ByteCount, share: Int) {
        let found = Scheduler.share(ofSize: size, inSlot: 16, growth: 1)
        #expect(found * 16 == share * Scheduler.slot(inSlot: 16))
    }

    @Test(
        arguments: [(1, 16), (4, 64)] as [(Int, Int)],
        [(0, 1), (16 << 10, 1), (32 << 10, 2), (64 << 10, 4), (65 << 10, 8), (1 << 20, 64), (.max, 64)]
            as [(ByteCount, Int)])
    func `at a host with growth only files below 64 KiB take up less`(
        host: (growth: Int, inSlot: Int), file: (size: ByteCount, share: Int)
    ) {
        let share = Scheduler.share(ofSize: file.size, inSlot: 16, growth: host.growth)
        #expect(share == (host.growth == 1 ? max(4, file.share) : file.share))
        let least = Scheduler.share(ofSize: 1, inSlot: 16, growth: host.growth)
        #expect(Scheduler.slot(inSlot: 16) / least == host.inSlot)
    }

    @Test(arguments: [1, 16, .max])
    func `no number in a configuration is too large`(inSlot: Int) {
        let limits = Scheduler.limits(total: .max, perHost: .max, inSlot: inSlot)
        #expect(limits.total >= limits.slot)
        #expect(Scheduler.share(ofSize: 1, inSlot: 1, growth: 4) == Scheduler.slot(inSlot: 1))
    }
}
