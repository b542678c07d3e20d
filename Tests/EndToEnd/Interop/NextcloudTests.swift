import FerryTestSupport
import Foundation
import Testing

/// Tests chunked uploads to a stand-in that implements Nextcloud's documentation. It is not a real Nextcloud.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(10)),
    .enabled(if: InteropServer.hasPython, InteropServer.needsPython))
struct NextcloudTests {
    private static let folder = "/remote.php/dav/files/ann/"

    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    private func with(_ body: (InteropServer) async throws -> Void) async throws {
        let server = try await InteropServer("nextcloud_server.py", folder: folder)
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func expectSameTrees() async {
        #expect(await ChildProcess.succeeds("diff", "-r", place.path(""), folder + "/files"))
        let left = try? FileManager.default.contentsOfDirectory(atPath: folder + "/uploads")
        #expect(left == [])
    }

    @Test func `files arrive whole and verified, small and large, in folders that were not there`()
        async throws
    {
        for (name, size) in ["empty.bin": 0, "a b/ü #1.bin": 100_000, "a b/c/large %.bin": 20_000_000] {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        }
        try await with { server in
            try place.configure(
                "nextcloud", at: server.url(Self.folder),
                more: #", "chunkSize": "5M", "parallel": 3, "checksum": "sha-256""#)
            let added = try await place.ferry("add", "--recursive", place.path("*"))
            #expect(added.ending == .exited(0), "\(added.errors)")
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            await expectSameTrees()
        }
    }

    @Test(arguments: [CutUpload.Trouble.link, .kill])
    func `an upload that is cut sends again only the chunks that were under way`(
        trouble: CutUpload.Trouble
    ) async throws {
        try await with { server in
            let result = try await CutUpload(size: 128 << 20, cuts: 5, seed: 6, trouble: trouble).run(
                in: place, to: server.port, Self.folder, protocol: "nextcloud",
                more: #", "chunkSize": "5M", "parallel": 2"#)
            print("Nextcloud's documented exchanges, \(trouble): \(result)")
            // Each cut can lose two chunks of 5 MiB.
            #expect(result.bytesThrough <= (128 << 20) + 5 * (10 << 20) + (1 << 20))
            await expectSameTrees()
        }
    }
}
