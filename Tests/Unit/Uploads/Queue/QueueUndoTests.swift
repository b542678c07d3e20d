import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests the undo of commands.
struct QueueUndoTests {
    private static func resource(_ confirmed: ByteCount = 0) -> UploadResource {
        UploadResource(url: "http://host.test/7", confirmed: confirmed)
    }

    private func fixture(_ count: Int, resource: UploadResource? = nil) async throws -> QueueFixture {
        let fixture = QueueFixture(
            (1...count).map { Upload.make($0, state: .paused(.user), resource: resource) })
        try await fixture.queue.start(monitor: nil)
        return fixture
    }

    @Test func `a removed upload is put back where it was and as it was`() async throws {
        let fixture = try await fixture(3, resource: Self.resource(500))
        let before = await fixture.queue.all
        #expect(await fixture.queue.perform(.remove(.ids([2]))) == .changed([2]))
        #expect(await fixture.queue.perform(.undo) == .reversed(.putBack, [2]))
        #expect(await fixture.queue.all == before)
        #expect(fixture.journal.uploads[2] == before[1])
        await fixture.queue.stop()
        #expect(fixture.runner.discarded.isEmpty)
    }

    @Test func `an undo that comes while a command is written down takes back that command`() async throws {
        let fixture = try await fixture(3)
        _ = await fixture.queue.perform(.move(.ids([3]), .up))
        let before = await fixture.queue.all
        let gate = Gate()
        fixture.journal.gate = gate
        async let move = fixture.queue.perform(.move(.ids([2]), .top))
        try await fixture.until { $0.core.transactions.isMoving }
        async let undo = fixture.queue.perform(.undo)
        try await fixture.until { $0.order.isAwaited }
        gate.open()
        #expect(await move.changed == [2])
        guard case .reversed(.moved, _) = await undo else {
            Issue.record("the move was not undone")
            return
        }
        #expect(await fixture.queue.all == before)
        _ = await fixture.queue.perform(.undo)
        #expect(await fixture.queue.all.map(\.id) == [1, 2, 3])
    }

    @Test func `the server's data of a removed upload is deleted when ten seconds are over`() async throws {
        let fixture = try await fixture(1, resource: Self.resource(500))
        _ = await fixture.queue.perform(.remove(.ids([1])))
        try await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(9.9))
        #expect(fixture.runner.discarded.isEmpty)
        fixture.clock.advance(by: .seconds(0.2))
        try await fixture.until { _ in !fixture.runner.discarded.isEmpty }
        #expect(fixture.runner.discarded == [1])
        #expect(await fixture.queue.perform(.undo) == .reversed(.putBack, [1]))
        #expect(await fixture.queue.all.first?.resource == nil)
        await fixture.queue.stop()
    }

    @Test func `the server's data of a removed upload is deleted when the queue stops`() async throws {
        let fixture = try await fixture(1, resource: Self.resource(500))
        _ = await fixture.queue.perform(.remove(.ids([1])))
        await fixture.queue.stop()
        #expect(fixture.runner.discarded == [1])
    }

    @Test func `the data of a removed upload is remembered until the upload is put back`() async throws {
        let fixture = try await fixture(2, resource: Self.resource(500))
        #expect(fixture.runner.memory.map { $0.prefix(9) } == ["reclaimed"])
        _ = await fixture.queue.perform(.remove(.ids([1])))
        _ = await fixture.queue.perform(.undo)
        #expect(fixture.runner.memory.dropFirst() == ["abandoned [1] after 10 s", "reclaimed [1]"])
        await fixture.queue.stop()
        #expect(fixture.runner.memory.count == 3)
    }

    @Test func `the data of a removed upload counts as abandoned at once when the queue stops`() async throws
    {
        let fixture = try await fixture(1, resource: Self.resource(500))
        _ = await fixture.queue.perform(.remove(.ids([1])))
        await fixture.queue.stop()
        #expect(
            fixture.runner.memory.dropFirst() == ["abandoned [1] after 10 s", "abandoned [1] after 0 s"])
    }

    @Test func `an upload that arrived while it was removed leaves nothing`() async throws {
        let fixture = QueueFixture(ignoresCancelling: true)
        let (id, attempt) = try await fixture.startOne()
        try await attempt.recorder.record(Self.resource(), durably: true)
        _ = await fixture.queue.perform(.remove(.ids([id])))
        attempt.complete()
        try await fixture.until { _ in fixture.runner.memory.last == "reclaimed [\(id)]" }
        await fixture.queue.stop()
    }

    @Test func `an upload that was removed while it ran resumes with its resource`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        try await attempt.recorder.record(Self.resource(), durably: true)
        _ = await fixture.queue.perform(.remove(.ids([id])))
        attempt.finish(.cancelled)
        #expect(await fixture.queue.perform(.undo) == .reversed(.putBack, [id]))
        let next = try await fixture.runner.next()
        #expect(next.upload.resource == Self.resource())
        await fixture.queue.stop()
    }

    @Test func `an upload that arrived while it was removed is done when it is put back`() async throws {
        let fixture = QueueFixture(ignoresCancelling: true)
        let (id, attempt) = try await fixture.startOne()
        _ = await fixture.queue.perform(.remove(.ids([id])))
        attempt.complete()
        #expect(await fixture.queue.perform(.undo) == .reversed(.putBack, [id]))
        #expect(await fixture.queue.all.first?.state.isDone == true)
        #expect(await fixture.queue.core.archive.finished == [id])
        await fixture.queue.stop()
        #expect(fixture.runner.discarded.isEmpty)
    }

    @Test func `undo and redo of a move name what was moved, and not what it was swapped with`()
        async throws
    {
        let fixture = try await fixture(3)
        let queue = fixture.queue
        #expect(await queue.perform(.move(.ids([3]), .up)) == .changed([3]))
        guard case .undoable(let offer) = await queue.perform(.nextUndo) else {
            Issue.record("nothing can be undone")
            return
        }
        #expect(offer.ids == [3])
        #expect(await queue.perform(.undo) == .reversed(.moved, [3]))
        #expect(await queue.all.map(\.id) == [1, 2, 3])
        #expect(await queue.perform(.redo) == .reversed(.moved, [3]))
        #expect(await queue.all.map(\.id) == [1, 3, 2])
    }

    @Test func `commands are undone from the last to the first and redone in turn`() async throws {
        let fixture = try await fixture(3)
        let queue = fixture.queue
        _ = await queue.perform(.move(.ids([3]), .top))
        _ = await queue.perform(.limitBandwidth(.atMost(5000), .total))
        _ = await queue.perform(.remove(.ids([1])))
        #expect(await queue.perform(.undo) == .reversed(.putBack, [1]))
        #expect(
            await queue.perform(.undo)
                == .reversed(.limited(.bandwidth(BandwidthLimit(.total, .unlimited))), []))
        #expect(await queue.status.totalLimit.bandwidth == .unlimited)
        #expect(await queue.perform(.undo) == .reversed(.moved, [3]))
        #expect(await queue.all.map(\.id) == [1, 2, 3])
        #expect(await queue.perform(.redo) == .reversed(.moved, [3]))
        let limit = BandwidthLimit(.total, .atMost(5000), origin: .command)
        #expect(await queue.perform(.redo) == .reversed(.limited(.bandwidth(limit)), []))
        #expect(await queue.perform(.redo) == .reversed(.removed, [1]))
        #expect(await queue.all.map(\.id) == [3, 2])
        #expect(await queue.status.totalLimit.bandwidth == .atMost(5000))
        await queue.stop()
    }

    @Test func `a pause is undone and redone`() async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let ids = Array(await fixture.add(2).dropFirst())
        _ = await fixture.queue.perform(.pause(.ids(ids)))
        #expect(await fixture.queue.perform(.undo) == .reversed(.resumed, ids))
        #expect(await fixture.queue.perform(.redo) == .reversed(.paused, ids))
        #expect(await fixture.queue.all.last?.state == .paused(.user))
        await fixture.queue.stop()
    }

    @Test func `a command that has nothing left to change is passed over`() async throws {
        let fixture = try await fixture(2)
        _ = await fixture.queue.perform(.move(.ids([2]), .top))
        _ = await fixture.queue.perform(.resume(.ids([1])))
        _ = await fixture.queue.perform(.pause(.ids([1])))
        _ = await fixture.queue.perform(.undo)
        _ = await fixture.queue.perform(.undo)
        #expect(await fixture.queue.perform(.undo) == .reversed(.moved, [2]))
        await fixture.queue.stop()
    }

    @Test func `a retry cannot be undone, and the next undo reverses the change before it`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(.permanent)
        _ = try await fixture.wait(for: ids[0]) { $0.isFailed }
        #expect(await fixture.queue.perform(.retry(.ids(ids))) == .changed(ids))
        guard case .undoable(let offer) = await fixture.queue.perform(.nextUndo),
            case .refused(let failure) = await fixture.queue.perform(.undoCommand(offer.number))
        else {
            Issue.record("the retry was undone")
            return
        }
        #expect(offer.change == .retried)
        #expect(offer.ids == [])
        #expect(offer.refusal == failure)
        #expect(failure.summary == "a retry cannot be undone")
        #expect(await fixture.queue.perform(.undo) == .reversed(.unadded(done: 0), ids))
        await fixture.queue.stop()
    }

    @Test func `a retry that changed nothing is passed over`() async throws {
        let fixture = try await fixture(2)
        _ = await fixture.queue.perform(.move(.ids([2]), .top))
        #expect(await fixture.queue.perform(.retry(.failed)) == .changed([]))
        #expect(await fixture.queue.perform(.undo) == .reversed(.moved, [2]))
        await fixture.queue.stop()
    }

    @Test func `the offer of a redo names its effect, and is refused after another change`() async throws {
        let fixture = try await fixture(2)
        _ = await fixture.queue.perform(.remove(.ids([1])))
        _ = await fixture.queue.perform(.undo)
        guard case .undoable(let offer) = await fixture.queue.perform(.nextRedo) else {
            Issue.record("nothing was offered")
            return
        }
        #expect(offer.change == .removed)
        #expect(offer.ids == [1])
        #expect(await fixture.queue.all.map(\.id) == [1, 2])
        #expect(await fixture.queue.perform(.redoCommand(offer.number)) == .reversed(.removed, [1]))
        _ = await fixture.queue.perform(.undo)
        _ = await fixture.queue.perform(.move(.ids([2]), .top))
        guard case .refused(let failure) = await fixture.queue.perform(.redoCommand(offer.number)) else {
            Issue.record("redone")
            return
        }
        #expect(failure.summary == "nothing was redone: another change came first")
        await fixture.queue.stop()
    }

    @Test func `a new command ends what could be redone`() async throws {
        let fixture = try await fixture(2)
        _ = await fixture.queue.perform(.remove(.ids([1])))
        _ = await fixture.queue.perform(.undo)
        _ = await fixture.queue.perform(.move(.ids([2]), .top))
        guard case .refused(let failure) = await fixture.queue.perform(.redo) else {
            Issue.record("redone")
            return
        }
        #expect(failure.summary == "nothing to redo")
        await fixture.queue.stop()
    }

    @Test func `an undo that the disk refuses can be repeated later`() async throws {
        let fixture = try await fixture(1)
        _ = await fixture.queue.perform(.remove(.ids([1])))
        fixture.journal.refusal = .diskFull(path: "journal.1.jsonl", isQuota: false)
        guard case .refused = await fixture.queue.perform(.undo) else {
            Issue.record("not refused")
            return
        }
        fixture.journal.refusal = nil
        #expect(await fixture.queue.perform(.undo) == .reversed(.putBack, [1]))
        await fixture.queue.stop()
    }

    @Test func `the oldest of more than fifty commands cannot be undone`() {
        var orders = UndoStack(start: Date(timeIntervalSince1970: 0))
        for id in 1...50 { #expect(orders.record(putBack(id), at: Date(timeIntervalSince1970: 0)) == []) }
        #expect(orders.record(putBack(51), at: Date(timeIntervalSince1970: 0)) == [putBack(1)])
    }

    @Test func `a new command says what can no longer be redone`() throws {
        var stack = UndoStack(start: Date(timeIntervalSince1970: 0))
        _ = stack.record(.remove(.init(joining: [1])), at: Date(timeIntervalSince1970: 0))
        let next = stack.next(.undo)
        let entry = try #require(next)
        stack.went(.undo, entry, action: putBack(1))
        let second = UndoAction.remove(.init(joining: [2]))
        #expect(stack.record(second, at: Date(timeIntervalSince1970: 0)) == [putBack(1)])
    }

    private func putBack(_ id: Upload.ID) -> UndoAction { .putBack(.init(joining: [id])) }
}
