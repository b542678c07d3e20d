import Foundation
import Support
import Testing

/// Uploads over tus whose way is broken again and again, to servers that others wrote.
@Suite(.fewAtOnce, .serialized, .timeLimit(.minutes(15)))
struct TusCutTests {
    private static let isLong = ProcessInfo.processInfo.environment["FERRY_LONG"] == "1"
    private static let needsTime: Comment = "takes minutes; FERRY_LONG=1 runs it"

    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = place.directory.path("server")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `tuspyserver gets hardly a byte twice though the link is cut five times`() async throws {
        try await cutTuspyserver(CutUpload(size: 32 << 20, cuts: 5, seed: 31))
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `tuspyserver gets hardly a byte twice though ferry is killed five times`() async throws {
        try await cutTuspyserver(CutUpload(size: 32 << 20, cuts: 5, seed: 32, trouble: .kill))
    }

    private func cutTuspyserver(_ upload: CutUpload, more: String = "") async throws {
        let server = try await InteropServer("tus_server.py", folder: folder)
        let result = try await upload.run(
            in: place, to: server.port, "/files/", protocol: "tus", more: more)
        let id = try #require(result.upload.location?.split(separator: "/").last)
        #expect(await ChildProcess.succeeds("cmp", place.path(CutUpload.name), "\(folder)/\(id)"))
        #expect(result.ratio <= 1.05)
        print("tuspyserver, \(result)")
        try await server.stop()
    }
}
