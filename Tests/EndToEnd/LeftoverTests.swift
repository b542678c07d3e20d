import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests `ferry check`, which finds and deletes the leftovers of killed or removed uploads.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct LeftoverTests {
    private struct Line: Decodable {
        struct Leftover: Decodable {
            var name: String
            var state: String
            var size: Int?
            var begun: Date?
            var changed: Date?
            var givenUp: Date?
        }

        var leftovers: [Leftover]
    }

    private let place: Workplace

    init() throws { place = try Workplace() }

    private func leftovers(_ words: String...) async throws -> [Line.Leftover] {
        let result = try await Workplace.result(of: try place.start(["check", "here", "--json"] + words))
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Line.self, from: Data(result.output.utf8)).leftovers
    }

    /// Kills Ferry during the upload of `film`, when the server has some bytes of it.
    private func cutUpload(_ protocolName: String, to url: String, more: String = "") async throws {
        try place.configure(protocolName, at: url, more: more, limits: #"{ "bandwidth": "6M" }"#)
        try place.file("film", "")
        _ = try PatternFile(at: place.path("film"), count: 40 << 20, seed: 7)
        try await place.ferry("add", place.path("film"))
        let engine = try place.start("run")
        try await Eventually.holds("the server holds something") {
            (try await place.list().first?.confirmed ?? 0) > 0
        }
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    /// Removes the upload from a queue that cannot reach the server.
    private func removeElsewhere(_ protocolName: String, to url: String) async throws {
        try place.configure(protocolName, at: "http://127.0.0.1:9/")
        #expect(try await place.ferry("remove", "1").output == "1 removed\n")
        try place.configure(protocolName, at: url)
    }

    private func expectRemovable(_ found: [Line.Leftover]) async throws {
        #expect(found.map(\.state) == ["there"])
        #expect((found.first?.size ?? 0) > 0)
        #expect(found.contains { ($0.givenUp ?? $0.changed ?? $0.begun) != nil })
        #expect(
            try await leftovers("--remove-leftovers", "--yes", "--older-than", "1h").map(\.state) == ["there"]
        )
        #expect(try await leftovers("--remove-leftovers", "--yes").map(\.state) == ["removed"])
        #expect(try await leftovers().isEmpty)
    }

    @Test(arguments: ["tus", "resumable"])
    func `the data of a removed upload at a server without listings is remembered until it is deleted`(
        protocolName: String
    ) async throws {
        try await ReceiverSite.with { site in
            let url = protocolName == "tus" ? site.tusURL : site.url
            try await cutUpload(protocolName, to: url, more: #", "chunkSize": "1M""#)
            #expect(try await leftovers().isEmpty, "the queue needs it")
            try await removeElsewhere(protocolName, to: url)
            let mode = try FileManager.default.attributesOfItem(atPath: place.state + "/abandoned.jsonl")
            #expect(mode[.posixPermissions] as? Int == 0o600)
            let found = try await leftovers()
            #expect(found.map(\.name) == ["film"])
            #expect(try !site.unfinished().isEmpty)
            try await expectRemovable(found)
            #expect(try site.unfinished().isEmpty)
        }
    }

    @Test func `data that was deleted with its upload is no leftover`() async throws {
        try await ReceiverSite.with { site in
            try await cutUpload("tus", to: site.tusURL, more: #", "chunkSize": "1M""#)
            try await place.ferry("remove", "1")
            #expect(try site.unfinished().isEmpty)
            #expect(try await leftovers().isEmpty)
            let printed = try await place.ferry("check", "here", "--remove-leftovers", "--yes").output
            #expect(printed.contains("\n  leftover  none known\n"), "\(printed)")
        }
    }

    @Test func `a leftover that the running engine is about to delete is named and left to the engine`()
        async throws
    {
        try await ReceiverSite.with { site in
            try await cutUpload("tus", to: site.tusURL, more: #", "chunkSize": "1M""#)
            try await place.ferry("pause", "1")
            try await place.withEngine { _ in
                try await place.ferry("remove", "1")
                #expect(try await leftovers("--remove-leftovers", "--yes").map(\.state) == ["deletedSoon"])
                let printed = try await place.ferry("check", "here").output
                #expect(printed.contains("; its upload was just removed, and the running engine deletes it"))
                #expect(try !site.unfinished().isEmpty)
            }
            #expect(try site.unfinished().isEmpty)
        }
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `an upload to an address is found again after its server was away`() async throws {
        let folder = try place.folder("server")
        var server = try await InteropServer("tus_server.py", folder: folder)
        let (url, port) = (server.url("/files/"), server.port)
        try await cutUpload("tus", to: url, more: #", "chunkSize": "1M""#)
        try await place.ferry("remove", "1")
        try await place.ferry("add", "--to", "tus+\(url)", place.path("film"))
        let engine = try place.start("run")
        try await Eventually.holds("the server holds something") {
            try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
                // The server makes and removes files of its own, so a listed file may be gone.
                let file = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                return !name.contains(".") && (file?[.size] as? Int ?? 0) > 0
            }
        }
        engine.signal(SIGKILL)
        try await engine.ending()
        try await server.stop()
        try await place.ferry("remove", "2")
        server = try await InteropServer("tus_server.py", port: port, folder: folder)
        let checked = try await place.ferry("check", "--remove-leftovers", "--yes")
        #expect(checked.output.contains("leftover  film"), "\(checked.output)")
        #expect(checked.output.contains("; removed"), "\(checked.output)")
        // The locks of the server stay.
        let data = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.contains(".") }
        #expect(data == [])
        try await server.stop()
    }

    /// Checks that `ferry check` finds the leftovers of a server that can list them, even after the queue is lost.
    private func expectListed(_ protocolName: String, at url: String, more: String) async throws {
        try await cutUpload(protocolName, to: url, more: more)
        #expect(try await leftovers().map(\.state) == ["own"])
        try FileManager.default.removeItem(atPath: place.state)
        try await expectRemovable(try await leftovers())
    }

    @Test(.enabled(if: S3Site.isHere, S3Site.needs))
    func `unfinished uploads in a bucket are listed with their sizes`() async throws {
        let site = try await S3Site("leftovers")
        try await expectListed("s3", at: site.url, more: S3Site.keys + #", "chunkSize": "5M""#)
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `chunks of a Nextcloud are listed with their sizes`() async throws {
        let server = try await InteropServer("nextcloud_server.py", folder: try place.folder("server"))
        try await expectListed(
            "nextcloud", at: server.url("/remote.php/dav/files/ann/"), more: #", "chunkSize": "5M""#)
        try await server.stop()
    }

    @Test(.enabled(if: WebDAVServerKind.arePresent, WebDAVServerKind.need))
    func `files under their temporary names in a WebDAV folder are listed with their sizes`() async throws {
        let folder = try place.folder("server")
        let server = try await WebDAVServerKind.apache.start(in: folder)
        try await expectListed("webdav", at: server.url("/"), more: #", "chunkSize": "1M""#)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/files").isEmpty)
        try await server.stop()
    }
}
