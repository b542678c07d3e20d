import Foundation
import NIOHTTP1
import Testing

@testable import FerryReceiver

/// Tests requests whose end is ambiguous, so that two servers could read them differently (request smuggling).
@Suite(.timeLimit(.minutes(10)))
struct FramingTests {
    private static func issue(
        _ target: String = "/a", _ version: HTTPVersion = .http1_1, _ fields: (String, String)...
    ) -> FramingError? {
        FramingError(
            HTTPRequestHead(version: version, method: .PUT, uri: target, headers: HTTPHeaders(fields)))
    }

    @Test func `a usual request has no issue`() {
        #expect(Self.issue("/a", .http1_1, ("Host", "h:1"), ("Content-Length", "5")) == nil)
        #expect(Self.issue("/a", .http1_1, ("Host", "h:1"), ("Transfer-Encoding", "Chunked")) == nil)
        #expect(Self.issue("*", .http1_1, ("Host", "h")) == nil)
        #expect(Self.issue("/a", .http1_0, ("Content-Length", "5")) == nil)
    }

    @Test func `two hosts are one too many, also if they are the same`() {
        #expect(Self.issue("/a", .http1_1, ("Host", "h"), ("host", "h")) == .severalHosts)
    }

    @Test(arguments: [
        ("http://h:1/a", "H:1", nil as FramingError?), ("HTTP://h:1", "h:1", nil),
        ("http://other/a", "h:1", .otherAuthority), ("http://h:1@other/a", "h:1", .otherAuthority),
        ("http://h/a", "h:1", .otherAuthority), ("ftp://h:1/a", "h:1", .target), ("a.txt", "h:1", .target),
        ("h:1", "h:1", .target),
    ])
    func `a target that is an address names the same host`(target: String, host: String, issue: FramingError?)
    {
        #expect(Self.issue(target, .http1_1, ("Host", host)) == issue)
    }

    @Test(arguments: [
        "9223372036854775808", "18446744073709551615", "-1", "+1", "0x10", "1 2",
    ])
    func `a length that no file can have is an issue`(length: String) {
        #expect(Self.issue("/a", .http1_1, ("Host", "h"), ("Content-Length", length)) == .length)
    }

    @Test func `two lengths are an issue`() {
        #expect(
            Self.issue("/a", .http1_1, ("Host", "h"), ("Content-Length", "1"), ("Content-Length", "2"))
                == .length)
    }

    @Test(arguments: ["gzip, chunked", "chunked, chunked", "identity", "xchunked"])
    func `any coding but chunked is an issue`(coding: String) {
        #expect(Self.issue("/a", .http1_1, ("Host", "h"), ("Transfer-Encoding", coding)) == .coding)
    }

    @Test func `HTTP 1.0 has no codings`() {
        #expect(
            Self.issue("/a", .http1_0, ("Host", "h"), ("Transfer-Encoding", "chunked")) == .codingInOldVersion
        )
    }

    private static let chunks = "1\r\nx\r\n0\r\n\r\n"

    @Test(arguments: [
        ("PUT /a HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\nx", [400]),
        ("PUT http://evil.example/a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\nx", [400]),
        ("PUT /a HTTP/1.0\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, [400]),
        (
            "PUT /a HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n" + chunks,
            [400, 501]
        ),
        ("PUT /a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9223372036854775808\r\n\r\nx", [400]),
    ])
    func `such a request stores nothing`(request: String, statuses: [Int]) async throws {
        try await withReceiver { site async throws in
            let client = try LoopbackClient(port: site.port)
            try await client.send(request)
            let status = try await client.receive().status
            #expect(statuses.contains(status), "\(status)")
            #expect(try site.names() == [])
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `a client cannot mark a request itself`() async throws {
        try await withReceiver { site async throws in
            let fields = ["Ferry-Framing-Flaw": "coding"]
            #expect(try await site.request("PUT", "/a", fields, "x").status == 201)
        }
    }

    @Test func `a target that is an address is read as its path`() async throws {
        try await withReceiver { site async throws in
            let fields = ["Host": "127.0.0.1:80"]
            #expect(try await site.request("PUT", "http://127.0.0.1:80/a/b", fields, "x").status == 201)
            #expect(site.content("a/b") == "x")
        }
    }
}

struct BodyRateTests {
    /// Returns for each piece whether the rate allows it. The least rate is 100 bytes per second, measured over a
    /// minute; `seconds` is the wait before the piece.
    private static func allowed(_ pieces: [(bytes: Int, seconds: Int)]) -> [Bool] {
        var rate = BodyRate(leastPerSecond: 100, over: .seconds(60))
        return pieces.map { rate.allows($0.bytes, after: .seconds($0.seconds)) }
    }

    @Test func `a body that keeps to the rate is allowed`() {
        #expect(!Self.allowed(Array(repeating: (100, 1), count: 600)).contains(false))
    }

    @Test func `a byte each quarter of a minute is too slow after a minute`() {
        #expect(Self.allowed(Array(repeating: (1, 15), count: 4)) == [true, true, true, false])
    }

    @Test func `a pause is made up for by what comes after it`() {
        #expect(Self.allowed([(1, 59), (10_000, 2)]) == [true, true])
    }

    @Test func `each window counts by itself`() {
        #expect(Self.allowed([(1 << 20, 60), (5999, 60)]) == [true, false])
    }
}
