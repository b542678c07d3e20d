#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing

    /// Tests networks that lose packets, refuse connections or do not resolve names. Each has a network namespace.
    @Suite(
        .fewAtOnce, .timeLimit(.minutes(10)),
        .enabled(if: NetworkNamespace.isPossible, "needs root and ip(8) to make network namespaces"))
    struct BadNetworkTests {
        private static let hasFilter = NetworkNamespace.isPossible && canFilter()
        private static let needsFilter: Comment = "needs nft(8) and a kernel that has it"

        private let place: Workplace

        init() throws { place = try Workplace() }

        private static func canFilter() -> Bool {
            guard Privilege.has("nft"), let namespace = try? NetworkNamespace.make() else { return false }
            defer { namespace.remove() }
            return (try? namespace.nft("add", "table", "inet", "test")) != nil
        }

        /// Makes an nftables chain for the packets to the programs of the namespace.
        private static func makeChain(in namespace: NetworkNamespace) throws {
            try namespace.nft("add", "table", "inet", "test")
            try namespace.nft(
                "add", "chain", "inet", "test", "input", "{ type filter hook input priority 0; }")
        }

        private func add(_ count: Int, _ options: [String] = []) async throws {
            let paths = try (1...count).map { try place.file("file\($0)") }
            let added = try place.start(["add"] + options + paths)
            #expect(try await added.ending() == .exited(0), "\(added.errors.text)")
        }

        private func states() async throws -> [String] { try await place.list().map(\.state) }

        private static func server(
            at place: ListeningAddress = .ipv4, in namespace: NetworkNamespace
        ) async throws -> HostileServer {
            try await namespace.inside {
                try HostileServer(at: place) { connection in
                    while try connection.waitForRequest() {
                        try connection.readRequest()
                        try connection.answer(201)
                    }
                }
            }
        }

        // MARK: Names

        @Test(arguments: ["not found", "failure", "silence"])
        func `N1 a name that is not found is waited for by name, others run, and its return starts all`(
            fault: String
        ) async throws {
            try await NetworkNamespace.with { namespace in
                try namespace.useOwnNameServer()
                let answer: NameServer.Response =
                    switch fault {
                    case "not found": .nameNotFound
                    case "failure": .serverFailure
                    default: .silence
                    }
                let names = try await namespace.inside {
                    try NameServer(answer, alwaysKnowing: ["other.example"])
                }
                defer { names.stop() }
                let server = try await Self.server(in: namespace)
                defer { server.stop() }
                try place.configure(
                    """
                    { "destinations": {
                        "bad": { "url": "http://upload.example:\(server.port)/bad/", "protocol": "put" },
                        "good": { "url": "http://other.example:\(server.port)/good/", "protocol": "put" } },
                      "retry": { "base": 3, "cap": 3 } }
                    """)
                try await add(3, ["--to", "bad"])
                let engine = try place.start(through: namespace.words, ["run", "--json", "--exit-when-idle"])
                let waiting = try await engine.output.wait { lines in
                    lines.contains { $0.contains(#""state":"waiting""#) }
                }
                let line = try #require(try UploadLine.all(in: waiting).last { $0.state == "waiting" })
                #expect(line.error == "the name upload.example was not found")
                // While a name is being resolved, the queue accepts commands and runs other uploads.
                try await place.ferry("add", "--to", "good", try place.file("other"))
                try await server.wait { $0.contains { $0.target == "/good/other" } }
                #expect(server.requests.count == 1)
                let asked = names.questions(for: "upload.example")
                try await Eventually.holds("another question") {
                    names.questions(for: "upload.example") > asked
                }
                names.say(.loopback)
                #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
                #expect(try await states() == Array(repeating: "done", count: 4))
                #expect(server.requests.count == 4)
                #expect(!engine.output.text.contains(#""state":"failed""#))
            }
        }

        // MARK: Connections

        @Test(.enabled(if: hasFilter, needsFilter))
        func `N2 a host that refuses is asked by one prober and not by every upload`() async throws {
            try await NetworkNamespace.with { namespace in
                try namespace.useOwnNameServer()
                let names = try await namespace.inside { try NameServer(.loopback) }
                defer { names.stop() }
                let server = try await Self.server(in: namespace)
                defer { server.stop() }
                try Self.makeChain(in: namespace)
                try namespace.nft(
                    "add", "rule", "inet", "test", "input", "meta", "nfproto", "ipv4", "tcp", "dport",
                    "\(server.port)", "tcp", "flags", "syn", "counter", "reject", "with", "tcp", "reset")
                try namespace.nft(
                    "add", "rule", "inet", "test", "input", "meta", "nfproto", "ipv6", "tcp", "dport",
                    "\(server.port)", "reject", "with", "tcp", "reset")
                try place.configure(
                    "put", at: "http://upload.example:\(server.port)/", limits: #"{ "concurrency": 4 }"#,
                    retry: 3)
                try await add(30)
                let engine = try place.start(through: namespace.words, ["run", "--json", "--exit-when-idle"])
                try await Eventually.holds("eight probes") { try Self.refusals(in: namespace) >= 12 }
                let (before, begun) = (try await place.list(), ContinuousClock.now)
                #expect(before.map(\.attempts).reduce(0, +) <= 8)
                #expect(!before.contains { ["failed", "held"].contains($0.state) })
                let waiting = try UploadLine.all(in: engine.output.lines).filter { $0.state == "waiting" }
                #expect(Set(waiting.map(\.error)) == ["no connection to upload.example: refused"])
                let count = try Self.refusals(in: namespace)
                try await Eventually.holds("four more probes") {
                    try Self.refusals(in: namespace) >= count + 4
                }
                let time = ContinuousClock.now - begun
                // There is at most one probe each quarter of a second, so three pauses lie between four probes.
                #expect(time >= .milliseconds(700), "\(time)")
                #expect(try await place.list().map(\.attempts) == before.map(\.attempts))
                try namespace.nft("flush", "chain", "inet", "test", "input")
                #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
                #expect(try await states() == Array(repeating: "done", count: 30))
                #expect(server.requests.count == 30)
                print(
                    "N2: 30 uploads at a host that refuses: \(count) connections, then one every \(time / 4)")
            }
        }

        /// Returns the number of connections that the first rule of the chain refused.
        private static func refusals(in namespace: NetworkNamespace) throws -> Int {
            let rules = try namespace.nft("list", "chain", "inet", "test", "input")
            return rules.firstMatch(of: /counter packets ([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
        }

        @Test(.enabled(if: hasFilter && ListeningAddress.hasIPv6, needsFilter), arguments: ["ip6", "ip"])
        func `N15 with one family dead a connection is made by the other`(
            dead: String
        ) async throws {
            try await NetworkNamespace.with { namespace in
                try namespace.useOwnNameServer()
                let names = try await namespace.inside { try NameServer(.loopback) }
                defer { names.stop() }
                let server = try await Self.server(at: dead == "ip6" ? .ipv4 : .ipv6, in: namespace)
                defer { server.stop() }
                try Self.makeChain(in: namespace)
                let address = dead == "ip6" ? "::1" : "127.0.0.1"
                try namespace.nft(
                    "add", "rule", "inet", "test", "input", dead, "daddr", address, "tcp", "dport",
                    "\(server.port)", "counter", "drop")
                try place.configure("put", at: "http://upload.example:\(server.port)/")
                try await add(1)
                let engine = try place.start(through: namespace.words, ["run", "--exit-when-idle"])
                try await server.wait { $0.count == 1 }
                let arrived = ContinuousClock.now
                let time = try #require(names.lastAnswer).duration(to: arrived)
                // One family after the other, it would be the time for a connection, 15 s by default.
                #expect(time < .seconds(10), "\(time)")
                #expect(try await engine.ending() == .exited(0))
                #expect(server.requests.count == 1)
                let dropped = try Self.refusals(in: namespace)
                #expect(dead == "ip" || dropped > 0)
                print(
                    "N15: \(dead) dropped (\(dropped) packets): the request came \(time) after the name was found"
                )
            }
        }

        // MARK: Loss

        @Test(.enabled(if: hasFilter, needsFilter), arguments: [(5, 4 << 20), (30, 512 << 10)])
        func `N7 over a link that loses packets, with delay and jitter, a file arrives without many tries`(
            percent: Int, size: Int
        ) async throws {
            try await NetworkNamespace.with { namespace in
                try namespace.ip("link", "set", "lo", "up")
                // Packets must be as small as on a real network. With packets of 64 KiB, each loss would be large.
                try namespace.ip("link", "set", "lo", "mtu", "1500", "gso_max_segs", "1")
                let inbox = try place.folder("inbox")
                let server = try place.start(
                    through: namespace.words,
                    ["serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:8080"])
                try await server.output.wait { $0.contains { $0.hasPrefix("receiving into ") } }
                let link = try await namespace.inside {
                    var faults = LinkFaults()
                    faults.latency = .milliseconds(150)
                    faults.jitter = .milliseconds(50)
                    return try FaultyLink(to: 8080, faults)
                }
                defer { link.stop() }
                try Self.makeChain(in: namespace)
                for (end, percent) in [("dport", percent), ("sport", 5)] {
                    try namespace.nft(
                        "add", "rule", "inet", "test", "input", "tcp", end, "\(link.port)", "numgen",
                        "random",
                        "mod", "100", "<", "\(percent)", "counter", "drop")
                }
                try place.configure("tus", at: "http://127.0.0.1:\(link.port)/files/")
                try place.file("large", "")
                _ = try PatternFile(at: place.path("large"), count: size, seed: 9)
                try await place.ferry("add", place.path("large"))
                let begun = ContinuousClock.now
                let engine = try place.start(through: namespace.words, ["run", "--json", "--exit-when-idle"])
                #expect(try await engine.ending(upTo: .seconds(150)) == .exited(0), "\(engine.output.text)")
                let time = ContinuousClock.now - begun
                #expect(await ChildProcess.succeeds("cmp", place.path("large"), inbox + "/large"))
                let upload = try #require(try await place.list().first)
                #expect(upload.state == "done")
                // A connection that receives nothing for long may be given up. Its upload then resumes.
                #expect(upload.attempts <= (percent < 10 ? 2 : 4))
                #expect(upload.resent < size)
                let lost = try Self.refusals(in: namespace)
                #expect(lost > 0)
                print(
                    "N7: \(size >> 10) KiB, \(percent) % lost (\(lost) packets and more), 150 ms + 0 to 50 ms: \(time), \(upload.attempts) attempts, \(upload.resent) bytes again"
                )
                server.signal(SIGTERM)
                try await server.ending()
            }
        }

        // MARK: Reports of the kernel

        @Test(.enabled("needs a C compiler", { PreloadedLibrary.compiler != nil }))
        func `N10 uploads continue on a system that denies netlink, and a lost link is noticed`()
            async throws
        {
            let library = try await PreloadedLibrary.compile("no_netlink.c", in: place.directory)
            let denied = place.directory.path("denied")
            let gate = Gate()
            try await NetworkNamespace.with { namespace in
                try namespace.useOwnNameServer()
                let names = try await namespace.inside { try NameServer(.loopback) }
                defer { names.stop() }
                let server = try await namespace.inside {
                    try HostileServer { connection in
                        while try connection.waitForRequest() {
                            let request = try connection.readRequest()
                            if request.target == "/b" { try connection.hold(until: gate) }
                            try connection.answer(201)
                        }
                    }
                }
                defer { server.stop() }
                try place.configure("put", at: "http://upload.example:\(server.port)/")
                for name in ["a", "b"] { try await place.ferry("add", try place.file(name)) }
                let words = namespace.words + ["env", "LD_PRELOAD=\(library)", "FERRY_TEST_DENIED=\(denied)"]
                let engine = try place.start(through: words, ["run", "--json", "--exit-when-idle"])
                try await server.wait { $0.count == 2 }
                try namespace.ip("address", "del", "10.97.0.1/24", "dev", "near")
                try await engine.output.wait { $0.contains { EventLine.name(of: $0) == "offline" } }
                try namespace.ip("address", "add", "10.97.0.1/24", "dev", "near")
                gate.open()
                #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
                #expect(try await place.list().map(\.state) == ["done", "done"])
                #expect(FileManager.default.fileExists(atPath: denied))
                let log = try String(contentsOfFile: place.state + "/ferry.log", encoding: .utf8)
                #expect(log.contains("looking at the addresses every 2 s instead"))
            }
        }
    }
#endif
