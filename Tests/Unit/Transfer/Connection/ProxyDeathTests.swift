import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests proxies that end while they transfer a file.
struct ProxyDeathTests {
    private static func outcome(
        of url: String, by proxy: HostileServer
    ) async throws -> Result<TransportResponse, TransportError> {
        let file = try TestFile(count: 16 << 20)
        let settings = ProxySettings.server(ProxyAddress(host: "127.0.0.1", port: Int(proxy.port)))
        return try await withTransport(proxy: settings) { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: url, body: try file.body()))
        }
    }

    @Test(arguments: [
        HostileBehavior.reset(afterBodyBytes: 1 << 20), .close(afterBodyBytes: 1 << 20),
    ])
    func `N13 a proxy that dies in the middle of a body is a network failure, to be retried`(
        death: HostileBehavior
    ) async throws {
        let proxy = try HostileServer([death])
        defer { proxy.stop() }
        let error = try #require(try await Self.outcome(of: "http://files.example/f", by: proxy).error)
        #expect(error.reason == .broken)
        #expect(error.failure.category == .network)
        #expect(error.bodySent < 16 << 20)
    }

    @Test func `N13 a proxy that dies before it opens a tunnel is named`() async throws {
        let proxy = try HostileServer { connection in
            try connection.readHead()
            connection.reset()
        }
        defer { proxy.stop() }
        let error = try #require(try await Self.outcome(of: "https://files.example/f", by: proxy).error)
        #expect(error.failure.category == .network)
        #expect(error.bodySent == 0)
        #expect(
            error.failure.summary.contains("http://127.0.0.1:\(proxy.port)"), "\(error.failure.summary)")
    }
}
