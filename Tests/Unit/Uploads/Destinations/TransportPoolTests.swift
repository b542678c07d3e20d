import FerryProtocols
import FerryTransfer
import Testing

@testable import FerryUploads

/// Tests transports that several uploads share, and that are closed when they are no longer needed.
struct TransportPoolTests {
    private let pool = TransportPool(monitors: [])
    private let usual = HTTPClientTransport.Configuration(proxy: .none)
    private let other = HTTPClientTransport.Configuration(
        tls: TLSSettings(insecureHosts: ["h.example"]), proxy: .none)

    @Test func `the same configuration gets the same transport until others are kept`() async throws {
        let first = try await pool.with(usual) { $0 }
        #expect(try await pool.with(usual) { $0 } === first)
        pool.keep([usual, other])
        #expect(try await pool.with(usual) { $0 } === first)
        pool.keep([other])
        #expect(pool.all.isEmpty)
        await pool.shutdown()
    }

    @Test func `each other configuration has connections of its own`() async throws {
        let others = [
            other,
            HTTPClientTransport.Configuration(
                tls: TLSSettings(certificate: "/a/certificate", key: "/a/key"), proxy: .none),
            HTTPClientTransport.Configuration(
                proxy: .server(ProxyAddress(host: "proxy.example", port: 3128))),
            HTTPClientTransport.Configuration(
                proxy: .server(ProxyAddress(host: "proxy.example", port: 3128, user: "anna"))),
        ]
        #expect(Set(others + [usual]).count == 5)
        let first = try await pool.with(usual) { $0 }
        #expect(try await pool.with(other) { $0 } !== first)
        await pool.shutdown()
    }

    @Test func `an unwanted transport is given up by the last who uses it`() async throws {
        try await pool.with(usual) { [pool, usual, other] transport throws(UploadFailure) in
            try await pool.with(usual) { _ in pool.keep([other]) }
            #expect(pool.all.map(ObjectIdentifier.init) == [ObjectIdentifier(transport)])
        }
        #expect(pool.all.isEmpty)
    }

    @Test func `one that was not wanted any more when it was asked for serves that once`() async throws {
        pool.keep([other])
        _ = try await pool.with(usual) { [pool] _ in #expect(pool.all.count == 1) }
        #expect(pool.all.isEmpty)
    }
}
