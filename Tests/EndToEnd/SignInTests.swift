import FerryTestSupport
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests uploads whose access tokens expire, are refused or cannot be obtained.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct SignInTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func add(_ names: [String]) async throws {
        for name in names { try await place.ferry("add", try place.file(name)) }
    }

    @Test func `A1 a hundred uploads that are refused at once cost one renewal, and each is sent once more`()
        async throws
    {
        let count = 100
        let refused = Mutex(0)
        let all = Gate()
        let site = try SignInSite { connection, request in
            try connection.readBody()
            guard request["Authorization"] == "Bearer a1" else { return try connection.answer(201) }
            let isLast = refused.withLock { refused in
                refused += 1
                return refused == count
            }
            if isLast { all.open() }
            try connection.hold(until: all)
            try connection.answer(401)
        }
        defer { site.server.stop() }
        try site.configure(place, limits: #"{ "concurrency": \#(count) }"#)
        let paths = try (1...count).map { try place.file("file\($0)") }
        let added = try place.start(["add"] + paths)
        #expect(try await added.ending() == .exited(0), "\(added.errors.text)")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(site.asked == ["r0", "r1"])
        let tokens = Dictionary(site.credentials.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(tokens == ["Bearer a1": count, "Bearer a2": count])
        #expect(try await place.list().allSatisfy { $0.state == "done" && $0.attempts == 1 })
    }

    @Test func `A2 a token that ends in the middle of a body is renewed, and the file is sent once more`()
        async throws
    {
        let size = 24 << 20
        let site = try SignInSite { connection, request in
            guard request["Authorization"] == "Bearer a1" else {
                try connection.readBody()
                return try connection.answer(201)
            }
            try connection.readBody(1 << 20)
            try connection.answer(401, keepAlive: false)
            connection.closeSending()
            // A client that continued to send would send a multiple of the buffers' size.
            connection.drain()
            connection.close()
        }
        defer { site.server.stop() }
        try site.configure(place)
        try place.file("large", "")
        _ = try PatternFile(at: place.path("large"), count: size, seed: 5)
        try await place.ferry("add", place.path("large"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        #expect(site.asked == ["r0", "r1"])
        #expect(site.credentials == ["Bearer a1", "Bearer a2"])
        let bodies = site.server.requests.filter { $0.target != "/token" }
        #expect(bodies.map(\.isComplete) == [false, true])
        #expect(bodies.last?.bodyByteCount == size)
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "done")
        #expect(upload.attempts == 1)
    }

    @Test func `A2 after a token that ends in the middle of a tus upload it resumes at the server's offset`()
        async throws
    {
        let (size, kept) = (8 << 20, 1 << 20)
        let offset = Mutex(0)
        let tus = [("Tus-Resumable", "1.0.0")]
        let site = try SignInSite { connection, request in
            let held = offset.withLock { $0 }
            switch request.method {
            case "POST":
                try connection.readBody()
                try connection.answer(201, headers: tus + [("Location", "/files/one")])
            case "HEAD":
                try connection.answer(
                    200, headers: tus + [("Upload-Offset", "\(held)"), ("Upload-Length", "\(size)")])
            case "PATCH" where request["Upload-Offset"] != "\(held)":
                try connection.answer(409, headers: tus, keepAlive: false)
                connection.closeSending()
                connection.drain()
                connection.close()
            case "PATCH" where held == 0:
                try connection.readBody(kept)
                offset.withLock { $0 = kept }
                try connection.answer(401, headers: tus, keepAlive: false)
                connection.closeSending()
                connection.drain()
                connection.close()
            case "PATCH":
                let count = try connection.readBody()
                offset.withLock { $0 += count }
                try connection.answer(204, headers: tus + [("Upload-Offset", "\(held + count)")])
            default:
                try connection.readBody()
                try connection.answer(
                    204, headers: tus + [("Tus-Version", "1.0.0"), ("Tus-Extension", "creation")])
            }
        }
        defer { site.server.stop() }
        try site.configure(place, protocol: "tus")
        try place.file("large", "")
        _ = try PatternFile(at: place.path("large"), count: size, seed: 6)
        try await place.ferry("add", place.path("large"))
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(site.asked == ["r0", "r1"])
        #expect(offset.withLock { $0 } == size)
        let last = try #require(site.server.requests.last { $0.method == "PATCH" })
        #expect(last["Upload-Offset"] == "\(kept)")
        #expect(last.bodyByteCount == size - kept)
    }

    @Test func `A3 while the sign-in server fails uploads wait, and no number of tries ends them`()
        async throws
    {
        let site = try SignInSite(
            token: { _, number in number <= 5 ? .status(503, "") : .token }, upload: SignInSite.taking(["a1"])
        )
        defer { site.server.stop() }
        try site.configure(place)
        try await add(["a", "b", "c"])
        let engine = try place.start("run", "--json", "--exit-when-idle")
        #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
        // At most five token requests are made in half a minute.
        #expect(site.asked == Array(repeating: "r0", count: 6))
        #expect(site.credentials == Array(repeating: "Bearer a1", count: 3))
        let states = try UploadLine.all(in: engine.output.lines).filter { $0.event == "state" }
        let waiting = states.filter { $0.state == "waiting" }
        #expect(Set(waiting.map(\.id)) == [1, 2, 3])
        #expect(
            waiting.allSatisfy {
                $0.error == "the credentials could not be renewed: 127.0.0.1 answered 503" && $0.status == nil
            }, "\(Set(waiting.map(\.error)))")
        #expect(!states.contains { ["held", "failed"].contains($0.state) })
        // There are more tries than a server that refuses the upload itself gets.
        #expect(states.filter { $0.state == "done" }.allSatisfy { $0.attempts > 10 })
    }

    @Test func `A3 a sign-in server that is not there is waited for`() async throws {
        let port = try InteropServer.freePort()
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        try place.configure(
            "put", at: server.url("/files/"),
            more: #"""
                , "auth": { "oauth2": { "tokenURL": "http://127.0.0.1:\#(port)/token", "clientID": "ferry",
                    "refreshToken": "r0" } }
                """#)
        try await add(["a", "b"])
        let engine = try place.start("run", "--json")
        try await engine.output.wait { lines in
            let states = (try? UploadLine.all(in: lines)) ?? []
            return Set(states.filter { $0.state == "waiting" }.map(\.id)) == [1, 2]
        }
        let waiting = try #require(
            try UploadLine.all(in: engine.output.lines).first { $0.state == "waiting" })
        #expect(
            waiting.error == "the credentials could not be renewed: no connection to 127.0.0.1: refused",
            "\(waiting.error ?? "")")
        engine.signal(SIGTERM)
        try await engine.ending()
        #expect(server.requests.isEmpty)
        #expect(try await place.list().allSatisfy { ["waiting", "queued"].contains($0.state) })
    }

    @Test func `A4 a refused sign-in holds all uploads, and after another one all resume`() async throws {
        let site = try SignInSite(
            token: { token, _ in token == "dead" ? .refused : .token }, upload: SignInSite.taking(["a1"]))
        defer { site.server.stop() }
        let file = try site.configure(place, refreshToken: "dead")
        try await add(["a", "b", "c"])
        let engine = try place.start("run", "--json")
        try await Eventually.holds("all held") { try await place.list().allSatisfy { $0.state == "held" } }
        for upload in try await place.list() {
            #expect(
                upload.error == "the credentials could not be renewed: 127.0.0.1 answered 400 (invalid_grant)"
            )
            #expect(upload.hint?.hasPrefix("sign in again") == true)
        }
        // A retry does not help, and the refused token is not sent again.
        #expect(try await place.ferry("retry", "--all").ending == .exited(0))
        try await Eventually.holds("all held again") {
            try await place.list().allSatisfy { $0.state == "held" && $0.attempts == 2 }
        }
        #expect(site.asked == ["dead"])
        try SignInSite.write("r0", to: file)
        #expect(try await place.ferry("retry", "--all").ending == .exited(0))
        try await Eventually.holds("all done") { try await place.list().allSatisfy { $0.state == "done" } }
        #expect(site.asked == ["dead", "r0"])
        #expect(site.credentials == Array(repeating: "Bearer a1", count: 3))
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test func `A6 a server that takes no token gets two requests, and the upload is held`() async throws {
        let site = try SignInSite(token: { _, _ in .token }, upload: SignInSite.taking([]))
        defer { site.server.stop() }
        try site.configure(place)
        try await add(["a"])
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        #expect(site.credentials == ["Bearer a1", "Bearer a2"])
        #expect(site.asked == ["r0", "r1"])
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(upload.status == 401)
        #expect(upload.attempts == 1)
    }
}

#if os(Linux)
    /// Tests a kill between the token server's response and its record in the token file.
    @Suite(
        .fewAtOnce, .enabled("needs strace", { Privilege.has("strace") }), .timeLimit(.minutes(10)))
    struct TokenKillTests {
        private let place: Workplace

        init() throws { place = try Workplace() }

        /// A server that accepts the previous refresh token until the newest one is used. A client that lost the newest
        /// one can then continue.
        private static func site() throws -> SignInSite {
            let newest = Mutex((number: 0, isKnown: true))
            return try SignInSite(
                token: { token, _ in
                    newest.withLock { newest in
                        let isNewest = token == "r\(newest.number)"
                        let isForgiven = !newest.isKnown && token == "r\(newest.number - 1)"
                        guard isNewest || isForgiven else { return .refused }
                        newest = (newest.number + 1, false)
                        return .token
                    }
                },
                upload: SignInSite.taking(["a1", "a2"]))
        }

        @Test(arguments: ["openat", "write", "fdatasync", "renameat"])
        func `A5 a kill before a new token is stored costs another renewal, and the token was not used`(
            call: String
        ) async throws {
            let site = try Self.site()
            defer { site.server.stop() }
            try site.configure(place)
            try await place.ferry("add", try place.file("a"))
            let folder = place.state + "/tokens"
            let trace = place.directory.path("trace")
            let words = [
                "strace", "-f", "-y", "-o", trace, "-e", "trace=\(call)", "-e",
                "inject=\(call):signal=SIGKILL:when=1", "-P", folder + "/here.json.new", "-P",
                "here.json.new",
            ]
            let killed = try place.start(through: words, ["run", "--exit-when-idle"])
            #expect(try await killed.ending() == .killed(SIGKILL), "\(killed.errors.text)")
            #expect(try String(contentsOfFile: trace, encoding: .utf8).contains("here.json.new"))
            #expect(site.asked == ["r0"])
            #expect(site.credentials.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: folder + "/here.json"))
            let next = try await place.ferry("run", "--exit-when-idle")
            #expect(next.ending == .exited(0), "\(next.output)")
            #expect(site.asked == ["r0", "r0"])
            #expect(site.credentials == ["Bearer a2"])
        }

        @Test func `A5 a kill once a new token is stored leaves it to the next run, which need not ask`()
            async throws
        {
            let site = try SignInSite(
                token: { token, number in number == 1 ? .token : .refused },
                upload: { connection, request in
                    try connection.readBody()
                    try connection.answer(201)
                })
            defer { site.server.stop() }
            try site.configure(place)
            try await place.ferry("add", try place.file("a"))
            let words = [
                "strace", "-f", "-o", place.directory.path("trace"), "-e", "trace=fsync", "-e",
                "inject=fsync:signal=SIGKILL:when=1", "-P", place.state + "/tokens",
            ]
            let killed = try place.start(through: words, ["run", "--exit-when-idle"])
            #expect(try await killed.ending() == .killed(SIGKILL), "\(killed.errors.text)")
            #expect(site.credentials.isEmpty)
            let next = try await place.ferry("run", "--exit-when-idle")
            #expect(next.ending == .exited(0), "\(next.output)")
            #expect(site.asked == ["r0"])
            #expect(site.credentials == ["Bearer a1"])
        }
    }
#endif
