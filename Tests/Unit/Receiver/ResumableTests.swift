import FerryProtocols
import Foundation
import Testing

@testable import FerryReceiver

extension Site {
    /// The header fields that every request of the newest interop version has.
    static let draft = ["Upload-Draft-Interop-Version": "8"]

    /// Begins an upload without content and returns its path.
    func begin(
        _ name: String = "/a.bin", length: Int? = nil, _ more: [String: String] = [:], version: Int = 8
    ) async throws -> String {
        var fields = ["Upload-Draft-Interop-Version": "\(version)", "Upload-Complete": "?0"]
        if let length { fields["Upload-Length"] = "\(length)" }
        let reply = try await request("PUT", name, fields.merging(more) { $1 }, "")
        #expect(reply.status == 201, "\(reply.body)")
        return try #require(reply["Location"])
    }

    static func appendFields(_ offset: Int, last: Bool) -> [String: String] {
        draft.merging([
            "Upload-Offset": "\(offset)", "Upload-Complete": last ? "?1" : "?0",
            "Content-Type": PartialUpload.mediaType,
        ]) { $1 }
    }

    func append(
        _ path: String, at offset: Int, _ body: String, last: Bool = false, _ more: [String: String] = [:]
    ) async throws -> LoopbackClient.ExchangeOutcome {
        try await request("PATCH", path, Self.appendFields(offset, last: last).merging(more) { $1 }, body)
    }

    func held(_ path: String) async throws -> String? {
        try await request("HEAD", path, Self.draft)["Upload-Offset"]
    }

    static func digest(_ text: String) -> String {
        "sha-256=:\(Data(RunningDigest.of(Array(text.utf8), .sha256)).base64EncodedString()):"
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ResumableTests {
    @Test func `the receiver announces resumable uploads and their limits`() async throws {
        try await withReceiver {
            $0.maximumSize = 1000
        } _: { site in
            #expect(
                try await site.request("OPTIONS", "/")["Upload-Limit"]
                    == "min-size=0, max-size=1000, max-age=86400")
            let older = try await site.request("OPTIONS", "/a", ["Upload-Draft-Interop-Version": "6"])
            #expect(older["Upload-Limit"] == "min-size=0, max-size=1000, expires=86400")
        }
    }

    @Test(arguments: [6, 8])
    func `a file in two requests is stored when its client says that this was all`(version: Int) async throws
    {
        try await withReceiver { site in
            let path = try await site.begin(length: 10, version: version)
            let mine = ["Upload-Draft-Interop-Version": "\(version)"]
            let first = try await site.append(path, at: 0, "hello", mine)
            #expect(first.status == (version == 6 ? 201 : 204))
            #expect(first["Upload-Complete"] == "?0")
            #expect(first["Upload-Offset"] == "5")
            #expect(first["Upload-Draft-Interop-Version"] == "\(version)")
            #expect(try site.names() == [])
            let last = try await site.append(path, at: 5, "world", last: true, mine)
            #expect(last.status == 201)
            #expect(last["Upload-Complete"] == "?1")
            #expect(last["Location"] == "/a.bin")
            #expect(site.content("a.bin") == "helloworld")
        }
    }

    @Test func `all bytes are not the end until that is said`() async throws {
        try await withReceiver { site in
            let path = try await site.begin(length: 5)
            _ = try await site.append(path, at: 0, "hello")
            let state = try await site.request("HEAD", path, Site.draft)
            #expect(state.status == 204)
            #expect(state["Upload-Offset"] == "5")
            #expect(state["Upload-Length"] == "5")
            #expect(state["Upload-Complete"] == "?0")
            #expect(state["Cache-Control"] == "no-store")
            #expect(try site.names() == [])
            #expect(try await site.append(path, at: 5, "", last: true).status == 201)
            #expect(site.content("a.bin") == "hello")
        }
    }

    @Test func `a finished upload can still be asked about`() async throws {
        try await withReceiver { site in
            let path = try await site.begin()
            _ = try await site.append(path, at: 0, "hello", last: true)
            let state = try await site.request(
                "HEAD", path, Site.draft.merging(["Want-Repr-Digest": "sha-256=10"]) { $1 })
            #expect(state["Upload-Complete"] == "?1")
            #expect(state["Upload-Length"] == "5")
            #expect(state["Content-Location"] == "/a.bin")
            #expect(state["Repr-Digest"] == Site.digest("hello"))
            let more = try await site.append(path, at: 5, "x", last: true)
            #expect(more.status == 400)
            #expect(more.body.contains("completed-upload"))
        }
    }

    @Test func `content with the creation gets its address before it is taken, and the file's at the end`()
        async throws
    {
        try await withReceiver { site in
            let client = try LoopbackClient(port: site.port)
            let fields = [
                "Upload-Draft-Interop-Version": "6", "Upload-Complete": "?1",
                "Content-Disposition": "inline; filename=\"x\"; filename*=UTF-8''%C3%BC.txt",
            ]
            try await client.send(Site.head("POST", "/", fields, length: 10) + "hello")
            let interim = try await client.receive()
            #expect(interim.status == 104)
            #expect(interim["Upload-Draft-Interop-Version"] == "6")
            #expect(interim["Upload-Limit"] == "min-size=0, expires=86400")
            let path = try #require(interim["Location"])
            try await client.send("world")
            let final = try await client.receive()
            #expect(final.status == 201)
            #expect(final["Upload-Complete"] == "?1")
            #expect(final["Location"] == "/%C3%BC.txt")
            #expect(try await site.held(path) == "10")
            #expect(site.content("ü.txt") == "helloworld")
        }
    }

    @Test func `a creation that breaks off within its content resumes at the location it received`()
        async throws
    {
        try await withReceiver { site in
            var client: LoopbackClient? = try LoopbackClient(port: site.port)
            let fields = Site.draft.merging(["Upload-Complete": "?1"]) { $1 }
            try await client?.send(Site.head("PUT", "/a.bin", fields, length: 10) + "hello")
            let path = try #require(try await client?.receive()["Location"])
            client = nil
            #expect(await site.events.interruption() == 5)
            #expect(try await site.held(path) == "5")
            #expect(try await site.append(path, at: 5, "world", last: true).status == 201)
            #expect(site.content("a.bin") == "helloworld")
        }
    }

    @Test func `a newer request ends an older one, and finds what that has brought`() async throws {
        try await withReceiver { site in
            let mebibyte = 1 << 20
            let path = try await site.begin(length: 4 * mebibyte)
            let older = try LoopbackClient(port: site.port)
            let fields = Site.appendFields(0, last: true)
            try await older.send(Site.head("PATCH", path, fields, length: 4 * mebibyte))
            try await older.send([UInt8](repeating: 7, count: 2 * mebibyte))
            let received = await site.events.first { event in
                if case .received(_, let bytes) = event, bytes >= mebibyte { bytes } else { nil }
            }
            let held = try #require(try await site.held(path).flatMap { Int($0) })
            #expect(held >= received ?? .max)
            #expect(await older.isClosedByPeer())
            #expect(try await site.held(path) == "\(held)")
        }
    }

    @Test func `uploads outlive a restart`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = try await withReceiver(folder: folder) { site in
            let path = try await site.begin("/b/a.bin")
            _ = try await site.append(path, at: 0, "hello")
            return path
        }
        try await withReceiver(folder: folder) { site async throws in
            #expect(try await site.held(path) == "5")
            #expect(try await site.append(path, at: 5, "", last: true)["Location"] == "/b/a.bin")
            #expect(site.content("b/a.bin") == "hello")
        }
    }

    @Test func `a wrong offset is refused with the right one, and nothing is lost`() async throws {
        try await withReceiver { site in
            let path = try await site.begin()
            _ = try await site.append(path, at: 0, "hello")
            let reply = try await site.append(path, at: 3, "x")
            #expect(reply.status == 409)
            #expect(reply["Upload-Offset"] == "5")
            #expect(reply["Content-Type"] == "application/problem+json")
            #expect(reply.body.contains("mismatching-upload-offset"))
            #expect(reply.body.contains(#""expected-offset":5"#))
            #expect(try await site.held(path) == "5")
        }
    }

    @Test func `a removed upload is gone`() async throws {
        try await withReceiver { site in
            let path = try await site.begin()
            #expect(try await site.request("DELETE", path, Site.draft).status == 204)
            #expect(try await site.request("HEAD", path, Site.draft).status == 410)
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `an upload is its own protocol's only`() async throws {
        try await withReceiver { site in
            let path = try await site.begin()
            #expect(try await site.request("HEAD", path, Site.tus).status == 404)
            let other = try await site.create(length: 5)
            #expect(try await site.request("HEAD", other, Site.draft).status == 404)
            #expect(try await site.offset(other) == 0)
        }
    }

    @Test func `an empty file is one once it is called complete`() async throws {
        try await withReceiver { site in
            let path = try await site.begin(length: 0)
            #expect(try await site.append(path, at: 0, "", last: true).status == 201)
            #expect(site.content("a.bin") == "")
        }
    }

    @Test func `an upload expires`() async throws {
        let clock = ManualDate()
        try await withReceiver(clock: clock) { site in
            let path = try await site.begin()
            clock.advance(by: .seconds(25 * 60 * 60))
            #expect(try await site.request("HEAD", path, Site.draft).status == 410)
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ResumableRefusalTests {
    @Test(arguments: [
        ["Upload-Length": "4", "Upload-Complete": "?1"], ["Upload-Length": "6", "Upload-Complete": "?1"],
        ["Upload-Length": "4", "Upload-Complete": "?0"],
    ])
    func `lengths that contradict each other are refused`(fields: [String: String]) async throws {
        try await withReceiver { site in
            let reply = try await site.request("PUT", "/a", Site.draft.merging(fields) { $1 }, "hello")
            #expect(reply.status == 400)
            #expect(reply.body.contains("inconsistent-upload-length"))
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `bytes beyond the length end the upload`() async throws {
        try await withReceiver { site in
            let path = try await site.begin(length: 4)
            #expect(try await site.append(path, at: 0, "hello").status == 400)
            #expect(try await site.request("HEAD", path, Site.draft).status == 410)
        }
    }

    @Test func `an end before the length is refused, and the upload kept`() async throws {
        try await withReceiver { site in
            let path = try await site.begin(length: 10)
            #expect(try await site.append(path, at: 0, "hello", last: true).status == 400)
            #expect(try await site.held(path) == "5")
        }
    }

    @Test(arguments: ["Content-Type", "Upload-Offset", "Upload-Complete"])
    func `an append that lacks a field is refused`(field: String) async throws {
        try await withReceiver { site in
            let path = try await site.begin()
            let reply = try await site.append(path, at: 0, "hello", [field: ""])
            #expect(reply.status == (field == "Content-Type" ? 415 : 400))
            #expect(try await site.held(path) == "0")
        }
    }

    @Test func `a file that is too large is refused before a byte, also one of unknown length later`()
        async throws
    {
        try await withReceiver {
            $0.maximumSize = 4
        } _: { site in
            let fields = Site.draft.merging(["Upload-Complete": "?0", "Upload-Length": "5"]) { $1 }
            #expect(try await site.request("PUT", "/a", fields, "").status == 413)
            let path = try await site.begin()
            #expect(try await site.append(path, at: 0, "hello").status == 413)
            #expect(try await site.held(path) == "0")
        }
    }

    @Test(arguments: [3, 5, 7, 99])
    func `an unknown version is refused with the known ones, unless the file comes whole`(version: Int)
        async throws
    {
        try await withReceiver { site in
            let fields = ["Upload-Draft-Interop-Version": "\(version)"]
            let part = try await site.request(
                "PUT", "/a", fields.merging(["Upload-Complete": "?0"]) { $1 }, "")
            #expect(part.status == 400)
            #expect(part["Upload-Draft-Interop-Version"] == "8")
            #expect(try site.names() == [])
            let whole = ["Upload-Incomplete": "?0"]
            #expect(try await site.request("PUT", "/a", fields.merging(whole) { $1 }, "hello").status == 201)
            #expect(site.content("a") == "hello")
        }
    }

    @Test(arguments: ["HEAD", "DELETE"])
    func `up to version 6 only appends may name an offset`(method: String) async throws {
        try await withReceiver { site in
            let path = try await site.begin(version: 6)
            let fields = ["Upload-Draft-Interop-Version": "6", "Upload-Offset": "0"]
            #expect(try await site.request(method, path, fields).status == 400)
        }
    }

    @Test(arguments: ["../x", "a\u{1}b", ".ferry", "/x", "a/.b/x"])
    func `a name that leads elsewhere is refused at creation`(name: String) async throws {
        try await withReceiver { site in
            let encoded = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let fields = [
                "Upload-Complete": "?0", "Content-Disposition": "inline; filename*=UTF-8''\(encoded)",
            ]
            let reply = try await site.request("POST", "/", Site.draft.merging(fields) { $1 }, "")
            #expect(reply.status == 400)
            #expect(reply.body.hasPrefix("Cannot store this: "), "\(reply.body)")
        }
    }
}
