import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests responses without a request, and requests that do not wait for a response.
struct ResponseOrderTests {
    private static let unasked = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"

    @Test func `P15 an unrequested response closes the connection it came on`() async throws {
        let closed = Gate()
        let server = try HostileServer([
            HostileBehavior { connection in
                try connection.readRequest()
                try connection.answer(200)
                try connection.write(Self.unasked)
                connection.drain()
                closed.open()
            }, .answer(204),
        ])
        defer { server.stop() }
        try await withTransport { transport in
            // The sender retries a request if the pool did not know that the connection was closed.
            let sender = RequestSender(over: transport)
            let request = TransportRequest(method: .put, url: server.url(), body: .bytes([1]))
            #expect(try await sender.perform(request, label: "1").status == 200)
            try await closed.wait()
            #expect(try await sender.perform(request, label: "2").status == 204)
        }
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    /// The server sends the second response before it has received the second request.
    @Test func `P15 a repeated response is never taken for the next request's`() async throws {
        let server = try HostileServer([
            HostileBehavior { connection in
                try connection.readRequest()
                try connection.write(Self.unasked + Self.unasked)
                _ = try connection.waitForRequest()
            }, .answer(204),
        ])
        defer { server.stop() }
        try await withTransport { transport in
            let sender = RequestSender(over: transport)
            let request = TransportRequest(method: .put, url: server.url(), body: .bytes([1]))
            for status in [201, 204] {
                let answer = try await sender.perform(request, label: "1")
                #expect(answer.status == status)
            }
        }
    }

    @Test func `P15 each server has connections of its own`() async throws {
        let (one, other) = (try HostileServer(Self.counting), try HostileServer(Self.counting))
        defer {
            one.stop()
            other.stop()
        }
        try await withTransport { transport in
            for number in 1...3 {
                for server in [one, other] {
                    let url = server.url("/\(server.port)/\(number)")
                    let answer = await transport.outcome(
                        of: TransportRequest(method: .put, url: url, body: .bytes([1])))
                    #expect(answer.status == 200)
                }
            }
        }
        for server in [one, other] {
            #expect(server.requests.map(\.target) == (1...3).map { "/\(server.port)/\($0)" })
            #expect(server.connectionCount == 1)
        }
    }

    private static func counting(_ connection: HostileConnection) throws {
        while try connection.waitForRequest() {
            try connection.readRequest()
            try connection.answer(200)
        }
    }

    @Test func `P14 no body waits for a 100, and none is asked for`() async throws {
        let file = try TestFile(count: 300_000)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let answer = try await withTransport { try await $0.put(file, to: server.url("/f")) }
        #expect(answer.status == 201)
        let request = try #require(server.requests.first)
        #expect(request["Expect"] == nil)
        #expect(request.isComplete)
    }

    @Test(arguments: [1, 2])
    func `P14 a 100 that comes all the same is passed over`(count: Int) async throws {
        let file = try TestFile(count: 300_000)
        let server = try HostileServer([.interim(100, count: count, then: 201)])
        defer { server.stop() }
        let answer = try await withTransport { try await $0.put(file, to: server.url("/f")) }
        #expect(answer.status == 201)
        #expect(server.requests.first?.isComplete == true)
    }

    @Test func `P14 a configuration's own Expect delays nothing, and 417 is the response`() async throws {
        let file = try TestFile(count: 4 << 20)
        let server = try HostileServer([.answer(201), .answerEarly(417)])
        defer { server.stop() }
        try await withTransport { transport in
            for status in [201, 417] {
                let request = TransportRequest(
                    method: .put, url: server.url("/f"), fields: [.expect: "100-continue"],
                    body: try file.body())
                #expect(await transport.outcome(of: request).status == status)
            }
        }
        #expect(server.requests.map { $0["Expect"] } == ["100-continue", "100-continue"])
        #expect(server.requests.first?.isComplete == true)
    }
}
