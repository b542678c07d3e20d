import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests uploads to real servers.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct InteropTests {
    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
        for (name, size) in Self.sizes {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        }
    }

    private static let sizes = ["empty.bin": 0, "small ä.txt": 17, "large.bin": 20_000_000]

    private func uploadAll(_ protocolName: String, to url: String, more: String = "") async throws {
        try place.configure(protocolName, at: url, more: more)
        let added = try await place.ferry("add", place.path("*"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
    }

    private func expectSame(_ name: String, as stored: String) async {
        #expect(await ChildProcess.succeeds("cmp", place.path(name), stored), "\(name)")
    }

    @Test(.enabled(if: Privilege.has("nginx"), "needs nginx; Tests/run installs it"))
    func `nginx takes files by PUT`() async throws {
        let server = try await InteropServer(
            "nginx_put.sh", port: try InteropServer.freePort(), folder: folder)
        try await uploadAll("put", to: server.url("/sub folder/".replacing(" ", with: "%20")))
        for name in Self.sizes.keys { await expectSame(name, as: folder + "/files/sub folder/" + name) }
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `Werkzeug reads the form, its fields and its files`() async throws {
        let server = try await InteropServer("form_server.py", folder: folder)
        try await uploadAll(
            "form", to: server.url("/in"),
            more: #", "field": "photo", "parameters": { "album": "May \"1\"", "tags": ["raw", "ünsorted"] }"#)
        var seen: Set<String> = []
        for number in 1...Self.sizes.count {
            let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(number)/form.json"))
            let form = try JSONDecoder().decode(ReceivedForm.self, from: data)
            #expect(form.method == "POST")
            #expect(form.fields == [["album", "May \"1\""], ["tags", "raw"], ["tags", "ünsorted"]])
            let file = try #require(form.files.first)
            #expect(form.files.count == 1)
            #expect(file.name == "photo")
            #expect(file.size == Self.sizes[file.filename])
            await expectSame(file.filename, as: "\(folder)/\(number)/\(file.stored)")
            seen.insert(file.filename)
        }
        #expect(seen == Set(Self.sizes.keys))
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `uploadserver takes the form's field files`() async throws {
        let server = try await InteropServer("upload_server.py", folder: folder)
        try await uploadAll("form", to: server.url("/upload"), more: #", "field": "files""#)
        for name in Self.sizes.keys { await expectSame(name, as: folder + "/" + name) }
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `tuspyserver takes files over tus`() async throws {
        let server = try await InteropServer("tus_server.py", folder: folder)
        try await uploadAll("tus", to: server.url("/files/"))
        for upload in try await place.list() {
            let id = try #require(upload.location?.split(separator: "/").last)
            await expectSame(upload.name, as: "\(folder)/\(id)")
        }
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `an upload to tuspyserver resumes at its offset after ferry was killed`() async throws {
        let server = try await InteropServer("tus_server.py", folder: folder)
        let engine = try await uploadUntilQuarter(to: server.url("/files/"))
        engine.signal(SIGKILL)
        try await engine.ending()
        let last = try await place.ferry("run", "--exit-when-idle")
        #expect(last.ending == .exited(0), "\(last.output)")
        try await expectResumed()
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `an upload to tuspyserver resumes at its offset after the connection broke`() async throws {
        let server = try await InteropServer("tus_server.py", folder: folder)
        let proxy = FlakyProxy(target: ReceiverAddress(host: "127.0.0.1", port: server.port))
        let (addresses, started) = AsyncStream<ReceiverAddress>.makeStream()
        let passing = Task { try await proxy.run { started.yield($0) } }
        defer { passing.cancel() }
        let address = try #require(await addresses.first { _ in true })
        let engine = try await uploadUntilQuarter(to: address.url + "files/")
        await proxy.takeLinkAway()
        try await engine.output.wait { $0.contains { $0.contains(#""state":"waiting""#) } }
        try await proxy.giveLinkBack()
        #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
        try await expectResumed()
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `fastapi-tusd, which closes the connection at OPTIONS, takes files over tus`() async throws {
        let server = try await InteropServer("fastapi_tusd_server.py", folder: folder)
        try await uploadAll("tus", to: server.url("/files"))
        for upload in try await place.list() {
            let id = try #require(upload.location?.split(separator: "/").last)
            await expectSame(upload.name, as: "\(folder)/\(id)")
        }
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `drf-tus takes files over tus`() async throws {
        let server = try await InteropServer("drf_tus_server.py", folder: folder)
        // The server refuses empty uploads.
        try FileManager.default.removeItem(atPath: place.path("empty.bin"))
        try await uploadAll("tus", to: server.url("/files/"), more: #", "chunkSize": "8M""#)
        for name in ["small ä.txt", "large.bin"] {
            let stored = try FileManager.default.contentsOfDirectory(atPath: folder + "/uploaded")
            // Django replaces the spaces in file names.
            let found = try #require(stored.first { $0.hasPrefix(String(name.prefix(5))) })
            await expectSame(name, as: "\(folder)/uploaded/\(found)")
        }
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython), arguments: ["put", "webdav"])
    func `copyparty takes files by PUT and by WebDAV`(protocolName: String) async throws {
        let server = try await InteropServer(
            "copyparty_server.py", port: try InteropServer.freePort(), folder: folder)
        try await uploadAll(protocolName, to: server.url("/"))
        for name in Self.sizes.keys { await expectSame(name, as: folder + "/" + name) }
        try await server.stop()
    }

    /// Starts the upload of the large file at a low rate, and returns when a quarter of it is at the server.
    private func uploadUntilQuarter(to url: String) async throws -> ChildProcess {
        try place.configure("tus", at: url, limits: #"{ "bandwidth": "8M" }"#)
        try await place.ferry("add", place.path("large.bin"))
        let engine = try place.start("run", "--json", "--exit-when-idle")
        try await Eventually.holds("a quarter of the file at the server") {
            InteropServer.largestFile(in: folder) > 5_000_000
        }
        return engine
    }

    private func expectResumed() async throws {
        let upload = try #require(try await place.list().first)
        let id = try #require(upload.location?.split(separator: "/").last)
        await expectSame("large.bin", as: "\(folder)/\(id)")
        let sizes = try place.exchangeSizes("PATCH")
        #expect(sizes.first == 20_000_000)
        // There may be a request between: tuspyserver sends an old offset until it has noticed the break.
        #expect(sizes.last.map { $0 <= 15_000_000 } == true, "\(sizes)")
        print("tuspyserver: requests of \(sizes) bytes for a file of 20000000")
    }
}

/// A form as `form_server.py` records it.
private struct ReceivedForm: Decodable {
    struct File: Decodable {
        var name: String
        var filename: String
        var size: Int
        var stored: String
    }

    var method: String
    var fields: [[String]]
    var files: [File]
}
