import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    @Test func `a file announced too large is refused before it is sent`() async throws {
        try await withReceiver {
            $0.maximumSize = 10
        } _: { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", ["Expect": "100-continue"], length: 11))
            #expect(try await client.receive().status == 413)
            #expect(await client.isClosedByPeer())
        }
    }

    @Test func `a client that continues to send still sees the refusal`() async throws {
        try await withReceiver {
            $0.maximumSize = 10
        } _: { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", length: 8 << 20))
            try await client.send([UInt8](repeating: 1, count: 8 << 20))
            let reply = try await client.receive()
            #expect(reply.status == 413)
            #expect(reply["Connection"] == "close")
        }
    }

    @Test func `a refused body is read no further than its limit, and the connection ends`() async throws {
        try await withReceiver {
            $0.maximumSize = 10
        } _: { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", length: 1 << 30))
            let block = [UInt8](repeating: 1, count: 1 << 20)
            var sent = 0
            while sent < 1024, (try? await client.send(block)) != nil { sent += 1 }
            // The receiver reads at most 64 MiB. The kernel's buffers on both sides contain some more.
            #expect(sent < 64 + 32)
        }
    }

    @Test func `a small refused body leaves the connection usable`() async throws {
        try await withReceiver {
            $0.maximumSize = 10
        } _: { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", length: 11) + "12345678901")
            #expect(try await client.receive().status == 413)
            try await client.send(Site.head("PUT", "/a", length: 1) + "1")
            #expect(try await client.receive().status == 201)
        }
    }

    @Test func `a file that grows too large while it comes is refused`() async throws {
        try await withReceiver {
            $0.maximumSize = 4
        } _: { site in
            let reply = try await site.request(
                "PUT", "/a", ["Transfer-Encoding": "chunked"], nil, raw: "5\r\nhello\r\n0\r\n\r\n")
            #expect(reply.status == 413)
            #expect(try site.names() == [])
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `an upload longer than the limit is not created`() async throws {
        try await withReceiver {
            $0.maximumSize = 4
        } _: { site async throws in
            let fields = Site.tus.merging(["Upload-Length": "5"]) { $1 }
            #expect(try await site.request("POST", "/files/", fields).status == 413)
        }
    }

    @Test func `bytes beyond the quota are refused and those of a failed upload given back`() async throws {
        try await withReceiver {
            $0.limits.quota = ReceiverMetrics.entryBytes + 10
        } _: { site async throws in
            #expect(try await site.request("PUT", "/a", [:], "12345678901").status == 507)
            let chunked = ["Transfer-Encoding": "chunked"]
            let body = "6\r\n123456\r\n6\r\n123456\r\n0\r\n\r\n"
            #expect(try await site.request("PUT", "/b", chunked, nil, raw: body).status == 507)
            #expect(try await site.request("PUT", "/c", [:], "1234567890").status == 201)
            #expect(try await site.request("PUT", "/d", [:], "1").status == 507)
        }
    }

    @Test func `bytes of an earlier run count against the quota, also beyond it`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = try await withReceiver(folder: folder) { site async throws in
            let path = try await site.create(length: 100)
            _ = try await site.patch(path, at: 0, String(repeating: "x", count: 50))
            return path
        }
        try await withReceiver(folder: folder) {
            $0.limits.quota = ReceiverMetrics.entryBytes + 10
        } _: { site async throws in
            #expect(try await site.request("PUT", "/a", [:], "1").status == 507)
            _ = try await site.request("DELETE", path, Site.tus)
            #expect(try await site.request("PUT", "/b", [:], "1234567890").status == 201)
            #expect(try await site.request("PUT", "/c", [:], "1").status == 507)
        }
    }

    @Test func `folders and empty files count against the quota`() async throws {
        try await withReceiver {
            $0.limits.quota = 5 * ReceiverMetrics.entryBytes
        } _: { site async throws in
            for path in ["/a/b/c", "/a/b/d"] {
                #expect(try await site.request("PUT", path, [:], "").status == 201)
            }
            // The quota has room for the file, but not for the folder too.
            #expect(try await site.request("PUT", "/e/f", [:], "").status == 507)
            #expect(try site.names() == ["a"])
            #expect(try await site.request("MKCOL", "/g").status == 201)
            #expect(try await site.request("MKCOL", "/h").status == 507)
            #expect(try await site.request("PUT", "/i", [:], "").status == 507)
            #expect(try site.names() == ["a", "g"])
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `an empty upload counts against the quota until it is removed`() async throws {
        try await withReceiver {
            $0.limits.quota = 2 * ReceiverMetrics.entryBytes - 1
        } _: { site async throws in
            let path = try await site.create(length: 2)
            #expect(try await site.tryToCreate(length: 2).status == 507)
            _ = try await site.request("DELETE", path, Site.tus)
            #expect(try await site.tryToCreate(length: 2).status == 201)
        }
    }

    @Test func `metadata counts against the quota until its upload is removed`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let metadata = "filename YQ==,note " + Data(repeating: 0x61, count: 3000).base64EncodedString()
        let fields = Site.tus.merging(["Upload-Length": "2", "Upload-Metadata": metadata]) { $1 }
        let limit = { (configuration: inout ReceiverConfiguration) in
            configuration.limits.quota = 2 * ReceiverMetrics.entryBytes + 2 + metadata.utf8.count
        }
        let path = try await withReceiver(folder: folder, limit) { site async throws in
            let reply = try await site.request("POST", "/files/", fields)
            let path = try #require(reply["Location"])
            #expect(try await site.request("POST", "/files/", fields).status == 507)
            return path
        }
        try await withReceiver(folder: folder, limit) { site async throws in
            #expect(try await site.request("POST", "/files/", fields).status == 507)
            _ = try await site.request("DELETE", path, Site.tus)
            #expect(try await site.request("POST", "/files/", fields).status == 201)
        }
    }

    @Test(arguments: [true, false])
    func `unfinished uploads are limited and removing one makes room`(ofOneClient: Bool) async throws {
        try await withReceiver {
            if ofOneClient { $0.limits.uploadsPerClient = 2 } else { $0.limits.uploads = 2 }
        } _: { site async throws in
            let first = try await site.create(length: 2)
            let second = try await site.create(length: 2)
            for path in [first, second] { _ = try await site.patch(path, at: 0, "x") }
            let fields = Site.tus.merging(["Upload-Length": "1"]) { $1 }
            let reply = try await site.request("POST", "/files/", fields)
            #expect(reply.status == 503)
            #expect(reply["Retry-After"] != nil)
            _ = try await site.request("DELETE", first, Site.tus)
            #expect(try await site.request("POST", "/files/", fields).status == 201)
        }
    }

    @Test func `the oldest empty upload makes room, and one with bytes stays`() async throws {
        let clock = ManualDate()
        try await withReceiver(clock: clock) {
            $0.limits.uploadsPerClient = 3
        } _: { site async throws in
            var paths: [String] = []
            for _ in 0..<3 {
                paths.append(try await site.create(length: 2))
                clock.advance(by: .seconds(1))
            }
            _ = try await site.patch(paths[0], at: 0, "x")
            paths.append(try await site.create(length: 2))
            #expect(try await site.offset(paths[0]) == 1)
            #expect(try await site.request("HEAD", paths[1], Site.tus).status == 404)
            #expect(try await site.offset(paths[2]) == 0)
            #expect(try await site.offset(paths[3]) == 0)
        }
    }

    @Test func `empty uploads of an earlier run make room, too`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let limit: @Sendable (inout ReceiverConfiguration) -> Void = { $0.limits.uploads = 5 }
        try await withReceiver(folder: folder, limit) { site async throws in
            for _ in 0..<5 { _ = try await site.create(length: 2) }
        }
        try await withReceiver(folder: folder, limit) { site async throws in
            let path = try await site.create(length: 2)
            #expect(try await site.patch(path, at: 0, "xy").status == 204)
        }
    }

    #if os(Linux)
        @Test func `a connection that ends makes room for another of its client`() async throws {
            try await withReceiver {
                $0.limits.connectionsPerClient = 1
            } _: { site async throws in
                var first: LoopbackClient? = try LoopbackClient(port: site.port)
                try await first?.send(Site.head("PUT", "/a", length: 1) + "x")
                #expect(try await first?.receive().status == 201)
                let second = try LoopbackClient(port: site.port)
                #expect(try await second.receive().status == 503)
                first = nil
                // The receiver notices the end of the connection a moment later.
                var status = 503
                while status == 503 {
                    let third = try LoopbackClient(port: site.port)
                    try? await third.send(Site.head("PUT", "/b", length: 1) + "x")
                    status = (try? await third.receive().status) ?? 503
                }
                #expect(status == 201)
            }
        }
    #endif

    @Test func `content that comes too slowly is cut off and what came is kept`() async throws {
        try await withReceiver {
            // No client is that fast.
            $0.limits.leastBytesPerSecond = .max
            $0.limits.slowTime = .zero
        } _: { site async throws in
            let path = try await site.create(length: 10)
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PATCH", path, Site.patchFields(0), length: 10))
            try await client.send("h")
            let reply = try await client.receive()
            #expect(reply.status == 408)
            #expect(reply["Connection"] == "close")
        }
    }

    @Test func `a head that does not end is cut off on a kept connection, too`() async throws {
        try await withReceiver {
            $0.limits.idleTime = .seconds(1)
            $0.limits.headerTime = .seconds(50)
        } _: { site async throws in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", length: 1) + "x")
            #expect(try await client.receive().status == 201)
            try await client.send("PUT /b HTTP/1.1\r\nHost: 127")
            #expect(await client.isClosedByPeer())
        }
    }

    @Test func `finished uploads make room for new ones`() async throws {
        let clock = ManualDate()
        try await withReceiver(clock: clock) {
            $0.limits.uploads = 2
        } _: { site async throws in
            var paths: [String] = []
            for number in 1...3 {
                paths.append(try await site.create(length: 0, name: "\(number)"))
                clock.advance(by: .seconds(1))
            }
            #expect(try site.names().count == 3)
            #expect(try await site.offset(paths[0]) == nil)
            for path in paths[1...] { #expect(try await site.offset(path) == 0) }
        }
    }

    @Test func `a connection that sends no request is closed`() async throws {
        try await withReceiver {
            $0.limits.headerTime = .milliseconds(100)
        } _: { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send("PUT /a HTTP/1.1\r\nHost: 127")
            #expect(await client.isClosedByPeer())
        }
    }

    @Test func `a connection that falls silent is closed and what came is kept`() async throws {
        try await withReceiver {
            $0.limits.idleTime = .seconds(1)
        } _: { site in
            let path = try await site.create(length: 10)
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PATCH", path, Site.patchFields(0), length: 10) + "hello")
            #expect(await site.events.interruption() == 5)
            #expect(try await site.offset(path) == 5)
        }
    }

    @Test func `a client that reads no response is disconnected`() async throws {
        try await withReceiver {
            $0.allowDownload = true
            $0.limits.idleTime = .seconds(1)
            $0.limits.connectionsPerClient = 1
        } _: { site in
            let bytes = Data(count: 64 << 20)
            try bytes.write(to: URL(fileURLWithPath: site.folder + "/large"))
            let stalled = try LoopbackClient(port: site.port)
            try await stalled.send(Site.head("HEAD", "/large"))
            #expect(try await stalled.receive(hasBody: false).status == 200)
            try await stalled.send(Site.head("GET", "/large"))
            // While the stalled connection is open, the client may have no other one.
            while (try? await site.request("HEAD", "/large").status) != 200 {}
            await #expect(throws: (any Error).self) { try await stalled.receive() }
        }
    }

    /// The receiver reads the requests of one segment before it answers the first.
    @Test func `32 requests are taken in advance, and no more`() async throws {
        try await withReceiver { site async throws in
            let request = Site.head("HEAD", "/missing")
            let few = try LoopbackClient(port: site.port)
            try await few.send(String(repeating: request, count: 32))
            for _ in 0..<32 { #expect(try await few.receive(hasBody: false).status == 404) }
            let many = try LoopbackClient(port: site.port)
            try await many.send(String(repeating: request, count: 33))
            #expect(await many.isClosedByPeer())
        }
    }

    @Test func `a request that offers another protocol gets a response, and its connection ends`()
        async throws
    {
        try await withReceiver { site async throws in
            let fields = [
                "Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABk",
            ]
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", fields, length: 1) + "x")
            let reply = try await client.receive()
            #expect(reply.status == 201)
            #expect(reply["Connection"] == "close")
            #expect(await client.isClosedByPeer())
        }
    }

    @Test(arguments: ["close", "close, TE", "TE ,Close"])
    func `a connection ends after a request that says so`(options: String) async throws {
        try await withReceiver { site async throws in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", ["Connection": options], length: 1) + "x")
            #expect(try await client.receive().status == 201)
            #expect(await client.isClosedByPeer())
        }
    }

    @Test(arguments: ["Repr-Digest", "Content-Digest"])
    func `digests may have 1 KiB`(name: String) async throws {
        try await withReceiver { site async throws in
            let field = "x=:" + String(repeating: "A", count: 1020) + ":"
            #expect(try await site.request("PUT", "/a", [name: field], "x").status == 201)
            #expect(try await site.request("PUT", "/b", [name: field + " "], "x").status == 201)
            #expect(try await site.request("PUT", "/c", [name: field + ":"], "x").status == 431)
        }
    }

    /// - Parameter count: The number of fields with `Host` and `Content-Length`.
    @Test(arguments: [(1000, true), (1001, false)])
    func `the head of a request may have 1,000 fields`(count: Int, isTaken: Bool) async throws {
        let others = (2..<count).map { "a\($0):\r\n" }.joined()
        try await withReceiver { site async throws in
            let client = try LoopbackClient(port: site.port)
            try await client.send(
                "PUT /a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\(others)\r\nx")
            #expect(try await client.receive().status == (isTaken ? 201 : 400))
        }
    }

    /// - Parameter size: The bytes of the address, and of the names and values of fields.
    @Test(arguments: [(80 << 10, true), (80 << 10 + 1, false)])
    func `the head of a request may have 80 KiB`(size: Int, isTaken: Bool) async throws {
        let rest = ["/a", "Host", "127.0.0.1", "Content-Length", "0", "X"].joined().utf8.count
        let fields = ["X": String(repeating: "x", count: size - rest)]
        try await withReceiver { site async throws in
            #expect(try await site.request("PUT", "/a", fields, "").status == (isTaken ? 201 : 400))
        }
    }

    @Test(arguments: ["-1", "99999999999999999999999", "9223372036854775808", "1, 2", "0x10"])
    func `a content length that is no number is refused`(length: String) async throws {
        try await withReceiver { site in
            let reply = try await site.request("PUT", "/a", ["Content-Length": length], nil, raw: "x")
            #expect(reply.status == 400)
            #expect(try site.names() == [])
        }
    }

    @Test func `both framings at once are refused`() async throws {
        try await withReceiver { site in
            let fields = ["Content-Length": "3", "Transfer-Encoding": "chunked"]
            let reply = try await site.request("PUT", "/a", fields, nil, raw: "1\r\nx\r\n0\r\n\r\n")
            #expect(reply.status == 400)
            #expect(try site.names() == [])
        }
    }

    @Test func `a rate holds uploads back`() async throws {
        let clock = ContinuousClock()
        try await withReceiver {
            $0.bytesPerSecond = 1 << 20
        } _: { site in
            let began = clock.now
            _ = try await site.request("PUT", "/a", [:], String(repeating: "x", count: 256 << 10))
            #expect(began.duration(to: clock.now) > .milliseconds(200))
        }
    }
}
