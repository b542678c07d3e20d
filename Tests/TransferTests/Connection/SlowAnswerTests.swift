import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Answers that come byte by byte, with pauses of real time between.
struct SlowAnswerTests {
    private static let limit = Duration.milliseconds(600)

    private static func trickle(_ text: String, _ connection: HostileConnection) throws {
        for byte in text.utf8 {
            try connection.write([byte])
            Gate().block(upTo: .milliseconds(50))
        }
    }

    private static func outcome(
        _ script: @escaping @Sendable (HostileConnection) throws -> Void
    ) async throws -> (result: Result<TransportResponse, TransportError>, time: Duration) {
        let server = try HostileServer { connection in
            try connection.readRequest()
            try script(connection)
        }
        defer { server.stop() }
        let began = ContinuousClock.now
        let result = try await withTransport(response: limit) { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: server.url(), body: .bytes([1, 2, 3])))
        }
        return (result, ContinuousClock.now - began)
    }

    @Test func `N6 an answer whose body comes byte by byte is waited for while bytes come`() async throws {
        let (result, time) = try await Self.outcome { connection in
            try connection.write("HTTP/1.1 201 Created\r\nContent-Length: 40\r\n\r\n")
            try Self.trickle(String(repeating: "x", count: 40), connection)
        }
        #expect(result.status == 201)
        // Three times as long as it may be silent.
        #expect(time > Self.limit * 3)
    }

    @Test func `N6 an answer whose head comes byte by byte is given up after the time for it`() async throws {
        let (result, time) = try await Self.outcome { connection in
            try Self.trickle(
                "HTTP/1.1 201 Created\r\n" + String(repeating: "X-Slow: 1\r\n", count: 100), connection)
        }
        #expect(result.error?.reason == .broken)
        #expect(result.error?.failure.category == .timedOut)
        #expect(result.error?.failure.summary.contains("did not answer in time") == true)
        #expect(time > Self.limit)
        #expect(time < Self.limit * 4)
    }
}
