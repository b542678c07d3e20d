import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct FormatTests {
    private func fixture(_ name: String) throws -> [UInt8] { try VersionOne.fixture(name) }

    private func versionOne() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        for name in ["queue.json", "queue.prev.json", "journal.2.jsonl", "journal.3.jsonl"] {
            disk.put(try fixture(name), as: name)
        }
        return disk
    }

    @Test func `S19 a queue of format version 1 is read`() throws {
        let recovered = try JournalStore.opened(versionOne()).recovered
        #expect(recovered == VersionOne.queue)
    }

    @Test func `S19 every file of the fixture of format version 1 is compared with what is expected`() throws
    {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/version-1")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            names.sorted() == [
                "history.jsonl", "journal.2.jsonl", "journal.3.jsonl", "queue.json", "queue.prev.json",
            ])
    }

    @Test func `S19 a queue of format version 1 is read from its previous snapshot`() throws {
        let disk = try versionOne()
        disk.put(Array("{".utf8), as: "queue.json")
        var recovered = try JournalStore.opened(disk).recovered
        recovered.notices = []
        #expect(recovered == VersionOne.queue)
    }

    @Test func `S19 a queue is written as format version 1 describes it`() throws {
        let disk = SimulatedDisk()
        try VersionOne.write(to: disk)
        for name in ["queue.json", "queue.prev.json", "journal.2.jsonl", "journal.3.jsonl"] {
            let written = disk.content(of: name).map { String(decoding: $0, as: UTF8.self) }
            #expect(written == String(decoding: try fixture(name), as: UTF8.self))
        }
    }

    /// Makes a snapshot with one upload, replaces a text in it and corrects its checksum.
    private func snapshot(replacing old: String, with new: String) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1, resource: UploadResource(url: "https://example.com/1")))])
        try store.compact()
        let text = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        #expect(text.contains(old))
        let changed = text.replacing(old, with: new)
        let body = Array(changed[..<(try #require(changed.ranges(of: ",\"crc32c\"").last).lowerBound)].utf8)
        var writer = JSONWriter(bytes: body)
        writer.raw(",\"crc32c\":\"")
        writer.raw(JSONWriter.hexadecimal(body.withUnsafeBytes(CRC32C.of)))
        writer.raw("\"}\n")
        disk.put(writer.bytes, as: "queue.json")
        disk.delete("queue.prev.json")
        return disk
    }

    @Test(arguments: [
        ("\"id\":1,", "\"id\":1,\"new\":{\"a\":[1,\"\\u0041\", 2.50]},"),
        ("\"size\":10", "\"block\":\"4096\",\"size\":10"),
        ("\"method\":\"tus\"", "\"method\":\"tus\",\"priority\":9"),
        ("\"is\":\"queued\"", "\"is\":\"queued\",\"why\":\"first\""),
        ("\"confirmed\":0", "\"confirmed\":0,\"epoch\":12345678901234567890"),
        ("\"nextID\":2", "\"nextID\":2,\"timetable\":null"),
        ("\"settings\":", "\"owner\":\"me\",\"settings\":"),
    ])
    func `S19 members of a newer version are kept byte for byte`(old: String, new: String) throws {
        let disk = try snapshot(replacing: old, with: new)
        var (store, recovered) = try JournalStore.opened(disk)
        let added = new.replacing(old, with: "").trimmingCharacters(in: [","])
        var upload = try #require(recovered.uploads.first)
        upload.rank = 77
        try store.append([.set(upload), .settings(recovered.settings)])
        try store.compact()
        let saved = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        #expect(saved.contains("\"rank\":77"))
        #expect(saved.contains(added))
        #expect(try JournalStore.opened(disk).recovered.uploads == [upload])
    }

    @Test func `S19 members of a newer version go with the state and the resource they belong to`() throws {
        let disk = try snapshot(replacing: "\"is\":\"queued\"", with: "\"is\":\"queued\",\"why\":1")
        var (store, recovered) = try JournalStore.opened(disk)
        var upload = try #require(recovered.uploads.first)
        upload.state = .paused(.user)
        try store.append([.set(upload)])
        try store.compact()
        #expect(
            !String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self).contains("why"))
    }

    @Test func `S19 a format that needs a newer reader is refused and not touched`() throws {
        let disk = try snapshot(replacing: "\"minReader\":1", with: "\"minReader\":2")
        let files = disk.fileNames
        let content = disk.content(of: "queue.json")
        let error = #expect(throws: JournalError.self) { try JournalStore.opened(disk) }
        guard case .newerFormat = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(disk.fileNames == files)
        #expect(disk.content(of: "queue.json") == content)
    }

    private func journal(_ record: String) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        _ = try JournalStore.opened(disk)
        let rest = Array((",\"s\":1," + record + "}").utf8)
        var writer = JSONWriter(bytes: JournalRecord.start)
        writer.raw(JSONWriter.hexadecimal(rest.withUnsafeBytes(CRC32C.of)))
        writer.raw("\"")
        writer.raw(rest)
        writer.raw("\n")
        disk.put(writer.bytes, as: "journal.1.jsonl")
        return disk
    }

    @Test func `S19 an unknown operation stops the reader`() throws {
        let disk = try journal(#""op":"rename","id":1"#)
        let error = #expect(throws: JournalError.self) { try JournalStore.opened(disk) }
        guard case .newerFormat(path: "/state/journal.1.jsonl", _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test(arguments: ["\"text\":\"x\"", "\"v\":5", "\"v\":null", "\"ops\":[1]"])
    func `S19 an unknown operation that may be passed over is kept, through snapshots too`(member: String)
        throws
    {
        let operation = #""op":"note","skip":true,"# + member
        let disk = try journal(operation)
        var (store, recovered) = try JournalStore.opened(disk)
        #expect(recovered.notices == [.skippedRecords(1)])
        try store.compact()
        try store.append([.set(.make(1))])
        try store.compact()
        let saved = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        #expect(saved.contains(operation))
    }

    @Test(arguments: [#"{"is":"queued"}"#, #"{"is":"queued","why":7}"#])
    func `S19 members of a newer version stay when the state of a range changes`(state: String) throws {
        let record =
            String(decoding: Self.record(.make(1)), as: UTF8.self)
            .replacing(#"{"is":"queued"}"#, with: state).dropLast() + #","newer":[1,2]}"#
        let paused = #"{"is":"paused","reasons":["user"]}"#
        let disk = try journal(
            #""op":"batch","ops":[{"op":"set","v":\#(record)},{"op":"state","ids":[[1,9]],"v":\#(paused)}]"#)
        var (store, recovered) = try JournalStore.opened(disk)
        #expect(recovered.uploads == [.make(1, state: .paused(.user))])
        try store.compact()
        let saved = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        #expect(saved.contains(#","newer":[1,2]}"#))
    }

    @Test func `S19 a state of a range with members of a newer version stops the reader`() throws {
        let disk = try journal(#""op":"state","ids":[[1,9]],"v":{"is":"queued","why":7}"#)
        let error = #expect(throws: JournalError.self) { try JournalStore.opened(disk) }
        guard case .newerFormat = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func `the removal of all numbers there can be is read`() throws {
        let all = #"[["-9223372036854775808","9223372036854775807"]]"#
        let record = String(decoding: Self.record(.make(1)), as: UTF8.self)
        let disk = try journal(
            #""op":"batch","ops":[{"op":"set","v":\#(record)},{"op":"removeAll","ids":\#(all)}]"#)
        #expect(try JournalStore.opened(disk).recovered.uploads.isEmpty)
    }

    private static func record(_ upload: Upload) -> [UInt8] {
        var writer = JSONWriter()
        writer.upload(upload, unknown: nil)
        return writer.bytes
    }

    @Test(arguments: ["\"v\":{1}", "\"v\":[}"])
    func `S19 an unknown operation that is no JSON is damage and stays out of the snapshot`(member: String)
        throws
    {
        let disk = try journal(#""op":"note","skip":true,"# + member)
        #expect(throws: JournalError.self) { try JournalStore.opened(disk) }
    }

    @Test(arguments: [
        (0, 1, "0"), (7, 2, "07"), (120, 2, "120"), (5, 9, "000000005"),
        (UInt64.max, 1, "18446744073709551615"),
        (1, 20, "00000000000000000001"),
    ])
    func `a number is written with its digits and the zeros that are asked for`(
        number: UInt64, digits: Int, text: String
    ) {
        var bytes: [UInt8] = []
        bytes.append(decimal: number, digits: digits)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test func `S7 a snapshot edited by hand is refused, then taken over in one step`() throws {
        let disk = try snapshot(replacing: "\"size\":10", with: "\"size\":10")
        let text = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        // The file as an editor or `jq` writes it: with line breaks, moved members and one changed value.
        let edited = text.replacing("\"size\":10", with: "\"size\": 11").replacing(",", with: " ,\n  ")
        disk.put(Array(edited.utf8), as: "queue.json")
        #expect(throws: JournalError.edited(path: "/state/queue.json")) { try JournalStore.opened(disk) }
        #expect(disk.content(of: "queue.json") == Array(edited.utf8))
        let recovered = try JournalStore.opened(disk, options: .make(edited: .accept)).recovered
        #expect(recovered.uploads.map(\.size) == [11])
        #expect(recovered.notices == [.acceptedEdit])
        #expect(try JournalStore.opened(disk).recovered.notices.isEmpty)
    }

    @Test(arguments: [
        ("\"id\":1,", "\"id\":-1,"), ("\"size\":10", "\"size\":-1"), ("/data/a.bin", ""),
        ("\"is\":\"queued\"", "\"is\":\"lost\""), ("\"method\":\"tus\",", ""), ("],\"count\"", "],\"count"),
    ])
    func `S7 an edit that describes no possible queue is not accepted`(old: String, new: String) throws {
        let disk = try snapshot(replacing: "\"size\":10", with: "\"size\":10")
        let text = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        disk.put(Array(text.replacing(old, with: new).utf8), as: "queue.json")
        disk.delete("journal.1.jsonl")
        let error = #expect(throws: JournalError.self) {
            try JournalStore.opened(disk, options: .make(edited: .accept))
        }
        guard case .damaged(path: "/state/queue.json", _, _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test func `S7 an edit that gives one id twice is not accepted`() throws {
        let disk = try snapshot(replacing: "\"size\":10", with: "\"size\":10")
        let text = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        let lines = text.split(separator: "\n")
        disk.put(Array((lines[0] + lines[1] + "," + lines[1] + lines[2]).utf8), as: "queue.json")
        disk.delete("journal.1.jsonl")
        #expect(throws: JournalError.self) { try JournalStore.opened(disk, options: .make(edited: .accept)) }
    }
}

/// The queue in the files of `Fixtures/version-1`.
enum VersionOne {
    static let uploads: [Upload] = {
        let at = Date(timeIntervalSince1970: 1_760_000_000.5)
        let failure = UploadFailure(.network, "reset", hint: "press r", status: 502, retryAfter: 1.5)
        var odd = Upload.make(5, path: LocalPath(bytes: [0x2F, 0xFF]), state: .paused([.user, .offline]))
        odd.tries.attempts = 2
        odd.tries.resent = 1 << 60
        odd.target.fields = [Upload.Target.Field(name: "k\"", value: "")]
        return [
            .make(1, state: .running(attempt: 1, since: at)),
            .make(2, state: .waiting(until: at, failure: failure)),
            .make(3, state: .held(UploadFailure(.sourceChanged, "changed"))),
            .make(
                4,
                state: .done(Receipt(location: "/x", entityTag: "\"e\"", bytes: 10, duration: 0.25), at: at)),
            odd,
            .make(
                6, state: .failed(failure),
                resource: UploadResource(
                    url: "https://example.com/6", confirmed: 5, expires: at, memory: ["a": "b"])),
        ]
    }()

    static var queue: Recovered {
        Recovered(
            uploads: uploads,
            settings: QueueSettings(limits: [.total: .atMost(1 << 20)], concurrency: 3, nextID: 8))
    }

    /// The ends of two uploads.
    static let history: [HistoryEntry] = {
        let at = Date(timeIntervalSince1970: 1_760_000_000.5)
        return [
            HistoryEntry(outcome: .done, at: at, upload: uploads[3]),
            HistoryEntry(outcome: .removed, at: at, upload: uploads[5]),
        ]
    }()

    static func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/version-1")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    static func write(to disk: SimulatedDisk) throws {
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1)), .set(.make(7)), .settings(QueueSettings(concurrency: 9))])
        try store.compact()
        try store.append([.remove(7)])
        try store.append(uploads[1...3].map { .set($0) })
        try store.compact()
        try store.append([.set(uploads[0])])
        try store.append(uploads[4...].map { .set($0) }, durably: false)
        try store.append([.settings(QueueSettings(limits: [.total: .atMost(1 << 20)], concurrency: 3))])
    }
}
