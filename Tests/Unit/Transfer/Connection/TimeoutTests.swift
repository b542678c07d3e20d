import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Reads the body in pieces, with real pauses.
private func slowReader(piece: Int, pause: Duration, then status: Int) -> HostileBehavior {
    HostileBehavior { connection in
        try connection.readHead()
        while try connection.readBody(piece) == piece { Gate().block(upTo: pause) }
        try connection.answer(status)
    }
}

struct TimeoutTests {
    private static func outcome(
        _ behavior: HostileBehavior, size: Int, stall: Duration = .seconds(20),
        response: Duration = .seconds(20)
    ) async throws -> (result: Result<TransportResponse, TransportError>, time: Duration) {
        let file = try TestFile(count: size)
        let server = try HostileServer(receiveBuffer: 65_536, [behavior])
        defer { server.stop() }
        let began = ContinuousClock.now
        let result = try await withTransport(stall: stall, response: response) { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: server.url(), body: try file.body()))
        }
        return (result, ContinuousClock.now - began)
    }

    @Test func `a server that stops reading is given up after the stall time`() async throws {
        let (result, time) = try await Self.outcome(
            .stall(afterBodyBytes: 100_000), size: 32 << 20, stall: .milliseconds(300))
        #expect(result.error?.reason == .broken)
        #expect(result.error?.failure.summary.contains("no byte got through") == true)
        #expect(time > .milliseconds(290))
    }

    @Test func `a stall is noticed when the kernel holds the whole rest`() async throws {
        let (result, _) = try await Self.outcome(
            .stall(afterBodyBytes: 0), size: 600_000, stall: .milliseconds(300))
        #expect(result.error?.failure.summary.contains("no byte got through") == true)
    }

    @Test func `N6 a slow reader that keeps reading is never cut`() async throws {
        let (result, time) = try await Self.outcome(
            slowReader(piece: 1 << 20, pause: .milliseconds(100), then: 201), size: 12 << 20,
            stall: .milliseconds(500))
        #expect(result.status == 201)
        #expect(time > .milliseconds(800))
    }

    @Test func `N6 the time for the response begins when the server has everything`() async throws {
        let (result, time) = try await Self.outcome(
            slowReader(piece: 100_000, pause: .milliseconds(100), then: 201), size: 1_000_000,
            stall: .seconds(5), response: .milliseconds(400))
        #expect(result.status == 201)
        #expect(time > .milliseconds(800))
    }

    @Test func `a response that does not come is given up after its time`() async throws {
        let (result, time) = try await Self.outcome(.neverAnswer, size: 1000, response: .milliseconds(300))
        #expect(result.error?.failure.summary.contains("did not answer in time") == true)
        #expect(result.error?.bodySent == 1000)
        #expect(time > .milliseconds(290))
    }

    @Test func `N6 a response that stops in its middle is given up after its time`() async throws {
        let (result, _) = try await Self.outcome(
            HostileBehavior { connection in
                try connection.readRequest()
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                connection.stall()
            }, size: 1000, response: .milliseconds(300))
        #expect(result.error?.failure.summary.contains("did not answer in time") == true)
    }

    @Test func `a limit on the rate is no stall`() async throws {
        let file = try TestFile(count: 30_000)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let result = try await withTransport(stall: .milliseconds(100), response: .milliseconds(100)) {
            transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .put, url: server.url(), body: try file.body(rateLimiter: SlowLimiter())))
        }
        #expect(result.status == 201)
    }

    @Test func `N2 a refused connection says so`() async throws {
        let server = try HostileServer([])
        server.stop()
        let error = try await withTransport { transport in
            await transport.outcome(of: TransportRequest(method: .put, url: server.url())).error
        }
        #expect(error?.reason == .notConnected)
        #expect(error?.failure.summary == "no connection to 127.0.0.1: refused")
        #expect(error?.failure.detail == .refused)
    }

    @Test func `N1 a name that does not exist says so`() async throws {
        let error = try await withTransport { transport in
            await transport.outcome(of: TransportRequest(method: .put, url: "http://no-such-host.invalid/"))
                .error
        }
        #expect(error?.reason == .notConnected)
        #expect(error?.failure.category == .network)
        #expect(error?.failure.summary == "the name no-such-host.invalid was not found")
        #expect(error?.failure.detail == .nameNotFound)
    }

    @Test(arguments: ["", "nonsense", "ftp://127.0.0.1/", "http://", "http:///x", "//127.0.0.1/"])
    func `an address that cannot be used is a permanent failure`(url: String) async throws {
        let error = try await withTransport { transport in
            await transport.outcome(of: TransportRequest(method: .put, url: url)).error
        }
        #expect(error?.failure.category == .permanent)
    }

    @Test func `a connection that closes during the TLS handshake is a failure of the network`() async throws
    {
        let server = try HostileServer { _ in }
        defer { server.stop() }
        let error = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: "https://127.0.0.1:\(server.port)/")
            ).error
        }
        // As the client's bytes were not read, the system may send a reset instead of a close.
        #expect([.notConnected, .unsent].contains(error?.reason))
        #expect(error?.failure.category == .network)
    }

    @Test func `a server that does not speak TLS is given up in time`() async throws {
        let server = try HostileServer { $0.stall() }
        defer { server.stop() }
        let began = ContinuousClock.now
        let error = try await withTransport(
            connect: .milliseconds(500), stall: .seconds(60), response: .seconds(60)
        ) { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: "https://127.0.0.1:\(server.port)/")
            ).error
        }
        #expect(error?.reason == .notConnected)
        #expect(ContinuousClock.now - began < .seconds(30))
    }
}

/// A limiter that delays each chunk once.
private final class SlowLimiter: RateLimiter {
    let chunkLimit: ByteCount? = 10_000
    private let hasAsked = Mutex(false)

    func delay(beforeSending bytes: ByteCount) -> Duration {
        hasAsked.withLock { hasAsked in
            hasAsked.toggle()
            return hasAsked ? .milliseconds(300) : .zero
        }
    }
}
