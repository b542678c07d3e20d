import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests `ferry state`, edits by hand, and damage.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct StateCommandTests {
    private let place: Workplace

    /// Makes a queue with a complete snapshot, which can be edited.
    init() async throws {
        place = try await .withThreeUploads()
        try await place.ferry("state", "flush")
    }

    private var snapshot: String { place.state + "/queue.json" }

    private func edit(_ old: String, _ new: String, in file: String? = nil) throws {
        let path = file ?? snapshot
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try #require(text.contains(old))
        try text.replacingOccurrences(of: old, with: new).write(
            toFile: path, atomically: false, encoding: .utf8)
    }

    /// Returns the files of the state folder with their contents, without the log and the lock. The lock names the
    /// process that had it last.
    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: place.state)
        where name != "lock" && name != "ferry.log" {
            contents[name] = FileManager.default.contents(atPath: place.state + "/" + name)
        }
        return contents
    }

    /// Moves two uploads to the top in a running queue and kills it, so that the journal contains both changes.
    private func leaveJournal() async throws -> String {
        try await place.ferry("pause", "--all")
        let engine = try place.start("run", "--json")
        try await Eventually.holds("the control socket") { UnixSocket.accepts(place.state + "/control") }
        try await place.ferry("move", "3", "top")
        try await place.ferry("move", "2", "top")
        engine.signal(SIGKILL)
        try await engine.ending()
        let names = try FileManager.default.contentsOfDirectory(atPath: place.state)
        let journals = names.filter { $0.hasPrefix("journal.") }.compactMap { name in
            Int(name.dropFirst(8).prefix { $0.isNumber })
        }
        return place.state + "/journal.\(try #require(journals.max())).jsonl"
    }

    @Test(arguments: [
        ["list"], ["add", "/dev/null"], ["pause", "1"], ["run", "--exit-when-idle"], ["state", "flush"],
    ])
    func `S7 a queue that was edited stops every command that opens it`(words: [String]) async throws {
        try edit("\"name\":\"b\"", "\"name\":\"bee\"")
        let before = try contents()
        let words = words.map { $0 == "/dev/null" ? place.path("a") : $0 }
        let result = try await Workplace.result(of: try place.start(words))
        #expect(result.ending == .exited(73), "\(result.errors)")
        #expect(
            result.errors.hasPrefix(
                "error: \(snapshot) was edited outside: its checksum does not fit\nhint: nothing was changed; "
            ))
        #expect(result.errors.contains("--accept-edited") && result.errors.contains("--discard-edited"))
        #expect(try contents()["queue.json"] == before["queue.json"])
    }

    @Test func `S7 an edit is accepted in one step`() async throws {
        try edit("\"name\":\"b\"", "\"name\":\"bee\"")
        let accepted = try await place.ferry("list", "--accept-edited")
        #expect(accepted.ending == .exited(0), "\(accepted.errors)")
        #expect(accepted.errors == "note: queue.json was changed outside and has been taken over\n")
        #expect(try await place.list().map(\.name) == ["a", "bee", "c"])
        #expect(try await place.ferry("state", "verify").ending == .exited(0))
    }

    @Test func `S7 an edit is discarded in one step and kept aside`() async throws {
        try edit("\"name\":\"b\"", "\"name\":\"bee\"")
        let edited = FileManager.default.contents(atPath: snapshot)
        let discarded = try await place.ferry("list", "--json", "--discard-edited")
        #expect(discarded.ending == .exited(0), "\(discarded.errors)")
        #expect(try UploadLine.all(in: discarded.lines).map(\.name) == ["a", "b", "c"])
        let kept = try #require(try contents().first { $0.key.hasSuffix(".damaged.json") })
        #expect(kept.value == edited)
        #expect(try await place.list().count == 3)
    }

    @Test func `S7 an error in an edit is named as an editor counts, and corrected, it is accepted`()
        async throws
    {
        try edit("\"name\":\"b\"", "\"name\":7")
        let refused = try await place.ferry("list", "--accept-edited")
        #expect(refused.ending == .exited(73))
        #expect(refused.errors.contains("line 3, column "), "\(refused.errors)")
        #expect(refused.errors.contains(": upload 2: to.name: expected '\"'"), "\(refused.errors)")
        try edit("\"name\":7", "\"name\":\"seven\"")
        #expect(try await place.ferry("list", "--accept-edited").ending == .exited(0))
        #expect(try await place.list().map(\.name) == ["a", "seven", "c"])
    }

    @Test func `both ways out at once are wrong usage`() async throws {
        let result = try await place.ferry("list", "--accept-edited", "--discard-edited")
        #expect(result.ending == .exited(2))
    }

    @Test func `S7 a damaged snapshot costs nothing, is reported and is kept`() async throws {
        let data = try #require(FileManager.default.contents(atPath: snapshot))
        try data.prefix(200).write(to: URL(fileURLWithPath: snapshot))
        chmod(snapshot, 0o600)
        #expect(try await place.ferry("state", "verify").ending == .exited(1))
        let result = try await place.ferry("list", "--json")
        #expect(result.ending == .exited(0))
        #expect(try UploadLine.all(in: result.lines).map(\.id) == [1, 2, 3])
        #expect(
            result.errors.hasPrefix("note: queue.json was not usable (line 2, column "), "\(result.errors)")
        #expect(result.errors.contains("nothing is lost; the damaged file is kept as queue."))
        #expect(try await place.ferry("state", "verify").ending == .exited(0))
    }

    @Test func `S7 a damaged snapshot with nothing before it stops every start and is never overwritten`()
        async throws
    {
        for name in try FileManager.default.contentsOfDirectory(atPath: place.state)
        where name != "queue.json" && name != "lock" {
            try FileManager.default.removeItem(atPath: place.state + "/" + name)
        }
        try edit("\"id\":2", "\"id\":")
        let before = try contents()
        for words in [
            ["list"], ["add", place.path("a")], ["run", "--exit-when-idle"], ["list", "--discard-edited"],
        ] {
            let result = try await Workplace.result(of: try place.start(words))
            #expect(result.ending == .exited(73))
            #expect(result.errors.contains("\(snapshot) is damaged at byte "), "\(result.errors)")
            #expect(result.errors.contains("line 3, column "), "\(result.errors)")
            #expect(result.errors.contains("\nhint: nothing was changed; correct it"), "\(result.errors)")
        }
        #expect(try contents()["queue.json"] == before["queue.json"])
    }

    @Test func `S7 damage in the middle of the journal stops the start; what is before it is exported`()
        async throws
    {
        let journal = try await leaveJournal()
        var data = try #require(FileManager.default.contents(atPath: journal))
        let second = try #require(data.firstIndex(of: 0x0A)) + 1
        try #require(data.count > second + 40)
        data[second + 40] ^= 1
        try data.write(to: URL(fileURLWithPath: journal))
        chmod(journal, 0o600)
        let before = try contents()
        let result = try await place.ferry("list")
        #expect(result.ending == .exited(73))
        #expect(result.errors.contains("\(journal) is damaged at byte \(second): "), "\(result.errors)")
        #expect(result.errors.contains("`ferry state export`"))
        #expect(result.errors.contains("`truncate -s \(second) \(journal)`"))
        let export = try await place.ferry("state", "export")
        #expect(export.ending == .exited(1))
        #expect(
            export.errors.contains("is damaged at byte \(second)") && export.errors.contains("is left out"))
        #expect(try Exported(export.output).names == ["c", "a", "b"])
        let verified = try await place.ferry("state", "verify")
        #expect(verified.ending == .exited(1))
        #expect(verified.output.contains("is damaged at byte \(second)"))
        #expect(try contents() == before)
        // The hint of the message suggests this.
        #expect(truncate(journal, off_t(second)) == 0)
        #expect(try await place.list().map(\.name) == ["c", "a", "b"])
    }

    @Test func `verify reports what is there and changes nothing, also while an engine runs`() async throws {
        let idle = try await place.ferry("state", "verify")
        #expect(idle.ending == .exited(0), "\(idle.output)")
        #expect(idle.output.contains("\nuploads      3 queued\n"), "\(idle.output)")
        #expect(idle.lines.last == "all good")
        let server = try HostileServer { connection in
            try connection.readHead()
            connection.stall()
        }
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        let engine = try place.start("run", "--json")
        try await Eventually.holds("the control socket") { UnixSocket.accepts(place.state + "/control") }
        for number in 0..<5 {
            try await place.ferry("add", "--again", place.path("a"))
            let result = try await place.ferry("state", "verify", "--json")
            #expect(result.ending == .exited(0), "\(number): \(result.output)")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
            #expect(object["ok"] as? Bool == true)
            #expect((object["inUse"] as? String)?.contains("by process \(engine.id) since ") == true)
            let counts = try #require(object["counts"] as? [String: Int])
            #expect(counts.values.reduce(0, +) == 4 + number)
        }
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test(arguments: [true, false])
    func `after a flush queue.json alone is the queue`(isRunning: Bool) async throws {
        try await place.ferry("pause", "--all")
        let engine = isRunning ? try place.start("run", "--json") : nil
        if isRunning {
            try await Eventually.holds("the control socket") {
                UnixSocket.accepts(place.state + "/control")
            }
        } else {
            _ = try await leaveJournal()
        }
        try await place.ferry("move", "3", "top")
        let flushed = try await place.ferry("state", "flush")
        #expect(flushed.ending == .exited(0), "\(flushed.errors)")
        #expect(flushed.output == "\(snapshot) holds the whole queue\n")
        let copy = place.directory.path("copy")
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(atPath: snapshot, toPath: copy + "/queue.json")
        let alone = try await place.ferry("list", "--json", "--state", copy)
        let expected = isRunning ? ["c", "a", "b"] : ["c", "b", "a"]
        #expect(try UploadLine.all(in: alone.lines).map(\.name) == expected)
        engine?.signal(SIGTERM)
        try await engine?.ending()
    }

    @Test func `an export is a queue again in an empty folder`() async throws {
        _ = try await leaveJournal()
        let file = place.directory.path("export.json")
        let before = try contents()
        let result = try await place.ferry("state", "export", file)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(try contents() == before)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try await place.ferry("state", "export", file).ending == .exited(2))
        let copy = place.directory.path("copy")
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.moveItem(atPath: file, toPath: copy + "/queue.json")
        let list = try await place.ferry("list", "--json", "--state", copy)
        #expect(list.ending == .exited(0), "\(list.errors)")
        #expect(try UploadLine.all(in: list.lines).map(\.state) == ["paused", "paused", "paused"])
        #expect(try UploadLine.all(in: list.lines).map(\.name) == ["b", "c", "a"])
    }

    @Test func `without a queue there is nothing to verify or export`() async throws {
        for words in ["verify", "export"] {
            let result = try await place.ferry("state", words, "--state", place.directory.path("nowhere"))
            #expect(result.ending == .exited(1))
            #expect(result.errors.hasPrefix("error: there is no queue in "))
        }
        #expect(!FileManager.default.fileExists(atPath: place.directory.path("nowhere")))
    }

    @Test func `S19 a newer format is shown and exported, and everything else refuses without a change`()
        async throws
    {
        try edit("\"version\":1,\"minReader\":1", "\"version\":2,\"minReader\":2")
        try edit("\"is\":\"queued\"},\"added\"", "\"is\":\"queued\",\"mood\":\"good\"},\"added\"")
        try sign(snapshot)
        let before = try contents()
        let list = try await place.ferry("list", "--json")
        #expect(list.ending == .exited(0), "\(list.errors)")
        #expect(try UploadLine.all(in: list.lines).map(\.name) == ["a", "b", "c"])
        #expect(
            list.errors.contains("was written by a newer version (version 2 of the format"), "\(list.errors)")
        let export = try await place.ferry("state", "export")
        #expect(export.ending == .exited(1))
        #expect(try Exported(export.output).names == ["a", "b", "c"])
        #expect(export.output.contains("\"mood\":\"good\""))
        #expect(try await place.ferry("state", "verify").ending == .exited(1))
        for words in [
            ["add", place.path("a")], ["pause", "1"], ["remove", "1"], ["run", "--exit-when-idle"],
            ["state", "flush"], ["list", "--accept-edited"], ["list", "--discard-edited"],
        ] {
            let result = try await Workplace.result(of: try place.start(words))
            if words[0] == "list" { continue }
            #expect(result.ending == .exited(73), "\(words)")
            #expect(result.errors.contains("was written by a newer version"), "\(words): \(result.errors)")
        }
        #expect(try contents() == before)
    }

    /// Corrects the checksum of a snapshot.
    private func sign(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let end = try #require(text.range(of: ",\"crc32c\"", options: .backwards))
        let body = Array(text[..<end.lowerBound].utf8)
        let sum = String(CRC32C.of(body), radix: 16)
        let digits = String(repeating: "0", count: 8 - sum.count) + sum
        try (String(text[..<end.lowerBound]) + ",\"crc32c\":\"\(digits)\"}\n").write(
            toFile: path, atomically: false, encoding: .utf8)
    }
}

/// A separate implementation of the checksum, so that Ferry's is not compared with itself.
private enum CRC32C {
    static func of(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0x82F6_3B78 : 0) }
        }
    }
}

/// A document of `ferry state export`.
private struct Exported: Decodable {
    struct Upload: Decodable {
        struct Target: Decodable {
            var name: String
        }
        var rank: Int
        var to: Target
    }
    var format: String
    var uploads: [Upload]

    /// The names in the order of the queue.
    var names: [String] { uploads.sorted { $0.rank < $1.rank }.map(\.to.name) }

    init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
}
