import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct FileJournalTests {
    private func journal(_ disk: SimulatedDisk) -> FileJournal {
        FileJournal(files: disk, lock: nil, options: .make())
    }

    @Test func `an appended record is there after a restart`() async throws {
        let state = try TemporaryState()
        let first = FileJournal(try state.open().lock())
        #expect(try first.load() == Recovered())
        try await first.append([.set(.make(1)), .set(.make(2))], durably: true)
        try await first.append([.remove(1)], durably: false)
        try await first.close()
        let second = FileJournal(try state.open().lock())
        let recovered = try second.load()
        #expect(recovered.uploads == [.make(2)])
        #expect(recovered.notices.isEmpty)
        try await second.close()
    }

    @Test func `after a clean exit the snapshot is complete and the journal empty`() async throws {
        let disk = SimulatedDisk()
        let journal = journal(disk)
        _ = try journal.load()
        try await journal.append([.set(.make(1))], durably: true)
        try await journal.close()
        let snapshot = try #require(disk.content(of: "queue.json"))
        #expect(try SnapshotDocument(snapshot).records.map(\.upload) == [.make(1)])
        #expect(
            disk.fileNames.filter { $0.hasPrefix("journal") }.allSatisfy {
                $0 == "journal.1.jsonl" || disk.content(of: $0) == []
            })
    }

    @Test(arguments: [1, 1000])
    func `without snapshots at its ends a record costs the same however long the queue is`(
        queued: Int
    ) async throws {
        let disk = SimulatedDisk()
        let engine = journal(disk)
        _ = try engine.load()
        try await engine.append((1...queued).map { .set(.make($0)) }, durably: true)
        try await engine.close()
        let snapshot = disk.content(of: "queue.json")
        let files = Set(disk.fileNames)
        var options = FileJournal.Options.make()
        options.snapshotsAtEnds = false
        for id in [2001, 2002] {
            let command = FileJournal(files: disk, lock: nil, options: options)
            #expect(try command.load().uploads.count == queued + id - 2001)
            try await command.append([.set(.make(id))], durably: true)
            try await command.close()
        }
        #expect(disk.content(of: "queue.json") == snapshot)
        #expect(Set(disk.fileNames) == files)
        let again = journal(disk)
        #expect(try again.load().uploads.suffix(2) == [.make(2001), .make(2002)])
        try await again.close()
    }

    @Test func `a hundred appends that wait at once share one write and one sync`() async throws {
        let disk = SimulatedDisk()
        let journal = journal(disk)
        _ = try journal.load()
        try await journal.append([], durably: true)
        let before = disk.calls.count
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        // The first write waits until all other appends wait behind it.
        disk.fail { [unowned journal] call in
            guard call.number == before else { return nil }
            begin.finish()
            for _ in 0..<300_000 where journal.waitingCount < 100 { usleep(1_000) }
            return nil
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await journal.append([.set(.make(101))], durably: true) }
            for await _ in begun {}
            for id in 1...100 {
                group.addTask { try await journal.append([.set(.make(id))], durably: true) }
            }
            try await group.waitForAll()
        }
        let kinds = disk.calls[before...].map(\.kind)
        #expect(kinds == ["append", "synchronize", "append", "synchronize"])
        try await journal.close()
        #expect(try JournalStore.opened(disk).recovered.uploads.count == 101)
    }

    @Test func `changes are written in the order in which an actor asked`() async throws {
        let disk = SimulatedDisk()
        let journal = journal(disk)
        _ = try journal.load()
        let issuer = Issuer(journal)
        await withTaskGroup(of: Void.self) { group in
            for id in 1...200 { group.addTask { await issuer.issue(id) } }
        }
        let content = String(decoding: try #require(disk.content(of: "journal.1.jsonl")), as: UTF8.self)
        let written = content.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /"v":{"id":([0-9]+),/).flatMap { Int($0.1) }
        }
        #expect(await issuer.order == written)
        try await journal.close()
    }

    private actor Issuer {
        let journal: FileJournal
        var order: [Int] = []

        init(_ journal: FileJournal) { self.journal = journal }

        func issue(_ id: Int) async {
            order.append(id)
            try? await journal.append([.set(.make(id))], durably: id % 2 == 0)
        }
    }

    @Test func `appends succeed while a snapshot is written`() async throws {
        let disk = SimulatedDisk()
        let journal = FileJournal(files: disk, lock: nil, options: .make(threshold: 100))
        _ = try journal.load()
        for id in 1...50 { try await journal.append([.set(.make(id))], durably: true) }
        try await journal.close()
        #expect(await journal.repair() == .healthy)
        #expect(try JournalStore.opened(disk).recovered.uploads.count == 50)
    }

    @Test func `before loading and after closing appends are refused`() async throws {
        let disk = SimulatedDisk()
        let journal = journal(disk)
        await #expect(throws: JournalError.notOpen) { try await journal.append([.remove(1)], durably: true) }
        _ = try journal.load()
        try await journal.close()
        await #expect(throws: JournalError.notOpen) { try await journal.append([.remove(1)], durably: true) }
        try await journal.close()
    }

    @Test func `a close during appends leaves an undamaged journal`() async throws {
        let disk = SimulatedDisk()
        let journal = journal(disk)
        _ = try journal.load()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...20 {
                group.addTask {
                    do throws(JournalError) {
                        try await journal.append([.set(.make(id))], durably: true)
                    } catch {
                        #expect(error == .notOpen)
                    }
                }
            }
            try await journal.close()
            try await group.waitForAll()
        }
        let recovered = try JournalStore.opened(disk).recovered
        #expect(recovered.notices.isEmpty)
    }

    @Test func `closing releases the lock, and says if the snapshot could not be written`() async throws {
        let state = try TemporaryState()
        let journal = FileJournal(try state.open().lock())
        _ = try journal.load()
        #expect(throws: JournalError.self) { try state.open().lock() }
        try await journal.close()
        _ = try state.open().lock()

        let disk = SimulatedDisk()
        let failing = self.journal(disk)
        _ = try failing.load()
        try await failing.append([.set(.make(1))], durably: true)
        disk.fail { $0.name.hasPrefix(".tmp.") ? .fails(ENOSPC) : nil }
        await #expect(throws: JournalError.diskFull(path: "/state", isQuota: false)) {
            try await failing.close()
        }
        #expect(try JournalStore.opened(disk.restarted()).recovered.uploads == [.make(1)])
    }
}
