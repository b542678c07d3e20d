import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests the queue on a full or broken disk: what users see, and what continues.
struct QueueDiskTests {
    private static func full(isQuota: Bool) -> JournalError { .diskFull(path: "/state", isQuota: isQuota) }

    /// A queue whose journal is on a simulated disk.
    private struct Site {
        let disk = SimulatedDisk()
        let runner = ScriptedRunner()
        let clock = ManualClock()
        let queue: UploadQueue

        init(threshold: Int = 1 << 20) throws {
            queue = UploadQueue(
                configuration: .init(concurrency: 2),
                journal: FileJournal(files: disk, lock: nil, options: .make(threshold: threshold)),
                runner: runner, clock: .manual(clock), probe: { _ in .reachable })
        }

        func add(_ id: Int) async -> QueueReply {
            await queue.perform(
                .add([
                    NewUpload(
                        path: LocalPath("/files/\(id)"),
                        identity: FileIdentity(
                            device: 1, inode: UInt64(id), size: 1000, modified: 1, changed: 1),
                        target: .init(
                            destination: "box", url: "http://host.test/", protocolName: "tus", name: "\(id)"))
                ]))
        }

        func status(_ accepts: (EngineStatus) -> Bool) async throws -> EngineStatus {
            for await update in await queue.updates() where accepts(update.status) { return update.status }
            throw CancellationError()
        }

        func isDone(_ id: Upload.ID) async throws {
            for await update in await queue.updates() {
                if update.changed.contains(where: { $0.id == id && $0.state.isDone }) { return }
            }
            throw CancellationError()
        }
    }

    @Test(arguments: [(false, "disk full"), (true, "quota used up")])
    func `S8 S10 a refusal says how many uploads continue, and so does the notice`(
        isQuota: Bool, words: String
    ) async throws {
        let fixture = QueueFixture(concurrency: 2)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.add(3)
        let first = try await fixture.runner.next()
        let second = try await fixture.runner.next()
        fixture.journal.refusal = Self.full(isQuota: isQuota)
        guard case .refused(let failure) = await fixture.queue.perform(.pause(.ids([3]))) else {
            Issue.record("it was not refused")
            return
        }
        let base = "\(words): the queue in /state is not saved; "
        #expect(failure.summary == base + "2 uploads keep running, no new ones start")
        #expect(await fixture.queue.status.notice?.summary == failure.summary)
        #expect(await fixture.queue.status.storage == .refusing)
        first.complete()
        try await fixture.until { $0.core.runs.count == 1 }
        #expect(
            await fixture.queue.status.notice?.summary
                == base + "1 upload keeps running, no new ones start")
        second.complete()
        try await fixture.until { $0.core.runs.isEmpty }
        #expect(await fixture.queue.status.notice?.summary == base + "no new uploads start")
    }

    @Test func `S8 the queue is not idle before what it found out is on disk`() async throws {
        let fixture = QueueFixture()
        let (id, attempt) = try await fixture.startOne()
        fixture.journal.refusal = Self.full(isQuota: false)
        attempt.complete()
        _ = try await fixture.wait(for: id) { $0.isDone }
        try await fixture.until { $0.core.health.isRefused && $0.core.runs.isEmpty }
        #expect(await !fixture.queue.core.isIdle)
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(5))
        try await fixture.until { if case .refused(_, 1) = $0.core.health.state { true } else { false } }
        #expect(await !fixture.queue.core.isIdle)
        fixture.journal.refusal = nil
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(5))
        await fixture.queue.waitUntilIdle()
        #expect(fixture.journal.uploads[id]?.state.isDone == true)
        #expect(await fixture.queue.status == EngineStatus(concurrency: 4))
    }

    @Test(arguments: [QueueCommand.tryNow, .retry(.all), .pause(.ids([2]))])
    func `S8 a person's next command looks for room at once`(command: QueueCommand) async throws {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.add(2)
        let attempt = try await fixture.runner.next()
        fixture.journal.refusal = Self.full(isQuota: false)
        attempt.complete()
        try await fixture.until { $0.core.health.isRefused && $0.core.runs.isEmpty }
        fixture.journal.refusal = nil
        _ = await fixture.queue.perform(command)
        #expect(await fixture.queue.status.storage == .saved)
        #expect(fixture.journal.uploads[1]?.state.isDone == true)
    }

    @Test func `S8 a change that is too large is no fault of the disk`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        fixture.journal.refusal = .recordTooLarge(1)
        #expect(await fixture.add(1).isEmpty)
        #expect(await fixture.queue.status.storage == .saved)
    }

    @Test func `S9 a snapshot that fails is reported, retried without any change, and reported to be over`()
        async throws
    {
        let site = try Site(threshold: 600)
        try await site.queue.start(monitor: nil)
        site.disk.fail { $0.name.hasPrefix(".tmp.") ? .failsHalfway(ENOSPC) : nil }
        for id in 1...3 { #expect(await site.add(id) == .changed([id])) }
        let behind = try await site.status { $0.storage == .snapshotOverdue }
        #expect(behind.notice?.summary.hasPrefix("disk full: no new snapshot of the queue in /state") == true)
        // All changes are written, so uploads continue.
        _ = try await site.runner.next()
        _ = try await site.runner.next()
        try await site.clock.waitForSleepers()
        site.clock.advance(by: .seconds(5))
        try await site.clock.waitForSleepers()
        #expect(await site.queue.status.storage == .snapshotOverdue)
        site.disk.fail { _ in nil }
        site.clock.advance(by: .seconds(10))
        let over = try await site.status { $0.storage == .saved }
        #expect(over.notice == nil)
        await site.queue.stop()
    }

    @Test func `S12 a failed sync goes unnoticed where new files take everything`() async throws {
        let site = try Site()
        try await site.queue.start(monitor: nil)
        site.disk.fail { $0.name == "journal.1.jsonl" && $0.kind == "synchronize" ? .fails(EIO) : nil }
        #expect(await site.add(1) == .changed([1]))
        #expect(await site.queue.status.storage == .saved)
        let left = site.disk.powerCut(keeping: .nothing)
        #expect(try JournalStore.opened(left).recovered.uploads.map(\.id) == [1])
        await site.queue.stop()
    }

    @Test
    func `S12 a disk that cannot sync acknowledges nothing, lets running uploads finish, and is reported`()
        async throws
    {
        let site = try Site()
        try await site.queue.start(monitor: nil)
        #expect(await site.add(1) == .changed([1]))
        let attempt = try await site.runner.next()
        site.disk.fail { $0.kind == "synchronize" ? .fails(EIO) : nil }
        guard case .refused(let failure) = await site.add(2) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.category == .storage)
        #expect(failure.summary.hasPrefix("held: state cannot be saved (EIO: "))
        #expect(failure.summary.hasSuffix("1 upload keeps running, no new ones start"))
        attempt.complete()
        try await site.isDone(1)
        #expect(await !site.queue.core.isIdle)

        try await site.clock.waitForSleepers()
        let before = site.disk.calls.count
        site.clock.advance(by: .seconds(5))
        // The queue tries once and then needs a user, so waiting for idle ends.
        await site.queue.waitUntilIdle()
        #expect(site.disk.calls.count - before < 100)
        #expect(await site.queue.status.storage == .refusing)
        let crashed = try JournalStore.opened(site.disk.restarted()).recovered.uploads
        #expect(crashed.map(\.id) == [1])

        site.disk.fail { _ in nil }
        try await site.clock.waitForSleepers()
        site.clock.advance(by: .seconds(60))
        _ = try await site.status { $0.storage == .saved }
        let left = try JournalStore.opened(site.disk.powerCut(keeping: .nothing)).recovered.uploads
        #expect(left.map(\.state.isDone) == [true])
        // The queue does not give the number of the refused upload again.
        #expect(await site.add(3) == .changed([3]))
        await site.queue.stop()
    }

    @Test func `S12 tries on a broken disk become rarer`() async throws {
        let site = try Site()
        try await site.queue.start(monitor: nil)
        site.disk.fail { $0.kind == "synchronize" ? .fails(EIO) : nil }
        _ = await site.add(1)
        var waits: [Duration] = []
        for _ in 0..<6 {
            try await site.clock.waitForSleepers()
            let wait = try #require(site.clock.deadlines.first).offset - site.clock.now.offset
            waits.append(wait)
            site.clock.advance(by: wait)
        }
        #expect(waits == [5, 10, 20, 40, 60, 60].map { Duration.seconds($0) })
        await site.queue.stop()
    }
}
