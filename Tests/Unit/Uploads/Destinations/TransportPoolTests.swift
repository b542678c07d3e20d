import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Testing

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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

    @Test(.timeLimit(.minutes(10)))
    func `a TLS file that hangs is given up in time, and delays no other destination`() async throws {
        let directory = try TemporaryDirectory()
        let pipe = directory.path("authorities.pem")
        try #require(mkfifo(pipe, 0o600) == 0)
        // A writer that writes nothing.
        let writer = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(writer >= 0)
        defer { close(writer) }
        let clock = ManualClock()
        let pool = TransportPool(
            monitors: [], readers: BlockingIOPool(timeout: .seconds(30), clock: clock))
        let hanging = HTTPClientTransport.Configuration(tls: TLSSettings(caFile: pipe), proxy: .none)
        let late = Task {
            await #expect(throws: UploadFailure.self) { try await pool.with(hanging) { _ in } }
        }
        try await clock.waitForSleepers()
        _ = try await pool.with(usual) { $0 }
        let failure = try await clock.value(of: late, steps: .seconds(7.5))
        #expect(failure?.category == .sourceAway)
        #expect(failure?.summary.contains(pipe) == true)
        await pool.shutdown()
    }
}
