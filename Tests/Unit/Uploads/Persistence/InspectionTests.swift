import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import FerryUploads

/// Tests reading a queue without changing it.
struct InspectionTests {
    private func queue() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1))])
        try store.compact()
        try store.append([.set(.make(2))])
        try store.compact()
        try store.append([.set(.make(3))])
        try store.append([.set(.make(4)), .remove(1)])
        try store.append([.set(.make(5))])
        return disk
    }

    private func contents(_ disk: SimulatedDisk) -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: disk.fileNames.map { ($0, disk.content(of: $0) ?? []) })
    }

    /// Returns the queue that an export of the reading contains.
    private func exported(_ reading: StateReading) throws -> Recovered {
        let text = Mutex<[UInt8]>([])
        try reading.export { bytes in text.withLock { $0 += bytes } }
        let disk = SimulatedDisk()
        disk.put(text.withLock { $0 }, as: "queue.json")
        var recovered = try JournalStore.opened(disk).recovered
        #expect(recovered.notices == [.journalMissing(file: "journal.1.jsonl")])
        recovered.notices = []
        return recovered
    }

    @Test func `an export is the whole queue, and nothing is changed`() throws {
        let disk = try queue()
        let before = contents(disk)
        let reading = try StateInspection(files: disk).read()
        #expect(reading.problem == nil)
        #expect(try exported(reading) == (try JournalStore.opened(disk.restarted()).recovered))
        #expect(contents(disk) == before)
    }

    @Test func `S7 the records before the damage in the middle of a journal are exported`()
        throws
    {
        let disk = try queue()
        let whole = try #require(disk.content(of: "journal.3.jsonl"))
        let starts = [0] + whole.indices.filter { whole[$0] == 0x0A }.map { $0 + 1 }
        let ids = [[1, 2], [1, 2, 3], [2, 3, 4]]
        for (index, expected) in ids.enumerated() {
            var content = whole
            content[starts[index] + 40] ^= 1
            disk.put(content, as: "journal.3.jsonl")
            let before = contents(disk)
            let reading = try StateInspection(files: disk).read()
            #expect(reading.recovered.uploads.map(\.id) == expected)
            guard case .damaged("/state/journal.3.jsonl", starts[index], _) = reading.problem else {
                // A flipped bit in the last record is damage too, because the record is complete.
                Issue.record("\(String(describing: reading.problem))")
                continue
            }
            #expect(try exported(reading).uploads.map(\.id) == expected)
            #expect(contents(disk) == before)
        }
    }

    @Test func `S7 the journals are read if the only snapshot is damaged`() throws {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1))])
        try store.compact()
        try store.append([.set(.make(2))])
        disk.delete("queue.prev.json")
        disk.put(Array("damaged".utf8), as: "queue.json")
        let before = contents(disk)
        let reading = try StateInspection(files: disk).read()
        #expect(reading.recovered.uploads.map(\.id) == [1, 2])
        #expect(reading.problem != nil)
        #expect(contents(disk) == before)
        let recovered = try JournalStore.opened(disk.restarted()).recovered
        #expect(recovered.uploads.map(\.id) == [1, 2])
    }

    @Test func `S19 the readable part of a newer format is read and exported, and nothing is changed`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put(Array("leftover".utf8), as: ".tmp.1")
        disk.put(try NewerFormat.snapshot(), as: "queue.json")
        disk.put([], as: "journal.2.jsonl")
        let before = contents(disk)
        #expect(throws: JournalError.self) { try JournalStore.opened(disk) }
        #expect(contents(disk) == before)
        let reading = try StateInspection(files: disk).read()
        #expect(reading.recovered.uploads.map(\.id) == [1])
        #expect(reading.notUnderstood == 1)
        guard case .newerFormat = reading.problem else {
            return #expect(Bool(false), "\(String(describing: reading.problem))")
        }
        #expect(try exported(reading).uploads.map(\.id) == [1])
        #expect(contents(disk) == before)
    }

    @Test func `S19 a change of a range leaves a record of a newer format to the reader`() throws {
        let disk = SimulatedDisk()
        disk.put(try NewerFormat.snapshot(), as: "queue.json")
        let pause = QueueChange.setState([1, 2], .paused(.user))
        disk.put(
            try JournalRecord.line([pause], sequence: 2, unknown: UnknownContent())[0], as: "journal.2.jsonl")
        let reading = try StateInspection(files: disk).read()
        #expect(reading.recovered.uploads.map(\.id) == [1])
        #expect(reading.recovered.uploads.first?.state == .paused(.user))
        #expect(reading.notUnderstood == 1)
    }

    @Test func `verify counts what is there and finds nothing wrong`() throws {
        let disk = try queue()
        disk.put([1, 2, 3], as: "journal.2.7.torn")
        let before = contents(disk)
        let report = try StateInspection(files: disk).verify()
        #expect(report.problems.isEmpty)
        #expect(report.states == ["queued": 4])
        #expect(report.generation == 3)
        #expect(report.pendingBytes == disk.content(of: "journal.3.jsonl")?.count)
        #expect(
            report.files.map(\.name) == [
                "journal.2.jsonl", "journal.3.jsonl", "queue.json", "queue.prev.json",
            ])
        #expect(report.leftOver.map(\.name) == ["journal.2.7.torn"])
        #expect(contents(disk) == before)
    }

    @Test func `S7 verify finds one flipped bit in any byte of any file`() throws {
        let disk = try queue()
        for name in ["queue.json", "queue.prev.json", "journal.2.jsonl", "journal.3.jsonl"] {
            let whole = try #require(disk.content(of: name))
            // The step is 7, a prime, so that the bits and the members differ.
            for index in stride(from: 0, to: whole.count, by: 7) {
                let flipped = disk.restarted()
                var content = whole
                content[index] ^= 1 << (index % 8)
                flipped.put(content, as: name)
                let report = try StateInspection(files: flipped).verify()
                #expect(!report.problems.isEmpty, "\(name), byte \(index)")
                #expect(flipped.content(of: name) == content)
            }
        }
    }

    @Test func `a folder without a queue has nothing wrong with it`() throws {
        let report = try StateInspection(files: SimulatedDisk()).verify()
        #expect(report.files.isEmpty)
        #expect(report.problems.isEmpty)
        #expect(try StateInspection(files: SimulatedDisk()).read().recovered == Recovered())
    }

    @Test(arguments: [
        ("here", "1", nil), ("there", "1", "there"), ("there", "2", "there"),
        ("here", "2", "another machine named here (boot 2)"), ("here", "", nil), (nil, nil, nil),
    ])
    func `S16 the lock's text names the machine that holds it`(
        host: String?, boot: String?, expected: String?
    ) {
        #expect(StateLock.stranger(host, boot, here: "here", bootHere: "1") == expected)
    }

    @Test(arguments: [
        ("nfs", true), ("nfs4", true), ("cifs", true), ("smb3", true), ("9p", true), ("ceph", true),
        ("lustre", true), ("fuse.sshfs", true), ("fuse.unheard-of", true), ("virtiofs", true),
        ("ext4", false), ("xfs", false), ("btrfs", false), ("tmpfs", false), ("overlay", false),
        ("fuseblk", false), ("fuse.gocryptfs", false), ("apfs", false),
    ])
    func `S16 file systems of other machines are known by name`(name: String, isRemote: Bool) {
        #expect(FileSystemKind(name: name).isRemote == isRemote)
    }

    @Test func `the file system of a path is found below a mount point with unusual characters`() {
        let table = MountTable(
            """
            28 1 254:1 / / rw - ext4 /dev/vda1 rw
            90 28 0:300 / /mnt/a\\040b\\011c\\134d rw - nfs4 host:/ rw
            """)
        #expect(table.kind(above: LocalPath("/mnt/a b\tc\\d/file"))?.name == "nfs4")
        #expect(table.kind(above: LocalPath("/mnt/file"))?.name == "ext4")
    }

    @Test func `S16 the folder's file system is found by its device in the table of mounts`() {
        let table = """
            22 28 0:21 / /proc rw,nosuid shared:13 - proc proc rw
            28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
            90 28 0:300 / /mnt/a\\040b rw,relatime - fuse.sshfs me@host:/ rw
            """
        #expect(MountTable(table).kind(of: 254 << 8 | 1)?.name == "ext4")
        // 300 is 0x12C. Its low byte comes first, and the rest stands above the major number.
        #expect(MountTable(table).kind(of: 0x2C | 0x1 << 20)?.name == "fuse.sshfs")
        #expect(MountTable(table).kind(of: 7) == nil)
        #expect(MountTable("0:7").kind(of: 7) == nil)
    }
}

/// A snapshot as a later version of Ferry may write it.
enum NewerFormat {
    static func snapshot() throws -> [UInt8] {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1)), .set(.make(2))])
        try store.compact()
        var text = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        text = text.replacing("\"version\":1,\"minReader\":1", with: "\"version\":3,\"minReader\":2")
        let second = try #require(text.ranges(of: "\"is\":\"queued\"").last)
        text.replaceSubrange(second, with: "\"is\":\"teleported\",\"by\":\"magic\"")
        return try Checksummed.snapshot(text)
    }
}

enum Checksummed {
    /// Returns the snapshot with a correct checksum.
    static func snapshot(_ text: String) throws -> [UInt8] {
        let end = try #require(text.ranges(of: ",\"crc32c\"").last)
        let body = Array(text[..<end.lowerBound].utf8)
        var writer = JSONWriter(bytes: body)
        writer.raw(",\"crc32c\":\"")
        writer.raw(JSONWriter.hexadecimal(body.withUnsafeBytes(CRC32C.of)))
        writer.raw("\"}\n")
        return writer.bytes
    }
}
