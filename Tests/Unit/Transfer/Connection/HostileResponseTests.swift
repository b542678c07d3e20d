import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests invalid, early, endless and too long responses.
struct HostileResponseTests {
    private static func outcome(
        _ behavior: HostileBehavior, size: Int = 100_000, response: Duration = .seconds(10),
        stall: Duration = .seconds(10)
    ) async throws -> Result<TransportResponse, TransportError> {
        let file = try TestFile(count: size)
        let server = try HostileServer(receiveBuffer: 65_536, [behavior])
        defer { server.stop() }
        return try await withTransport(stall: stall, response: response) { transport in
            try await transport.put(file, to: server.url("/f"))
        }
    }

    @Test(arguments: [0, 70_000])
    func `N3 a reset in the body is an error that knows how much was sent`(bytes: Int) async throws {
        let error = try await Self.outcome(.reset(afterBodyBytes: bytes), size: 16 << 20).error
        #expect(error?.reason == .broken)
        #expect(error?.failure.category == .network)
        #expect((error?.bodySent ?? .max) < 16 << 20)
    }

    @Test(arguments: [0, 70_000])
    func `an end in the body is an error that knows how much was sent`(bytes: Int) async throws {
        let error = try await Self.outcome(.close(afterBodyBytes: bytes), size: 16 << 20).error
        #expect(error?.reason == .broken)
        #expect((error?.bodySent ?? .max) < 16 << 20)
    }

    @Test func `N3 a whole body without a response is an error that says it was whole`() async throws {
        let error = try await Self.outcome(.closeWithoutAnswer).error
        #expect(error?.reason == .broken)
        #expect(error?.bodySent == 100_000)
    }

    @Test(arguments: [401, 403, 413, 415, 422, 503])
    func `P1 an early refusal is the response, though the connection is kept`(status: Int) async throws {
        let began = ContinuousClock.now
        let answer = try await Self.outcome(
            .answerEarly(status, afterBodyBytes: 1000, keepAlive: true), size: 16 << 20)
        #expect(answer.status == status)
        #expect(ContinuousClock.now - began < .seconds(25))
    }

    @Test(arguments: [401, 403, 413, 415, 422])
    func `P1 an early refusal is the response, though the connection is closed`(status: Int) async throws {
        let answer = try await Self.outcome(
            .answerEarly(status, headers: [("Content-Type", "text/plain")], body: "too large"), size: 16 << 20
        )
        #expect(try answer.get().status == status)
        #expect(try answer.get().body == Array("too large".utf8))
        #expect(try answer.get().bodySent < 16 << 20)
    }

    @Test func `P1 an early refusal is the response, though the server stops reading`() async throws {
        let answer = try await Self.outcome(
            HostileBehavior { connection in
                try connection.readHead()
                try connection.answer(413, body: "no")
                connection.stall()
            }, size: 16 << 20)
        #expect(answer.status == 413)
    }

    @Test func `P1 an early refusal is the response, though its body comes in several writes`() async throws {
        let answer = try await Self.outcome(
            HostileBehavior { connection in
                try connection.readHead()
                try connection.write("HTTP/1.1 422 No\r\nContent-Length: 6\r\n\r\nabc")
                try connection.write("def")
                connection.drain()
            }, size: 16 << 20)
        #expect(try answer.get().body == Array("abcdef".utf8))
    }

    @Test func `P1 an early refusal is the response, though its body never ends`() async throws {
        let answer = try await Self.outcome(
            HostileBehavior { connection in
                try connection.readHead()
                try connection.write("HTTP/1.1 413 No\r\nContent-Length: 60\r\n\r\nabc")
                connection.drain()
            }, size: 16 << 20, response: .milliseconds(300))
        #expect(answer.status == 413)
    }

    @Test func `P1 a refusal followed by a reset is the response or a network failure, never a success`()
        async throws
    {
        for _ in 0..<20 {
            let answer = try await Self.outcome(.answerAndReset(413, afterBodyBytes: 5000), size: 4 << 20)
            #expect(answer.status == 413 || answer.error?.failure.category == .network)
        }
    }

    @Test func `an early success counts once the body is out`() async throws {
        let answer = try await Self.outcome(
            HostileBehavior { connection in
                try connection.readHead()
                try connection.answer(201)
                try connection.readBody()
                connection.drain()
            }, size: 4 << 20)
        #expect(try answer.get().status == 201)
        #expect(try answer.get().bodySent == 4 << 20)
    }

    @Test func `P4 an early success is none if the connection then breaks`() async throws {
        let answer = try await Self.outcome(
            HostileBehavior { connection in
                try connection.readHead()
                try connection.answer(201)
                connection.reset()
            }, size: 16 << 20)
        #expect(answer.error?.failure.category == .network)
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc Status\r\n\r\n", "SSH-2.0-OpenSSH_9\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "",
    ])
    func `P5 a malformed response is a network failure`(text: String) async throws {
        let error = try await Self.outcome(.raw(text)).error
        #expect(error?.reason == .broken)
        #expect(error?.failure.category == .network)
        #expect(error?.bodySent == 100_000)
    }

    @Test(arguments: [
        "HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\nhello",
        "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 201 Created\r\n",
        "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n", "HTTP/1.1 201 Created\r\nContent-Leng",
        "HTTP/1.1 201 Created", "HTTP/1.1 20",
    ])
    func `P4 a success that is cut anywhere is a broken connection`(text: String) async throws {
        let error = try await Self.outcome(.raw(text)).error
        #expect(error?.reason == .broken)
        #expect(error?.failure.category == .network)
        #expect(error?.bodySent == 100_000)
    }

    @Test func `P15 an unrequested second response is not taken for the next request's`() async throws {
        let server = try HostileServer([
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 201 No\r\nContent-Length: 0\r\n\r\n"),
            .answer(204),
        ])
        defer { server.stop() }
        try await withTransport { transport in
            let request = TransportRequest(method: .put, url: server.url(), body: .bytes([1]))
            #expect(await transport.outcome(of: request).status == 200)
            let next = await transport.outcome(of: request)
            #expect(
                next.status == 204 || next.error?.reason == .unsent || next.error?.reason == .staleConnection)
        }
    }

    @Test func `P5 a head without end is refused`() async throws {
        let error = try await Self.outcome(.endlessHeaders()).error
        #expect(error?.failure.category == .network)
    }

    @Test func `P5 a response of many megabytes is cut, and the rest is not waited for`() async throws {
        let answer = try await Self.outcome(.hugeBody(200, count: 1 << 34))
        #expect(try answer.get().status == 200)
        #expect(try answer.get().body.count == 1 << 20)
    }

    @Test func `P4 a success cut short is none, whatever was kept of it`() async throws {
        let answer = try await Self.outcome(.truncatedBody(200, promised: 3 << 20, sent: 2 << 20))
        #expect(answer.error?.failure.category == .network)
    }

    @Test func `P4 a refusal cut short is a refusal`() async throws {
        let answer = try await Self.outcome(.truncatedBody(409, promised: 100, sent: 10))
        #expect(answer.status == 409)
    }

    @Test func `P5 a few interim responses are passed over`() async throws {
        #expect(try await Self.outcome(.interim(103, count: 20)).status == 200)
    }

    @Test func `P5 interim responses without end are refused`() async throws {
        let error = try await Self.outcome(.interim(102, count: 100_000)).error
        #expect(error?.failure.category == .network)
        #expect(error?.failure.summary.contains("interim") == true)
    }

    @Test(arguments: ["HTTP/1.1 000 x", "HTTP/1.1 099 x", "HTTP/1.0 042 x"], [100_000, 16 << 20])
    func `P5 a status below 100 is a network failure`(line: String, size: Int) async throws {
        let answers = [HostileBehavior.raw("\(line)\r\nContent-Length: 0\r\n\r\n")]
        let early = HostileBehavior { connection in
            try connection.readHead()
            try connection.write("\(line)\r\nContent-Length: 0\r\n\r\n")
            connection.drain()
        }
        for behavior in answers + [early] {
            let error = try await Self.outcome(behavior, size: size).error
            #expect(error?.failure.category == .network)
        }
    }

    @Test func `P5 switching protocols is no success`() async throws {
        let outcome = try await Self.outcome(.raw("HTTP/1.1 101 Switching Protocols\r\n\r\n"))
        #expect(outcome.status == 101 || outcome.error != nil)
    }
}
