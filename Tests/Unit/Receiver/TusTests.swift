import Foundation
import Testing

@testable import FerryReceiver

extension Site {
    static let tus = ["Tus-Resumable": "1.0.0"]
    static let offsetStream = "application/offset+octet-stream"

    /// Creates an upload and returns its path.
    func create(length: Int, name: String = "a.bin", relativePath: String? = nil) async throws -> String {
        let reply = try await tryToCreate(length: length, name: name, relativePath: relativePath)
        #expect(reply.status == 201)
        return try #require(reply["Location"])
    }

    func tryToCreate(
        length: Int, name: String = "a.bin", relativePath: String? = nil
    ) async throws -> LoopbackClient.ExchangeOutcome {
        func pair(_ key: String, _ value: String) -> String {
            "\(key) \(Data(value.utf8).base64EncodedString())"
        }
        let metadata = [pair("filename", name)] + (relativePath.map { [pair("relativePath", $0)] } ?? [])
        let fields = ["Upload-Length": "\(length)", "Upload-Metadata": metadata.joined(separator: ",")]
        return try await request("POST", "/files/", Self.tus.merging(fields) { $1 })
    }

    static func patchFields(_ offset: Int) -> [String: String] {
        tus.merging(["Upload-Offset": "\(offset)", "Content-Type": offsetStream]) { $1 }
    }

    func patch(_ path: String, at offset: Int, _ body: String) async throws -> LoopbackClient.ExchangeOutcome
    {
        try await request("PATCH", path, Self.patchFields(offset), body)
    }

    func offset(_ path: String) async throws -> Int? {
        try await request("HEAD", path, Self.tus)["Upload-Offset"].flatMap { Int($0) }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct TusTests {
    @Test func `the server says what it can do`() async throws {
        try await withReceiver {
            $0.maximumSize = 1000
        } _: { site in
            let reply = try await site.request("OPTIONS", "/files/")
            #expect(reply.status == 204)
            #expect(reply["Tus-Version"] == "1.0.0")
            #expect(reply["Tus-Extension"] == "creation,creation-with-upload,termination,expiration,checksum")
            #expect(reply["Tus-Checksum-Algorithm"] == "sha1,sha256,md5,crc32c")
            #expect(reply["Tus-Max-Size"] == "1000")
        }
    }

    @Test(arguments: [
        ("x.txt", "day3/data/x.txt", "day3/data/x.txt"), ("x.txt", "/day3/x.txt", "day3/x.txt"),
        ("x.txt", "null", "x.txt"), ("x.txt", "other/y.txt", "x.txt"), ("day3/x.txt", nil, "day3/x.txt"),
    ])
    func `folders in the metadata are kept`(name: String, path: String?, stored: String) async throws {
        try await withReceiver { site async throws in
            let resource = try await site.create(length: 0, name: name, relativePath: path)
            #expect(site.content(stored) == "")
            let reply = try await site.request("HEAD", resource, Site.tus)
            #expect(reply["Content-Location"] == "/" + stored)
        }
    }

    @Test func `files of one name from two folders do not meet`() async throws {
        try await withReceiver { site async throws in
            let first = try await site.create(length: 1, name: "x.txt", relativePath: "one/x.txt")
            let second = try await site.create(length: 1, name: "x.txt", relativePath: "two/x.txt")
            _ = try await site.patch(second, at: 0, "2")
            _ = try await site.patch(first, at: 0, "1")
            #expect(site.content("one/x.txt") == "1")
            #expect(site.content("two/x.txt") == "2")
        }
    }

    @Test(arguments: [
        ("x", "../x"), ("x", "a/../../x"), ("x", ".ssh/x"), ("x", "//x"), ("../x", nil), ("/x", nil),
        (".x", nil),
        (#"a\x"#, nil), ("a\nx", nil),
    ])
    func `no path in the metadata leads out of the folder`(name: String, path: String?) async throws {
        try await withReceiver { site async throws in
            #expect(try await site.tryToCreate(length: 0, name: name, relativePath: path).status == 400)
            #expect(try site.names() == [])
        }
    }

    @Test func `a link instead of a folder is not followed`() async throws {
        let outside = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: outside) }
        try await withReceiver { site async throws in
            try FileManager.default.createSymbolicLink(
                atPath: site.folder + "/link", withDestinationPath: outside)
            #expect(try await site.tryToCreate(length: 0, name: "x", relativePath: "link/x").status == 409)
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
        }
    }

    @Test func `a file that no disk could hold is not begun`() async throws {
        try await withReceiver { site async throws in
            let reply = try await site.tryToCreate(length: 9_000_000_000_000_000_000)
            #expect(reply.status == 413)
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `an upload that continues is reported once for each break`() async throws {
        try await withReceiver { site async throws in
            let path = try await site.create(length: 10)
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PATCH", path, Site.patchFields(0), length: 10) + "hello")
            client.finishSending()
            #expect(await site.events.interruption() == 5)
            _ = try await site.patch(path, at: 5, "wor")
            _ = try await site.patch(path, at: 8, "ld")
            var resumed: [Int] = []
            _ = await site.events.first { event -> Bool? in
                if case .resumed(_, "a.bin", let offset) = event { resumed.append(offset) }
                if case .finished = event { return true }
                return nil
            }
            #expect(resumed == [5])
        }
    }

    @Test func `an upload without a name has one name from its beginning to its end`() async throws {
        try await withReceiver { site async throws in
            let path = try await site.create(length: 10, name: "")
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PATCH", path, Site.patchFields(0), length: 10) + "hello")
            client.finishSending()
            var names: [String] = []
            _ = await site.events.first { event -> Bool? in
                switch event {
                case .created(_, let name, _): names.append(name)
                case .interrupted(_, let name, _):
                    names.append(name)
                    return true
                default: break
                }
                return nil
            }
            _ = try await site.patch(path, at: 5, "world")
            #expect(names.count == 2)
            #expect(try site.names() == Array(Set(names)))
        }
    }

    @Test func `a file in two requests is stored when the last has come`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 10, name: "fünf.txt")
            #expect(try await site.patch(path, at: 0, "hello")["Upload-Offset"] == "5")
            #expect(try site.names() == [])
            let last = try await site.patch(path, at: 5, "world")
            #expect(last.status == 204)
            #expect(last["Upload-Offset"] == "10")
            #expect(site.content("fünf.txt") == "helloworld")
        }
    }

    @Test func `the state of an upload can be asked for and must not be cached`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 10)
            _ = try await site.patch(path, at: 0, "hello")
            let reply = try await site.request("HEAD", path, Site.tus)
            #expect(reply.status == 200)
            #expect(reply["Upload-Offset"] == "5")
            #expect(reply["Upload-Length"] == "10")
            #expect(reply["Upload-Metadata"] == "filename YS5iaW4=")
            #expect(reply["Cache-Control"] == "no-store")
            #expect(reply["Upload-Expires"]?.hasSuffix(" GMT") == true)
        }
    }

    @Test func `a file of no bytes is complete once created`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 0)
            #expect(site.content("a.bin") == "")
            #expect(try await site.offset(path) == 0)
        }
    }

    @Test func `creation may bring content`() async throws {
        try await withReceiver { site in
            let fields = ["Upload-Length": "5", "Content-Type": Site.offsetStream]
            let reply = try await site.request("POST", "/files/", Site.tus.merging(fields) { $1 }, "hello")
            #expect(reply.status == 201)
            #expect(reply["Upload-Offset"] == "5")
            #expect(try site.names().count == 1)
        }
    }

    @Test func `content at the wrong offset is refused and changes nothing`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 10)
            _ = try await site.patch(path, at: 0, "hello")
            #expect(try await site.patch(path, at: 3, "world").status == 409)
            #expect(try await site.patch(path, at: 7, "wor").status == 409)
            #expect(try await site.offset(path) == 5)
        }
    }

    @Test func `content beyond the length is refused by its announced size`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 4)
            #expect(try await site.patch(path, at: 0, "hello").status == 413)
            #expect(try await site.offset(path) == 0)
        }
    }

    @Test func `content beyond the length is refused while it comes`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 4)
            let fields = Site.patchFields(0).merging(["Transfer-Encoding": "chunked"]) { $1 }
            let reply = try await site.request("PATCH", path, fields, nil, raw: "5\r\nhello\r\n0\r\n\r\n")
            #expect(reply.status == 413)
            #expect(try await site.offset(path) == 0)
        }
    }

    @Test(arguments: ["", "0.2.2"]) func `another version of tus is refused`(version: String) async throws {
        try await withReceiver { site in
            let fields = ["Tus-Resumable": version, "Upload-Length": "5"]
            let reply = try await site.request("POST", "/files/", fields)
            #expect(reply.status == 412)
            #expect(reply["Tus-Version"] == "1.0.0")
        }
    }

    @Test func `content of another type is refused`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 5)
            let fields = Site.tus.merging(["Upload-Offset": "0", "Content-Type": "text/plain"]) { $1 }
            #expect(try await site.request("PATCH", path, fields, "hello").status == 415)
            #expect(try await site.offset(path) == 0)
        }
    }

    @Test(arguments: ["-1", "1.5", "99999999999999999999999", "five", "+5", " "])
    func `a length that is no number of bytes is refused`(length: String) async throws {
        try await withReceiver { site async throws in
            let fields = Site.tus.merging(["Upload-Length": length]) { $1 }
            #expect(try await site.request("POST", "/files/", fields).status == 400)
        }
    }

    @Test func `an unknown upload is not found`() async throws {
        try await withReceiver { site async throws in
            let path = "/files/0123456789abcdef0123456789abcdef"
            #expect(try await site.request("HEAD", path, Site.tus).status == 404)
            #expect(try await site.request("HEAD", "/files/..%2f..%2fx", Site.tus).status == 404)
        }
    }

    @Test func `a removed upload is gone with its bytes`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 10)
            _ = try await site.patch(path, at: 0, "hello")
            #expect(try await site.request("DELETE", path, Site.tus).status == 204)
            #expect(try await site.request("HEAD", path, Site.tus).status == 410)
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `methods can be named in a field`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 5)
            let fields = Site.patchFields(0).merging(["X-HTTP-Method-Override": "PATCH"]) { $1 }
            #expect(try await site.request("POST", path, fields, "hello").status == 204)
            #expect(site.content("a.bin") == "hello")
        }
    }

    @Test func `a finished upload still responds`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 5)
            _ = try await site.patch(path, at: 0, "hello")
            let reply = try await site.request("HEAD", path, Site.tus)
            #expect(reply["Upload-Offset"] == "5")
            #expect(reply["Content-Location"] == "/a.bin")
            #expect(try await site.patch(path, at: 5, "").status == 204)
        }
    }

    @Test func `an upload without requests expires`() async throws {
        let clock = ManualDate()
        try await withReceiver(clock: clock) {
            $0.expiry = .seconds(3600)
        } _: { site in
            let path = try await site.create(length: 10)
            clock.advance(by: .seconds(3599))
            #expect(try await site.patch(path, at: 0, "hello").status == 204)
            clock.advance(by: .seconds(3599))
            #expect(try await site.offset(path) == 5)
            clock.advance(by: .seconds(3600))
            #expect(try await site.request("HEAD", path, Site.tus).status == 410)
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `an upload that is stored is not reported as expired`() async throws {
        let clock = ManualDate()
        try await withReceiver(clock: clock) {
            $0.expiry = .seconds(3600)
        } _: { site in
            let stored = try await site.create(length: 0, name: "stored")
            let open = try await site.create(length: 10, name: "open")
            clock.advance(by: .seconds(3600))
            for path in [stored, open] {
                #expect(try await site.request("HEAD", path, Site.tus).status == 410)
            }
            let expired = await site.events.first { event -> String? in
                if case .expired(_, let name) = event { name } else { nil }
            }
            #expect(expired == "open")
            #expect(try site.names() == ["stored"])
        }
    }

    @Test func `metadata that would fill the memory is refused`() async throws {
        try await withReceiver { site async throws in
            for (count, status) in [(8192, 201), (8193, 431)] {
                let fields = ["Upload-Length": "1", "Upload-Metadata": String(repeating: "k", count: count)]
                let response = try await site.request("POST", "/files/", Site.tus.merging(fields) { $1 })
                #expect(response.status == status)
            }
        }
    }

    @Test func `a malformed metadata field does not fail the upload`() async throws {
        try await withReceiver { site async throws in
            let fields = ["Upload-Length": "0", "Upload-Metadata": "filename b'eA=='"]
            #expect(try await site.request("POST", "/files/", Site.tus.merging(fields) { $1 }).status == 201)
        }
    }
}
