import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests destinations without a configured protocol at real servers.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct AutoInteropTests {
    private static let size = 20_000_000

    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: Self.size)
    }

    private func configure(_ url: String, limits: String = "{}") throws {
        try place.configure(
            """
            { "destinations": { "here": { "url": "\(url)" } }, "limits": \(limits),
              "retry": { "base": 0.01, "cap": 0.05 } }
            """)
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `tuspyserver is known by its response, and an upload resumes by tus after ferry was killed`()
        async throws
    {
        let server = try await InteropServer("tus_server.py", folder: folder)
        try configure(server.url("/files/"), limits: #"{ "bandwidth": "8M" }"#)
        let checked = try await place.ferry("check")
        #expect(checked.ending == .exited(0), "\(checked.output)")
        #expect(checked.output.contains("tus, because the server says Tus-"))
        try await place.ferry("add", place.path("large.bin"))
        let engine = try place.start("run", "--json", "--exit-when-idle")
        try await Eventually.holds("a quarter of the file at the server") {
            InteropServer.largestFile(in: folder) > Self.size / 4
        }
        engine.signal(SIGKILL)
        try await engine.ending()
        // The capabilities of the server may be lost. The upload's record contains the protocol.
        try FileManager.default.removeItem(atPath: place.state + "/capabilities.json")
        let last = try await place.ferry("run", "--exit-when-idle")
        #expect(last.ending == .exited(0), "\(last.output)")
        let upload = try #require(try await place.list().first)
        #expect(upload.protocol == "tus")
        let id = try #require(upload.location?.split(separator: "/").last)
        #expect(await ChildProcess.succeeds("cmp", place.path("large.bin"), "\(folder)/\(id)"))
        let sizes = try place.exchangeSizes("PATCH")
        #expect(sizes.first == Self.size)
        #expect(sizes.last.map { $0 <= Self.size * 3 / 4 } == true, "\(sizes)")
        print("auto at tuspyserver: requests of \(sizes) bytes for a file of \(Self.size)")
        try await server.stop()
    }

    @Test(.enabled(if: Privilege.has("nginx"), "needs nginx; Tests/run installs it"))
    func `nginx takes the file by what it says of itself`() async throws {
        let server = try await InteropServer(
            "nginx_put.sh", port: try InteropServer.freePort(), folder: folder)
        try configure(server.url("/in/"))
        let checked = try await place.ferry("check", "--json")
        #expect(checked.ending == .exited(0), "\(checked.output)")
        let names = ["put", "webdav"]
        #expect(names.contains { checked.output.contains(#""protocol":"\#($0)""#) }, "\(checked.output)")
        #expect(!FileManager.default.fileExists(atPath: folder + "/files/in"))
        try await place.ferry("add", place.path("large.bin"))
        let ran = try await place.ferry("run", "--exit-when-idle")
        #expect(ran.ending == .exited(0), "\(ran.output)")
        #expect(await ChildProcess.succeeds("cmp", place.path("large.bin"), folder + "/files/in/large.bin"))
        try await server.stop()
    }
}
