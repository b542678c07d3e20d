import FerryTestSupport
import Foundation
import Testing

/// Tests `ferry check`, and which protocol `auto` chooses.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct CheckTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func configure(_ destinations: [String: String]) throws {
        let members = destinations.map { "\"\($0.key)\": \($0.value)" }.sorted().joined(separator: ", ")
        try place.configure(
            "{ \"destinations\": { \(members) }, \"retry\": { \"base\": 0.01, \"cap\": 0.05 } }")
    }

    @Test func `a receiver is asked, and what was found serves the upload that comes after`() async throws {
        try await ReceiverSite.with { site in
            try configure(["films": #"{ "url": "\#(site.tusURL)" }"#])
            let checked = try await place.ferry("check")
            #expect(checked.ending == .exited(0), "\(checked.output) \(checked.errors)")
            #expect(checked.lines.first == "films  \(site.tusURL)")
            #expect(
                checked.lines.contains(
                    "  protocol  tus, because the server says Tus-Version 1.0.0; asked now"))
            #expect(checked.output.contains("resume after a crash; send one request at a time; "))
            #expect(try site.unfinished().isEmpty)
            #expect(try site.names().isEmpty)
            try await place.ferry("add", try place.file("a", "hello"))
            let ran = try await place.ferry("run", "--exit-when-idle")
            #expect(ran.ending == .exited(0), "\(ran.output)")
            #expect(site.content("a") == Data("hello".utf8))
            #expect(try await place.list().first?.protocol == "tus")
            let log = try String(contentsOfFile: place.state + "/ferry.log", encoding: .utf8)
            #expect(log.contains("goes by tus, because the server says Tus-Version 1.0.0; asked 20"))
        }
    }

    @Test func `a destination without a protocol finds it out, and may ask for what it can find`()
        async throws
    {
        try configure([
            "here":
                #"{ "url": "http://127.0.0.1:9/in/", "checksum": "sha-256", "ifExists": "skip", "parallel": 4 }"#
        ])
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.contains("here: auto http://127.0.0.1:9/in/"))
    }

    @Test func `a folder of a server that resumes uploads needs no protocol in the configuration`()
        async throws
    {
        try await ReceiverSite.with { site in
            try configure(["box": #"{ "url": "\#(site.url)" }"#])
            try await place.ferry("add", try place.file("a", "hello"), try place.file("b", "x"))
            let ran = try await place.ferry("run", "--exit-when-idle")
            #expect(ran.ending == .exited(0), "\(ran.output)")
            #expect(try site.names() == ["a", "b"])
            #expect(try await place.list().map(\.protocol) == ["resumable", "resumable"])
        }
    }

    @Test func `programs get one object a destination`() async throws {
        try await ReceiverSite.with { site in
            try configure([
                "a": #"{ "url": "\#(site.url)", "protocol": "put" }"#,
                "b": #"{ "url": "http://127.0.0.1:9/?key=CANARY" }"#,
            ])
            let result = try await place.ferry("check", "--json")
            #expect(result.ending == .exited(1))
            let lines = try result.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
            #expect(lines.map(\.destination) == ["a", "b"])
            #expect(lines.map(\.ok) == [true, false])
            #expect(lines[0].protocol == "put")
            #expect(lines[0].resumes == false)
            #expect(lines[0].findings.first == "the server takes PUT")
            #expect(lines[1].protocol == "auto")
            #expect(lines[1].error != nil)
            #expect(!result.output.contains("CANARY"))
        }
    }

    @Test func `an error that a check finds comes with a hint and exit status 1`() async throws {
        let server = try HostileServer([.answer(401)])
        defer { server.stop() }
        try place.configure("tus", at: server.url("/files/"))
        let result = try await place.ferry("check", "here")
        #expect(result.ending == .exited(1))
        #expect(result.output.contains("  error     the server answered 401 (not signed in)"))
        #expect(result.output.contains("  hint      set the destination's auth"))
    }

    @Test func `a check of tus fails where an upload would: an address that refuses to make one`()
        async throws
    {
        let server = try HostileServer([.answer(405), .answer(405)])
        defer { server.stop() }
        let result = try await place.ferry("check", "tus+\(server.url("/up/"))")
        #expect(result.ending == .exited(1), "\(result.output)")
        #expect(result.output.contains("does not answer as a tus server does"))
        #expect(!result.output.contains("resume after a crash"))
    }

    @Test(arguments: [401, 403, 404])
    func `a check of tus fails where a server that says what it offers refuses a new upload`(status: Int)
        async throws
    {
        let offers = [("Tus-Resumable", "1.0.0"), ("Tus-Version", "1.0.0"), ("Tus-Extension", "creation")]
        let server = try HostileServer([.answer(204, headers: offers), .answer(status)])
        defer { server.stop() }
        let result = try await place.ferry("check", "tus+\(server.url("/files/"))")
        #expect(result.ending == .exited(1), "\(result.output)")
        #expect(result.output.contains("the server answered \(status)"), "\(result.output)")
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST"])
    }

    @Test func `the digests that a check lists are those that the server offers`() async throws {
        let offers = [
            ("Tus-Resumable", "1.0.0"), ("Tus-Version", "1.0.0"), ("Tus-Extension", "creation,termination"),
        ]
        let made = HostileBehavior.answer(
            201, headers: [("Tus-Resumable", "1.0.0"), ("Location", "/files/7")])
        let server = try HostileServer([.answer(204, headers: offers), made, .answer(204)])
        defer { server.stop() }
        let result = try await place.ferry("check", "tus+\(server.url("/files/"))")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(result.output.contains("it does not check what arrives"), "\(result.output)")
        #expect(!result.output.contains("checksum"), "\(result.output)")
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST", "DELETE"])
    }

    @Test func `a check of put fails where the server lists no PUT`() async throws {
        let server = try HostileServer([.answer(200, headers: [("Allow", "GET, HEAD, OPTIONS")])])
        defer { server.stop() }
        let result = try await place.ferry("check", "put+\(server.url("/in/"))")
        #expect(result.ending == .exited(1), "\(result.output)")
    }

    @Test(arguments: ["post", "form", "resumable"])
    func `a check that sends no file says that it tried none`(protocolName: String) async throws {
        let server = try HostileServer([.answer(204)])
        defer { server.stop() }
        let result = try await place.ferry("check", "\(protocolName)+\(server.url("/in/"))")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(result.output.contains("that it takes files was not tried"), "\(result.output)")
    }

    @Test func `a check fails where the server cannot check what the destination demands`() async throws {
        let server = try HostileServer([
            .answer(204, headers: [("Tus-Resumable", "1.0.0"), ("Tus-Version", "1.0.0")])
        ])
        defer { server.stop() }
        try place.configure("tus", at: server.url("/files/"), more: #", "checksum": "sha-256""#)
        let result = try await place.ferry("check", "here")
        #expect(result.ending == .exited(1), "\(result.output)")
        #expect(result.output.contains("the server cannot check what arrives by SHA-256"))
    }

    @Test func `an address may be checked, and credentials of the configuration are sent to theirs`()
        async throws
    {
        let server = try HostileServer(Array(repeating: .answer(204), count: 8))
        defer { server.stop() }
        try place.configure("put", at: server.url("/in/"), more: #", "auth": { "bearer": "secret" }"#)
        #expect(try await place.ferry("check", server.url("/other/"), "here").ending == .exited(0))
        let sent = Dictionary(
            server.requests.map { ($0.target, $0["Authorization"]) }, uniquingKeysWith: { first, _ in first })
        #expect(sent.filter { $0.key.hasPrefix("/other/") }.allSatisfy { $0.value == nil })
        #expect(sent.filter { $0.key.hasPrefix("/in/") }.allSatisfy { $0.value == "Bearer secret" })
        #expect(Set(sent.keys.map { $0.prefix(4) }) == ["/oth", "/in/"])
    }

    @Test func `a check works while the engine runs`() async throws {
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            let engine = try place.start("run")
            try await Eventually.holds("the engine has the queue") {
                FileManager.default.fileExists(atPath: place.state + "/queue.json")
            }
            #expect(try await place.ferry("check").ending == .exited(0))
            engine.signal(SIGTERM)
            _ = try await engine.ending()
        }
    }

    @Test(arguments: [
        ["check", "nowhere"], ["check", "--yes"], ["check", "--older-than", "2d"], ["check"],
    ])
    func `wrong usage has its own status`(words: [String]) async throws {
        let result = try await Workplace.result(of: try place.start(words))
        #expect(result.ending == .exited(2), "\(result.output) \(result.errors)")
    }

    @Test func `nothing is deleted where no terminal can ask the user`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/")
        let result = try await place.ferry("check", "--remove-leftovers")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("--yes"))
    }

    @Test(arguments: ["skip", "rename", "replace", "fail"])
    func `an --if-exists policy is refused at once for a protocol that cannot follow it`(choice: String)
        async throws
    {
        try place.configure("form", at: "http://127.0.0.1:9/")
        let result = try await place.ferry("add", "--if-exists", choice, try place.file("a"))
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("error: the protocol form cannot"))
        #expect(try await place.list().isEmpty)
    }

    @Test func `auto accepts the policy, and fails the upload when the protocol found cannot follow it`()
        async throws
    {
        let server = try HostileServer([.answer(200, headers: [("Tus-Version", "1.0.0")])])
        defer { server.stop() }
        try configure(["here": #"{ "url": "\#(server.url("/files/"))" }"#])
        #expect(try await place.ferry("add", "--if-exists", "skip", try place.file("a")).ending == .exited(0))
        let ran = try await place.ferry("run", "--exit-when-idle")
        #expect(ran.ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "failed")
        #expect(upload.error?.contains("the protocol tus cannot") == true)
        #expect(server.requests.map(\.method) == ["OPTIONS"])
    }

    @Test func `an unknown --if-exists policy is refused`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/")
        #expect(try await place.ferry("add", "--if-exists", "burn", try place.file("a")).ending == .exited(2))
    }

    private struct Line: Decodable {
        var destination: String
        var `protocol`: String
        var ok: Bool
        var error: String?
        var findings: [String]
        var resumes: Bool?
    }
}
