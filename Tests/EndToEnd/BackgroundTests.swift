import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension HostileServer {
    /// A server that reads each request and responds once the gate is open.
    static func answering(_ status: Int, after gate: Gate) throws -> HostileServer {
        try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.hold(until: gate)
                try connection.answer(status)
            }
        }
    }
}

/// Tests an engine without a terminal, which other commands start, query and stop.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct BackgroundTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Runs `body` with an engine in the background, and ends the engine afterwards.
    private func withEngine(_ options: String..., body: (pid_t) async throws -> Void) async throws {
        let result = try await Workplace.result(of: try place.start(["run", "--detach"] + options))
        #expect(result.ending == .exited(0), "\(result.errors)")
        let line = try #require(
            result.output.wholeMatch(of: /the uploads continue in the background \(process (\d+)\); .*\n/),
            "\(result.output)")
        let process = try #require(pid_t(line.1))
        defer { kill(process, SIGKILL) }
        try await body(process)
    }

    private func status() async throws -> StatusRecord {
        let result = try await place.ferry("status", "--json")
        return try JSONDecoder().decode(StatusRecord.self, from: Data(result.output.utf8))
    }

    private struct StatusRecord: Decodable {
        var running: Bool
        var process: pid_t?
        var version: String?
        var since: String?
        var screens: Int?
        var network: String?
        var uploads: [String: Int]?
        var concurrency: Int?
        var bandwidth: Int?
    }

    @Test func `it uploads when the command that started it has long ended`() async throws {
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            try await withEngine { _ in
                try await place.ferry("add", try place.file("late", "hello"))
                try await site.log.wait { $0.finished == 1 }
                #expect(site.content("late") == Data("hello".utf8))
            }
        }
    }

    @Test func `it has no terminal and no parent that could take it along`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await withEngine { process in
            #expect(getsid(process) == process)
            #expect(getsid(process) != getsid(0))
        }
    }

    #if os(Linux)
        @Test func `a crash of it would write no core, to a file or to a program`() async throws {
            try place.configure("put", at: "http://127.0.0.1:9/box/")
            try await withEngine { process in
                let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
                let core = try #require(limits.firstMatch(of: /Max core file size +(\w+)/), "\(limits)")
                // With a limit of 1, the kernel neither runs a program for the core nor writes a file of less than a
                // page.
                #expect(["0", "1"].contains(core.1), "\(limits)")
            }
        }

        @Test func `a crash of it would not write memory into its log`() async throws {
            try place.configure("put", at: "http://127.0.0.1:9/box/")
            try await withEngine { process in
                let variables = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/environ"))
                #expect(variables.split(separator: 0).contains(Data("SWIFT_BACKTRACE=enable=no".utf8)))
            }
        }
    #endif

    @Test func `a log of it of more than 8 MiB is put aside, and a new one begins`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await withEngine { _ in
            let log = place.state + "/engine.log"
            #expect(truncate(log, off_t(8 << 20 + 1)) == 0)
            try place.configure("put", at: "http://127.0.0.1:9/other/")
            // The engine notes what has changed.
            try await place.ferry("reload")
            try await Eventually.holds("a new log with a line") {
                FileManager.default.contents(atPath: log)?.first == UInt8(ascii: "n")
            }
            #expect(FileManager.default.fileExists(atPath: log + ".1"))
        }
    }

    @Test func `asked for a second time it is found running, and that is no error`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await withEngine { process in
            let second = try await place.ferry("run", "--detach")
            #expect(second.ending == .exited(0))
            #expect(second.output == "an engine has the queue already (process \(process))\n")
        }
    }

    @Test func `an invalid configuration is reported before anything starts`() async throws {
        try place.configure("{ \"limit\": 1 }")
        let result = try await place.ferry("run", "--detach")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("limit"))
        #expect(try await place.ferry("status").ending == .exited(3))
    }

    @Test func `the command that wanted the engine says why it did not start`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await place.ferry("add", try place.file("a"))
        // A folder in the place of `queue.json` makes it impossible to save the queue.
        try FileManager.default.removeItem(atPath: place.state + "/queue.json")
        try FileManager.default.createDirectory(
            atPath: place.state + "/queue.json", withIntermediateDirectories: false)
        let result = try await place.ferry("run", "--detach")
        let direct = try await place.ferry("run", "--exit-when-idle")
        #expect(direct.status != 0)
        #expect(result.ending == direct.ending)
        #expect(result.errors.contains("error: ") && direct.errors.contains(result.errors))
    }

    @Test func `with --exit-when-idle it ends by itself`() async throws {
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            try await place.ferry("add", try place.file("only"))
            try await withEngine("--exit-when-idle") { _ in
                try await site.log.wait { $0.finished == 1 }
                try await Eventually.holds("no engine") { !UnixSocket.accepts(place.state + "/control") }
                #expect(try await place.list().map(\.state) == ["done"])
            }
        }
    }

    @Test func `stop ends it, and what was acknowledged is there afterwards`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await withEngine { process in
            try await place.ferry("add", try place.file("a"), try place.file("b"))
            let result = try await place.ferry("stop")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.hasPrefix("stopped (process \(process)); "))
            #expect(!UnixSocket.accepts(place.state + "/control"))
            #expect(try await place.list().map(\.id) == [1, 2])
        }
    }

    @Test func `stop without an engine is no error`() async throws {
        for options in [["stop"], ["stop", "--when-idle"]] {
            let result = try await Workplace.result(of: try place.start(options))
            #expect(result.ending == .exited(0))
            #expect(result.output == "no engine is running\n")
        }
    }

    @Test func `stop --when-idle lets running uploads finish, begins nothing new, and ends the engine`()
        async throws
    {
        let gate = Gate()
        let server = try HostileServer.answering(201, after: gate)
        defer { server.stop() }
        try place.configure("put", at: server.url("/"), limits: #"{ "concurrency": 1 }"#)
        try await withEngine { _ in
            try await place.ferry("add", try place.file("a"), try place.file("b"))
            try await server.wait { $0.count == 1 }
            #expect(try await place.ferry("stop", "--when-idle").ending == .exited(0))
            gate.open()
            try await Eventually.holds("no engine") { !UnixSocket.accepts(place.state + "/control") }
            #expect(try await place.list().map(\.state) == ["done", "queued"])
        }
    }

    @Test func `status shows the limits and counts of the engine`() async throws {
        try place.configure(
            "put", at: "http://127.0.0.1:9/box/", limits: #"{ "concurrency": 3, "bandwidth": "2M" }"#)
        try await withEngine { process in
            try await place.ferry("add", try place.file("a", "12345"), try place.file("b", "1"))
            try await place.ferry("pause", "--all")
            let record = try await status()
            #expect(record.running && record.process == process && record.screens == 0)
            #expect(record.concurrency == 3 && record.bandwidth == 2 << 20)
            #expect(record.uploads?["paused"] == 2 && record.uploads?["running"] == 0)
            #expect(record.uploads?["bytesLeft"] == 0)
            let text = try await place.ferry("status")
            #expect(text.ending == .exited(0))
            #expect(text.lines.contains("uploads  2 paused"))
            #expect(text.lines.contains("limits   3 at once, 2 MiB/s"))
        }
    }

    @Test func `status says with its exit status that none runs`() async throws {
        let result = try await place.ferry("status")
        #expect(result.ending == .exited(3))
        #expect(result.output == "no engine is running; `ferry` or `ferry run` starts one\n")
        #expect(try await status().running == false)
    }

    @Test(arguments: ["status", "list", "screen"])
    func `an engine of another version is named`(command: String) async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await place.ferry("list")
        let server = try HostileServer(at: .unix(place.state + "/control")) { connection in
            while try connection.readBytes(1) != [0x0A] {}
            try connection.write(#"{"version":1,"ferry":"0.0.7","reply":{}}"# + "\n")
        }
        defer { server.stop() }
        // The lock stands for an engine. Another process has replaced its socket.
        try await withLock {
            let result = try await place.ferry(command)
            #expect(result.status != 0)
            #expect(
                result.errors.contains("the running engine is 0.0.7, and this is 0.1.0"), "\(result.errors)")
            #expect(result.errors.contains("`ferry stop` ends it"))
        }
    }

    /// Runs `body` while the queue is locked, as by an engine.
    private func withLock(_ body: () async throws -> Void) async throws {
        let descriptor = open(place.state + "/lock", O_RDWR | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        try await body()
    }
}
