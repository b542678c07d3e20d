import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests the file with the abandoned uploads of which servers may still store bytes.
struct AbandonedUploadsTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private let state: TemporaryState
    private let file: AbandonedUploads

    init() throws {
        state = try TemporaryState()
        file = AbandonedUploads(folder: LocalPath(state.path))
    }

    private var another: AbandonedUploads { AbandonedUploads(folder: LocalPath(state.path)) }

    private func entry(
        _ number: Int, held: ByteCount = 5, since date: Date = now, expires: Date? = nil, field: String = ""
    ) throws -> AbandonedUpload {
        let resource = UploadResource(
            url: "https://h.example/\(number)", confirmed: held, expires: expires, memory: ["more": field])
        return try #require(
            AbandonedUpload(Upload.make(number, state: .paused(.user), resource: resource), since: date))
    }

    private func urls(_ file: AbandonedUploads, at date: Date = now) async -> [String] {
        await file.all(now: date).map { String($0.url.dropFirst("https://h.example/".count)) }
    }

    @Test func `written entries are there for another process, without those struck out`() async throws {
        file.add([try entry(1), try entry(2), try entry(3)])
        await file.flush()
        #expect(await another.all(now: Self.now).first == (try entry(1)))
        let other = another
        other.strike(["https://h.example/2", "https://h.example/9"])
        await other.flush()
        #expect(await urls(file) == ["1", "3"])
    }

    @Test func `the oldest of more than a thousand entries are forgotten`() async throws {
        file.add(try (1...1000).map { try entry($0) })
        await file.flush()
        #expect(await urls(another).count == 1000)
        file.add([try entry(1001)])
        await file.flush()
        #expect(await urls(another) == (2...1001).map { "\($0)" })
    }

    @Test func `an entry that was struck out and added again is not among the oldest`() async throws {
        file.add(try (1...1000).map { try entry($0) })
        file.strike(["https://h.example/1"])
        file.add([try entry(1), try entry(1001)])
        await file.flush()
        #expect(await urls(another) == (3...1000).map { "\($0)" } + ["1", "1001"])
    }

    @Test func `an entry that one process strikes out while another adds is gone, and no other is`()
        async throws
    {
        file.add([try entry(1)])
        await file.flush()
        let other = another
        #expect(await urls(other) == ["1"])
        file.add([try entry(2)])
        await file.flush()
        other.strike(["https://h.example/1"])
        await other.flush()
        file.add([try entry(3)])
        #expect(await urls(file) == ["2", "3"])
    }

    @Test func `an upload that is given up earlier than it was said has the earlier date`() async throws {
        let later = Self.now.addingTimeInterval(10)
        file.add([try entry(1, since: later)])
        file.add([try entry(1, since: Self.now)])
        file.add([try entry(1, since: later)])
        #expect(await file.all(now: later).map(\.since) == [Self.now])
    }

    @Test func `an entry that the server has dropped by now is not listed`() async throws {
        file.add([try entry(1, expires: Self.now), try entry(2, expires: Self.now.addingTimeInterval(1))])
        #expect(await urls(file) == ["2"])
    }

    @Test func `nothing is made before there is something to write`() async throws {
        file.strike(["https://h.example/1"])
        #expect(await urls(file).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: state.path))
    }

    @Test func `the file is its owner's alone`() async throws {
        file.add([try entry(1)])
        await file.flush()
        #expect(try state.mode(of: "abandoned.jsonl") == 0o600)
    }

    @Test func `a line of an older version is read, and a new one has the same members`() async throws {
        let line = #"""
            {"kept":{"since":821692800,"upload":{"added":781692800,"batch":"b","id":1,"identity":{"changed":2,"device":3,"inode":4,"modified":5,"size":10},"path":"/data/a.bin","rank":1,"resource":{"confirmed":5,"fields":{"more":""},"url":"https://h.example/1"},"state":{"queued":{}},"target":{"destination":"d","fields":[{"name":"a","value":"b"}],"method":"tus","name":"n","url":"https://h.example/"},"tries":null}}}
            """#
        // This makes the folder.
        file.add([try entry(1)])
        await file.flush()
        try state.put(line + "\n", as: "abandoned.jsonl")
        let read = try #require(await file.all(now: Self.now).first)
        #expect(
            read.upload.resource
                == UploadResource(url: "https://h.example/1", confirmed: 5, memory: ["more": ""]))
        #expect(read.upload.batch == "b" && read.upload.identity.modified == 5)
        try state.put("", as: "abandoned.jsonl")
        let writer = another
        writer.add([read])
        await writer.flush()
        let written = try String(contentsOfFile: state.path + "/abandoned.jsonl", encoding: .utf8)
        #expect(
            written.trimmingCharacters(in: .newlines) == line.replacing(",\"tries\":null", with: ""))
    }

    @Test(arguments: ["{\"kept\":{\"up", "x", "\n\n", "\u{0}"])
    func `a line that a killed process left half is passed over`(torn: String) async throws {
        file.add([try entry(1)])
        await file.flush()
        let path = state.path + "/abandoned.jsonl"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try state.put(text + torn, as: "abandoned.jsonl")
        file.add([try entry(2)])
        #expect(await urls(file) == ["1", "2"])
    }

    @Test func `the oldest are forgotten beyond a thousand, and the file does not grow for ever`()
        async throws
    {
        let field = String(repeating: "x", count: 10_000)
        for start in stride(from: 1, through: 1500, by: 100) {
            file.add(try (start..<start + 100).map { try entry($0, field: field) })
        }
        #expect(await urls(file) == (501...1500).map { "\($0)" })
        let size = try FileManager.default.attributesOfItem(atPath: state.path + "/abandoned.jsonl")[.size]
        #expect((size as? Int ?? 0) < 15 << 20)
    }

    @Test func `a list of more than 64 MiB counts as empty`() async throws {
        file.add([try entry(1)])
        await file.flush()
        let handle = try FileHandle(forWritingTo: URL(filePath: state.path + "/abandoned.jsonl"))
        try handle.truncate(atOffset: (64 << 20) + 1)
        try handle.close()
        #expect(await urls(another).isEmpty)
    }

    @Test func `one with very many parts is left to its server`() async throws {
        file.add([try entry(1, field: String(repeating: "x", count: 70_000)), try entry(2)])
        #expect(await urls(file) == ["2"])
    }

    @Test func `an entry that cannot be written is known as long as the process lives`() async throws {
        try Data().write(to: URL(filePath: state.path))
        file.add([try entry(1)])
        #expect(await urls(file) == ["1"])
        file.strike(["https://h.example/1"])
        #expect(await urls(file).isEmpty)
    }

    @Test func `an upload that is done, or that never began, leaves nothing`() {
        #expect(AbandonedUpload(.make(1), since: Self.now) == nil)
        let done = Upload.make(
            1, state: .done(Receipt(), at: Self.now), resource: UploadResource(url: "https://h.example/1"))
        #expect(AbandonedUpload(done, since: Self.now) == nil)
    }
}
