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

struct UploadHistoryTests {
    private func done(_ id: Upload.ID) -> Upload {
        .make(
            id,
            state: .done(
                Receipt(location: "/\(id)", bytes: 10, duration: 1),
                at: Date(timeIntervalSince1970: 1_760_000_000 + Double(id))))
    }

    private func ids(_ disk: SimulatedDisk) throws -> [Upload.ID] {
        try UploadHistory.read(files: disk).map(\.upload.id)
    }

    @Test func `added entries are read back, the newest first`() async throws {
        let disk = SimulatedDisk()
        let history = UploadHistory(files: disk)
        let failed = Upload.make(3, state: .failed(UploadFailure(.permanent, "no", status: 403)))
        let entries = [
            try #require(HistoryEntry(done: done(1))), try #require(HistoryEntry(done: done(2))),
            try #require(HistoryEntry(removed: failed, at: Date(timeIntervalSince1970: 1_770_000_000))),
        ]
        history.add(entries)
        await history.close()
        #expect(try UploadHistory.read(files: disk) == entries.reversed())
        #expect(try UploadHistory.read(files: disk, limit: 1) == [entries[2]])
        #expect(HistoryEntry(done: failed) == nil)
        #expect(HistoryEntry(removed: .make(4, state: .paused(.user)), at: Date()) == nil)
    }

    @Test func `every upload has one line, however often that is made certain`() async throws {
        let disk = SimulatedDisk()
        let first = UploadHistory(files: disk)
        first.add([try #require(HistoryEntry(done: done(2)))])
        #expect(await first.secure([done(1), done(2)]))
        #expect(await first.secure([done(1), done(2), done(3)]))
        await first.close()
        let second = UploadHistory(files: disk.restarted())
        #expect(await second.secure([done(1), done(2), done(3)]))
        await second.close()
        let lines = try #require(disk.content(of: "history.jsonl")).split(separator: 0x0A)
        #expect(lines.count == 3)
        #expect(try ids(disk) == [3, 1, 2])
    }

    @Test func `a removed upload that is put back and done later has a line of its end`() async throws {
        let disk = SimulatedDisk()
        let history = UploadHistory(files: disk)
        let failed = Upload.make(1, state: .failed(UploadFailure(.permanent, "no")))
        history.add([try #require(HistoryEntry(removed: failed, at: Date()))])
        #expect(await history.secure([done(1)]))
        await history.close()
        #expect(try UploadHistory.read(files: disk).map(\.outcome) == [.done])
    }

    @Test func `a line that a kill cut at any byte does not hurt the next, and is made whole`() async throws {
        let disk = SimulatedDisk()
        let history = UploadHistory(files: disk)
        history.add([done(1), done(2)].compactMap(HistoryEntry.init(done:)))
        await history.close()
        let whole = try #require(disk.content(of: "history.jsonl"))
        let second = try #require(whole.firstIndex(of: 0x0A)) + 1
        for length in second...whole.count {
            let cut = SimulatedDisk()
            cut.put(Array(whole[..<length]), as: "history.jsonl")
            let next = UploadHistory(files: cut)
            #expect(await next.secure([done(1), done(2), done(3)]))
            await next.close()
            #expect(try ids(cut) == [3, 2, 1], "\(length) bytes")
        }
    }

    @Test func `files are turned by size and the oldest goes`() async throws {
        let disk = SimulatedDisk()
        let line = try #require(HistoryEntry(done: done(100))).line.count
        let limits = HistoryFiles.Limits(fileSize: 2 * line, olderFiles: 2)
        let history = UploadHistory(files: disk, limits: limits)
        #expect(await history.secure((100...108).map(done)))
        await history.close()
        #expect(disk.fileNames == ["history.jsonl", "history.1.jsonl", "history.2.jsonl"])
        #expect(try ids(disk) == [108, 107, 106, 105, 104])
    }

    @Test func `turning the files can be cut off at any call`() async throws {
        let line = try #require(HistoryEntry(done: done(100))).line.count
        let limits = HistoryFiles.Limits(fileSize: 2 * line, olderFiles: 2)
        for number in 0..<60 {
            let disk = SimulatedDisk()
            disk.fail { $0.number == number ? .kill : nil }
            _ = await UploadHistory(files: disk, limits: limits).secure((100...104).map(done))
            let left = disk.restarted()
            #expect(await UploadHistory(files: left, limits: limits).secure((100...104).map(done)))
            #expect(Set(try ids(left)) == Set(100...104), "call \(number)")
        }
    }

    @Test(arguments: [ENOSPC, EDQUOT, EIO])
    func `S8 a full disk loses no line: it is written when there is space`(code: Int32) async throws {
        let disk = SimulatedDisk()
        let history = UploadHistory(files: disk)
        #expect(await history.secure([done(1)]))
        disk.fail { $0.kind == "append" ? .failsHalfway(code) : nil }
        #expect(await history.secure([done(1), done(2)]) == false)
        history.add([try #require(HistoryEntry(done: done(3)))])
        #expect(await history.secure([done(1)]))
        disk.fail { _ in nil }
        #expect(await history.secure([done(1), done(2), done(3)]))
        await history.close()
        #expect(try ids(disk) == [3, 2, 1])
        let text = try #require(disk.content(of: "history.jsonl"))
        #expect(text.split(separator: 0x0A).count == 3)
    }

    @Test func `a line is written anew after a failed sync, into another file`() async throws {
        let disk = SimulatedDisk()
        let history = UploadHistory(files: disk)
        #expect(await history.secure([done(1)]))
        disk.fail { $0.kind == "synchronize" ? .fails(EIO) : nil }
        #expect(await !history.secure([done(1), done(2)]))
        disk.fail { _ in nil }
        #expect(await history.secure([done(1), done(2)]))
        await history.close()
        #expect(disk.fileNames.contains("history.1.jsonl"))
        #expect(try ids(disk.powerCut(keeping: .nothing)) == [2, 1])
    }

    @Test func `lines of a newer version and nonsense are passed over`() async throws {
        let disk = SimulatedDisk()
        let entry = try #require(HistoryEntry(done: done(1)))
        let newer = String(decoding: entry.line, as: UTF8.self).replacing(
            "\"outcome\":\"done\"", with: "\"outcome\":\"archived\"")
        disk.put(Array("nonsense\n\n{\"id\":\n\0\0\0\n\(newer)".utf8) + entry.line, as: "history.jsonl")
        #expect(try UploadHistory.read(files: disk) == [entry])
    }

    @Test func `S19 the history of format version 1 is read`() throws {
        let disk = SimulatedDisk()
        disk.put(try VersionOne.fixture("history.jsonl"), as: "history.jsonl")
        let entries = try UploadHistory.read(files: disk)
        #expect(entries == VersionOne.history.reversed())
        #expect(VersionOne.history.flatMap(\.line) == (try VersionOne.fixture("history.jsonl")))
    }
}
