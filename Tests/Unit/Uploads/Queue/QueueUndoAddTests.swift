import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests the undo of an addition, and the text that announces it.
struct QueueUndoAddTests {
    private func fixture(concurrency: Int = 1) async throws -> QueueFixture {
        let fixture = QueueFixture(concurrency: concurrency)
        try await fixture.queue.start(monitor: nil)
        return fixture
    }

    private func offer(_ fixture: QueueFixture) async -> UndoOffer? {
        guard case .undoable(let offer) = await fixture.queue.perform(.nextUndo) else { return nil }
        return offer
    }

    @Test func `undo removes what was added last and leaves the command before`() async throws {
        let fixture = try await fixture()
        _ = await fixture.queue.perform(.limitBandwidth(.atMost(5000), .total))
        let ids = await fixture.add(3)
        guard case .reversed(.unadded(done: 0), let gone) = await fixture.queue.perform(.undo) else {
            Issue.record("not undone")
            return
        }
        #expect(gone.sorted() == ids)
        #expect(await fixture.queue.all.isEmpty)
        #expect(await fixture.queue.status.totalLimit.bandwidth == .atMost(5000))
        await fixture.queue.stop()
    }

    @Test func `an added upload that runs is stopped, and redo adds it again`() async throws {
        let fixture = try await fixture()
        let ids = await fixture.add(1)
        let attempt = try await fixture.runner.next()
        #expect(await fixture.queue.perform(.undo) == .reversed(.unadded(done: 0), ids))
        attempt.finish(.cancelled)
        #expect(await fixture.queue.perform(.redo) == .reversed(.putBack, ids))
        #expect(try await fixture.runner.next().upload.id == ids[0])
        #expect(await fixture.queue.perform(.undo) == .reversed(.unadded(done: 0), ids))
        await fixture.queue.stop()
    }

    @Test func `a done upload stays when its addition is undone, and is counted`() async throws {
        let fixture = try await fixture()
        let ids = await fixture.add(2)
        let attempt = try await fixture.runner.next()
        attempt.complete()
        _ = try await fixture.wait(for: attempt.upload.id, \.isDone)
        let rest = ids.filter { $0 != attempt.upload.id }
        #expect(await fixture.queue.perform(.undo) == .reversed(.unadded(done: 1), rest))
        #expect(await fixture.queue.all.map(\.id) == [attempt.upload.id])
        await fixture.queue.stop()
    }

    @Test func `when all that was added is done, undo says so and takes nothing older back`() async throws {
        let fixture = try await fixture()
        _ = await fixture.queue.perform(.limitConcurrency(2))
        let ids = await fixture.add(1)
        try await fixture.runner.next().complete()
        _ = try await fixture.wait(for: ids[0], \.isDone)
        guard case .refused(let failure) = await fixture.queue.perform(.undo) else {
            Issue.record("something was undone")
            return
        }
        #expect(failure.summary == "the upload that was added last is done: nothing to take back")
        #expect(await fixture.queue.status.concurrency == 2)
        #expect(await fixture.queue.perform(.undo) == .reversed(.limited(.concurrency(1)), []))
        await fixture.queue.stop()
    }

    @Test func `the offer of an undo names its effect and changes nothing`() async throws {
        let fixture = try await fixture()
        let ids = await fixture.add(2)
        let offer = await offer(fixture)
        #expect(offer?.change == .unadded(done: 0))
        #expect(offer?.ids.sorted() == ids)
        #expect(offer?.date == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(await fixture.queue.all.map(\.id) == ids)
        await fixture.queue.stop()
    }

    @Test func `an offered undo is refused while a newer command stands`()
        async throws
    {
        let fixture = try await fixture()
        let ids = await fixture.add(1)
        let number = try #require(await offer(fixture)?.number)
        _ = await fixture.queue.perform(.limitConcurrency(3))
        guard case .refused = await fixture.queue.perform(.undoCommand(number)) else {
            Issue.record("the limit was undone in place of the addition")
            return
        }
        #expect(await fixture.queue.status.concurrency == 3)
        let newest = try #require(await offer(fixture))
        #expect(newest.change == .limited(.concurrency(1)))
        #expect(
            await fixture.queue.perform(.undoCommand(newest.number))
                == .reversed(.limited(.concurrency(1)), []))
        #expect(await fixture.queue.perform(.undoCommand(number)) == .reversed(.unadded(done: 0), ids))
        await fixture.queue.stop()
    }

    @Test func `each kind of command is named before it is undone`() async throws {
        let fixture = try await fixture()
        let ids = await fixture.add(3)
        let commands: [(QueueCommand, QueueChangeKind)] = [
            (.pause(.ids([ids[2]])), .resumed), (.resume(.ids([ids[2]])), .paused),
            (.move(.ids([ids[2]]), .top), .moved), (.remove(.ids([ids[1]])), .putBack),
            (.limitConcurrency(3), .limited(.concurrency(1))),
            (.limitBandwidth(.atMost(9), .total), .limited(.bandwidth(BandwidthLimit(.total, .unlimited)))),
        ]
        for (command, change) in commands {
            _ = await fixture.queue.perform(command)
            let offer = await offer(fixture)
            #expect(offer?.change == change, "\(command)")
        }
        for (_, change) in commands.reversed() {
            let offer = try #require(await offer(fixture))
            #expect(offer.change == change)
            guard case .reversed(change, _) = await fixture.queue.perform(.undoCommand(offer.number)) else {
                Issue.record("\(change) was offered and is not what was done")
                return
            }
        }
        await fixture.queue.stop()
    }

    @Test func `with nothing to undo nothing is offered`() async throws {
        let fixture = try await fixture()
        #expect(await offer(fixture) == nil)
        await fixture.queue.stop()
    }

    @Test func `a file that is there in the same version is not added again, in another it is`() async throws
    {
        let fixture = try await fixture()
        let old = NewUpload.file(modified: 1)
        #expect(await fixture.queue.perform(.addNew([old])) == .changed([1]))
        #expect(await fixture.queue.perform(.addNew([old])) == .changed([]))
        try await fixture.runner.next().complete()
        _ = try await fixture.wait(for: 1, \.isDone)
        #expect(await fixture.queue.perform(.addNew([old])) == .changed([]))
        #expect(await fixture.queue.perform(.addNew([.file(modified: 2)])) == .changed([2]))
        #expect(await fixture.queue.perform(.addMissing([.file(modified: 3)])) == .changed([]))
        #expect(await fixture.queue.perform(.add([old])) == .changed([3]))
        guard case .uploads(let same) = await fixture.queue.perform(.find([old])) else {
            Issue.record("nothing was found")
            return
        }
        #expect(same.map(\.id) == [1, 2, 3])
        await fixture.queue.stop()
    }
}

extension NewUpload {
    fileprivate static func file(modified: Int64) -> NewUpload {
        NewUpload(
            path: LocalPath("/files/1"),
            identity: FileIdentity(device: 1, inode: 1, size: 10, modified: modified, changed: modified),
            target: .init(destination: "box", url: "http://host.test/", protocolName: "tus", name: "1"))
    }
}
