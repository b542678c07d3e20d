import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

/// Tests uploads to radosgw, Ceph's S3 server, with its storage in memory.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(30)),
    .enabled(if: Privilege.has("radosgw"), "needs radosgw and ceph; Tests/run installs them"))
struct RadosgwTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Tests everything at once, because the server takes half a minute to start.
    @Test func `radosgw takes files whole, in parts, over a cut link, and though responses are lost`()
        async throws
    {
        let server = try await InteropServer(
            "radosgw.sh", port: try InteropServer.freePort(), folder: try place.folder("server"))
        do {
            try await uploadAll(to: try await S3Site("whole", at: server))
            try await cut(at: try await S3Site("cut", at: server))
            try await loseFinalResponses(of: server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func uploadAll(to site: S3Site) async throws {
        let sizes = ["empty.bin": 0, "small ä+=&.txt": 17, "large.bin": 20_000_000]
        for (name, size) in sizes {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        }
        try place.configure("s3", at: site.url, more: S3Site.keys + #", "chunkSize": "8M""#)
        let added = try await place.ferry("add", place.path("*"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        for name in sizes.keys {
            #expect(try await site.holds(name, sameAs: place.path(name)), "\(name)")
        }
        try await place.ferry("remove", "--all")
    }

    private func cut(at site: S3Site) async throws {
        let result = try await CutUpload(size: 32 << 20, cuts: 4, seed: 44).run(
            in: place, to: site.server.port, "/\(site.bucket)/", protocol: "s3",
            more: S3Site.keys + #", "chunkSize": "5M""#)
        #expect(try await site.holds(CutUpload.name, sameAs: place.path(CutUpload.name)))
        print("radosgw: \(result)")
    }

    /// Loses the final response of an upload in parts: first by a break, then by a kill. The requests are the same as
    /// those to Swift.
    private func loseFinalResponses(of server: InteropServer) async throws {
        let route = LostResponseRoute.s3PartsSwift
        let site = try await S3Site(route.bucket, at: server)
        let isStored: LostResponseRoute.IsStored = { upload, file in
            try await site.holds(upload.name, sameAs: file)
        }
        try await LostResponseTests.loseFinalResponse(
            route, in: try Workplace(), to: server.port, isStored)
        guard ChildProcess.showsThreads else { return }
        // The next upload has the same name and must not find this object.
        try await site.ask(.delete, "whole.bin")
        try await LostResponseTests.killAtFinalResponse(
            route, in: try Workplace(), to: server.port, isStored)
    }
}
