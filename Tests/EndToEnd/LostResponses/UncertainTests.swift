import FerryTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests a POST that was sent completely and got no response, without a screen.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct UncertainTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Starts a server that does not respond to the first request.
    private func serve(then rest: [HostileBehavior] = [.answer(201)]) throws -> HostileServer {
        let server = try HostileServer([.closeWithoutAnswer] + rest)
        try place.configure("form", at: server.url("/in"))
        return server
    }

    private func run(_ arguments: String...) async throws -> CommandResult {
        let process = try place.start(["run", "--exit-when-idle"] + arguments)
        return try await Workplace.result(of: process)
    }

    @Test(arguments: [
        ("retry", "done", 2, Int32(0)), ("hold", "held", 1, 1), ("fail", "failed", 1, 1),
    ])
    func `I10 without a response it is sent again, held or given up as configured`(
        choice: String, state: String, requests: Int, status: Int32
    ) async throws {
        let server = try serve()
        defer { server.stop() }
        try await place.ferry("add", try place.file("a"))
        #expect(try await run("--on-uncertain", choice).ending == .exited(status))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == state)
        #expect(upload.possibleDuplicate == (choice == "retry" ? true : nil))
        #expect(server.requests.count == requests)
        if choice != "retry" {
            #expect(upload.error?.contains("everything was sent") == true)
            #expect(upload.hint?.contains("twice") == true)
        }
        let line = try await place.ferry("list").output
        #expect(line.contains("possible duplicate") == (choice == "retry"))
    }

    @Test func `I10 an unknown outcome without a configured choice holds the upload for the user`()
        async throws
    {
        let server = try serve()
        defer { server.stop() }
        try await place.ferry("add", try place.file("a"))
        #expect(try await run().ending == .exited(1))
        #expect(try await place.list().map(\.state) == ["held"])
        // The next run keeps the upload held. It has not failed itself, so it ends with 0.
        #expect(try await run().ending == .exited(0))
        #expect(server.requests.count == 1)
    }

    @Test func `I10 the configured choice applies until an option of the command overrides it`() async throws
    {
        let server = try HostileServer([.closeWithoutAnswer, .closeWithoutAnswer])
        defer { server.stop() }
        try place.configure(
            """
            { "destinations": { "here": { "url": "\(server.url("/in"))", "protocol": "post" } },
              "retry": { "onUncertain": "fail" } }
            """)
        try await place.ferry("add", try place.file("a"))
        #expect(try await run().ending == .exited(1))
        try await place.ferry("add", try place.file("b"))
        #expect(try await run("--on-uncertain", "hold").ending == .exited(1))
        #expect(try await place.list().map(\.state) == ["failed", "held"])
    }

    @Test func `I10 an unknown choice is refused with those there are`() async throws {
        let result = try await place.ferry("run", "--on-uncertain", "guess")
        #expect(result.status == 2 || result.status == 64)
        #expect(result.errors.contains("retry, hold, fail"), "\(result.errors)")
        try place.configure(#"{ "retry": { "onUncertain": "guess" } }"#)
        let configured = try await place.ferry("run")
        #expect(configured.ending == .exited(2))
        #expect(configured.errors.contains("retry.onUncertain"), "\(configured.errors)")
    }

    @Test(arguments: [("retry", "done", 2), ("fail", "failed", 1), ("hold", "held", 1)])
    func `I10 an upload that is held for its unknown outcome is decided when the engine starts`(
        choice: String, state: String, requests: Int
    ) async throws {
        let server = try serve()
        defer { server.stop() }
        try await place.ferry("add", try place.file("a"))
        #expect(try await run().ending == .exited(1))
        _ = try await run("--on-uncertain", choice)
        let upload = try #require(try await place.list().first)
        #expect(upload.state == state)
        #expect(upload.possibleDuplicate == (choice == "retry" ? true : nil))
        #expect(server.requests.count == requests)
    }

    @Test(arguments: [("retry", "done", 2), ("fail", "failed", 1), ("hold", "held", 1)])
    func `I10 an upload that a killed process left with an unknown outcome is decided at the next start`(
        choice: String, state: String, requests: Int
    ) async throws {
        let gate = Gate()
        let server = try HostileServer([.answer(201, when: gate), .answer(201)])
        defer { server.stop() }
        try place.configure("form", at: server.url("/in"))
        try await place.ferry("add", try place.file("a"))
        let engine = try place.start("run")
        try await server.wait { $0.first?.isComplete == true }
        engine.signal(SIGKILL)
        #expect(try await engine.ending() == .killed(SIGKILL))
        _ = try await run("--on-uncertain", choice)
        let upload = try #require(try await place.list().first)
        #expect(upload.state == state)
        #expect(upload.possibleDuplicate == (choice == "retry" ? true : nil))
        #expect(server.requests.count == requests)
    }

    @Test func `I10 a person's retry is consent, and the upload stays marked as a possible duplicate`()
        async throws
    {
        let server = try serve()
        defer { server.stop() }
        try await place.ferry("add", try place.file("a"))
        #expect(try await run().ending == .exited(1))
        try await place.ferry("retry", "1")
        #expect(try await place.list().first?.possibleDuplicate == true)
        #expect(try await run().ending == .exited(0))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "done")
        #expect(upload.possibleDuplicate == true)
        #expect(server.requests.count == 2)
    }

    @Test func `I10 a server that never responds gets it a few times, and then the user is asked`()
        async throws
    {
        let server = try HostileServer(Array(repeating: .closeWithoutAnswer, count: 9))
        defer { server.stop() }
        try place.configure(
            """
            { "destinations": { "here": { "url": "\(server.url("/in"))", "protocol": "post" } },
              "retry": { "base": 0.01, "cap": 0.05, "serverTries": 3, "onUncertain": "retry" } }
            """)
        try await place.ferry("add", try place.file("a"))
        #expect(try await run().ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(upload.error == "it was sent 4 times and no answer came")
        #expect(upload.possibleDuplicate == true)
        #expect(server.requests.count == 4)
        // The next start does not send the file again either.
        #expect(try await run().ending == .exited(0))
        #expect(server.requests.count == 4)
    }

    @Test func `I9 a done upload is verified by a digest, or said not to be`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        let plain = try await run()
        #expect(!plain.output.contains("verified"), "\(plain.output)")
        #expect(try await place.list().first?.verified == nil)
        let place = place
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url, more: #", "checksum": "sha-256""#)
            try await place.ferry("add", try place.file("b"))
            let checked = try await place.ferry("run", "--exit-when-idle")
            #expect(checked.output.contains("verified (SHA-256)"), "\(checked.output)")
            #expect(try await place.list().last?.verified == "sha-256")
        }
    }

    /// Tests small files, and for tus one file above the size up to which digests are checked.
    @Test(arguments: ["put", "tus", "resumable"])
    func `the receiver's digest verifies an upload by default, and checksum none turns that off`(
        name: String
    ) async throws {
        let place = place
        try await ReceiverSite.with { site in
            let base = name == "tus" ? site.tusURL : site.url
            try place.configure(name, at: base)
            for (file, size) in [("a", 1000), ("b", 3 << 20)] {
                try await place.ferry("add", try place.file(file, String(repeating: "x", count: size)))
            }
            let run = try await place.ferry("run", "--exit-when-idle")
            #expect(run.ending == .exited(0), "\(run.errors)")
            let uploads = try await place.list()
            #expect(uploads.map(\.verified) == ["sha-256", "sha-256"])
            try place.configure(name, at: base, more: #", "checksum": "none""#)
            try await place.ferry("add", try place.file("c"))
            try await place.ferry("run", "--exit-when-idle")
            #expect(try await place.list().last?.verified == nil)
        }
    }
}
