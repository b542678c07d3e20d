import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

struct InvalidatedConnectionTests {
    private static let twoAnswers = HostileBehavior { connection in
        for _ in 0..<2 {
            try connection.readRequest()
            try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
        }
    }

    private static func connections(because reason: ConnectionInvalidation?) async throws -> Int {
        let server = try HostileServer([twoAnswers, twoAnswers])
        defer { server.stop() }
        try await withTransport { transport in
            // The sender retries a request whose connection was just being closed.
            let sender = RequestSender(over: transport)
            for _ in 0..<2 {
                let request = TransportRequest(method: .put, url: server.url())
                let status = try await sender.perform(request).status
                #expect(status == 204)
                if let reason { transport.invalidateConnections(because: reason) }
            }
        }
        return server.connectionCount
    }

    @Test func `N5 after a sleep the next request goes out on a new connection`() async throws {
        #expect(try await Self.connections(because: nil) == 1)
        #expect(try await Self.connections(because: .slept) == 2)
    }

    @Test func `N9 a connection from an address that this machine still has is kept`() async throws {
        #expect(try await Self.connections(because: .addressLost) == 1)
    }

    @Test func `N5 a request that is under way when the machine wakes up is not broken`() async throws {
        let gate = Gate()
        let server = try HostileServer([
            HostileBehavior { connection in
                try connection.readRequest()
                gate.block(upTo: .seconds(20))
                try connection.answer(201)
            }
        ])
        defer { server.stop() }
        try await withTransport { transport in
            async let outcome = transport.outcome(of: TransportRequest(method: .put, url: server.url()))
            _ = try await server.wait { !$0.isEmpty }
            transport.invalidateConnections(because: .slept)
            gate.open()
            #expect(await outcome.status == 201)
        }
    }
}
