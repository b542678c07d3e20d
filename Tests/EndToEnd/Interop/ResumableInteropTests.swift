import FerryTestSupport
import Foundation
import Testing

/// Tests resumable uploads of the IETF draft to a real server and to Ferry's receiver, also over a link that is cut.
@Suite(.fewAtOnce, .serialized, .timeLimit(.minutes(15)))
struct ResumableInteropTests {
    private static let needsTime: Comment = "takes minutes; FERRY_LONG=1 runs it"

    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    @Test(arguments: [3, 5, 6])
    func `NIOResumableUpload takes files of every size in each of its versions`(version: Int) async throws {
        let sizes = ["empty.bin": 0, "one.bin": 1, "small ä.txt": 17, "large.bin": 20_000_000]
        for (name, size) in sizes {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        }
        let server = try await NIOResumableServer(folder: folder, version: version)
        try place.configure("resumable", at: "http://127.0.0.1:\(server.port)/in/{name}")
        try await place.ferry("add", place.path("*"))
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        for name in sizes.keys {
            #expect(await ChildProcess.succeeds("cmp", place.path(name), folder + "/" + name), "\(name)")
        }
        try await server.stop()
    }

    @Test func `NIOResumableUpload gets hardly a byte twice though the link is cut five times`() async throws
    {
        try await cutNIO(CutUpload(size: 32 << 20, cuts: 5, seed: 41))
    }

    @Test func `NIOResumableUpload gets hardly a byte twice though ferry is killed five times`() async throws
    {
        try await cutNIO(CutUpload(size: 32 << 20, cuts: 5, seed: 42, trouble: .kill))
    }

    @Test(.enabled(if: LongTests.areWanted, needsTime), arguments: [3, 5, 6])
    func `NIOResumableUpload gets hardly a byte twice though the link is cut twenty times`(version: Int)
        async throws
    {
        try await cutNIO(CutUpload(size: 200 << 20, cuts: 20, seed: UInt64(43 + version)), version: version)
    }

    private func cutNIO(_ upload: CutUpload, version: Int? = nil) async throws {
        let server = try await NIOResumableServer(folder: folder, version: version)
        let result = try await upload.run(in: place, to: server.port, "/in/{name}", protocol: "resumable")
        #expect(await ChildProcess.succeeds("cmp", place.path(CutUpload.name), folder + "/" + CutUpload.name))
        #expect(result.ratio <= 1.05)
        print("NIOResumableUpload\(version.map { " in version \($0)" } ?? ""), \(result)")
        try await server.stop()
    }

    @Test func `N3 the receiver gets hardly a byte twice though the link is cut five times`() async throws {
        try await cutReceiver(CutUpload(size: 32 << 20, cuts: 5, seed: 51))
    }

    @Test func `the receiver verifies a file in several appends though ferry is killed five times`()
        async throws
    {
        let upload = CutUpload(size: 32 << 20, cuts: 5, seed: 52, trouble: .kill)
        try await cutReceiver(upload, more: #", "checksum": "sha-256", "method": "PUT""#)
    }

    @Test(.enabled(if: LongTests.areWanted, needsTime))
    func `the receiver gets hardly a byte twice though the link is cut twenty times`() async throws {
        try await cutReceiver(CutUpload(size: 200 << 20, cuts: 20, seed: 53))
    }

    private func cutReceiver(_ upload: CutUpload, more: String = "") async throws {
        try await ReceiverSite.with { site in
            let port = try #require(URL(string: site.url)?.port)
            let result = try await upload.run(in: place, to: port, "/", protocol: "resumable", more: more)
            let stored = try #require(try site.names().first)
            #expect(stored == CutUpload.name)
            #expect(
                await ChildProcess.succeeds("cmp", place.path(CutUpload.name), site.folder + "/" + stored))
            #expect(result.ratio <= 1.05)
            print("the receiver, \(result)")
        }
    }

    @Test(.enabled(if: Privilege.has("curl"), "needs curl"))
    func `curl ends what another curl began`() async throws {
        let path = try place.file("a.bin", String(repeating: "0123456789", count: 1000))
        try await ReceiverSite.with { site in
            let version = "Upload-Draft-Interop-Version: 8"
            let begun = await ChildProcess.succeeds(
                "curl", "-sS", "-f", "-D", place.path("head"), "-X", "PUT", "-H", version, "-H",
                "Upload-Complete: ?0", "--data-binary", "", site.url + "a.bin")
            #expect(begun)
            let head = try String(contentsOfFile: place.path("head"), encoding: .utf8)
            let line = head.split(whereSeparator: \.isNewline).first {
                $0.lowercased().hasPrefix("location: ")
            }
            let location = String(try #require(line).dropFirst("location: ".count))
            let ended = await ChildProcess.succeeds(
                "curl", "-sS", "-f", "-X", "PATCH", "-H", version, "-H", "Upload-Complete: ?1", "-H",
                "Upload-Offset: 0", "-H", "Content-Type: application/partial-upload", "--data-binary",
                "@" + path, String(site.url.dropLast()) + location)
            #expect(ended)
            #expect(await ChildProcess.succeeds("cmp", path, site.folder + "/a.bin"))
        }
    }
}
