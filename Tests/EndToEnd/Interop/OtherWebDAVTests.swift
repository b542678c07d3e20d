import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// WebDAV servers that are met less often.
enum OtherWebDAVServer: String, CaseIterable, CustomTestStringConvertible {
    case wsgidav = "wsgidav_server.py"
    /// Sends no entity tags.
    case copyparty = "copyparty_server.py"
    /// Makes entity tags of contents, and takes partial updates.
    case sabreDAV = "sabre_dav.sh"
    /// Responds with 500 to a PUT into a missing folder.
    case chezdav = "chezdav_server.sh"
    /// A newer one than the system's.
    case rclone = "rclone_server.py"

    var testDescription: String { rawValue }

    /// The path of the folder `files` in URLs.
    var path: String { self == .copyparty ? "/files/" : "/" }

    static let arePresent =
        InteropServer.hasPython && ["php", "chezdav"].allSatisfy(Privilege.has)
        && FileManager.default.fileExists(atPath: "/usr/share/php/Sabre/autoload.php")
    static let need: Comment =
        "needs chezdav, PHP, SabreDAV and the packages of Tests/Servers/requirements.txt; Tests/run installs them"
}

@Suite(
    .fewAtOnce, .timeLimit(.minutes(5)), .enabled(if: OtherWebDAVServer.arePresent, OtherWebDAVServer.need))
struct OtherWebDAVTests {
    private let place: Workplace
    private let folder: String
    private var stored: String { folder + "/files" }

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    private func with(_ script: String, _ body: (InteropServer) async throws -> Void) async throws {
        let server = try await InteropServer(script, port: try InteropServer.freePort(), folder: folder)
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func sendAll(to url: String, more: String = "") async throws {
        try place.configure("webdav", at: url, more: more)
        let added = try await place.ferry("add", "--recursive", place.path("*"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        try await place.ferry("remove", "--all")
    }

    private func expectSameTrees() async {
        #expect(
            await ChildProcess.succeeds(
                "diff", "-r", "-x", ".sabredav", "-x", ".hist", place.path(""), stored))
    }

    @Test(arguments: OtherWebDAVServer.allCases)
    func `files arrive in folders that were not there, and replace old ones of their size`(
        kind: OtherWebDAVServer
    ) async throws {
        try place.file("new folder/below/small ä.txt", "one")
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: 5_000_000, seed: 5)
        try FileManager.default.createDirectory(atPath: stored, withIntermediateDirectories: true)
        try await with(kind.rawValue) { server in
            try await sendAll(to: server.url(kind.path))
            await expectSameTrees()
            // Within the same second, too.
            try place.file("new folder/below/small ä.txt", "two")
            try await sendAll(to: server.url(kind.path))
            await expectSameTrees()
        }
    }

    @Test func `an upload to SabreDAV that is killed resumes at its offset, without a setting`() async throws
    {
        try await with(OtherWebDAVServer.sabreDAV.rawValue) { server in
            try place.configure("webdav", at: server.url("/"))
            let checked = try await place.ferry("check")
            #expect(checked.output.contains("resume after a crash"))
            #expect(!checked.output.contains("starts again"))
            let result = try await CutUpload(size: 32 << 20, cuts: 5, seed: 4, trouble: .kill).run(
                in: place, to: server.port, "/", protocol: "webdav")
            print("WebDAV by SabreDAV, killed: \(result)")
            #expect(result.ratio <= 1.5)
            await expectSameTrees()
        }
    }

    @Test func `a server that offers partial updates and refuses them gets whole files`() async throws {
        _ = FileManager.default.createFile(atPath: folder + "/no-patch", contents: nil)
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: 3_000_000, seed: 5)
        try await with(OtherWebDAVServer.sabreDAV.rawValue) { server in
            try await sendAll(to: server.url("/"))
            await expectSameTrees()
            #expect(try place.exchangeSizes("PUT") == [64 << 10, 3_000_000])
        }
    }
}

/// Servers with limits, sign-in by Digest, and proxies that map paths.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(5)),
    .enabled(if: WebDAVServerKind.arePresent, WebDAVServerKind.need))
struct WebDAVSurroundingsTests {
    private let place: Workplace
    private let folder: String
    private var stored: String { folder + "/files" }

    init() throws {
        var place = try Workplace()
        place.environment["PASSWORD"] = "secret"
        place.environment["WRONG"] = "wrong"
        self.place = place
        folder = try place.folder("server")
    }

    private func with(_ script: String, _ body: (InteropServer) async throws -> Void) async throws {
        let server = try await InteropServer(script, port: try InteropServer.freePort(), folder: folder)
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func setting(_ name: String, _ text: String = "") throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    @Test func `a file is sent in parts because of Apache's limit on requests`() async throws {
        try setting("limit", "1000000")
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: 5_000_000, seed: 5)
        try await with("apache_dav.sh") { server in
            try place.configure("webdav", at: server.url("/"))
            try await place.ferry("add", place.path("large.bin"))
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            #expect(await ChildProcess.succeeds("diff", "-r", place.path(""), stored))
        }
    }

    @Test(arguments: ["300", "1"])
    func `files go to Apache with Digest sign-in, by put and by WebDAV`(nonceSeconds: String) async throws {
        try setting("digest")
        try setting("nonces", nonceSeconds)
        for number in 1...12 { try place.file("file \(number).txt", "contents \(number)") }
        try await with("apache_dav.sh") { server in
            for protocolName in ["webdav", "put"] {
                try place.configure(
                    protocolName, at: server.url("/"),
                    more: #", "auth": { "basic": { "user": "me", "password": { "env": "PASSWORD" } } }"#)
                try place.file(protocolName, "by \(protocolName)")
                let added = try await place.ferry("add", place.path("*"))
                #expect(added.ending == .exited(0), "\(added.errors)")
                let result = try await place.ferry("run", "--exit-when-idle")
                #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
                #expect(await ChildProcess.succeeds("diff", "-r", place.path(""), stored))
                try await place.ferry("remove", "--all")
            }
        }
    }

    @Test func `a wrong password, a token and no credentials are each reported with what the server wants`()
        async throws
    {
        try setting("digest")
        try place.file("a.txt")
        try await with("apache_dav.sh") { server in
            for (auth, words) in [
                (
                    #", "auth": { "basic": { "user": "me", "password": { "env": "WRONG" } } }"#,
                    "the server asks"
                ),
                (#", "auth": { "bearer": { "env": "WRONG" } }"#, "the server asks"),
                ("", "no credentials were sent"),
            ] {
                try place.configure("webdav", at: server.url("/"), more: auth)
                let result = try await place.ferry("check")
                #expect(result.ending == .exited(1), "\(result.errors)")
                #expect(result.output.contains(words), "\(result.output)")
                #expect(result.output.contains("Digest in the realm \"team files\""), "\(result.output)")
                #expect(!result.output.contains("these credentials"))
            }
        }
    }

    @Test(arguments: [true, false])
    func `a file that a proxy's prefix leads astray is not done, and nothing is left`(
        isElsewhereThere: Bool
    ) async throws {
        try place.file("a.txt", "new contents")
        for path in ["dav"] + (isElsewhereThere ? ["buf"] : []) {
            try FileManager.default.createDirectory(
                atPath: "\(stored)/\(path)", withIntermediateDirectories: true)
        }
        try Data("old contents".utf8).write(to: URL(fileURLWithPath: stored + "/dav/a.txt"))
        if isElsewhereThere {
            try Data("another's".utf8).write(to: URL(fileURLWithPath: stored + "/buf/a.txt"))
        }
        try await with("nginx_prefix.sh") { server in
            try place.configure("webdav", at: server.url("/buf/"))
            try await place.ferry("add", place.path("a.txt"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
            let upload = try #require(try await place.list().first)
            #expect(upload.state == "failed")
            #expect(upload.hint?.contains("rewrite Destination") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: stored + "/dav") == ["a.txt"])
            #expect(try String(contentsOfFile: stored + "/dav/a.txt", encoding: .utf8) == "old contents")
            if isElsewhereThere {
                #expect(try String(contentsOfFile: stored + "/buf/a.txt", encoding: .utf8) == "another's")
            }
        }
    }
}
