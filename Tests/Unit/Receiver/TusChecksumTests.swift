import Testing

@testable import FerryReceiver

/// Tests PATCH requests with a digest (tus 1.0.0, Checksum).
@Suite(.timeLimit(.minutes(10)))
struct TusChecksumTests {
    private static func fields(_ offset: Int, _ checksum: String) -> [String: String] {
        Site.patchFields(offset).merging(["Upload-Checksum": checksum]) { $1 }
    }

    @Test(arguments: [
        "sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=", "SHA1 qvTGHdzF6KLavt4PO0gs2a6pQ00=",
        "sha256 LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", "md5 XUFAKrxLKna5cZ2REBfFkg==",
        "crc32c mnG7TA==",
    ])
    func `content that adds up is taken`(checksum: String) async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 5)
            let reply = try await site.request("PATCH", path, Self.fields(0, checksum), "hello")
            #expect(reply.status == 204)
            #expect(site.content("a.bin") == "hello")
        }
    }

    @Test func `content that does not add up is refused and not kept`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 10)
            let fields = Self.fields(0, "sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=")
            let reply = try await site.request("PATCH", path, fields, "hellO")
            #expect(reply.status == 460)
            #expect(try await site.offset(path) == 0)
            #expect(try await site.request("PATCH", path, fields, "hello").status == 204)
        }
    }

    @Test(arguments: ["sha512 AAAA", "sha1", "sha1 ###", "sha1 AAAA AAAA", ""])
    func `a digest that cannot be checked is refused`(checksum: String) async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 5)
            // The test client does not send a field with an empty value.
            let fields = Self.fields(0, checksum.isEmpty ? " " : checksum)
            #expect(try await site.request("PATCH", path, fields, "hello").status == 400)
            #expect(try await site.offset(path) == 0)
        }
    }

    @Test func `a part of checked content is not kept`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 10)
            let client = try LoopbackClient(port: site.port)
            let fields = Self.fields(0, "sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=")
            try await client.send(Site.head("PATCH", path, fields, length: 5) + "hel")
            client.finishSending()
            #expect(await site.events.interruption() == 0)
            #expect(try await site.offset(path) == 0)
        }
    }
}
