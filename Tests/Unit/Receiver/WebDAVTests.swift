import Foundation
import Testing

@testable import FerryReceiver

/// Tests the requests of a WebDAV client that copies files into the folder.
@Suite(.timeLimit(.minutes(10)))
struct WebDAVTests {
    /// Returns the addresses in a 207 response. The requested one comes first.
    private static func addresses(_ reply: LoopbackClient.ExchangeOutcome) -> [String] {
        reply.body.components(separatedBy: "<D:href>").dropFirst().map {
            String($0.prefix { $0 != "<" })
        }
    }

    private static func listing(_ configuration: inout ReceiverConfiguration) {
        configuration.allowListing = true
    }

    private static func make(_ path: String, in site: Site) throws {
        try FileManager.default.createDirectory(
            atPath: site.folder + "/" + path, withIntermediateDirectories: true)
    }

    private static func write(_ text: String, to path: String, in site: Site) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: site.folder + "/" + path))
    }

    @Test func `without leave to list, only what a client can name is shown`() async throws {
        try await withReceiver { site async throws in
            _ = try await site.request("PUT", "/a/b.txt", [:], "hello")
            for path in ["/", "/a", "/a/"] {
                #expect(try await site.request("PROPFIND", path, ["Depth": "1"]).status == 403)
                #expect(try await site.request("PROPFIND", path, ["Depth": "0"]).status == 207)
            }
            #expect(try await site.request("PROPFIND", "/a/b.txt", ["Depth": "0"]).status == 207)
            #expect(try await site.request("HEAD", "/a/b.txt").status == 200)
        }
    }

    @Test func `a folder lists what is in it, addresses encoded name by name`() async throws {
        try await withReceiver(Self.listing) { site async throws in
            try Self.make("sub folder/deep", in: site)
            try Self.write("hello", to: "50% ü #1?.txt", in: site)
            let reply = try await site.request("PROPFIND", "/", ["Depth": "1"])
            #expect(reply.status == 207)
            #expect(reply["Content-Type"] == "application/xml; charset=utf-8")
            let found = Self.addresses(reply)
            #expect(found.first == "/")
            #expect(found.dropFirst().sorted() == ["/50%25%20%C3%BC%20%231%3F.txt", "/sub%20folder/"])
            #expect(reply.body.contains("<D:getcontentlength>5</D:getcontentlength>"))
        }
    }

    @Test func `a file shows the size and the tag that HEAD shows`() async throws {
        try await withReceiver { site async throws in
            _ = try await site.request("PUT", "/a/b.txt", [:], "hello")
            let head = try await site.request("HEAD", "/a/b.txt")
            let reply = try await site.request("PROPFIND", "/a/b.txt", ["Depth": "0"])
            #expect(Self.addresses(reply) == ["/a/b.txt"])
            #expect(reply.body.contains("<D:resourcetype/>"))
            #expect(reply.body.contains("<D:getcontentlength>5</D:getcontentlength>"))
            #expect(reply.body.contains("<D:getetag>\(head["ETag"] ?? "none")</D:getetag>"))
            #expect(
                reply.body.contains(
                    "<D:getlastmodified>\(head["Last-Modified"] ?? "none")</D:getlastmodified>"))
        }
    }

    @Test func `depth 0 of a folder shows the folder alone`() async throws {
        try await withReceiver { site async throws in
            try Self.make("sub/deep", in: site)
            for path in ["/sub", "/sub/"] {
                let reply = try await site.request("PROPFIND", path, ["Depth": "0"], "<propfind/>")
                #expect(Self.addresses(reply) == ["/sub/"])
                #expect(reply.body.contains("<D:resourcetype><D:collection/></D:resourcetype>"))
            }
        }
    }

    @Test(arguments: [[:], ["Depth": "infinity"]])
    func `the whole tree at once is refused`(fields: [String: String]) async throws {
        try await withReceiver { site async throws in
            let reply = try await site.request("PROPFIND", "/", fields)
            #expect(reply.status == 403)
            #expect(reply.body.contains("<D:propfind-finite-depth/>"))
        }
    }

    @Test func `unfinished files, links and names that cannot be asked for are not listed`()
        async throws
    {
        try await withReceiver(Self.listing) { site async throws in
            try Self.write("x", to: ".hidden", in: site)
            try Self.write("x", to: "line\nbreak", in: site)
            try Self.write("x", to: "seen", in: site)
            try FileManager.default.createSymbolicLink(
                atPath: site.folder + "/link", withDestinationPath: "/etc")
            #expect(
                Self.addresses(try await site.request("PROPFIND", "/", ["Depth": "1"]))
                    == ["/", "/seen"])
        }
    }

    @Test(arguments: [
        ("/link", 404), ("/link/passwd", 404), ("/nothing", 404), ("/file/x", 404), ("/..", 400),
        ("/a/../..", 400), ("/%2e%2e", 400), ("/.ferry", 400), ("/.ferry/lock", 400), ("/a%2Fb", 400),
        ("/a%0Ab", 400), ("/a//b", 400), ("/%FF", 400),
    ])
    func `nothing outside the folder is shown`(path: String, status: Int) async throws {
        try await withReceiver(Self.listing) { site async throws in
            try Self.write("x", to: "file", in: site)
            try FileManager.default.createSymbolicLink(
                atPath: site.folder + "/link", withDestinationPath: "/etc")
            for depth in ["0", "1"] {
                #expect(try await site.request("PROPFIND", path, ["Depth": depth]).status == status)
            }
        }
    }

    @Test func `a folder with too many names is refused, not cut short`() async throws {
        try await withReceiver(Self.listing) { site async throws in
            try Self.make("full", in: site)
            for number in 0..<WebDAVFolders.listLimit {
                try Self.write("", to: "full/\(number)", in: site)
            }
            let whole = try await site.request("PROPFIND", "/full", ["Depth": "1"])
            #expect(Self.addresses(whole).count == WebDAVFolders.listLimit + 1)
            try Self.write("", to: "full/one more", in: site)
            #expect(try await site.request("PROPFIND", "/full", ["Depth": "1"]).status == 507)
            #expect(try await site.request("PROPFIND", "/full", ["Depth": "0"]).status == 207)
        }
    }

    @Test func `lists share their memory, and one without room is refused for a while`() async throws {
        try await withReceiver {
            $0.allowListing = true
            $0.limits.listBytes = 8 << 10
        } _: { site async throws in
            try Self.make("few", in: site)
            try Self.make("many", in: site)
            for number in 0..<5 { try Self.write("", to: "few/\(number)", in: site) }
            for number in 0..<50 { try Self.write("", to: "many/\(number)", in: site) }
            for _ in 0..<5 {
                let many = try await site.request("PROPFIND", "/many", ["Depth": "1"])
                #expect(many.status == 503)
                #expect(many["Retry-After"] == "1")
                // The memory of a list is released when the list was sent or refused.
                let few = try await site.request("PROPFIND", "/few", ["Depth": "1"])
                #expect(few.status == 207)
            }
        }
    }

    @Test func `the memory of lists is refused beyond its limit and given back`() {
        let memory = ByteQuota(limit: 10)
        #expect(memory.take(6))
        #expect(!memory.take(5))
        #expect(memory.take(4))
        memory.giveBack(6)
        #expect(memory.take(6))
    }

    #if os(Linux)
        @Test func `a list that long paths make too large is refused, not cut short`() async throws {
            try await withReceiver(Self.listing) { site async throws in
                // Each name has 765 bytes in a URL, and each entry of the list contains the whole path.
                let name = String(repeating: "€", count: 85)
                let folder = Array(repeating: name, count: 8).joined(separator: "/")
                try Self.make(folder, in: site)
                for number in 0..<2800 { try Self.write("", to: "\(folder)/\(number)", in: site) }
                let encoded = try #require(
                    folder.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
                for (depth, status) in [("1", 507), ("0", 207)] {
                    let response = try await site.request("PROPFIND", "/" + encoded, ["Depth": depth])
                    #expect(response.status == status)
                }
            }
        }
    #endif

    @Test func `a folder is made once, and only inside one that is there`() async throws {
        try await withReceiver { site async throws in
            let reply = try await site.request("MKCOL", "/new%20one/")
            #expect(reply.status == 201)
            #expect(reply["Location"] == "/new%20one/")
            #expect(try site.names() == ["new one"])
            #expect(try await site.request("MKCOL", "/new%20one").status == 405)
            #expect(try await site.request("MKCOL", "/").status == 405)
            #expect(try await site.request("MKCOL", "/none/sub").status == 409)
            #expect(try await site.request("MKCOL", "/other", [:], "<mkcol/>").status == 415)
            #expect(try site.names() == ["new one"])
        }
    }

    @Test(arguments: [("/link/x", 409), ("/file/x", 409), ("/file", 405), ("/../x", 400), ("/.ferry/x", 400)])
    func `no folder is made through a link or outside`(path: String, status: Int) async throws {
        try await withReceiver { site async throws in
            let outside = try makeFolder()
            defer { try? FileManager.default.removeItem(atPath: outside) }
            try Self.write("x", to: "file", in: site)
            try FileManager.default.createSymbolicLink(
                atPath: site.folder + "/link", withDestinationPath: outside)
            #expect(try await site.request("MKCOL", path).status == status)
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
        }
    }

    @Test func `a folder with the name of the tus path is a folder`() async throws {
        try await withReceiver(Self.listing) { site async throws in
            #expect(try await site.request("MKCOL", "/files/").status == 201)
            let reply = try await site.request("PROPFIND", "/files/", ["Depth": "1"])
            #expect(Self.addresses(reply) == ["/files/"])
        }
    }

    @Test(arguments: ["PROPFIND", "MKCOL"])
    func `without the token nothing is shown and nothing made`(method: String) async throws {
        try await withReceiver {
            $0.token = "0123456789abcdef"
        } _: { site async throws in
            #expect(try await site.request(method, "/a", ["Depth": "1"]).status == 401)
            #expect(try site.names() == [])
        }
    }

    @Test(arguments: ["DELETE", "MOVE", "COPY", "PROPPATCH", "LOCK"])
    func `a method that changes or removes files is refused`(method: String) async throws {
        try await withReceiver { site async throws in
            _ = try await site.request("PUT", "/a", [:], "x")
            let reply = try await site.request(method, "/a", ["Destination": "http://127.0.0.1/b"])
            #expect(reply.status == 405)
            #expect(reply["Allow"] == "PUT, POST, HEAD, OPTIONS, PROPFIND, MKCOL")
            #expect(try site.names() == ["a"])
        }
    }

    @Test func `OPTIONS says WebDAV, and resumable uploads all the same`() async throws {
        try await withReceiver { site async throws in
            let reply = try await site.request("OPTIONS", "/")
            #expect(reply["DAV"] == "1")
            #expect(reply["Upload-Limit"] != nil)
            #expect(reply["Allow"]?.contains("PROPFIND, MKCOL") == true)
        }
    }
}
