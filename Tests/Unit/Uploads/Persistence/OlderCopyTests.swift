import FerryStateSimulation
import FerryTransfer
import Testing

@testable import FerryUploads

/// Tests an older `queue.json` that was restored from a backup.
struct OlderCopyTests {
    /// Returns a disk with four generations of a queue, in which the snapshot of the first replaces the newest.
    private func disk(
        pending: Bool = true, laidOut change: (String) -> String = { $0 }
    ) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        var copy: [UInt8] = []
        for id in 1...4 {
            try store.append([.set(.make(id))])
            try store.compact()
            if id == 1 { copy = try #require(disk.content(of: "queue.json")) }
        }
        if pending { try store.append([.set(.make(5))]) }
        disk.put(Array(change(String(decoding: copy, as: UTF8.self)).utf8), as: "queue.json")
        return disk
    }

    private func contents(_ disk: SimulatedDisk) -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: disk.fileNames.map { ($0, disk.content(of: $0) ?? []) })
    }

    @Test(arguments: [true, false], [EditedSnapshot.refuse, .accept])
    func `an older copy stops the start, changes nothing and names the safe way`(
        pending: Bool, edited: EditedSnapshot
    ) throws {
        let disk = try disk(pending: pending)
        let before = contents(disk)
        let error = #expect(throws: JournalError.self) {
            try JournalStore.opened(disk, options: .make(edited: edited))
        }
        #expect(error?.summary.contains("is an older copy") == true)
        #expect(error?.hint?.contains("discard the copy") == true)
        #expect(error?.hint?.contains("truncate") == false)
        #expect(error?.hint?.contains("accept") == false)
        #expect(contents(disk) == before)
    }

    @Test func `one that an editor laid out anew is an older copy too`() throws {
        let disk = try disk { "\n" + $0.replacing("{\"format\"", with: "{\n  \"format\"") }
        let error = #expect(throws: JournalError.self) {
            try JournalStore.opened(disk, options: .make(edited: .accept))
        }
        #expect(error?.summary.contains("is an older copy") == true)
    }

    @Test func `the safe way leads to the newer queue and keeps the copy`() throws {
        let disk = try disk()
        let copy = try #require(disk.content(of: "queue.json"))
        let recovered = try JournalStore.opened(disk, options: .make(edited: .setAside)).recovered
        #expect(recovered.uploads.map(\.id) == [1, 2, 3, 4, 5])
        #expect(disk.fileNames.contains { $0.hasSuffix(".damaged.json") && disk.content(of: $0) == copy })
    }

    @Test func `without the newer snapshot no way is named that loses anything`() throws {
        let disk = try disk()
        disk.delete("queue.prev.json")
        let error = #expect(throws: JournalError.self) { try JournalStore.opened(disk) }
        #expect(error?.hint?.contains("discard") == false)
        #expect(error?.hint?.contains("put the newer queue.json back") == true)
    }

    @Test func `an inspection shows the newer queue`() throws {
        let disk = try disk()
        let reading = try StateInspection(files: disk).read()
        #expect(reading.recovered.uploads.map(\.id) == [1, 2, 3, 4, 5])
        #expect(reading.problem?.summary.contains("is an older copy") == true)
    }
}
