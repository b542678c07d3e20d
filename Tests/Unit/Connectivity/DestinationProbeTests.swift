import FerryConnectivity
import FerryTestSupport
import Testing

@Suite struct DestinationProbeTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a server that listens is reachable`(host: String) async throws {
        let server = try HostileServer { $0.stall() }
        defer { server.stop() }
        #expect(try await DestinationProbe().check(host: host, port: server.port) == .reachable)
    }

    @Test(arguments: ["127.0.0.1", "[::1]", "::1"])
    func `N2 a port without a listener refuses`(host: String) async throws {
        let server = try HostileServer { $0.stall() }
        server.stop()
        #expect(try await DestinationProbe().check(host: host, port: server.port) == .refused)
    }

    @Test(arguments: ["", "name.invalid\0", "127.0.0.1\0.example.org"])
    func `N1 a name that cannot exist is not found`(host: String) async throws {
        #expect(try await DestinationProbe().check(host: host, port: 80) == .nameNotFound)
    }

    @Test func `the round trip to a server on this machine takes no time that counts`() async throws {
        let server = try HostileServer { $0.stall() }
        let roundTrip = await DestinationProbe().roundTrip(host: "127.0.0.1", port: server.port)
        server.stop()
        #expect((0..<1_000_000).contains((roundTrip ?? .zero) / .microseconds(1)))
        #expect(await DestinationProbe().roundTrip(host: "127.0.0.1", port: server.port) == nil)
    }

    @Test func `a probe without time says so`() async throws {
        // A numeric address needs no name server. This one is reserved for documentation (RFC 5737).
        let answer = try await DestinationProbe(timeout: .zero).check(host: "192.0.2.1", port: 80)
        #expect(answer == .timedOut)
    }

    @Test func `a cancelled probe throws`() async throws {
        let task = Task { try await DestinationProbe().check(host: "192.0.2.1", port: 80) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
