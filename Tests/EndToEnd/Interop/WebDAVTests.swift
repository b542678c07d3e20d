import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Real WebDAV servers.
enum WebDAVServerKind: String, CaseIterable, CustomTestStringConvertible {
    /// The server nginx, which buffers the whole body before it handles the request.
    case nginx
    /// The server Apache, which accepts `PUT` with `Content-Range`.
    case apache
    /// The server lighttpd, which refuses `PUT` with `Content-Range`.
    case lighttpd
    /// The server lighttpd, with the setting that accepts `PUT` with `Content-Range`.
    case lighttpdWithRanges
    /// The server rclone, which ignores `Content-Range` and keeps what a broken `PUT` has left.
    case rclone

    var testDescription: String { rawValue }

    static let arePresent = ["nginx", "apache2", "lighttpd", "rclone"].allSatisfy(Privilege.has)
    static let need: Comment = "needs nginx, apache2, lighttpd and rclone; Tests/run installs them"

    func start(in folder: String) async throws -> InteropServer {
        let script =
            switch self {
            case .nginx: "nginx_put.sh"
            case .apache: "apache_dav.sh"
            case .lighttpd, .lighttpdWithRanges: "lighttpd_dav.sh"
            case .rclone: "rclone_dav.sh"
            }
        if self == .lighttpdWithRanges {
            _ = FileManager.default.createFile(atPath: folder + "/ranges", contents: nil)
        }
        return try await InteropServer(script, port: try InteropServer.freePort(), folder: folder)
    }
}

/// Tests uploads by WebDAV to real servers.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(10)),
    .enabled(if: WebDAVServerKind.arePresent, WebDAVServerKind.need))
struct WebDAVTests {
    private static let needsTime: Comment = "takes minutes; FERRY_LONG=1 runs it"

    private let place: Workplace
    private let folder: String
    /// The folder in which the server stores its files.
    private var stored: String { folder + "/files" }

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    private func with(
        _ kind: WebDAVServerKind, _ body: (InteropServer) async throws -> Void
    ) async throws {
        let server = try await kind.start(in: folder)
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func makeFile(_ name: String, size: Int) throws {
        try place.file(name, "")
        _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
    }

    /// Checks that the server has the same files, and no others such as temporary ones.
    private func expectSameTrees() async {
        #expect(await ChildProcess.succeeds("diff", "-r", place.path(""), stored))
    }

    @Test(arguments: WebDAVServerKind.allCases)
    func `files arrive under their own names, in folders that were not there`(
        kind: WebDAVServerKind
    ) async throws {
        try makeFile("empty.bin", size: 0)
        try makeFile("large ä.bin", size: 20_000_000)
        try makeFile("html 5.txt", size: 17)
        try makeFile("new folder/50% #1/\"it's\" & <só>+;=@.txt", size: 100_000)
        try makeFile("new folder/50% #1/b?c.txt", size: 3)
        try await with(kind) { server in
            try place.configure("webdav", at: server.url("/"))
            let added = try await place.ferry("add", "--recursive", place.path("*"))
            #expect(added.ending == .exited(0), "\(added.errors)")
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            await expectSameTrees()
        }
    }

    @Test(arguments: WebDAVServerKind.allCases)
    func `an upload that was killed is whole after the next run, and leaves nothing else`(
        kind: WebDAVServerKind
    ) async throws {
        try await with(kind) { server in
            let result = try await CutUpload(size: 16 << 20, cuts: 1, seed: 3, trouble: .kill).run(
                in: place, to: server.port, "/", protocol: "webdav")
            print("WebDAV by \(kind.rawValue), killed: \(result)")
            await expectSameTrees()
        }
    }

    @Test(arguments: WebDAVServerKind.allCases)
    func `with a chunk size the file is whole whatever the server makes of Content-Range`(
        kind: WebDAVServerKind
    ) async throws {
        try makeFile("large.bin", size: 20_000_000)
        try await with(kind) { server in
            try place.configure("webdav", at: server.url("/"), more: #", "chunkSize": "6M""#)
            try await place.ferry("add", place.path("large.bin"))
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            await expectSameTrees()
            let sizes = try place.exchangeSizes("PUT")
            let takesRanges = [.apache, .lighttpdWithRanges].contains(kind)
            let proof = [64 << 10, 64 << 10]
            let rest = 20_000_000 - (128 << 10) - (18 << 20)
            #expect(sizes == proof + (takesRanges ? [6 << 20, 6 << 20, 6 << 20, rest] : [20_000_000]))
            print("WebDAV by \(kind.rawValue), 20000000 bytes in chunks of 6 MiB: PUT of \(sizes)")
        }
    }

    @Test(arguments: [CutUpload.Trouble.link, .kill])
    func `an upload to Apache that is cut resumes within a chunk`(trouble: CutUpload.Trouble) async throws {
        try await with(.apache) { server in
            let result = try await CutUpload(size: 64 << 20, cuts: 5, seed: 4, trouble: trouble).run(
                in: place, to: server.port, "/", protocol: "webdav", more: #", "chunkSize": "16M""#)
            print("WebDAV by apache, \(trouble): \(result)")
            // Apache keeps the received part of a broken request. The bytes that prove its support of parts, and those
            // in sockets, are sent twice.
            #expect(result.ratio <= 1.05)
            await expectSameTrees()
        }
    }

    @Test(.enabled(if: LongTests.areWanted, needsTime), arguments: [CutUpload.Trouble.link, .kill])
    func `two hundred megabytes to Apache survive twenty cuts`(trouble: CutUpload.Trouble) async throws {
        try await with(.apache) { server in
            let result = try await CutUpload(size: 200_000_000, cuts: 20, seed: 64, trouble: trouble).run(
                in: place, to: server.port, "/", protocol: "webdav", more: #", "chunkSize": "4M""#)
            print("WebDAV by apache, \(trouble), pieces of 4 MiB: \(result)")
            #expect(result.ratio <= 1.05)
            await expectSameTrees()
        }
    }

    @Test(arguments: [WebDAVServerKind.rclone, .nginx])
    func `an upload that is cut begins again and is whole in the end`(kind: WebDAVServerKind) async throws {
        try await with(kind) { server in
            let result = try await CutUpload(size: 16 << 20, cuts: 2, seed: 9).run(
                in: place, to: server.port, "/", protocol: "webdav")
            print("WebDAV by \(kind.rawValue): \(result)")
            await expectSameTrees()
        }
    }

    /// Tests an existing file, of another size or the same, with each policy.
    @Test(arguments: WebDAVServerKind.allCases)
    func `an existing file is kept, replaced or left beside a renamed one as the destination says`(
        kind: WebDAVServerKind
    ) async throws {
        try place.file("a.txt", "the new contents")
        try await with(kind) { server in
            for (policy, ends, names) in [
                ("fail", 1, ["a.txt": "old"]), ("replace", 0, ["a.txt": "new"]),
                ("skip", 0, ["a.txt": "new"]), ("rename", 0, ["a.txt": "old", "a (2).txt": "new"]),
            ] as [(String, Int32, [String: String])] {
                let folder = "\(stored)/\(policy)"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data("the old".utf8).write(to: URL(fileURLWithPath: folder + "/a.txt"))
                try place.configure(
                    "webdav", at: server.url("/\(policy)/"), more: #", "ifExists": "\#(policy)""#)
                try await place.ferry("add", place.path("a.txt"))
                let result = try await place.ferry("run", "--exit-when-idle")
                #expect(result.ending == .exited(ends), "\(policy): \(result.output)")
                let found = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(found.sorted() == names.keys.sorted(), "\(policy)")
                for (name, which) in names {
                    let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                    #expect(text == (which == "old" ? "the old" : "the new contents"), "\(policy)")
                }
                try await place.ferry("remove", "--all")
            }
        }
    }

    @Test(arguments: WebDAVServerKind.allCases)
    func `a file of the same size is not sent again where that is wished`(kind: WebDAVServerKind) async throws
    {
        try place.file("a.txt", "contents")
        try await with(kind) { server in
            try Data("CONTENTS".utf8).write(to: URL(fileURLWithPath: stored + "/a.txt"))
            try place.configure("webdav", at: server.url("/"), more: #", "ifExists": "skip""#)
            try await place.ferry("add", place.path("a.txt"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
            #expect(try String(contentsOfFile: stored + "/a.txt", encoding: .utf8) == "CONTENTS")
        }
    }

    /// A `MOVE` with `Overwrite: T` would delete the folder with its content.
    @Test(arguments: WebDAVServerKind.allCases)
    func `a folder of the file's name is not replaced`(kind: WebDAVServerKind) async throws {
        try place.file("a", "contents")
        try await with(kind) { server in
            let folder = stored + "/a"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("precious".utf8).write(to: URL(fileURLWithPath: folder + "/b"))
            try place.configure("webdav", at: server.url("/"), more: #", "ifExists": "replace""#)
            try await place.ferry("add", place.path("a"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
            #expect(try await place.list().first?.error?.contains("folder") == true)
            #expect(try String(contentsOfFile: folder + "/b", encoding: .utf8) == "precious")
        }
    }

    @Test func `a server without MOVE is not used, and put is named instead`() async throws {
        try place.file("a.txt")
        let server = try HostileServer([
            .answer(200, headers: [("Allow", "GET,HEAD,PUT,DELETE,OPTIONS")])
        ])
        defer { server.stop() }
        try place.configure("webdav", at: server.url("/"))
        try await place.ferry("add", place.path("a.txt"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        #expect(try await place.list().first?.hint?.contains("put") == true)
        #expect(server.requests.map(\.method) == ["OPTIONS"])
    }
}
