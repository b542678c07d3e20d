import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct SingleRequestUploadTests {
    @Test func `a file that is put is stored under its name`() async throws {
        try await withReceiver { site in
            let reply = try await site.request("PUT", "/f%C3%BCnf%20a.txt", [:], "hello")
            #expect(reply.status == 201)
            #expect(reply["Location"] == "/f%C3%BCnf%20a.txt")
            #expect(site.content("fünf a.txt") == "hello")
        }
    }

    @Test func `a path makes folders below the directory`() async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("PUT", "/a/b/c.txt", [:], "deep").status == 201)
            #expect(site.content("a/b/c.txt") == "deep")
        }
    }

    @Test func `an empty file is stored`() async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("PUT", "/empty", [:], "").status == 201)
            #expect(site.content("empty") == "")
        }
    }

    @Test func `chunked content is stored`() async throws {
        try await withReceiver { site in
            let reply = try await site.request(
                "PUT", "/c", ["Transfer-Encoding": "chunked"], nil, raw: "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
            #expect(reply.status == 201)
            #expect(site.content("c") == "abcde")
        }
    }

    @Test func `a name that is taken gets a number before its extension`() async throws {
        try await withReceiver { site in
            _ = try await site.request("PUT", "/a.txt", [:], "one")
            let reply = try await site.request("PUT", "/a.txt", [:], "two")
            #expect(reply["Location"] == "/a%20%282%29.txt")
            #expect(site.content("a.txt") == "one")
            #expect(site.content("a (2).txt") == "two")
        }
    }

    @Test func `a name that is taken is replaced when that is asked for`() async throws {
        try await withReceiver {
            $0.overwrite = true
        } _: { site in
            _ = try await site.request("PUT", "/a.txt", [:], "one")
            _ = try await site.request("PUT", "/a.txt", [:], "two")
            #expect(try site.names() == ["a.txt"])
            #expect(site.content("a.txt") == "two")
        }
    }

    @Test func `a client may insist on a name that is free`() async throws {
        try await withReceiver { site in
            _ = try await site.request("PUT", "/a", [:], "one")
            #expect(try await site.request("PUT", "/a", ["If-None-Match": "*"], "two").status == 412)
            #expect(try site.names() == ["a"])
        }
    }

    @Test(arguments: ["Content-Length: 10", "Transfer-Encoding: chunked"])
    func `a file that breaks off is not stored`(framing: String) async throws {
        try await withReceiver { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send("PUT /a HTTP/1.1\r\nHost: 127.0.0.1\r\n\(framing)\r\n\r\n4\r\nab")
            client.finishSending()
            #expect(await site.events.interruption() == 0)
            #expect(try site.names() == [])
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `content waits for the server to agree`() async throws {
        try await withReceiver { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", ["Expect": "100-continue"], length: 2))
            #expect(try await client.receive().status == 100)
            try await client.send("hi")
            #expect(try await client.receive().status == 201)
            #expect(site.content("a") == "hi")
        }
    }

    @Test func `one connection carries many uploads`() async throws {
        try await withReceiver { site in
            let client = try LoopbackClient(port: site.port)
            for name in ["a", "b", "c"] {
                try await client.send(Site.head("PUT", "/\(name)", length: 1) + name)
                #expect(try await client.receive().status == 201)
            }
            #expect(try site.names() == ["a", "b", "c"])
        }
    }

    @Test(arguments: ["x.txt", "day3/data/x.txt"])
    func `a posted file is named by its Content-Disposition`(name: String) async throws {
        try await withReceiver { site async throws in
            let fields = ["Content-Disposition": "attachment; filename=\"\(name)\""]
            #expect(try await site.request("POST", "/", fields, "x").status == 201)
            #expect(site.content(name) == "x")
        }
    }

    @Test(arguments: ["../x", "/x", ".x", "a/.b/x"])
    func `a posted file does not leave the folder by its Content-Disposition`(name: String) async throws {
        try await withReceiver { site async throws in
            let fields = ["Content-Disposition": "attachment; filename=\"\(name)\""]
            #expect(try await site.request("POST", "/", fields, "x").status == 400)
            #expect(try site.names() == [])
        }
    }

    @Test func `a posted file without a name gets one`() async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("POST", "/", [:], "x").status == 201)
            #expect(try site.names().count == 1)
        }
    }

    @Test func `a stored file can be checked by size and tag`() async throws {
        try await withReceiver { site in
            let stored = try await site.request("PUT", "/a", [:], "hello")
            let reply = try await site.request("HEAD", "/a")
            #expect(reply.status == 200)
            #expect(reply["Content-Length"] == "5")
            #expect(reply["ETag"] == stored["ETag"])
        }
    }

    @Test func `a file that was never stored is not found`() async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("HEAD", "/nothing").status == 404)
            #expect(try await site.request("HEAD", "/.ferry/lock").status == 400)
        }
    }

    @Test func `nothing is served unless that is asked for`() async throws {
        try await withReceiver { site in
            _ = try await site.request("PUT", "/a", [:], "secret")
            #expect(try await site.request("GET", "/a").status == 405)
        }
        try await withReceiver {
            $0.allowDownload = true
        } _: { site in
            _ = try await site.request("PUT", "/a", [:], "open")
            let reply = try await site.request("GET", "/a")
            #expect(reply.body == "open")
            #expect(reply["Content-Disposition"] == "attachment")
        }
    }

    @Test func `a file is sent with the connection's end if content was announced that may never come`()
        async throws
    {
        try await withReceiver {
            $0.allowDownload = true
        } _: { site in
            _ = try await site.request("PUT", "/a", [:], "open")
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("GET", "/a", ["Expect": "100-continue"], length: 2))
            let reply = try await client.receive()
            #expect(reply.body == "open")
            #expect(reply["Connection"] == "close")
            #expect(await client.isClosedByPeer())
        }
    }

    @Test(arguments: ["Content-Range", "Content-Encoding"])
    func `a request that means only a part is not taken for the whole`(field: String) async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("PUT", "/a", [field: "?0"], "part").status >= 400)
            #expect(try site.names() == [])
        }
    }

    @Test func `stopping the receiver closes connections that wait`() async throws {
        let client = try await withReceiver { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", "/a", length: 1) + "x")
            #expect(try await client.receive().status == 201)
            return client
        }
        #expect(await client.isClosedByPeer())
    }

    @Test func `statistics count bytes and files`() async throws {
        try await withReceiver { site in
            _ = try await site.request("PUT", "/a", [:], "hello")
            #expect(site.receiver.statistics().bodyBytes == 5)
            #expect(site.receiver.statistics().finishedUploads == 1)
        }
    }
}
