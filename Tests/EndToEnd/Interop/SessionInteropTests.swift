import FerryTestSupport
import Foundation
import Testing

/// Tests uploads by the protocols of Google, Microsoft and Azure: to an emulator, and to scripted servers that follow
/// the vendors' documentation.
@Suite(.fewAtOnce, .serialized, .timeLimit(.minutes(10)))
struct SessionInteropTests {
    private static let needsTime: Comment = "takes minutes; FERRY_LONG=1 runs it"

    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    private static let sizes = ["empty.bin": 0, "small ä.txt": 17, "large.bin": 20_000_000]
    private static let google = "/upload/storage/v1/b/bkt/o?uploadType=resumable"
    private static let graph = "/v1.0/me/drive/root:/in/{name}:/createUploadSession"
    private static let azure = "/container/in/?sv=2021-12-02&sig=secret"
    private static let token = #", "auth": { "bearer": "token" }"#

    private func uploadAll(_ protocolName: String, to url: String, more: String = "") async throws {
        for (name, size) in Self.sizes {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        }
        try place.configure(protocolName, at: url, more: more)
        let added = try await place.ferry("add", place.path("*"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        try await run()
    }

    private func run() async throws {
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
    }

    private func upload(_ name: String, size: Int, _ protocolName: String, to url: String, more: String = "")
        async throws -> UploadLine
    {
        try place.file(name, "")
        _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        try place.configure(protocolName, at: url, more: more)
        try await place.ferry("add", place.path(name))
        _ = try await place.ferry("run", "--exit-when-idle")
        return try #require(try await place.list().last)
    }

    private func expectSame(_ name: String, as stored: String) async {
        #expect(await ChildProcess.succeeds("cmp", place.path(name), stored), "\(name)")
    }

    /// Returns the lines of the server's log with this prefix.
    private func log(_ prefix: String) throws -> [String] {
        let text = try String(contentsOfFile: folder + "/log", encoding: .utf8)
        return text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
    }

    /// Checks that a secret of a URL is in nothing that is stored or printed.
    private func expectNowhere(_ secret: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: place.state) {
            let content = FileManager.default.contents(atPath: place.state + "/" + name) ?? Data()
            #expect(!String(decoding: content, as: UTF8.self).contains(secret), "\(name)")
        }
    }
}

// MARK: Google

extension SessionInteropTests {
    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython), arguments: ["md5", "crc32c"])
    func `gcp-storage-emulator takes files, and confirms what it has`(checksum: String) async throws {
        let server = try await InteropServer("google_storage.py", folder: folder)
        try await uploadAll("google", to: server.url(Self.google), more: #", "checksum": "\#(checksum)""#)
        for name in Self.sizes.keys { await expectSame(name, as: "\(folder)/.cloudstorage/bkt/\(name)") }
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `gcp-storage-emulator takes files in chunks`() async throws {
        let server = try await InteropServer("google_storage.py", folder: folder)
        try await uploadAll("google", to: server.url(Self.google), more: #", "chunkSize": "3M""#)
        for name in Self.sizes.keys { await expectSame(name, as: "\(folder)/.cloudstorage/bkt/\(name)") }
        #expect(try place.exchangeSizes("PUT").filter { $0 == 3 << 20 }.count == 6)
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `a file that gcp-storage-emulator has is skipped, renamed or refused, as wished`() async throws {
        let server = try await InteropServer("google_storage.py", folder: folder)
        let url = server.url(Self.google)
        #expect(try await upload("a.bin", size: 600_000, "google", to: url).state == "done")
        let skipped = try await upload(
            "a.bin", size: 600_000, "google", to: url, more: #", "ifExists": "skip""#)
        #expect(skipped.state == "done")
        #expect(try place.exchangeSizes("PUT").count { $0 == 600_000 } == 1)
        let refused = try await upload(
            "a.bin", size: 600_000, "google", to: url, more: #", "ifExists": "fail""#)
        #expect(refused.state == "failed")
        #expect(refused.error == "a.bin is already at the server")
        let renamed = try await upload(
            "a.bin", size: 600_000, "google", to: url, more: #", "ifExists": "rename""#)
        #expect(renamed.state == "done")
        await expectSame("a.bin", as: folder + "/.cloudstorage/bkt/a (2).bin")
        try await server.stop()
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        arguments: [CutUpload.Trouble.link, .kill])
    func `gcp-storage-emulator gets little twice though the link is cut`(trouble: CutUpload.Trouble)
        async throws
    {
        let server = try await InteropServer("google_storage.py", folder: folder)
        let result = try await CutUpload(size: 32 << 20, cuts: 5, seed: 7, trouble: trouble).run(
            in: place, to: server.port, Self.google, protocol: "google",
            more: #", "chunkSize": "1M", "checksum": "crc32c""#)
        await expectSame(CutUpload.name, as: "\(folder)/.cloudstorage/bkt/\(CutUpload.name)")
        print("gcp-storage-emulator, \(trouble), chunks of 1 MiB: \(result)")
        // The server discards a request whose connection is reset.
        #expect(result.ratio <= 1.2)
        try await server.stop()
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        .enabled(if: LongTests.areWanted, needsTime),
        arguments: [CutUpload.Trouble.link, .kill])
    func `two hundred megabytes to gcp-storage-emulator survive twenty cuts`(trouble: CutUpload.Trouble)
        async throws
    {
        let server = try await InteropServer("google_storage.py", folder: folder)
        let result = try await CutUpload(size: 200_000_000, cuts: 20, seed: 61, trouble: trouble).run(
            in: place, to: server.port, Self.google, protocol: "google",
            more: #", "chunkSize": "1M", "checksum": "crc32c""#)
        await expectSame(CutUpload.name, as: "\(folder)/.cloudstorage/bkt/\(CutUpload.name)")
        print("gcp-storage-emulator, \(trouble), chunks of 1 MiB: \(result)")
        #expect(result.ratio <= 1.05)
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `one request for all resumes from what gcp-storage-emulator kept`() async throws {
        let server = try await InteropServer("google_storage.py", folder: folder)
        let result = try await CutUpload(size: 32 << 20, cuts: 5, seed: 8).run(
            in: place, to: server.port, Self.google, protocol: "google")
        await expectSame(CutUpload.name, as: "\(folder)/.cloudstorage/bkt/\(CutUpload.name)")
        print("gcp-storage-emulator, one request for all: \(result)")
        // The server discards a request whose connection is reset, and every second break is a reset.
        #expect(result.ratio <= 1.75)
        try await server.stop()
    }
}

// MARK: Graph

extension SessionInteropTests {
    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `Graph as documented takes files in ranges, and empty ones whole`() async throws {
        let server = try await InteropServer("graph_server.py", folder: folder)
        try await uploadAll(
            "graph", to: server.url(Self.graph),
            more: Self.token + #", "checksum": "sha-256", "ifExists": "fail""#)
        for name in Self.sizes.keys { await expectSame(name, as: "\(folder)/files/in/\(name)") }
        #expect(try log("put ").contains("put bytes 10485760-19999999/20000000"))
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `Graph itself applies the policy for an existing file`() async throws {
        let server = try await InteropServer("graph_server.py", folder: folder)
        let url = server.url(Self.graph)
        func upload(_ policy: String) async throws -> UploadLine {
            try await self.upload(
                "a.bin", size: 600_000, "graph", to: url, more: Self.token + #", "ifExists": "\#(policy)""#)
        }
        #expect(try await upload("fail").state == "done")
        let refused = try await upload("fail")
        #expect(refused.state == "failed")
        #expect(refused.error == "a.bin is already at the server")
        #expect(try await upload("rename").location == "https://drive.example/a%201.bin")
        #expect(try await upload("replace").location == "https://drive.example/a.bin")
        try await server.stop()
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        arguments: [CutUpload.Trouble.link, .kill])
    func `Graph as documented gets at most a range twice for each cut`(trouble: CutUpload.Trouble)
        async throws
    {
        let server = try await InteropServer("graph_server.py", folder: folder)
        let result = try await CutUpload(size: 32 << 20, cuts: 5, seed: 9, trouble: trouble).run(
            in: place, to: server.port, Self.graph, protocol: "graph",
            more: Self.token + #", "chunkSize": "640K""#)
        await expectSame(CutUpload.name, as: "\(folder)/files/in/\(CutUpload.name)")
        print("Graph, scripted, \(trouble), ranges of 640 KiB: \(result)")
        #expect(result.ratio <= 1.2)
        #expect(try log("create").count == 1)
        try await server.stop()
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        .enabled(if: LongTests.areWanted, needsTime),
        arguments: [CutUpload.Trouble.link, .kill])
    func `two hundred megabytes to Graph as documented survive twenty cuts`(trouble: CutUpload.Trouble)
        async throws
    {
        let server = try await InteropServer("graph_server.py", folder: folder)
        let result = try await CutUpload(size: 200_000_000, cuts: 20, seed: 62, trouble: trouble).run(
            in: place, to: server.port, Self.graph, protocol: "graph",
            more: Self.token + #", "chunkSize": "320K""#)
        await expectSame(CutUpload.name, as: "\(folder)/files/in/\(CutUpload.name)")
        print("Graph, scripted, \(trouble), ranges of 320 KiB: \(result)")
        #expect(result.ratio <= 1.05)
        #expect(try log("create").count == 1)
        try await server.stop()
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        arguments: [
            ("lost.bin", "replace", "done", 1), ("lost.bin", "fail", "done", 1),
            ("lost unknown.bin", "replace", "done", 2), ("lost unknown.bin", "fail", "held", 1),
        ])
    func `P10 a lost last response of Graph is looked up, and the file is sent again only where harmless`(
        name: String, policy: String, state: String, sessions: Int
    ) async throws {
        let server = try await InteropServer("graph_server.py", folder: folder)
        let upload = try await upload(
            name, size: 600_000, "graph", to: server.url(Self.graph),
            more: Self.token + #", "ifExists": "\#(policy)""#)
        #expect(upload.state == state, "\(upload.error ?? "")")
        #expect(try log("create").count == sessions)
        await expectSame(name, as: folder + "/files/in/" + name)
        try await server.stop()
    }
}

// MARK: Azure

extension SessionInteropTests {
    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `Azure as documented takes small files whole and large ones in blocks`() async throws {
        let server = try await InteropServer("azure_server.py", folder: folder)
        try await uploadAll(
            "azure", to: server.url(Self.azure),
            more: #", "checksum": "md5", "chunkSize": "1M", "parallel": 4, "parameters": { "album": "May" }"#)
        for name in Self.sizes.keys { await expectSame(name, as: "\(folder)/blobs/in/\(name)") }
        #expect(try log("block ").count == 20)
        #expect(try log("md5 ").count == 1)
        try expectNowhere("secret")
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `a blob that is there is skipped, renamed or refused, as wished`() async throws {
        let server = try await InteropServer("azure_server.py", folder: folder)
        func upload(_ policy: String) async throws -> UploadLine {
            try await self.upload(
                "a.bin", size: 600_000, "azure", to: server.url(Self.azure),
                more: #", "chunkSize": "256K", "ifExists": "\#(policy)""#)
        }
        #expect(try await upload("fail").state == "done")
        let blocks = try log("block ").count
        #expect(try await upload("skip").state == "done")
        #expect(try log("block ").count == blocks)
        #expect(try await upload("fail").error == "a.bin is already at the server")
        let renamed = try await upload("rename")
        #expect(renamed.location?.hasSuffix("/container/in/a%20%282%29.bin") == true)
        await expectSame("a.bin", as: folder + "/blobs/in/a (2).bin")
        try expectNowhere("secret")
        try await server.stop()
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        arguments: [CutUpload.Trouble.link, .kill])
    func `Azure as documented gets only the blocks in flight twice`(trouble: CutUpload.Trouble) async throws {
        let server = try await InteropServer("azure_server.py", folder: folder)
        let result = try await CutUpload(size: 32 << 20, cuts: 5, seed: 10, trouble: trouble).run(
            in: place, to: server.port, Self.azure, protocol: "azure",
            more: #", "chunkSize": "256K", "parallel": 4, "checksum": "md5""#)
        await expectSame(CutUpload.name, as: "\(folder)/blobs/in/\(CutUpload.name)")
        print("Azure, scripted, \(trouble), 4 blocks of 256 KiB at once: \(result)")
        #expect(result.ratio <= 1.3)
        #expect(try log("commit ").count == 1)
        try await server.stop()
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        .enabled(if: LongTests.areWanted, needsTime),
        arguments: [CutUpload.Trouble.link, .kill])
    func `two hundred megabytes to Azure as documented survive twenty cuts`(trouble: CutUpload.Trouble)
        async throws
    {
        let server = try await InteropServer("azure_server.py", folder: folder)
        let result = try await CutUpload(size: 200_000_000, cuts: 20, seed: 63, trouble: trouble).run(
            in: place, to: server.port, Self.azure, protocol: "azure",
            more: #", "chunkSize": "256K", "parallel": 1, "checksum": "md5""#)
        await expectSame(CutUpload.name, as: "\(folder)/blobs/in/\(CutUpload.name)")
        print("Azure, scripted, \(trouble), blocks of 256 KiB: \(result)")
        #expect(result.ratio <= 1.05)
        #expect(try log("commit ").count == 1)
        try await server.stop()
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        arguments: [
            ("replace", 600_000), ("fail", 600_000), ("rename", 600_000), ("fail", 17), ("rename", 17),
        ])
    func `P10 a block list is found to be committed when its response is lost`(policy: String, size: Int)
        async throws
    {
        let server = try await InteropServer("azure_server.py", folder: folder)
        let upload = try await upload(
            "lost.bin", size: size, "azure", to: server.url(Self.azure),
            more: #", "chunkSize": "256K", "ifExists": "\#(policy)""#)
        #expect(upload.state == "done", "\(upload.error ?? "")")
        await expectSame("lost.bin", as: folder + "/blobs/in/lost.bin")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/blobs/in") == ["lost.bin"])
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `a block that was damaged in transit is sent again`() async throws {
        let server = try await InteropServer("azure_server.py", folder: folder)
        let upload = try await upload(
            "torn.bin", size: 500_000, "azure", to: server.url(Self.azure),
            more: #", "chunkSize": "256K", "checksum": "md5""#)
        #expect(upload.state == "done", "\(upload.error ?? "")")
        #expect(upload.attempts == 1)
        #expect(try log("block ").count == 4)
        await expectSame("torn.bin", as: folder + "/blobs/in/torn.bin")
        try await server.stop()
    }
}
