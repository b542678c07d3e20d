import FerryTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct GateTests {
    @Test func `a gate that opens lets those through who wait`() async throws {
        let gate = Gate()
        let waiting = Task { try await gate.wait() }
        gate.open()
        try await waiting.value
    }

    @Test func `an open gate stays open`() async throws {
        let gate = Gate()
        gate.open()
        gate.open()
        try await gate.wait()
        #expect(gate.isOpen)
    }

    @Test func `a gate that stays closed ends the wait with an error`() async {
        await #expect(throws: Gate.TimedOut.self) { try await Gate().wait(upTo: .milliseconds(1)) }
    }

    @Test func `a cancelled wait ends`() async {
        let waiting = Task { try await Gate().wait() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `a thread that waits for two gates resumes with either`() async throws {
        let (first, second, passed) = (Gate(), Gate(), Gate())
        Thread.detachNewThread {
            first.block(orUntil: second)
            passed.open()
        }
        second.open()
        try await passed.wait()
    }
}

@Suite struct ManualClockTests {
    @Test func `time passes only when it is moved`() {
        let clock = ManualClock()
        let start = clock.now
        clock.advance(by: .seconds(3))
        #expect(start.duration(to: clock.now) == .seconds(3))
    }

    @Test func `a sleeper wakes when its deadline comes, and not before`() async throws {
        let clock = ManualClock()
        let early = Task { try await clock.sleep(for: .seconds(1)) }
        let late = Task { try await clock.sleep(for: .seconds(2)) }
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await early.value
        #expect(clock.deadlines == [ManualClock.Instant(offset: .seconds(2))])
        clock.advance(by: .seconds(1))
        try await late.value
    }

    @Test func `a cancelled sleeper wakes at once`() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.deadlines.isEmpty)
    }

    @Test func `a time that has passed is not waited for`() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)))
    }
}

@Suite struct TemporaryFilesTests {
    @Test func `a temporary directory is removed with what is in it`() async throws {
        let path = try await TemporaryDirectory.with { directory in
            try directory.write([1, 2, 3], to: "a/b")
            return directory.path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a temporary directory goes with the last reference`() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        #expect(FileManager.default.fileExists(atPath: path))
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 200_000, 2_000_001], [false, true])
    func `a pattern file holds what it says`(count: Int, isSparse: Bool) throws {
        let directory = try TemporaryDirectory()
        let file = try PatternFile(at: directory.path("data"), count: count, seed: 5, isSparse: isSparse)
        let contents = try Data(contentsOf: URL(fileURLWithPath: file.path))
        #expect(contents.count == count)
        #expect(file.firstDifference(from: Array(contents)) == nil)
    }

    @Test func `a byte that is wrong is found`() throws {
        let directory = try TemporaryDirectory()
        let file = try PatternFile(at: directory.path("data"), count: 1000)
        var bytes = file.bytes(100..<200)
        bytes[17] ^= 1
        #expect(file.firstDifference(from: bytes, at: 100) == 117)
    }

    @Test func `a large sparse file takes no room`() throws {
        let directory = try TemporaryDirectory()
        let file = try PatternFile(at: directory.path("data"), count: 1 << 36, isSparse: true)
        #expect(file.bytes((1 << 35)..<(1 << 35) + 4) == [0, 0, 0, 0])
    }
}

@Suite(.timeLimit(.minutes(10)))
struct HostileServerTests {
    private static let put = "PUT /a?b=1 HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nContent-Length: 5\r\n\r\nhello"

    private func exchange(_ behavior: HostileBehavior, _ request: String = put) throws -> (
        String, RawClient.End
    ) {
        let server = try HostileServer([behavior])
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(request)
        return client.receiveAll()
    }

    @Test func `a request is recorded as it was sent`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(Self.put)
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201 "))
        let request = try #require(try await server.wait { $0.contains(where: \.isComplete) }.first)
        #expect(request.method == "PUT")
        #expect(request.target == "/a?b=1")
        #expect(request.headers.map(\.name) == ["Host", "X-A", "Content-Length"])
        #expect(request["x-a"] == "1")
        #expect(request.bodyByteCount == 5)
        #expect(request.body == Array("hello".utf8))
        #expect(request.connection == 1)
    }

    @Test func `content in chunks is recorded without their framing`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
        )
        _ = client.receive(until: "\r\n\r\n")
        #expect(server.requests.first?.isComplete == true)
        #expect(server.requests.first?.body == Array("abc0123456789".utf8))
    }

    @Test func `each request on one connection meets the next behaviour`() throws {
        let server = try HostileServer([.answer(200, body: "one"), .redirect(307, to: "/b")])
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(Self.put + Self.put)
        let text = client.receive(until: "Content-Length: 0\r\n\r\n")
        #expect(text.contains("one"))
        #expect(text.contains("307 Status\r\nLocation: /b\r\n"))
        #expect(server.connectionCount == 1)
    }

    @Test func `a reset is a reset and a close is a close`() throws {
        #expect(try exchange(.reset(afterBodyBytes: 2)) == ("", .reset))
        #expect(try exchange(.closeWithoutAnswer) == ("", .closed))
    }

    @Test func `an early response arrives although content is still being sent`() throws {
        let head = "PUT / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n"
        let server = try HostileServer([.answerEarly(413)])
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(head)
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
        #expect(client.send([UInt8](repeating: 0, count: 1_000_000)))
    }

    @Test func `a stale connection takes one request and closes at the next`() throws {
        let server = try HostileServer([.answerThenGoStale(200)])
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(Self.put)
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        client.send(Self.put)
        #expect(client.receiveAll().text == "")
        #expect(server.requests.count == 1)
    }

    @Test func `a gated response waits for the gate`() async throws {
        let gate = Gate()
        let server = try HostileServer([.answer(200, when: gate)])
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(Self.put)
        try await server.wait { $0.contains(where: \.isComplete) }
        gate.open()
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `interim responses come before the final one`() throws {
        let (text, _) = try exchange(.interim(103, count: 100), Self.put + "GET / HTTP/1.1\r\n\r\n")
        #expect(text.components(separatedBy: "HTTP/1.1 103 ").count == 101)
        #expect(text.contains("HTTP/1.1 200 "))
    }

    @Test func `a truncated response ends short`() throws {
        let (text, end) = try exchange(.truncatedBody(promised: 10, sent: 4))
        #expect(text.hasSuffix("Content-Length: 10\r\n\r\nxxxx"))
        #expect(end == .closed)
    }

    @Test func `requests beyond the list get a response that says so`() throws {
        let server = try HostileServer([])
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(Self.put)
        #expect(client.receiveAll().text.contains("no behaviour left"))
    }

    @Test func `stopping ends a server that is in the middle of everything`() throws {
        let server = try HostileServer(
            receiveBuffer: 4096,
            [
                .stall(afterBodyBytes: 1), .neverAnswer, .answer(200, when: Gate()), .endlessHeaders(),
            ])
        let clients = try (0..<6).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send(Self.put) }
        server.stop()
        server.stop()
        for client in clients { #expect(client.receiveAll().end != .timedOut) }
        #expect(throws: (any Error).self) { try RawClient(port: server.port) }
    }

    @Test func `a wait for what never comes ends with what was seen`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        await #expect(throws: HostileServer.TimedOut.self) {
            try await server.wait(upTo: .milliseconds(1)) { !$0.isEmpty }
        }
    }
}
