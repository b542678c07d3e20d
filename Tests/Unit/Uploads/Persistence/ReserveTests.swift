import FerryStateSimulation
import Foundation
import Synchronization
import Testing

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A disk without free space, except for the space that the reserve releases.
private struct FullDisk {
    private final class Room: Sendable {
        let state = Mutex((isFull: false, left: 0))
    }

    let disk = SimulatedDisk()
    private let room = Room()

    /// - Parameter writes: The number of writes that fit into the reserve's space.
    init(writes: Int = .max) {
        disk.fail { [room] call in
            room.state.withLock { state in
                guard state.isFull else { return nil }
                switch (call.kind, call.name) {
                case ("remove", JournalReserve.name):
                    state.left = writes
                    return nil
                case ("append", JournalReserve.name): return .failsHalfway(ENOSPC)
                case ("append", _) where state.left > 0:
                    state.left -= 1
                    return nil
                case ("append", _): return .failsHalfway(ENOSPC)
                default: return nil
                }
            }
        }
    }

    func set(full: Bool) { room.state.withLock { $0.isFull = full } }
}

struct ReserveTests {
    private let full = JournalError.diskFull(path: "/state", isQuota: false)

    private func entry(_ id: Int, isFinding: Bool) -> JournalStore.Entry {
        JournalStore.Entry([.set(.make(id))], isFinding: isFinding)
    }

    private func succeeded(_ results: [Result<Void, JournalError>]) -> [Bool] {
        results.map { (try? $0.get()) != nil }
    }

    @Test func `S9 the reserve is private and takes up a mebibyte of the disk`() throws {
        let folder = try TemporaryState()
        let journal = FileJournal(try folder.open().lock())
        _ = try journal.load()
        var status = stat()
        #expect(stat(folder.path + "/reserve", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(status.st_size == 1 << 20)
        #expect(Int(status.st_blocks) * 512 >= 1 << 20)
    }

    @Test func `S8 on a full disk an outcome takes the reserve and a command does not`() throws {
        let disk = FullDisk()
        var (store, _) = try JournalStore.opened(disk.disk, options: .make(reserve: 1 << 20))
        disk.set(full: true)
        #expect(throws: full) { try store.append([.set(.make(1))]) }
        #expect(disk.disk.fileNames.contains(JournalReserve.name))
        #expect(store.condition == .refusing(full))

        let both = [entry(2, isFinding: false), entry(3, isFinding: true)]
        #expect(succeeded(store.append(both, durably: true)) == [false, true])
        #expect(!disk.disk.fileNames.contains(JournalReserve.name))
        // The reserve's space is free, but not for commands.
        #expect(throws: full) { try store.append([.set(.make(4))]) }
        #expect(succeeded(store.append([entry(5, isFinding: true)], durably: true)) == [true])
        #expect(store.condition == .refusing(full))
        let found = try JournalStore.opened(disk.disk.restarted()).recovered
        #expect(found.uploads.map(\.id) == [3, 5])

        disk.set(full: false)
        try store.append([.set(.make(6))])
        #expect(store.condition == .healthy)
        #expect(disk.disk.fileNames.contains(JournalReserve.name))
        #expect(try JournalStore.opened(disk.disk.restarted()).recovered.uploads.map(\.id) == [3, 5, 6])
    }

    @Test func `S8 a refused command leaves the queue refusing until a look finds room`() throws {
        let disk = FullDisk()
        var (store, _) = try JournalStore.opened(disk.disk, options: .make(reserve: 1 << 20))
        disk.set(full: true)
        #expect(throws: full) { try store.append([.set(.make(1))]) }
        store.repair()
        #expect(store.condition == .refusing(full))
        disk.set(full: false)
        store.repair()
        #expect(store.condition == .healthy)
        #expect(disk.disk.fileNames.allSatisfy { !$0.hasPrefix(".tmp.") })
    }

    @Test func `S8 a disk too small for a reserve is used without`() throws {
        let disk = SimulatedDisk()
        disk.fail { $0.name == JournalReserve.name ? .failsHalfway(ENOSPC) : nil }
        var (store, _) = try JournalStore.opened(disk, options: .make(reserve: 1 << 20))
        try store.append([.set(.make(1))])
        #expect(store.condition == .healthy)
        #expect(!disk.fileNames.contains(JournalReserve.name))
    }

    @Test func `S9 a snapshot for which there is no room takes the reserve, which is made again later`()
        async throws
    {
        let disk = FullDisk(writes: 2)
        let options = FileJournal.Options.make(reserve: 1 << 20)
        let journal = FileJournal(files: disk.disk, lock: nil, options: options)
        _ = try journal.load()
        try await journal.append([.set(.make(1))], durably: true)
        let before = disk.disk.content(of: "queue.json")
        disk.set(full: true)
        try await journal.close()
        #expect(disk.disk.content(of: "queue.json") != before)
        #expect(!disk.disk.fileNames.contains(JournalReserve.name))
        disk.set(full: false)
        let next = FileJournal(files: disk.disk.restarted(), lock: nil, options: options)
        #expect(try next.load().uploads.map(\.id) == [1])
    }

    @Test func `S9 a snapshot without any room leaves the old one, and tries leave nothing behind`()
        async throws
    {
        let disk = FullDisk(writes: 1)
        let journal = FileJournal(
            files: disk.disk, lock: nil, options: .make(threshold: 300, reserve: 1 << 20))
        var conditions = journal.conditions().makeAsyncIterator()
        _ = try journal.load()
        let before = disk.disk.content(of: "queue.json")
        disk.set(full: true)
        // The append uses up the reserve's space, so the snapshot that is due finds none.
        try await withCheckedContinuation { continuation in
            journal.submit([.set(.make(1))], .finding) { continuation.resume(returning: $0) }
        }.get()
        #expect(await conditions.next() == .refusing(full))
        for _ in 0..<3 { #expect(await journal.repair() == .refusing(full)) }
        #expect(disk.disk.content(of: "queue.json") == before)
        #expect(disk.disk.fileNames.count { $0.hasPrefix("journal.") } <= 2)
        #expect(disk.disk.fileNames.allSatisfy { !$0.hasPrefix(".tmp.") })
        disk.set(full: false)
        #expect(await journal.repair() == .healthy)
        #expect(disk.disk.fileNames.contains(JournalReserve.name))
        #expect(try JournalStore.opened(disk.disk.restarted()).recovered.uploads.map(\.id) == [1])
    }

    @Test
    func `S9 without inodes appends succeed, the missing snapshot is reported, and made when there are some`()
        async throws
    {
        let disk = SimulatedDisk()
        let journal = FileJournal(files: disk, lock: nil, options: .make(threshold: 300, reserve: 1 << 20))
        var conditions = journal.conditions().makeAsyncIterator()
        _ = try journal.load()
        let before = disk.content(of: "queue.json")
        disk.fail { $0.kind == "create" ? .fails(ENOSPC) : nil }
        // The snapshot that becomes due may use the reserve's space too. Until it ends, no other write may use that.
        for id in 1...2 { try await journal.append([.set(.make(id))], durably: true) }
        #expect(await conditions.next() == .snapshotOverdue(full))
        for id in 3...4 { try await journal.append([.set(.make(id))], durably: true) }
        #expect(await journal.repair() == .snapshotOverdue(full))
        #expect(disk.content(of: "queue.json") == before)
        // The reserve has released its inode for the snapshot, and it is made again later.
        #expect(!disk.fileNames.contains(JournalReserve.name))
        try await journal.append([.set(.make(5))], durably: true)
        disk.fail { _ in nil }
        #expect(await journal.repair() == .healthy)
        #expect(disk.content(of: "queue.json") != before)
        #expect(await journal.repair() == .healthy)
        #expect(disk.fileNames.contains(JournalReserve.name))
        #expect(
            try JournalStore.opened(disk.restarted()).recovered.uploads.map(\.id) == [1, 2, 3, 4, 5])
    }
}
