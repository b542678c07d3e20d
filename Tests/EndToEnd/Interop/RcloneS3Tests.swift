import FerryTestSupport
import Foundation
import Testing

/// The S3 server of rclone, which checks signatures and stores objects as files.
enum RcloneS3 {
    /// The path of the bucket in the server's URL and in its folder.
    static let path = "/bucket/"
    /// Further members of the destination.
    static let more =
        #", "chunkSize": "5M", "auth": { "s3": { "accessKey": "key", "secretKey": "secret" } }"#

    static func start(in folder: String) async throws -> InteropServer {
        _ = FileManager.default.createFile(atPath: folder + "/s3", contents: nil)
        return try await InteropServer(
            "rclone_server.py", port: try InteropServer.freePort(), folder: folder)
    }
}

/// Tests uploads to rclone's S3 server.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(10)), .enabled(if: InteropServer.hasPython, InteropServer.needsPython))
struct RcloneS3Tests {
    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    private func with(_ body: (InteropServer) async throws -> Void) async throws {
        let server = try await RcloneS3.start(in: folder)
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func expectSameTrees() async {
        #expect(
            await ChildProcess.succeeds("diff", "-r", place.path(""), folder + "/files" + RcloneS3.path))
    }

    @Test func `files arrive whole and in parts, and replace old ones`() async throws {
        try await with { server in
            for seed in [1, 2] as [UInt64] {
                try place.file("small.bin", "contents \(seed)")
                try place.file("large.bin", "")
                _ = try PatternFile(at: place.path("large.bin"), count: 12_000_000, seed: seed)
                try place.configure("s3", at: server.url(RcloneS3.path), more: RcloneS3.more)
                let added = try await place.ferry("add", place.path("*"))
                #expect(added.ending == .exited(0), "\(added.errors)")
                let result = try await place.ferry("run", "--exit-when-idle")
                #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
                await expectSameTrees()
                try await place.ferry("remove", "--all")
            }
        }
    }

    @Test func `an upload in parts that is cut three times is whole in the end`() async throws {
        try await with { server in
            let result = try await CutUpload(size: 12 << 20, cuts: 3, seed: 45).run(
                in: place, to: server.port, RcloneS3.path, protocol: "s3", more: RcloneS3.more)
            print("rclone's S3: \(result)")
            await expectSameTrees()
        }
    }
}
