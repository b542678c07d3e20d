import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests uploads that start after other uploads or at a given time.
struct StartConditionTests {
    /// The date at which the fixture's clock starts.
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private static func new(
        after: [ClosedRange<Upload.ID>] = [], at seconds: Double? = nil
    ) -> [NewUpload] {
        let upload = Upload.make()
        let date = seconds.map { start.addingTimeInterval($0) }
        return [
            NewUpload(
                path: upload.path, identity: upload.identity, target: upload.target,
                start: .init(notBefore: date, after: after))
        ]
    }

    private static func waiting(
        _ id: Upload.ID, after: ClosedRange<Upload.ID>? = nil, at seconds: Double? = nil,
        state: Upload.State = .queued
    ) -> Upload {
        var upload = Upload.make(id, state: state)
        upload.start = .init(
            notBefore: seconds.map { start.addingTimeInterval($0) }, after: after.map { [$0] } ?? [])
        return upload
    }

    private static let failed = Upload.State.failed(UploadFailure(.permanent, "no"))

    /// Returns the ids of the running uploads.
    private func running(_ fixture: QueueFixture) async -> [Upload.ID] {
        await fixture.queue.all.filter(\.state.isRunning).map(\.id)
    }

    @Test func `an upload starts when all that it is to start after are done, and not before`() async throws {
        let fixture = QueueFixture([.make(1), .make(2), Self.waiting(3, after: 1...2)])
        try await fixture.queue.start(monitor: nil)
        let attempts = [try await fixture.runner.next(), try await fixture.runner.next()]
        attempts[1].complete()
        _ = try await fixture.wait(for: attempts[1].upload.id, \.isDone)
        #expect(await fixture.queue.all.last?.state == .queued)
        attempts[0].complete()
        let last = try await fixture.runner.next()
        #expect(last.upload.id == 3)
        #expect(last.upload.start == nil)
        #expect(await fixture.queue.all.first { $0.id == 3 }?.start == nil)
        last.complete()
        await fixture.queue.waitUntilIdle()
        await fixture.queue.stop()
    }

    @Test func `a predecessor that is already done is not waited for`() async throws {
        let done = Upload.State.done(Receipt(bytes: 10), at: Self.start)
        let fixture = QueueFixture([.make(1, state: done)])
        try await fixture.queue.start(monitor: nil)
        #expect(await fixture.queue.perform(.add(Self.new(after: [1...1]))) == .changed([2]))
        #expect(fixture.journal.uploads[2]?.start == nil)
        #expect(try await fixture.runner.next().upload.id == 2)
        await fixture.queue.stop()
    }

    @Test func `the named predecessors that are not done are written down`() async throws {
        let done = Upload.State.done(Receipt(bytes: 10), at: Self.start)
        let uploads = (1...6).map { Upload.make($0, state: $0 == 2 ? done : .paused(.user)) }
        let fixture = QueueFixture(uploads)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.add(Self.new(after: [1...3, 6...900])))
        #expect(fixture.journal.uploads[7]?.start == .init(after: [1...1, 3...3, 6...6]))
        await fixture.queue.stop()
    }

    @Test(arguments: [[9...9], [1...1, 4...7], [Int.max...Int.max], [Int.min...(-1)]])
    func `numbers that are not in the queue are refused by name, and nothing is added`(
        after: [ClosedRange<Upload.ID>]
    ) async throws {
        let fixture = QueueFixture([.make(1, state: .paused(.user))])
        try await fixture.queue.start(monitor: nil)
        guard case .refused(let failure) = await fixture.queue.perform(.add(Self.new(after: after))) else {
            Issue.record("it was added")
            return
        }
        #expect(failure.summary.contains(UploadNumbers.name(after.last ?? 0...0)))
        #expect(failure.hint?.contains("list of uploads") == true)
        #expect(await fixture.queue.all.count == 1)
        await fixture.queue.stop()
    }

    @Test(arguments: [0...Int.max, Int.min...Int.max, 1...1 << 53])
    func `a range beyond all numbers means those there are`(after: ClosedRange<Upload.ID>) async throws {
        let fixture = QueueFixture([.make(1, state: .paused(.user)), .make(2, state: .paused(.user))])
        try await fixture.queue.start(monitor: nil)
        #expect(await fixture.queue.perform(.add(Self.new(after: [after]))) == .changed([3]))
        #expect(fixture.journal.uploads[3]?.start == .init(after: [1...2]))
        await fixture.queue.stop()
    }

    @Test func `an upload starts at its time`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.add(Self.new(at: 90)))
        try await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(60))
        try await fixture.clock.waitForSleepers(1)
        #expect(await running(fixture).isEmpty)
        fixture.clock.advance(by: .seconds(30))
        #expect(try await fixture.runner.next().upload.id == 1)
        await fixture.queue.stop()
    }

    @Test func `a time that is past starts at once`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.add(Self.new(at: -1)))
        #expect(try await fixture.runner.next().upload.start == nil)
        await fixture.queue.stop()
    }

    @Test func `with both, an upload waits for the others first and then for its time`() async throws {
        let fixture = QueueFixture([.make(1)])
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.add(Self.new(after: [1...1], at: 90)))
        let first = try await fixture.runner.next()
        fixture.clock.advance(by: .seconds(60))
        first.complete()
        try await fixture.until { $0.core.schedule.starts.following == 0 }
        #expect(await fixture.queue.all.last?.start == .init(notBefore: Self.start.addingTimeInterval(90)))
        try await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(30))
        #expect(try await fixture.runner.next().upload.id == 2)
        await fixture.queue.stop()
    }

    @Test func `a time that has passed holds up nothing that still waits for another`() async throws {
        let fixture = QueueFixture([.make(1), Self.waiting(2, after: 1...1, at: -1)])
        try await fixture.queue.start(monitor: nil)
        #expect(await fixture.queue.core.uploads[2]?.start == .init(after: [1...1]))
        await fixture.queue.stop()
    }

    @Test(arguments: [
        UploadSelection.ids([2]), .numbers(UploadNumbers([1...2])), .all, .failed,
    ])
    func `retry starts at once what the user chose, and not whatever there is`(chosen: UploadSelection)
        async throws
    {
        let fixture = QueueFixture([
            .make(1, state: .paused(.user)), Self.waiting(2, after: 1...1, at: 3600),
        ])
        try await fixture.queue.start(monitor: nil)
        let starts = chosen != .all && chosen != .failed
        #expect(await fixture.queue.perform(.retry(chosen)) == .changed(starts ? [2] : []))
        #expect(
            fixture.journal.uploads[2]?.start
                == (starts ? nil : Self.waiting(2, after: 1...1, at: 3600).start))
        #expect(await running(fixture) == (starts ? [2] : []))
        await fixture.queue.stop()
    }

    @Test func `pausing, moving and resuming keep the condition`() async throws {
        let fixture = QueueFixture([.make(1, state: .paused(.user)), Self.waiting(2, after: 1...1)])
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.pause(.ids([2])))
        _ = await fixture.queue.perform(.move(.ids([2]), .top))
        _ = await fixture.queue.perform(.resume(.ids([2])))
        #expect(await running(fixture).isEmpty)
        #expect(fixture.journal.uploads[2]?.start == .init(after: [1...1]))
        _ = await fixture.queue.perform(.resume(.ids([1])))
        try await fixture.runner.next().complete()
        #expect(try await fixture.runner.next().upload.id == 2)
        await fixture.queue.stop()
    }

    @Test func `an upload that met its condition while it was paused starts when it is resumed`()
        async throws
    {
        let fixture = QueueFixture([.make(1), Self.waiting(2, after: 1...1, state: .paused(.user))])
        try await fixture.queue.start(monitor: nil)
        try await fixture.runner.next().complete()
        _ = try await fixture.wait(for: 1, \.isDone)
        #expect(await running(fixture).isEmpty)
        _ = await fixture.queue.perform(.resume(.ids([2])))
        #expect(try await fixture.runner.next().upload.id == 2)
        await fixture.queue.stop()
    }

    @Test func `after a failure the dependents keep waiting, the queue is idle, and a retry continues`()
        async throws
    {
        let fixture = QueueFixture([
            .make(1), Self.waiting(2, after: 1...1), Self.waiting(3, after: 2...2),
        ])
        try await fixture.queue.start(monitor: nil)
        try await fixture.runner.next().fail(.permanent)
        await fixture.queue.waitUntilIdle()
        #expect(await fixture.queue.all.map(\.state.kind) == ["failed", "queued", "queued"])
        _ = await fixture.queue.perform(.retry(.ids([1])))
        for id in 1...3 {
            let attempt = try await fixture.runner.next()
            #expect(attempt.upload.id == id)
            attempt.complete()
        }
        await fixture.queue.waitUntilIdle()
        #expect(await fixture.queue.all.allSatisfy { $0.isDone })
        await fixture.queue.stop()
    }

    @Test func `a queue in which something waits for its time is not idle`() async throws {
        let fixture = QueueFixture([Self.waiting(1, at: 60), Self.waiting(2, after: 1...1)])
        try await fixture.queue.start(monitor: nil)
        #expect(await !fixture.queue.core.isIdle)
        await fixture.queue.stop()
    }

    @Test func `the dependents of a removed upload are held by the same command, and undo restores them`()
        async throws
    {
        let uploads = [
            Upload.make(1, state: .paused(.user)), Self.waiting(2, after: 1...1),
            Self.waiting(3, after: 1...1, state: .paused(.user)), Self.waiting(4, after: 2...2),
        ]
        let fixture = QueueFixture(uploads)
        try await fixture.queue.start(monitor: nil)
        #expect(await fixture.queue.perform(.remove(.ids([1]))) == .changed([1]))
        #expect(await fixture.queue.all.map(\.state.kind) == ["held", "held", "queued"])
        #expect(fixture.journal.uploads[2]?.state.isHeld == true)
        #expect(await fixture.queue.perform(.undo) == .reversed(.putBack, [1]))
        #expect(await fixture.queue.all == uploads)
        #expect(fixture.journal.uploads.values.sorted { $0.id < $1.id } == uploads)
        #expect(await fixture.queue.perform(.redo) == .reversed(.removed, [1]))
        #expect(await fixture.queue.all.map(\.state.kind) == ["held", "held", "queued"])
        await fixture.queue.stop()
    }

    @Test func `retry starts what is held as the one before it was removed, and undo leaves it alone then`()
        async throws
    {
        let fixture = QueueFixture([.make(1, state: .paused(.user)), Self.waiting(2, after: 1...1)])
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.remove(.ids([1])))
        _ = await fixture.queue.perform(.retry(.all))
        let attempt = try await fixture.runner.next()
        #expect(attempt.upload.id == 2)
        guard case .refused = await fixture.queue.perform(.undo) else {
            Issue.record("the retry was undone")
            return
        }
        #expect(await fixture.queue.perform(.undo) == .reversed(.putBack, [1]))
        #expect(await running(fixture) == [2])
        await fixture.queue.stop()
    }

    @Test func `a removal that the disk refuses holds nothing`() async throws {
        let fixture = QueueFixture([.make(1, state: .paused(.user)), Self.waiting(2, after: 1...1)])
        try await fixture.queue.start(monitor: nil)
        fixture.journal.refusal = .diskFull(path: "journal.1.jsonl", isQuota: false)
        _ = await fixture.queue.perform(.remove(.ids([1])))
        #expect(await fixture.queue.all.map(\.state.kind) == ["paused", "queued"])
        fixture.journal.refusal = nil
        await fixture.queue.stop()
    }

    @Test func `removing what is done, or both, holds nothing`() async throws {
        let fixture = QueueFixture([
            .make(1, state: .done(Receipt(bytes: 10), at: Self.start)), .make(2, state: .paused(.user)),
            Self.waiting(3, after: 1...2), Self.waiting(4, after: 3...3),
        ])
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.queue.perform(.remove(.ids([1])))
        #expect(await fixture.queue.all.map(\.state.kind) == ["paused", "queued", "queued"])
        _ = await fixture.queue.perform(.remove(.ids([3, 4])))
        #expect(await fixture.queue.all.map(\.id) == [2])
        _ = await fixture.queue.perform(.undo)
        #expect(await fixture.queue.all.map(\.state.kind) == ["paused", "queued", "queued"])
        await fixture.queue.stop()
    }

    @Test func `read back, an upload waits for what is not done, and not for what has left the queue`()
        async throws
    {
        let fixture = QueueFixture([
            .make(2, state: .paused(.user)), Self.waiting(3, after: 1...1), Self.waiting(4, after: 1...2),
        ])
        try await fixture.queue.start(monitor: nil)
        #expect(try await fixture.runner.next().upload.id == 3)
        #expect(await running(fixture) == [3])
        await fixture.queue.stop()
    }

    @Test func `a dependent starts once the end of its predecessor is on disk`() async throws {
        let fixture = QueueFixture([.make(1), Self.waiting(2, after: 1...1)])
        try await fixture.queue.start(monitor: nil)
        let first = try await fixture.runner.next()
        let gate = Gate()
        fixture.journal.gate = gate
        first.complete()
        try await fixture.until { $0.core.unconfirmed.hasEnded(1) }
        await fixture.queue.send(.advance)
        #expect(await fixture.queue.core.uploads[2]?.state == .queued)
        fixture.journal.gate = nil
        gate.open()
        #expect(try await fixture.runner.next().upload.id == 2)
        await fixture.queue.stop()
    }

    @Test func `a removal during the addition of a dependent takes effect once that is done`() async throws {
        let fixture = QueueFixture([.make(1, state: .paused(.user))])
        try await fixture.queue.start(monitor: nil)
        let gate = Gate()
        fixture.journal.gate = gate
        async let added = fixture.queue.perform(.add(Self.new(after: [1...1])))
        try await fixture.until { $0.core.unconfirmed.isInFlight(1) }
        async let removed = fixture.queue.perform(.remove(.ids([1])))
        fixture.journal.gate = nil
        gate.open()
        #expect(await added == .changed([2]))
        #expect(await removed == .changed([1]))
        #expect(await fixture.queue.all.map(\.state.kind) == ["held"])
        await fixture.queue.stop()
    }

    @Test func `a follower of the queue gets an update when nothing is waited for any more`() async throws {
        let fixture = QueueFixture([.make(1), Self.waiting(2, after: 1...1)], concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let updates = await fixture.queue.updates()
        try await fixture.runner.next().complete()
        for await update in updates {
            if let upload = update.changed.first(where: { $0.id == 2 }), upload.start == nil { break }
        }
        await fixture.queue.stop()
    }

    @Test func `a dependent starts even if its predecessor is removed as it finishes`() async throws {
        let fixture = QueueFixture([.make(1), Self.waiting(2, after: 1...1)])
        try await fixture.queue.start(monitor: nil)
        let first = try await fixture.runner.next()
        let gate = Gate()
        fixture.journal.gate = gate
        async let added = fixture.queue.perform(.add(Self.new(after: [1...1])))
        try await fixture.until { $0.core.unconfirmed.isInFlight(1) }
        // The removal comes before the record that says that the upload is done.
        async let removed = fixture.queue.perform(.remove(.ids([1])))
        try await fixture.until { $0.core.transactions.blocked.count == 1 }
        first.complete()
        try await fixture.until { $0.core.unconfirmed.hasEnded(1) && $0.core.transactions.blocked.count == 2 }
        fixture.journal.gate = nil
        gate.open()
        #expect(await added == .changed([3]))
        #expect(await removed == .changed([1]))
        let next = [try await fixture.runner.next().upload.id, try await fixture.runner.next().upload.id]
        #expect(next.sorted() == [2, 3])
        await fixture.queue.stop()
    }

    @Test func `thousands of uploads with the same thousands of predecessors all wait for the failed one`()
        async throws
    {
        let done = Upload.State.done(Receipt(bytes: 10), at: Self.start)
        let others = (1...20_000).map { Upload.make($0, state: $0 == 17 ? Self.failed : done) }
        let waiting = (20_001...40_000).map { Self.waiting($0, after: 1...20_000) }
        let fixture = QueueFixture(others + waiting)
        try await fixture.queue.start(monitor: nil)
        #expect(await fixture.queue.core.schedule.starts.dependents(of: 17).count == 20_000)
        _ = await fixture.queue.perform(.retry(.ids([17])))
        try await fixture.runner.next().complete()
        #expect(try await fixture.runner.next().upload.start == nil)
        #expect(await fixture.queue.core.schedule.starts.isEmpty)
        await fixture.queue.stop()
    }

    @Test func `a thousand uploads after a thousand others wait for one each`() async throws {
        let others = (1...1000).map { Upload.make($0, state: .paused(.user)) }
        let waiting = (1001...2000).map { Self.waiting($0, after: 1...1000) }
        let fixture = QueueFixture(others + waiting)
        try await fixture.queue.start(monitor: nil)
        #expect(await fixture.queue.core.schedule.starts.following == 1000)
        #expect(await fixture.queue.core.schedule.starts.dependents(of: 1000).count == 1000)
        #expect(await fixture.queue.core.isIdle)
        await fixture.queue.stop()
    }
}
