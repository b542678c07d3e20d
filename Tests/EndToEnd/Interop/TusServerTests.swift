import FerryTestSupport
import Foundation
import Testing

/// Tests uploads by tus to servers with uncommon behavior.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct TusServerTests {
    private static let size = 300_000

    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.file("a.bin", "")
        _ = try PatternFile(at: place.path("a.bin"), count: Self.size, seed: 3)
    }

    /// Uploads the file, and returns its final line in the list.
    private func upload(to server: HostileServer, more: String = "") async throws -> UploadLine {
        try place.configure("tus", at: server.url("/files/"), more: more)
        try await place.ferry("add", place.path("a.bin"))
        try await place.ferry("run", "--exit-when-idle")
        return try #require(try await place.list().first)
    }

    @Test(arguments: OtherTusServer.allCases)
    func `an upload that meets interrupting requests is done, whatever was locked`(program: OtherTusServer)
        async throws
    {
        let standIn = TusStandIn(.init(program: program, interruptions: 3, lockedQuestions: 2))
        let server = try standIn.listen()
        defer { server.stop() }
        let done = try await upload(to: server)
        #expect(done.state == "done", "\(done)")
        #expect(standIn.stored == Self.size)
        #expect(standIn.appends == 4)
        // Bytes from an interrupted request are not sent again.
        #expect(server.requests.map(\.bodyByteCount).reduce(0, +) < Self.size * 2)
    }

    @Test func `a server that opens its file anew for each request ends with the whole file in one`()
        async throws
    {
        let standIn = TusStandIn(.init(reopensFile: true))
        let server = try standIn.listen()
        defer { server.stop() }
        let done = try await upload(to: server, more: #", "chunkSize": "100K""#)
        #expect(done.state == "done", "\(done)")
        #expect(standIn.stored == Self.size)
    }

    @Test func `a server that closes the connection instead of responding to OPTIONS takes files`()
        async throws
    {
        let standIn = TusStandIn(.init(closesOnOptions: true))
        let server = try standIn.listen()
        defer { server.stop() }
        #expect(try await upload(to: server).state == "done")
        #expect(standIn.stored == Self.size)
        let checked = try await place.ferry("check", "here")
        #expect(checked.ending == .exited(0), "\(checked.output)")
    }

    @Test func `a tus server's address without the slash is known by what the server says`() async throws {
        let standIn = TusStandIn(.init())
        let server = try standIn.listen()
        defer { server.stop() }
        let address = server.url("/files")
        let checked = try await place.ferry("check", address)
        #expect(checked.output.contains("tus, because the server says Tus-"), "\(checked.output)")
        let added = try await place.ferry("add", place.path("a.bin"), "--to", address)
        #expect(added.ending == .exited(0), "\(added.errors)")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(try await place.list().first?.protocol == "tus")
        #expect(standIn.stored == Self.size)
    }

    @Test func `an address without a slash is still one file's where the server says nothing`() async throws {
        let server = try HostileServer([.answer(405), .answer(201)])
        defer { server.stop() }
        try await place.ferry("add", place.path("a.bin"), "--to", server.url("/in/b.bin"))
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(server.requests.map(\.method) == ["OPTIONS", "PUT"])
        #expect(server.requests.last?.target == "/in/b.bin")
        let refused = try await place.ferry(
            "add", place.path("a.bin"), try place.file("c"), "--to", server.url("/in"))
        #expect(refused.ending == .exited(2), "\(refused.output)")
        #expect(refused.errors.contains("tus+http://"))
    }

    @Test func `a put that a tus server refuses fails with a hint that names the protocol it speaks`()
        async throws
    {
        let refusal = HostileBehavior.answer(
            412, headers: [("Tus-Resumable", "1.0.0"), ("Tus-Version", "1.0.0")])
        let server = try HostileServer([refusal])
        defer { server.stop() }
        try await place.ferry("add", place.path("a.bin"), "--to", "put+\(server.url("/files/"))")
        _ = try await place.ferry("run", "--exit-when-idle")
        #expect(try await place.list().first?.hint?.contains("tus+http://") == true)
    }
}

/// Compares the counts of an upload in parts with those of the link.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct PartedCountTests {
    private static let size = 40 << 20

    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: Self.size, seed: 5)
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `bytes of parts that are sent twice are counted as the link saw them, and so is each resumption`()
        async throws
    {
        let server = try await InteropServer("tus_server.py", folder: folder)
        let link = try FaultyLink(to: server.port, LinkFaults())
        defer { link.stop() }
        try place.configure(
            "tus", at: "http://127.0.0.1:\(link.port)/files/", more: #", "parallel": 2"#,
            limits: #"{ "bandwidth": "20M" }"#)
        try await place.ferry("add", place.path("large.bin"))
        let upload = try await link.fade(at: [Self.size / 4, Self.size / 2], in: place)
        #expect(upload.resent > 0)
        #expect(upload.resumes >= 1 && upload.resumes <= upload.attempts - 1)
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `an upload in parts that was killed counts its resumption`() async throws {
        let server = try await InteropServer("tus_server.py", folder: folder)
        try place.configure(
            "tus", at: server.url("/files/"), more: #", "parallel": 2"#, limits: #"{ "bandwidth": "8M" }"#)
        try await place.ferry("add", place.path("large.bin"))
        let engine = try place.start("run", "--json", "--exit-when-idle")
        try await Eventually.holds("a quarter of the file at the server") { stored() > Self.size / 4 }
        engine.signal(SIGKILL)
        try await engine.ending()
        try place.configure("tus", at: server.url("/files/"), more: #", "parallel": 2"#)
        let last = try await place.ferry("run", "--exit-when-idle")
        #expect(last.ending == .exited(0), "\(last.output)")
        #expect(try await place.list().first?.resumes == 1)
        try await server.stop()
    }

    private func stored() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }
}
