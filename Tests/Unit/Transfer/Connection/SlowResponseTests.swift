import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests responses that arrive byte by byte, with real pauses.
struct SlowResponseTests {
    private static let limit = Duration.milliseconds(600)

    private static func trickle(
        _ text: String, _ connection: HostileConnection, every pause: Duration = .milliseconds(50)
    ) throws {
        for byte in text.utf8 {
            try connection.write([byte])
            Gate().block(upTo: pause)
        }
    }

    private static func outcome(
        response: Duration = limit, body: TransportRequest.Body = .bytes([1, 2, 3]),
        _ script: @escaping @Sendable (HostileConnection) throws -> Void
    ) async throws -> (result: Result<TransportResponse, TransportError>, time: Duration) {
        let server = try HostileServer(receiveBuffer: 65_536, script)
        defer { server.stop() }
        let began = ContinuousClock.now
        let result = try await withTransport(response: response) { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: server.url(), body: body))
        }
        return (result, ContinuousClock.now - began)
    }

    @Test func `N6 a response with a body that comes byte by byte is waited for while bytes come`()
        async throws
    {
        let silence = Duration.seconds(2)
        let (result, time) = try await Self.outcome(response: silence) { connection in
            try connection.readRequest()
            try connection.write("HTTP/1.1 201 Created\r\nContent-Length: 40\r\n\r\n")
            try Self.trickle(String(repeating: "x", count: 40), connection, every: .milliseconds(60))
        }
        #expect(result.status == 201)
        #expect(time > silence)
    }

    @Test func `a response with a body that drips without end is given up`() async throws {
        let (result, time) = try await Self.outcome { connection in
            try connection.readRequest()
            try connection.write("HTTP/1.1 201 Created\r\nContent-Length: 100000\r\n\r\n")
            try Self.trickle(String(repeating: "x", count: 100_000), connection)
        }
        #expect(result.error?.failure.category == .timedOut)
        #expect(time > Self.limit * 2)
        #expect(time < .seconds(60))
    }

    // Django 5.2's development server behaves like this.
    @Test func `a refusal that does not end is taken with the reason that came`() async throws {
        let (result, time) = try await Self.outcome(response: .seconds(120)) { connection in
            try connection.readRequest()
            try connection.write("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nno such album")
            connection.stall()
        }
        #expect(result.status == 400)
        #expect(try result.get().body == Array("no such album".utf8))
        #expect(time < .seconds(60))
    }

    @Test func `an early refusal that does not end is taken while the body is under way`() async throws {
        let file = try TestFile(count: 32 << 20)
        let (result, time) = try await Self.outcome(response: .seconds(120), body: try file.body()) {
            connection in
            try connection.readHead()
            try connection.readBody(1000)
            try connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 100\r\n\r\nat most")
            connection.stall()
        }
        #expect(result.status == 413)
        #expect(try result.get().body == Array("at most".utf8))
        #expect(time < .seconds(60))
    }

    @Test func `N6 a response with a head that comes byte by byte is given up after the time for it`()
        async throws
    {
        let (result, time) = try await Self.outcome { connection in
            try connection.readRequest()
            try Self.trickle(
                "HTTP/1.1 201 Created\r\n" + String(repeating: "X-Slow: 1\r\n", count: 100), connection)
        }
        #expect(result.error?.reason == .broken)
        #expect(result.error?.failure.category == .timedOut)
        #expect(result.error?.failure.summary.contains("did not answer in time") == true)
        #expect(time > Self.limit)
        #expect(time < Self.limit * 20)
    }

    private static func interim(_ count: Int, every pause: Duration, _ connection: HostileConnection) throws {
        try connection.readRequest()
        for _ in 0..<count {
            Gate().block(upTo: pause)
            try connection.answer(102)
        }
        try connection.answer(201)
    }

    @Test func `N6 interim responses restart the time for a head`() async throws {
        let silence = Duration.seconds(2)
        let (result, time) = try await Self.outcome(response: silence) {
            try Self.interim(6, every: .milliseconds(400), $0)
        }
        #expect(result.status == 201)
        #expect(time > silence)
    }

    @Test func `N6 interim responses do not put off a head for ever`() async throws {
        let (result, _) = try await Self.outcome(response: .milliseconds(400)) {
            try Self.interim(32, every: .milliseconds(200), $0)
        }
        #expect(result.error?.failure.category == .timedOut)
    }
}
