import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests batches: uploads with a common name that are controlled together.
struct BatchTests {
    private static func upload(
        _ id: Upload.ID, _ batch: String?, state: Upload.State = .paused(.user)
    ) -> Upload {
        var upload = Upload.make(id, state: state)
        upload.batch = batch
        return upload
    }

    private static func new(_ batch: String?) -> NewUpload {
        let upload = Upload.make()
        return NewUpload(
            path: upload.path, identity: upload.identity, target: upload.target, batch: batch)
    }

    private func kinds(_ fixture: QueueFixture) async -> [String] {
        await fixture.queue.all.map(\.state.kind)
    }

    @Test func `a batch is paused alone while other uploads run`() async throws {
        let fixture = QueueFixture([
            Self.upload(1, "night", state: .queued), Self.upload(2, "day", state: .queued),
            Self.upload(3, nil, state: .queued),
        ])
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.pause(.batch("night")))
        #expect(await kinds(fixture) == ["paused", "running", "running"])
        await fixture.queue.stop()
    }

    @Test
    func `an upload added to a paused batch is paused, also after a restart, until the batch is resumed`()
        async throws
    {
        let fixture = QueueFixture([Self.upload(1, "night")])
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.pause(.batch("night")))
        #expect(await fixture.queue.perform(.add([Self.new("night")])) == .addedPaused([2]))
        #expect(await fixture.queue.perform(.add([Self.new("day")])) == .changed([3]))
        #expect(await kinds(fixture) == ["paused", "paused", "running"])
        #expect(fixture.journal.settings.pausedBatches == ["night"])
        await fixture.queue.stop()

        let later = UploadQueue(journal: fixture.journal, runner: ScriptedRunner())
        _ = try await later.open()
        #expect(await later.perform(.add([Self.new("night")])) == .addedPaused([4]))
        _ = await later.perform(.resume(.batch("night")))
        #expect(fixture.journal.settings.pausedBatches == [])
        #expect(await later.perform(.add([Self.new("night")])) == .changed([5]))
        await later.stop()
    }

    @Test(arguments: [UploadSelection.batch("night"), .all])
    func `resuming a batch, or all, holds up nothing that is added`(chosen: UploadSelection) async throws {
        let fixture = QueueFixture([Self.upload(1, "night")])
        _ = try await fixture.queue.open()
        _ = await fixture.queue.perform(.pause(.batch("night")))
        #expect(await fixture.queue.perform(.resume(chosen)) == .changed([1]))
        #expect(await fixture.queue.perform(.add([Self.new("night")])) == .changed([2]))
        await fixture.queue.stop()
    }

    @Test
    func `undo resumes a batch with what was added meanwhile, and with nothing that was paused before`()
        async throws
    {
        let fixture = QueueFixture([Self.upload(1, "night"), Self.upload(2, "night", state: .queued)])
        _ = try await fixture.queue.open()
        #expect(await fixture.queue.perform(.pause(.batch("night"))) == .changed([2]))
        // The upload comes from a watched folder. The undo of an upload that a user adds would come before the undo of
        // the pause.
        var new = Self.new("night")
        new.path = LocalPath("/files/another")
        _ = try await fixture.queue.takeSettled([new])
        guard case .reversed(.resumed, let ids) = await fixture.queue.perform(.undo) else {
            Issue.record("it was not undone")
            return
        }
        #expect(ids.sorted() == [2, 3])
        #expect(await kinds(fixture) == ["paused", "queued", "queued"])
        #expect(fixture.journal.settings.pausedBatches == [])
        guard case .reversed(.paused, let again) = await fixture.queue.perform(.redo) else {
            Issue.record("it was not done again")
            return
        }
        #expect(again.sorted() == [2, 3])
        #expect(fixture.journal.settings.pausedBatches == ["night"])
        await fixture.queue.stop()
    }

    @Test func `a pause that the disk refuses leaves the batch as it was`() async throws {
        let fixture = QueueFixture([Self.upload(1, "night", state: .queued)])
        _ = try await fixture.queue.open()
        fixture.journal.refusal = .diskFull(path: "journal.1.jsonl", isQuota: false)
        guard case .refused = await fixture.queue.perform(.pause(.batch("night"))) else {
            Issue.record("it was not refused")
            return
        }
        fixture.journal.refusal = nil
        #expect(await kinds(fixture) == ["queued"])
        #expect(await fixture.queue.perform(.add([Self.new("night")])) == .changed([2]))
        await fixture.queue.stop()
    }

    @Test(arguments: [QueueCommand.pause(.batch("may")), .resume(.batch("may")), .remove(.batch("may"))])
    func `an unknown batch is refused with the names of those there are`(command: QueueCommand)
        async throws
    {
        let fixture = QueueFixture([Self.upload(1, "night"), Self.upload(2, "day")])
        _ = try await fixture.queue.open()
        guard case .refused(let failure) = await fixture.queue.perform(command) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.summary.contains("'may'"))
        #expect(failure.hint == "there are day, night")
        await fixture.queue.stop()
    }

    @Test func `a batch in which all uploads are done can be paused for what comes`() async throws {
        let fixture = QueueFixture([
            Self.upload(1, "night", state: .done(Receipt(bytes: 10), at: .distantPast))
        ])
        _ = try await fixture.queue.open()
        #expect(await fixture.queue.perform(.pause(.batch("night"))) == .changed([]))
        #expect(await fixture.queue.perform(.add([Self.new("night")])) == .addedPaused([2]))
        #expect(await fixture.queue.perform(.undo) == .reversed(.unadded(done: 0), [2]))
        #expect(await fixture.queue.perform(.undo) == .reversed(.resumed, []))
        #expect(fixture.journal.settings.pausedBatches == [])
        await fixture.queue.stop()
    }

    @Test func `an impossible name of a batch is refused`() async throws {
        let fixture = QueueFixture()
        _ = try await fixture.queue.open()
        guard case .refused(let failure) = await fixture.queue.perform(.add([Self.new("a\nb")])) else {
            Issue.record("it was added")
            return
        }
        #expect(failure.summary.contains("control characters"))
        await fixture.queue.stop()
    }

    @Test func `uploads of a batch that were added together all have its name`() async throws {
        let fixture = QueueFixture()
        _ = try await fixture.queue.open()
        _ = await fixture.queue.perform(.add([Self.new("night"), Self.new("night")]))
        #expect(await fixture.queue.all.map(\.batch) == ["night", "night"])
        #expect(fixture.journal.uploads[1]?.batch == "night")
        await fixture.queue.stop()
    }
}
