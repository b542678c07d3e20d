import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct DigestTests {
    @Test func `an append that is not what was said is not kept`() async throws {
        try await withReceiver { site in
            let path = try await site.begin()
            let digest = ["Content-Digest": Site.digest("hello")]
            let wrong = try await site.append(path, at: 0, "hallo", digest)
            #expect(wrong.status == 400)
            #expect(wrong.body.contains("digest-mismatching-values"))
            #expect(try await site.held(path) == "0")
            #expect(try await site.append(path, at: 0, "hello", digest)["Upload-Offset"] == "5")
        }
    }

    @Test func `a part of a body that the quota cut is not kept, as its digest cannot be compared`()
        async throws
    {
        try await withReceiver {
            $0.limits.quota = ReceiverMetrics.entryBytes + "a.bin".utf8.count + 8
        } _: { site async throws in
            let path = try await site.begin()
            let more = ["Content-Digest": Site.digest("hello world"), "Transfer-Encoding": "chunked"]
            let fields = Site.appendFields(0, last: false).merging(more) { $1 }
            let body = "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
            #expect(try await site.request("PATCH", path, fields, nil, raw: body).status == 507)
            #expect(try await site.held(path) == "0")
        }
    }

    @Test func `a file that is not what was said at its creation is not stored`() async throws {
        try await withReceiver { site in
            let path = try await site.begin(length: 5, ["Repr-Digest": Site.digest("hello")])
            let reply = try await site.append(path, at: 0, "hallo", last: true)
            #expect(reply.status == 400)
            #expect(reply["Upload-Complete"] == "?1")
            #expect(try site.names() == [])
            #expect(try await site.request("HEAD", path, Site.draft).status == 410)
        }
    }

    @Test func `the last response has the digest that is wanted`() async throws {
        try await withReceiver { site in
            let path = try await site.begin(length: 5, ["Repr-Digest": Site.digest("hello")])
            let wish = ["Want-Repr-Digest": "unknown=10, md5=0, sha-256=3"]
            let reply = try await site.append(path, at: 0, "hello", last: true, wish)
            #expect(reply.status == 201)
            #expect(reply["Repr-Digest"] == Site.digest("hello"))
        }
    }

    @Test(arguments: [("PUT", "/a"), ("POST", "/")], ["Content-Digest", "Repr-Digest"])
    func `a plain upload is checked, too`(request: (String, String), field: String) async throws {
        try await withReceiver { site in
            let fields = [field: Site.digest("hello"), "Want-Repr-Digest": "sha-256=1"]
            #expect(try await site.request(request.0, request.1, fields, "hallo").status == 400)
            #expect(try site.names() == [])
            let good = try await site.request(request.0, request.1, fields, "hello")
            #expect(good.status == 201)
            #expect(good["Repr-Digest"] == Site.digest("hello"))
        }
    }

    @Test func `a stored file's digest can be asked for, and changes with it`() async throws {
        try await withReceiver {
            $0.overwrite = true
        } _: { site in
            for text in ["hello", "other"] {
                _ = try await site.request("PUT", "/a", [:], text)
                for _ in 1...2 {
                    let reply = try await site.request("HEAD", "/a", ["Want-Repr-Digest": "sha-256=10"])
                    #expect(reply["Content-Length"] == "5")
                    #expect(reply["Repr-Digest"] == Site.digest(text))
                }
            }
            #expect(try await site.request("HEAD", "/a")["Repr-Digest"] == nil)
        }
    }
}
