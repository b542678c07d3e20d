import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests the limits of a response's size, and of what is sent to a server after its refusal.
struct ResponseLimitTests {
    private static func outcome(
        of behavior: HostileBehavior, body: TransportRequest.Body = .bytes([1, 2, 3]),
        fields: HTTPFields = [:],
        receiveBuffer: Int32? = nil, response: Duration = .seconds(10)
    ) async throws -> (result: Result<TransportResponse, TransportError>, requests: [RecordedRequest]) {
        let server = try HostileServer(receiveBuffer: receiveBuffer, [behavior])
        defer { server.stop() }
        let result = try await withTransport(response: response) { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: server.url("/f"), fields: fields, body: body))
        }
        return (result, server.requests)
    }

    /// Checks that after a refusal only the content of the kernel's buffers and one chunk are sent.
    @Test(arguments: [401, 403, 413, 415, 422])
    func `P1 after a refusal no more is sent than was in flight`(status: Int) async throws {
        let file = try TestFile(count: 64 << 20)
        let (result, _) = try await Self.outcome(
            of: HostileBehavior { connection in
                try connection.readHead()
                try connection.readBody(1 << 20)
                try connection.answer(status, body: "no")
                connection.stall()
            }, body: try file.body(), receiveBuffer: 65_536)
        #expect(result.status == status)
        #expect(try result.get().bodySent < 12 << 20)
        #expect(try result.get().isBodyComplete)
    }

    @Test(arguments: [302, 403, 500])
    func `P4 a refusal is incomplete if the connection breaks in the middle of its body`(
        status: Int
    ) async throws {
        let (result, _) = try await Self.outcome(of: .truncatedBody(status, promised: 100, sent: 10))
        #expect(result.status == status)
        #expect(try result.get().body.count == 10)
        #expect(try !result.get().isBodyComplete)
        let (whole, _) = try await Self.outcome(of: .answer(status, body: "no", keepAlive: false))
        #expect(try whole.get().isBodyComplete)
    }

    @Test(arguments: [(1, 64, true), (1, 96, false), (20, 64, true), (40, 64, false)])
    func `P5 a field of 64 KiB is read, and what is too much for a field or a head is refused`(
        fields: Int, kibibytes: Int, isRead: Bool
    ) async throws {
        let line = "X-Field: " + String(repeating: "x", count: kibibytes << 10) + "\r\n"
        let head = "HTTP/1.1 201 Created\r\n" + String(repeating: line, count: fields)
        let (result, _) = try await Self.outcome(of: .raw(head + "Content-Length: 0\r\n\r\n"))
        #expect((result.status == 201) == isRead)
        #expect((result.error?.failure.category == .network) == !isRead)
    }

    @Test(arguments: [(255, true), (256, false), (10_000, false)])
    func `P5 a head of 256 fields is read, one with more is refused`(others: Int, isRead: Bool) async throws {
        let fields = (0..<others).map { "a\($0):\r\n" }.joined()
        let (result, _) = try await Self.outcome(
            of: .raw("HTTP/1.1 201 Created\r\n" + fields + "Content-Length: 0\r\n\r\n"))
        #expect((result.status == 201) == isRead)
        #expect((result.error?.failure.category == .network) == !isRead)
    }

    @Test(arguments: [(32, true), (33, false)])
    func `P5 32 interim responses are passed over, one more is refused`(count: Int, isRead: Bool) async throws
    {
        let (result, _) = try await Self.outcome(
            of: HostileBehavior { connection in
                try connection.readRequest()
                for _ in 0..<count { try connection.answer(102) }
                try connection.answer(201)
            })
        #expect((result.status == 201) == isRead)
        #expect((result.error?.failure.category == .network) == !isRead)
    }

    @Test func `P5 interim responses are counted anew while the body moves`() async throws {
        let (parts, part) = (100, 64 << 10)
        let file = try TestFile(count: parts * part)
        let (result, _) = try await Self.outcome(
            of: HostileBehavior { connection in
                try connection.readHead()
                for _ in 0..<parts {
                    try connection.readBody(part)
                    try connection.answer(104)
                }
                try connection.answer(201)
            }, body: try file.body(), receiveBuffer: 65_536)
        #expect(result.status == 201)
    }

    @Test func `P5 interim responses are refused if the body stands still before its end`() async throws {
        let file = try TestFile(count: 16 << 20)
        let (result, _) = try await Self.outcome(
            of: HostileBehavior { connection in
                try connection.readHead()
                try connection.readBody(1 << 20)
                for _ in 0..<100_000 { try connection.answer(102) }
                connection.stall()
            }, body: try file.body(), receiveBuffer: 65_536)
        #expect(result.error?.failure.category == .network)
        #expect(result.error?.failure.summary.contains("interim") == true)
    }

    @Test func `P5 one mebibyte of a refusal of ten gigabytes is kept, and the connection is closed`()
        async throws
    {
        let written = Counter()
        let (result, requests) = try await Self.outcome(
            of: HostileBehavior { connection in
                try connection.readRequest()
                try connection.answer(500, headers: [("Content-Length", "\(10 << 30)")])
                let block = [UInt8](repeating: 0x78, count: 65_536)
                for _ in 0..<(10 << 30) / block.count {
                    try connection.write(block)
                    written.add()
                }
            })
        #expect(try result.get().status == 500)
        #expect(try result.get().body.count == 1 << 20)
        #expect(try result.get().isBodyComplete == false)
        #expect(written.value * 65_536 < 40 << 20)
        #expect(requests.count == 1)
    }

    /// 1 MiB of the body is kept, and 15 MiB more are read.
    @Test(arguments: [(16 << 20, 1), (18 << 20, 2)])
    func `a refusal of 16 MiB is read to its end, and beyond that the connection is closed`(
        size: Int, connections: Int
    ) async throws {
        let refusal = HostileBehavior { connection in
            try connection.readRequest()
            try connection.answer(500, headers: [("Content-Length", "\(size)")])
            let chunk = [UInt8](repeating: 0x78, count: 1 << 20)
            for start in stride(from: 0, to: size, by: chunk.count) {
                try connection.write(Array(chunk.prefix(size - start)))
            }
        }
        let server = try HostileServer([refusal, .answer(200)])
        defer { server.stop() }
        try await withTransport(response: .seconds(60)) { transport in
            for status in [500, 200] {
                let request = TransportRequest(method: .put, url: server.url("/f"), body: .bytes([1]))
                #expect(await transport.outcome(of: request).status == status)
            }
        }
        #expect(server.connectionCount == connections)
    }

    @Test(arguments: [nil, "gzip, br", "identity;q=0, *"] as [String?])
    func `P18 every request asks for what is not packed`(asked: String?) async throws {
        var fields: HTTPFields = [:]
        fields[.acceptEncoding] = asked
        let (_, requests) = try await Self.outcome(of: .answer(200), fields: fields)
        let request = try #require(requests.first)
        #expect(
            request.headers.filter { $0.name.lowercased() == "accept-encoding" }.map(\.value) == ["identity"])
    }

    /// A gzip stream of 30 bytes that expands to 1,000 zeros.
    @Test func `P18 a compressed response that was not asked for is not unpacked, and not shown`()
        async throws
    {
        let packed: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x63, 0x60, 0x18, 5, 0xa3, 0x60, 0x14, 0x0c, 0x77, 0, 0, 0xce,
            0x7b, 0x60,
            0x9e, 0xe8, 3, 0, 0,
        ]
        let (result, _) = try await Self.outcome(
            of: HostileBehavior { connection in
                try connection.readRequest()
                try connection.answer(
                    422,
                    headers: [
                        ("Content-Type", "text/plain"), ("Content-Encoding", "gzip"),
                        ("Content-Length", "\(packed.count)"),
                    ])
                try connection.write(packed)
            })
        let answer = try result.get().protocolResponse
        #expect(answer.body == packed)
        #expect(ResponseClassifier.failure(answer).summary == "the server answered 422 (cannot be processed)")
    }

    @Test func `P18 an extension of a chunk without end is given up`() async throws {
        let (result, _) = try await Self.outcome(
            of: HostileBehavior { connection in
                try connection.readRequest()
                try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=")
                let more = String(repeating: "x", count: 4096)
                while true { try connection.write(more) }
            }, response: .milliseconds(500))
        #expect(result.error?.reason == .broken)
        #expect(result.error?.failure.isTransient == true)
    }

    @Test func `P18 extensions of chunks are passed over`() async throws {
        let chunk = "1;" + String(repeating: "e", count: 2000) + "\r\nx\r\n"
        let (result, _) = try await Self.outcome(
            of: .raw(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + String(repeating: chunk, count: 1000) + "0\r\n\r\n"))
        #expect(try result.get().body == [UInt8](repeating: 0x78, count: 1000))
    }
}
