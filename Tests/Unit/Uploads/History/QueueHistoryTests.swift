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

/// Tests which uploads move from the queue to the history, and when.
struct QueueHistoryTests {
    private let disk = SimulatedDisk()
    private let runner = ScriptedRunner(isLocal: true)

    private func done(_ id: Upload.ID) -> Upload {
        .make(
            id,
            state: .done(
                Receipt(bytes: 10, duration: 1), at: Date(timeIntervalSince1970: 1_760_000_000 - Double(id))))
    }

    private func queue(_ journal: MemoryJournal, keeping kept: Int?) -> UploadQueue {
        UploadQueue(
            configuration: .init(concurrency: 1, keptDone: kept), journal: journal,
            history: UploadHistory(files: disk), runner: runner, clock: .manual(ManualClock()))
    }

    private var historyIDs: [Upload.ID] {
        get throws { try UploadHistory.read(files: disk).map(\.upload.id) }
    }

    @Test func `a start writes what a kill left out, and keeps the newest`() async throws {
        // An upload with a higher number was done earlier.
        let journal = MemoryJournal((1...8).map(done) + [.make(9, state: .paused(.user))])
        let queue = queue(journal, keeping: 3)
        try await queue.start(monitor: nil)
        await queue.stop()
        #expect(try historyIDs == [1, 2, 3, 4, 5, 6, 7, 8])
        // The queue may have stopped before the move. The next start continues it.
        let next = self.queue(journal, keeping: 3)
        try await next.start(monitor: nil)
        try await until(next) { $0.tasks.retiring == nil && $0.core.archive.finished.count == 3 }
        await next.stop()
        #expect(journal.uploads.keys.sorted() == [1, 2, 3, 9])
        #expect(await next.retired == UploadQueue.Retired())
        #expect(try historyIDs == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test func `fewer that are kept hold at once, for what is done already`() async throws {
        let journal = MemoryJournal((1...8).map(done))
        let queue = queue(journal, keeping: 8)
        try await queue.start(monitor: nil)
        try await until(queue) { $0.tasks.retiring == nil }
        #expect(await queue.core.archive.finished.count == 8)
        await queue.apply(.init(concurrency: 1, keptDone: 3))
        try await until(queue) { $0.tasks.retiring == nil }
        #expect(await queue.all.map(\.id) == [1, 2, 3])
        await queue.stop()
    }

    @Test func `S8 without space for the history nothing leaves the queue`() async throws {
        disk.fail { $0.kind == "append" ? .fails(ENOSPC) : nil }
        let journal = MemoryJournal((1...8).map(done))
        let queue = queue(journal, keeping: 3)
        try await queue.start(monitor: nil)
        try await until(queue) { $0.tasks.retiring == nil }
        await queue.stop()
        #expect(journal.uploads.count == 8)
        #expect(try historyIDs.isEmpty)
    }

    @Test func `a queue that finishes many keeps few and counts all`() async throws {
        let journal = MemoryJournal()
        let queue = queue(journal, keeping: 5)
        try await queue.start(monitor: nil)
        _ = await queue.perform(.add(Self.files(120)))
        for _ in 1...120 { try await runner.next().complete() }
        await queue.waitUntilIdle()
        try await until(queue) { $0.tasks.retiring == nil }
        let (left, retired) = await queue.everything
        #expect(left.count < 120)
        #expect(left.count + retired.count == 120)
        #expect(retired.bytes == ByteCount(retired.count) * 10)
        await queue.stop()
        #expect(journal.uploads.count == left.count)
        #expect(try historyIDs == (1...120).reversed())
    }

    @Test func `uploads that were done before the start are distinguished from those done since`()
        async throws
    {
        let queue = queue(MemoryJournal((1...2).map(done)), keeping: nil)
        try await queue.start(monitor: nil)
        _ = await queue.perform(.add(Self.files(1)))
        try await runner.next().complete()
        await queue.waitUntilIdle()
        #expect(await queue.doneBefore == [1, 2])
        #expect(await queue.all.filter(\.isDone).map(\.id) == [1, 2, 3])
        await queue.stop()
    }

    @Test func `removed uploads that were done before do not hide those that finish now`() async throws {
        let journal = MemoryJournal(
            (1...50).map { .make($0, state: .done(Receipt(bytes: 10, duration: 1), at: Date())) })
        let queue = queue(journal, keeping: 50)
        try await queue.start(monitor: nil)
        _ = await queue.perform(.remove(.done))
        _ = await queue.perform(.add(Self.files(250)))
        for _ in 1...250 { try await runner.next().complete() }
        await queue.waitUntilIdle()
        try await until(queue) { $0.tasks.retiring == nil }
        let (left, retired) = await queue.everything
        #expect(left.count < 250)
        #expect(left.count + retired.count == 250)
        await queue.stop()
    }

    private static func files(_ count: Int) -> [NewUpload] {
        (1...count).map { number in
            NewUpload(
                path: LocalPath("/files/\(number)"),
                identity: FileIdentity(device: 1, inode: 1, size: 10, modified: 1, changed: 1),
                target: .init(
                    destination: "", url: "http://127.0.0.1/", protocolName: "put", name: "\(number)"))
        }
    }

    @Test func `a failed or held upload enters the history when it is removed, and a paused one does not`()
        async throws
    {
        let failure = UploadFailure(.permanent, "no")
        let journal = MemoryJournal([
            .make(1, state: .failed(failure)), .make(2, state: .paused(.user)),
            .make(3, state: .held(failure)),
        ])
        let queue = queue(journal, keeping: nil)
        try await queue.start(monitor: nil)
        #expect(await queue.perform(.remove(.all)) != .refused(failure))
        await queue.stop()
        let entries = try UploadHistory.read(files: disk)
        #expect(Set(entries.map(\.upload.id)) == [1, 3])
        #expect(entries.allSatisfy { $0.outcome == .removed })
    }

    @Test func `a removal that is refused is not in the history`() async throws {
        let journal = MemoryJournal([.make(1, state: .failed(UploadFailure(.permanent, "no")))])
        let queue = queue(journal, keeping: nil)
        try await queue.start(monitor: nil)
        journal.refusal = .diskFull(path: "/state", isQuota: false)
        guard case .refused = await queue.perform(.remove(.all)) else { return #expect(Bool(false)) }
        await queue.stop()
        #expect(try historyIDs.isEmpty)
    }

    private func until(
        _ queue: UploadQueue, _ condition: @Sendable (isolated UploadQueue) -> Bool
    ) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while ContinuousClock.now < deadline {
            if await condition(queue) { return }
            await Task.yield()
        }
        throw TooLate()
    }
}
