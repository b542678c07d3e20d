import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests commands to a running engine.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ControlTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `a file added from elsewhere uploads at once`() async throws {
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            let engine = try await running()
            let result = try await place.ferry("add", try place.file("late", "hello"))
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "added 1 file, 5 B, to here\n")
            try await site.log.wait { $0.finished == 1 }
            #expect(site.content("late") == Data("hello".utf8))
            engine.signal(SIGTERM)
            try await engine.ending()
        }
    }

    @Test func `pause, resume, move and remove steer the running queue`() async throws {
        let gate = Gate()
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                guard gate.isOpen else {
                    try connection.readHead()
                    return connection.stall()
                }
                try connection.readRequest()
                try connection.answer(201)
            }
        }
        defer { server.stop() }
        try place.configure("put", at: server.url("/"), limits: #"{ "concurrency": 1 }"#)
        for name in ["a", "b", "c"] { try await place.ferry("add", try place.file(name)) }
        let engine = try await running()
        try await server.wait { $0.count == 1 }
        #expect(try await place.list().map(\.state) == ["running", "queued", "queued"])
        #expect(try await place.ferry("pause", "--all").output == "3 paused\n")
        #expect(try await place.list().map(\.state) == ["paused", "paused", "paused"])
        #expect(try await place.ferry("move", "3", "top").output.hasSuffix(" moved\n"))
        #expect(try await place.ferry("remove", "1").output == "1 removed\n")
        gate.open()
        #expect(try await place.ferry("resume", "--all").output == "2 resumed\n")
        let requests = try await server.wait { $0.filter(\.isComplete).count == 2 }
        #expect(requests.suffix(2).map(\.target) == ["/c", "/b"])
        engine.signal(SIGTERM)
        #expect(try await engine.ending() == .exited(143))
        #expect(Set(try await place.list().map(\.id)) == [2, 3])
        #expect(try UploadLine.all(in: engine.output.lines).filter { $0.event == "removed" }.map(\.id) == [1])
    }

    @Test func `list and status count bytes in flight, as long as they are in flight`() async throws {
        let server = try HostileServer { connection in
            try connection.readHead()
            connection.stall()
        }
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: 24 << 20)
        try await place.ferry("add", place.path("large.bin"))
        let engine = try await running()
        try await Eventually.holds("bytes on their way") { try await place.list().first?.sent ?? 0 > 0 }
        let upload = try #require(try await place.list().first)
        #expect(upload.confirmed == 0)
        let status = try await place.ferry("status", "--json").output
        let left = try #require(status.firstMatch(of: /"bytesLeft":(\d+)/).flatMap { Int($0.1) })
        #expect(left < upload.size)
        #expect(left > 0)
        try await place.ferry("pause", "1")
        #expect(try await place.list().first?.sent == 0)
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test func `commands are undone and redone in order until nothing is left`() async throws {
        let server = try HostileServer { connection in
            try connection.readHead()
            connection.stall()
        }
        defer { server.stop() }
        try place.configure("put", at: server.url("/"), limits: #"{ "concurrency": 1 }"#)
        for name in ["a", "b", "c"] { try await place.ferry("add", try place.file(name)) }
        let engine = try await running()
        let nothing = try await place.ferry("undo")
        #expect(nothing.ending == .exited(2))
        #expect(nothing.errors == "error: nothing to undo\n")
        try await place.ferry("pause", "2-3")
        try await place.ferry("remove", "3")
        #expect(try await place.ferry("undo").output == "undone: put back upload 3\n")
        #expect(try await place.ferry("undo").output == "undone: resumed 2 uploads\n")
        #expect(try await place.ferry("redo").output == "redone: paused 2 uploads\n")
        #expect(try await place.ferry("redo").output == "redone: removed upload 3\n")
        #expect(try await place.ferry("redo").errors == "error: nothing to redo\n")
        #expect(try await place.list().map(\.state) == ["running", "paused"])
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test func `undo refuses a retry, and the next undo reverses the change before it`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(400)
            }
        }
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        let engine = try await running()
        try await place.ferry("add", try place.file("a"))
        try await Eventually.holds("a failed upload") { try await place.list().first?.state == "failed" }
        #expect(try await place.ferry("retry", "1").output == "1 retried\n")
        let refusal = "error: a retry cannot be undone\nhint: undo again reverses the change before\n"
        #expect(try await place.ferry("undo", "--dry-run").errors == refusal)
        let refused = try await place.ferry("undo")
        #expect(refused.ending == .exited(2))
        #expect(refused.errors == refusal)
        #expect(try await place.ferry("undo").output == "undone: removed upload 1\n")
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test(arguments: [true, false])
    func `removing an upload deletes its unfinished part at the server`(whileRunning: Bool) async throws {
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: 8 << 20)
        let place = place
        let limit: (inout ReceiverConfiguration) -> Void = { $0.bytesPerSecond = 2 << 20 }
        try await ReceiverSite.with(limit) { site in
            try place.configure("tus", at: site.tusURL)
            try await place.ferry("add", place.path("large.bin"))
            let engine = try place.start("run", "--json")
            try await site.log.wait { $0.bytes > 1 << 20 }
            if !whileRunning {
                engine.signal(SIGKILL)
                try await engine.ending()
            }
            #expect(try await place.ferry("remove", "1").output == "1 removed\n")
            try await Eventually.holds("an empty work folder") { try site.unfinished().isEmpty }
            #expect(try site.names().isEmpty)
            engine.signal(SIGTERM)
            try await engine.ending()
        }
    }

    @Test func `S13 a second engine says which process has the queue and since when`() async throws {
        let engine = try await running()
        let second = try await place.ferry("run", "--exit-when-idle")
        #expect(second.ending == .exited(75))
        #expect(
            second.errors.contains(
                #/^error: the queue is in use by process \d+ since (\d{4}-\d\d-\d\d )?\d\d:\d\d\n/#),
            "\(second.errors)")
        #expect(second.errors.contains(" by process \(engine.id) since "))
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test func `a command that the running queue refuses fails as it would alone`() async throws {
        let engine = try await running()
        let result = try await place.ferry("pause", "9")
        #expect(result.ending == .exited(2))
        #expect(
            result.errors == "error: there is no upload 9\nhint: the list of uploads shows their numbers\n")
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test func `the run and the list report a server that asks to wait`() async throws {
        let server = try HostileServer([.answer(503, headers: [("Retry-After", "600")])])
        defer { server.stop() }
        try place.configure("put", at: server.url("/"), limits: #"{ "concurrency": 1 }"#)
        for name in ["a", "b"] { try await place.ferry("add", try place.file(name)) }
        let engine = try await running()
        try await engine.output.wait { lines in
            lines.contains {
                $0.contains(#""event":"slow""#) && $0.contains(#""status":503"#)
                    && $0.contains(#""waiting":2"#)
            }
        }
        let list = try await place.ferry("list")
        #expect(list.lines.count == 2)
        #expect(
            list.errors.wholeMatch(
                of: /note: 127\.0\.0\.1 asks to wait \(503\) until \d\d:\d\d:\d\d; 2 uploads wait\n/) != nil,
            "\(list.errors)")
        #expect(
            try await place.ferry("status").output.contains("slow     127.0.0.1 asks to wait (503) until "))
        #expect(
            try await place.ferry("status", "--json").output.contains(
                #""slow":[{"host":"127.0.0.1","status":503,"#))
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test func `S13 the socket is gone after the end, and one left by a kill does no harm`() async throws {
        let socket = place.state + "/control"
        let killed = try await running()
        killed.signal(SIGKILL)
        #expect(try await killed.ending() == .killed(SIGKILL))
        #expect(FileManager.default.fileExists(atPath: socket))
        #expect(try await place.list().isEmpty)
        let engine = try await running()
        #expect(try await place.list().isEmpty)
        engine.signal(SIGTERM)
        try await engine.ending()
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    #if os(Linux)
        @Test(
            .enabled(
                if: Privilege.isRoot && Privilege.has("setpriv")
                    && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs root"))
        func `the control socket does not respond to a process of another user`() async throws {
            try place.configure("put", at: "http://127.0.0.1:9/box/")
            let engine = try await running()
            // The folders are closed to others, so they are opened here to test the socket's own mode.
            var folder = URL(filePath: place.state)
            while folder.path.hasPrefix(place.directory.path) {
                chmod(folder.path, 0o755)
                folder.deleteLastPathComponent()
            }
            chmod(place.state + "/control", 0o666)
            let asks = """
                import socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                try:
                    s.sendall(b'{"version":5,"ask":{"progress":{}}}\\n')
                    print(len(s.recv(4096)))
                except OSError:
                    print(0)
                """
            func answer(_ user: String) async throws -> String {
                let words = [
                    "setpriv", "--reuid=\(user)", "--clear-groups", "/usr/bin/python3", "-c", asks,
                    place.state + "/control",
                ]
                let process = try ChildProcess(
                    "/usr/bin/env", words.map { Array($0.utf8) }, environment: place.environment)
                return try await Workplace.result(of: process).output
            }
            #expect(try await answer("65534") == "0\n")
            #expect(try await answer("0") != "0\n")
            engine.signal(SIGTERM)
            try await engine.ending()
        }
    #endif

    /// Starts an engine and waits until it accepts commands.
    private func running() async throws -> ChildProcess {
        let engine = try place.start("run", "--json")
        try await Eventually.holds("the control socket") {
            // The socket of a killed engine may be left. It refuses connections.
            UnixSocket.accepts(place.state + "/control")
        }
        return engine
    }
}
