import FerryTestSupport
import Foundation
import Testing

/// Uploads to rclone's S3 server, which checks signatures and keeps objects as files.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(3)), .enabled(if: InteropServer.hasPython, InteropServer.needsPython))
struct RcloneS3Tests {
    @Test func `files arrive whole and in parts, and replace old ones`() async throws {
        let place = try Workplace()
        let folder = try place.folder("server")
        _ = FileManager.default.createFile(atPath: folder + "/s3", contents: nil)
        let server = try await InteropServer(
            "rclone_server.py", port: try InteropServer.freePort(), folder: folder)
        do {
            for seed in [1, 2] as [UInt64] {
                try place.file("small.bin", "contents \(seed)")
                try place.file("large.bin", "")
                _ = try PatternFile(at: place.path("large.bin"), count: 12_000_000, seed: seed)
                try place.configure(
                    "s3", at: server.url("/bucket/"),
                    more:
                        #", "chunkSize": "5M", "auth": { "s3": { "accessKey": "key", "secretKey": "secret" } }"#
                )
                let added = try await place.ferry("add", place.path("*"))
                #expect(added.ending == .exited(0), "\(added.errors)")
                let result = try await place.ferry("run", "--exit-when-idle")
                #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
                #expect(
                    await ChildProcess.succeeds("diff", "-r", place.path(""), folder + "/files/bucket"))
                try await place.ferry("remove", "--all")
            }
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }
}
