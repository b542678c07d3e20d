import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Testing

@testable import FerryUploads

struct QueueSavingTests {
    private let full = JournalError.diskFull(path: "journal.1.jsonl", isQuota: false)

    @Test func `a command that the disk refuses has not happened`() async throws {
        let fixture = QueueFixture([.make(1, state: .queued)], concurrency: 1)
        _ = try await fixture.queue.open()
        fixture.journal.refusal = full
        guard case .refused(let failure) = await fixture.queue.perform(.pause(.all)) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.category == .storage)
        #expect(await fixture.queue.core.uploads[1]?.state == .queued)
    }

    @Test func `an upload that could not be written down is not started`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        fixture.journal.refusal = full
        #expect(await fixture.add(1).isEmpty)
        #expect(await fixture.queue.core.runs.isEmpty)
    }

    @Test func `a result the disk does not take is written down when there is room again`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        fixture.journal.refusal = full
        attempt.complete()
        _ = try await fixture.wait(for: id) { $0.isDone }
        fixture.journal.refusal = nil
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(5))
        for await update in await fixture.queue.updates() where update.status.notice == nil { break }
        #expect(fixture.journal.uploads[id]?.state.isDone == true)
    }

    @Test func `nothing new starts while the queue cannot be saved`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(2)
        let attempt = try await fixture.runner.next()
        fixture.journal.refusal = full
        attempt.complete()
        _ = try await fixture.wait(for: ids[0]) { $0.isDone }
        #expect(await fixture.queue.core.uploads[ids[1]]?.state == .queued)
        #expect(await fixture.queue.status.notice?.category == .storage)
    }

    @Test func `a new address that cannot be written down stops the attempt before anything goes there`()
        async throws
    {
        let fixture = QueueFixture()
        let (_, attempt) = try await fixture.startOne()
        fixture.journal.refusal = full
        await #expect(throws: UploadFailure.self) {
            try await attempt.recorder.record(UploadResource(url: "http://host.test/1"), durably: true)
        }
    }

    @Test func `a new address that was refused once is on disk before anything goes there later`()
        async throws
    {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        fixture.journal.refusal = full
        let resource = UploadResource(url: "http://host.test/1")
        await #expect(throws: UploadFailure.self) {
            try await attempt.recorder.record(resource, durably: true)
        }
        fixture.journal.refusal = nil
        attempt.fail(.storage)
        _ = try await fixture.wait(for: id) { $0.isWaiting }
        #expect(fixture.journal.uploads[id]?.resource == resource)
        #expect(fixture.journal.durable.contains(id))
    }

    @Test func `a refused record is still saved after a removal that was refused too`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        fixture.journal.refusal = full
        let resource = UploadResource(url: "http://host.test/1")
        await #expect(throws: UploadFailure.self) {
            try await attempt.recorder.record(resource, durably: true)
        }
        guard case .refused = await fixture.queue.perform(.remove(.ids([id]))) else {
            Issue.record("the disk's refusal was not passed on")
            return
        }
        fixture.journal.refusal = nil
        await fixture.queue.repairJournal()
        #expect(fixture.journal.uploads[id]?.resource == resource)
        #expect(fixture.journal.durable.contains(id))
    }

    @Test func `nothing starts on a command that the disk has not taken`() async throws {
        let fixture = QueueFixture([.make(1, state: .paused(.user))])
        try await fixture.queue.start(monitor: nil)
        let gate = Gate()
        fixture.journal.gate = gate
        async let resumption = fixture.queue.perform(.resume(.all))
        try await fixture.until { $0.core.uploads[1]?.state == .queued }
        await fixture.queue.send(.advance)
        #expect(await fixture.queue.core.runs.isEmpty)
        gate.open()
        #expect(await resumption == .changed([1]))
        #expect(try await fixture.runner.next().upload.id == 1)
    }

    @Test func `no record holds a command that the disk may still refuse`() async throws {
        let fixture = QueueFixture([.make(1), .make(2)])
        _ = try await fixture.queue.open()
        fixture.journal.refusal = full
        fixture.journal.refuses = { $0.count == 2 }
        let gate = Gate()
        fixture.journal.gate = gate
        async let move = fixture.queue.perform(.move(.ids([2]), .up))
        try await fixture.until { $0.core.uploads[2]?.rank == 1 }
        async let saved = try? fixture.queue.transact(.save([2], .powerCut))
        try await fixture.until { !$0.core.transactions.blocked.isEmpty }
        gate.open()
        guard case .refused = await move else {
            Issue.record("the disk's refusal was not passed on")
            return
        }
        _ = await saved
        #expect(fixture.journal.uploads[2]?.rank == 2)
    }

    @Test func `an upload that waits is woken though a command for it was refused`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        attempt.fail(.server, retryAfter: 60)
        _ = try await fixture.wait(for: id) { $0.isWaiting }
        fixture.journal.refusal = full
        guard case .refused = await fixture.queue.perform(.pause(.all)) else {
            Issue.record("the disk's refusal was not passed on")
            return
        }
        #expect(await fixture.queue.inspect().hasTimer)
    }

    @Test func `I1 an upload is shown as done only once that is on disk`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        let gate = Gate()
        fixture.journal.gate = gate
        attempt.complete()
        try await fixture.until { $0.core.uploads[id]?.state.isDone == true }
        #expect(await fixture.queue.all.first?.state.isRunning == true)
        for await update in await fixture.queue.updates() {
            #expect(update.changed.first?.state.isRunning == true)
            break
        }
        gate.open()
        _ = try await fixture.wait(for: id) { $0.isDone }
        #expect(fixture.journal.uploads[id]?.state.isDone == true)
    }

    @Test func `I6 a command waits for the one before, and both are undone if the disk refuses them`()
        async throws
    {
        let fixture = QueueFixture([.make(1), .make(2)])
        _ = try await fixture.queue.open()
        let gate = Gate()
        fixture.journal.gate = gate
        async let move = fixture.queue.perform(.move(.ids([2]), .up))
        try await fixture.until { $0.core.uploads[2]?.rank == 1 }
        async let pause = fixture.queue.perform(.pause(.ids([1])))
        try await fixture.until { !$0.core.transactions.blocked.isEmpty }
        fixture.journal.refusal = full
        gate.open()
        guard case .refused = await move, case .refused = await pause else {
            Issue.record("the disk's refusal was not passed on")
            return
        }
        #expect(await fixture.queue.all == [.make(1), .make(2)])
    }

    @Test func `a refused pause is taken back though bytes were confirmed meanwhile`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        let gate = Gate()
        fixture.journal.gate = gate
        async let pause = fixture.queue.perform(.pause(.all))
        try await fixture.until { $0.core.uploads[id]?.state == .paused(.user) }
        try await attempt.recorder.record(
            UploadResource(url: "http://host.test/1", confirmed: 5), durably: false)
        fixture.journal.refusal = full
        gate.open()
        guard case .refused = await pause else {
            Issue.record("the disk's refusal was not passed on")
            return
        }
        #expect(await fixture.queue.core.uploads[id]?.state.isRunning == true)
        #expect(await fixture.queue.core.uploads[id]?.confirmed == 5)
    }
}
