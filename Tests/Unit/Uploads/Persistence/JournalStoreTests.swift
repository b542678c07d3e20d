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

struct JournalStoreTests {
    @Test func `a full disk refuses the change, and the next one works when there is space again`() throws {
        for (code, isQuota) in [(ENOSPC, false), (EDQUOT, true)] {
            let disk = SimulatedDisk()
            var (store, _) = try JournalStore.opened(disk)
            try store.append([.set(.make(1))])
            disk.fail { $0.kind == "append" ? .failsHalfway(code) : nil }
            #expect(throws: JournalError.diskFull(path: "/state", isQuota: isQuota)) {
                try store.append([.set(.make(2))])
            }
            disk.fail { _ in nil }
            try store.append([.set(.make(3))])
            #expect(try JournalStore.opened(disk).recovered.uploads.map(\.id) == [1, 3])
        }
    }

    @Test func `S12 after a failed sync everything goes to new files and the old one is never synced again`()
        throws
    {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1))])
        try store.append([.set(.make(2))], durably: false)
        let before = disk.calls.count
        disk.fail { $0.name == "journal.1.jsonl" && $0.kind == "synchronize" ? .fails(EIO) : nil }
        try store.append([.set(.make(3))])
        try store.append([.set(.make(4))])
        #expect(disk.calls[before...].count { $0.name == "journal.1.jsonl" && $0.kind == "synchronize" } == 1)
        let left = disk.powerCut(keeping: .nothing)
        #expect(try JournalStore.opened(left).recovered.uploads.map(\.id) == [1, 2, 3, 4])
    }

    @Test func `S12 while no sync works nothing is acknowledged, and refused changes do not come back`()
        throws
    {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1))])
        disk.fail { $0.kind == "synchronize" ? .fails(EIO) : nil }
        for id in 2...4 {
            #expect(throws: JournalError.self) { try store.append([.set(.make(id))]) }
        }
        #expect(try JournalStore.opened(disk.restarted()).recovered.uploads.map(\.id) == [1])
        disk.fail { _ in nil }
        try store.append([.set(.make(5))])
        let left = disk.powerCut(keeping: .nothing)
        #expect(try JournalStore.opened(left).recovered.uploads.map(\.id) == [1, 5])
    }

    @Test
    func `S2 unsynced records of a killed process before an unusable journal are synced at the start`()
        throws
    {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk, options: .make(threshold: 1))
        try store.append([.set(.make(1))])
        disk.fail { $0.kind == "synchronizeFolder" || $0.kind == "remove" ? .fails(EMFILE) : nil }
        #expect(throws: JournalError.self) { try store.rotate() }
        try store.append([.set(.make(2))], durably: false)
        let killed = disk.restarted()
        #expect(killed.content(of: "journal.2.jsonl") == [])
        (store, _) = try JournalStore.opened(killed)
        try store.append([.set(.make(3))])
        let left = killed.powerCut(keeping: .nothing)
        #expect(try JournalStore.opened(left).recovered.uploads.map(\.id) == [1, 2, 3])
    }

    @Test func `appends given together share one write and one sync`() throws {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        let before = disk.calls.count
        let results = store.append((1...100).map { [.set(.make($0))] }, durably: true)
        #expect(results.allSatisfy { if case .success = $0 { true } else { false } })
        #expect(disk.calls[before...].map(\.kind) == ["append", "synchronize"])
    }

    @Test func `changes that need not be durable are synced when many have gathered`() throws {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk, options: .make(maximumVolatile: 1000))
        let before = disk.calls.count
        for id in 1...4 { try store.append([.set(.make(id))], durably: false) }
        #expect(disk.calls[before...].count { $0.kind == "synchronize" } == 1)
    }

    @Test func `an upload too large to read back is refused alone`() throws {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        let large = Upload.make(2, url: String(repeating: "x", count: JournalRecord.maximumSize))
        let results = store.append([[.set(.make(1))], [.set(large)], [.set(.make(3))]], durably: true)
        #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
        #expect(try JournalStore.opened(disk).recovered.uploads.map(\.id) == [1, 3])
    }

    @Test func `a snapshot is due when the journal exceeds the limit, and takes up everything`() throws {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk, options: .make(threshold: 400))
        try store.append([.set(.make(1))])
        #expect(!store.isCompactionDue)
        try store.append([.set(.make(2))])
        #expect(store.isCompactionDue)
        try store.compact()
        #expect(!store.isBehind)
        #expect(disk.content(of: "journal.2.jsonl") == [])
        #expect(try JournalStore.opened(disk).recovered.uploads == [.make(1), .make(2)])
    }

    @Test func `a snapshot that cannot be written leaves everything as it was`() throws {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1))])
        let snapshot = disk.content(of: "queue.json")
        disk.fail { $0.name.hasPrefix(".tmp.") ? .failsHalfway(ENOSPC) : nil }
        #expect(throws: JournalError.diskFull(path: "/state", isQuota: false)) { try store.compact() }
        #expect(store.compactionFailure == .diskFull(path: "/state", isQuota: false))
        #expect(disk.content(of: "queue.json") == snapshot)
        try store.append([.set(.make(2))])
        #expect(try JournalStore.opened(disk.restarted()).recovered.uploads == [.make(1), .make(2)])
        disk.fail { _ in nil }
        try store.compact()
        #expect(try JournalStore.opened(disk).recovered.uploads == [.make(1), .make(2)])
    }

    @Test func `the new snapshot's name is durable before anything older is removed`() throws {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1))])
        try store.compact()
        try store.append([.set(.make(2))])
        let before = disk.calls.count
        try store.compact()
        let calls = disk.calls[before...].filter { !["names", "open", "read"].contains($0.kind) }.map {
            $0.name.hasPrefix(".tmp.") ? "\($0.kind) temporary" : "\($0.kind) \($0.name)"
        }
        #expect(
            calls == [
                "create journal.3.jsonl", "synchronizeFolder ", "create temporary", "append temporary",
                "append temporary", "synchronize temporary", "link queue.json", "rename temporary",
                "rename temporary", "synchronizeFolder ", "remove journal.1.jsonl",
            ])
    }

    @Test func `a folder without hard links has snapshots all the same`() throws {
        let disk = SimulatedDisk()
        disk.fail { $0.kind == "link" ? .fails(EPERM) : nil }
        var (store, _) = try JournalStore.opened(disk)
        for id in 1...3 {
            try store.append([.set(.make(id))])
            try store.compact()
        }
        disk.put([], as: "queue.json")
        #expect(try JournalStore.opened(disk).recovered.uploads.map(\.id) == [1, 2, 3])
    }

    @Test func `ids are never given again, even of uploads long removed`() throws {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(8)), .remove(8)])
        try store.append([.settings(QueueSettings(limits: [.total: .atMost(9)], concurrency: 2, nextID: 3))])
        for _ in 1...2 {
            let settings = try JournalStore.opened(disk).recovered.settings
            #expect(settings == QueueSettings(limits: [.total: .atMost(9)], concurrency: 2, nextID: 9))
            try store.compact()
        }
    }

    @Test func `leftovers of an interrupted snapshot are removed at the start`() throws {
        let disk = SimulatedDisk()
        _ = try JournalStore.opened(disk)
        disk.put([1], as: ".tmp.abc")
        disk.put([1], as: "mine.txt")
        _ = try JournalStore.opened(disk)
        #expect(disk.fileNames == ["queue.json", "journal.1.jsonl", "mine.txt"])
    }
}
