import FerryStateSimulation
import FerryTransfer
import Testing

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct WatchLedgerTests {
    private let disk = SimulatedDisk()

    private func note(_ number: Int, _ disposition: WatchNote.Disposition = .over) -> WatchNote {
        WatchNote(
            path: LocalPath("/out/\(number)"), to: "films",
            identity: FileIdentity(
                device: 1, inode: .max, size: 3, modified: 1_800_000_000_123_456_789, changed: Int64(number)),
            disposition: disposition)
    }

    private func reopened() throws -> WatchLedger { try WatchLedger(files: disk.restarted()) }

    @Test func `notes are read back, the last of each file`() throws {
        let notes = try WatchLedger(files: disk)
        try notes.write([note(1, .adding), note(2, .adding), note(3)])
        try notes.write([note(1, .queued(7)), note(3, .gone)])
        #expect(try reopened().all == [note(1).path: note(1, .queued(7)), note(2).path: note(2, .adding)])
    }

    @Test func `a path that is no text is read back`() throws {
        var odd = note(1)
        odd.path = LocalPath(bytes: Array("/out/".utf8) + [0xFF, 0x0A, 0x22])
        let notes = try WatchLedger(files: disk)
        try notes.write([odd])
        #expect(try reopened()[odd.path] == odd)
    }

    @Test func `a line that a kill cut is passed over, and the next one is whole`() throws {
        let notes = try WatchLedger(files: disk)
        try notes.write([note(1)])
        disk.fail { $0.kind == "append" ? .kill : nil }
        #expect(throws: JournalError.self) { try notes.write([note(2)]) }
        let next = disk.restarted()
        try WatchLedger(files: next).write([note(3)])
        #expect(Set(try WatchLedger(files: next).all.keys) == [note(1).path, note(3).path])
    }

    @Test func `a note that the disk refused counts in memory, and is on disk after the next write`() throws {
        let notes = try WatchLedger(files: disk)
        try notes.write([note(1)])
        disk.fail { $0.kind == "append" ? .fails(ENOSPC) : nil }
        #expect(throws: JournalError.self) { try notes.write([note(2)]) }
        #expect(notes[note(2).path] == note(2))
        disk.fail { _ in nil }
        try notes.write([note(3)])
        #expect(try reopened().all.count == 3)
    }

    @Test func `it does not grow with what comes and goes`() throws {
        let notes = try WatchLedger(files: disk)
        try notes.write([note(0)])
        for number in 1...5000 {
            try notes.write([note(number, .queued(number))])
            try notes.write([note(number, .gone)])
        }
        let length = try #require(try disk.open(WatchLedger.name, for: .reading)).length()
        #expect(length < 300_000)
        #expect(try reopened().all == [note(0).path: note(0)])
    }

    @Test func `a note that changes nothing is not written`() throws {
        let notes = try WatchLedger(files: disk)
        try notes.write([note(1)])
        let calls = disk.calls.count
        try notes.write([note(1), note(2, .gone)])
        #expect(disk.calls.count == calls)
    }
}
