import FerryTestSupport
import Foundation
import Testing

/// Tests uploads to tusd and @tus/server, if the environment names them.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(15)),
    .enabled(if: OtherTusServer.hasAny, Comment(rawValue: OtherTusServer.needsOne)))
struct OtherTusTests {
    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    @Test(arguments: OtherTusServer.present)
    func `takes files of every size`(kind: OtherTusServer) async throws {
        let sizes = ["empty.bin": 0, "small ä.txt": 17, "large.bin": 20_000_000]
        for (name, size) in sizes {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        }
        let server = try await kind.start(in: folder)
        try place.configure("tus", at: server.url(kind.path))
        let added = try await place.ferry("add", place.path("*"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        let uploads = try await place.list()
        #expect(uploads.count == sizes.count)
        for upload in uploads { try await expectStored(upload.name, of: upload) }
        try await server.stop()
    }

    @Test(arguments: OtherTusServer.present, [CutUpload.Trouble.link, .kill])
    func `gets hardly a byte twice, however often the upload is cut`(
        kind: OtherTusServer, trouble: CutUpload.Trouble
    ) async throws {
        let server = try await kind.start(in: folder)
        let result = try await CutUpload(size: 32 << 20, cuts: 5, seed: 41, trouble: trouble).run(
            in: place, to: server.port, kind.path, protocol: "tus")
        try await expectStored(CutUpload.name, of: result.upload)
        #expect(result.bytesThrough <= result.bound(connections: 1))
        print("\(kind), \(trouble): \(result)")
        try await server.stop()
    }

    @Test(arguments: OtherTusServer.present)
    func `the parts of an upload in four parts survive five cuts`(kind: OtherTusServer) async throws {
        let server = try await kind.start(in: folder)
        let result = try await CutUpload(size: 80 << 20, cuts: 5, seed: 42).run(
            in: place, to: server.port, kind.path, protocol: "tus", more: #", "parallel": 4"#)
        try await expectStored(CutUpload.name, of: result.upload)
        print("\(kind), four parts: \(result)")
        try await server.stop()
    }

    @Test(arguments: OtherTusServer.present)
    func `a server that is killed and comes back has the whole file at the end`(kind: OtherTusServer)
        async throws
    {
        let server = RestartedServer(
            folder: folder, end: { try await $0.kill() },
            start: { try await kind.start(in: folder, port: $0) })
        let upload = try await server.upload(in: place, to: kind.path)
        try await expectStored(CutUpload.name, of: upload)
    }

    private func expectStored(_ name: String, of upload: UploadLine) async throws {
        #expect(upload.state == "done", "\(upload)")
        let id = try #require(upload.location?.split(separator: "/").last)
        #expect(await ChildProcess.succeeds("cmp", place.path(name), "\(folder)/\(id)"), "\(name)")
    }
}
