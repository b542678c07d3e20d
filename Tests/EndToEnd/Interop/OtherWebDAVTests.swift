import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Less common WebDAV servers.
enum OtherWebDAVServer: String, CaseIterable, CustomTestStringConvertible {
    case wsgidav = "wsgidav_server.py"
    /// The server copyparty, which sends no entity tags.
    case copyparty = "copyparty_server.py"
    /// The server SabreDAV, whose entity tags come from the contents. It supports partial updates.
    case sabreDAV = "sabre_dav.sh"
    /// The server chezdav, which responds with 500 to a PUT into a missing folder.
    case chezdav = "chezdav_server.sh"
    /// A newer version of rclone than Debian's.
    case rclone = "rclone_server.py"

    var testDescription: String { rawValue }

    /// The path of the folder `files` in the server's URL.
    var path: String { self == .copyparty ? "/files/" : "/" }

    static let arePresent =
        InteropServer.hasPython && ["php", "chezdav"].allSatisfy(Privilege.has)
        && FileManager.default.fileExists(atPath: "/usr/share/php/Sabre/autoload.php")
    static let need: Comment =
        "needs chezdav, PHP, SabreDAV and the packages of Tests/Servers/requirements.txt; Tests/run installs them"
}

@Suite(
    .fewAtOnce, .timeLimit(.minutes(10)), .enabled(if: OtherWebDAVServer.arePresent, OtherWebDAVServer.need))
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
            // The second upload may come within the same second, with the same modification time.
            try place.file("new folder/below/small ä.txt", "two")
            try await sendAll(to: server.url(kind.path))
            await expectSameTrees()
        }
    }

    @Test(arguments: OtherWebDAVServer.allCases)
    func `an upload that is cut three times is whole in the end, and leaves nothing else`(
        kind: OtherWebDAVServer
    ) async throws {
        try FileManager.default.createDirectory(atPath: stored, withIntermediateDirectories: true)
        try await with(kind.rawValue) { server in
            let result = try await CutUpload(size: 6 << 20, cuts: 3, seed: 45).run(
                in: place, to: server.port, kind.path, protocol: "webdav")
            print("WebDAV by \(kind.rawValue): \(result)")
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

/// Tests servers with limits, authentication and redirects, and behind proxies that map paths.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(10)),
    .enabled(if: WebDAVServerKind.arePresent, WebDAVServerKind.need))
struct WebDAVSurroundingsTests {
    private let place: Workplace
    private let folder: String
    private var stored: String { folder + "/files" }
    private static let wrongPassword = "mistaken"

    init() throws {
        var place = try Workplace()
        place.environment["PASSWORD"] = "secret"
        place.environment["WRONG"] = Self.wrongPassword
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

    /// Returns the destination's member for basic authentication of the user `me`, with the password in an environment
    /// variable.
    private func basic(_ variable: String) -> String {
        #", "auth": { "basic": { "user": "me", "password": { "env": "\#(variable)" } } }"#
    }

    private func makeFile(_ name: String, size: Int) throws {
        try place.file(name, "")
        _ = try PatternFile(at: place.path(name), count: size, seed: 5)
    }

    private func expectArrived(in stored: String) async {
        #expect(await ChildProcess.succeeds("diff", "-r", place.path(""), stored))
    }

    private func setting(_ name: String, _ text: String = "") throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    @Test func `a file is sent in parts because of Apache's limit on requests`() async throws {
        try setting("limit", "1000000")
        try makeFile("large.bin", size: 5_000_000)
        try await with("apache_dav.sh") { server in
            try place.configure("webdav", at: server.url("/"))
            try await place.ferry("add", place.path("large.bin"))
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            await expectArrived(in: stored)
        }
    }

    @Test(arguments: ["put", "webdav"])
    func `F9 a file above nginx's limit fails with a next step and leaves nothing, and a smaller one passes`(
        protocolName: String
    ) async throws {
        try setting("limit", "1000000")
        try makeFile("large.bin", size: 3_000_000)
        try makeFile("smaller.bin", size: 900_000)
        try await with("nginx_put.sh") { server in
            try place.configure(protocolName, at: server.url("/"))
            try await place.ferry("add", place.path("large.bin"), place.path("smaller.bin"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
            let upload = try #require(try await place.list().first { $0.state == "failed" })
            #expect(upload.error == "the server answered 413 (too large); the file has 2.9 MiB")
            #expect(upload.hint?.contains("client_max_body_size") == true, "\(upload.hint ?? "")")
            #expect(try FileManager.default.contentsOfDirectory(atPath: stored) == ["smaller.bin"])
            #expect(
                await ChildProcess.succeeds("cmp", place.path("smaller.bin"), stored + "/smaller.bin"))
        }
    }

    @Test(arguments: ["300", "1"])
    func `files go to Apache with Digest sign-in, by put and by WebDAV`(nonceSeconds: String) async throws {
        try setting("digest")
        try setting("nonces", nonceSeconds)
        for number in 1...12 { try place.file("file \(number).txt", "contents \(number)") }
        try await with("apache_dav.sh") { server in
            for protocolName in ["webdav", "put"] {
                try place.configure(protocolName, at: server.url("/"), more: basic("PASSWORD"))
                try place.file(protocolName, "by \(protocolName)")
                let added = try await place.ferry("add", place.path("*"))
                #expect(added.ending == .exited(0), "\(added.errors)")
                let result = try await place.ferry("run", "--exit-when-idle")
                #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
                await expectArrived(in: stored)
                try await place.ferry("remove", "--all")
            }
        }
    }

    @Test(arguments: ["nginx_put.sh", "apache_dav.sh"], ["put", "webdav"])
    func `a wrong password by Basic holds the upload and is shown nowhere, and the right one sends it`(
        script: String, protocolName: String
    ) async throws {
        try setting("basic")
        try makeFile("a.bin", size: 300_000)
        try await with(script) { server in
            try place.configure(protocolName, at: server.url("/"), more: basic("WRONG"))
            try await place.ferry("add", place.path("a.bin"))
            let refused = try await place.ferry("run", "--json", "--exit-when-idle")
            #expect(refused.ending == .exited(1), "\(refused.errors)")
            let upload = try #require(try await place.list().first)
            #expect(upload.state == "held")
            #expect(
                upload.error?.contains("Basic in the realm \"team files\"") == true, "\(upload.error ?? "")")
            #expect(upload.hint?.contains("user and password") == true, "\(upload.hint ?? "")")
            let sent = Data("me:\(Self.wrongPassword)".utf8).base64EncodedString()
            for secret in [Self.wrongPassword, sent] { try place.expectNowhere(secret, in: refused) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: stored).isEmpty)

            try place.configure(protocolName, at: server.url("/"), more: basic("PASSWORD"))
            try await place.ferry("retry", "1")
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            await expectArrived(in: stored)
        }
    }

    @Test(arguments: ["307", "308"], ["put", "webdav"])
    func `P11 a redirect to another path of nginx is followed, and the whole file is there`(
        status: String, protocolName: String
    ) async throws {
        try setting("redirect", status + " /new")
        try makeFile("a ä.bin", size: 300_000)
        try await with("nginx_put.sh") { server in
            try place.configure(protocolName, at: server.url("/old/"))
            try await place.ferry("add", place.path("a ä.bin"))
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            await expectArrived(in: stored + "/new")
            #expect(try FileManager.default.contentsOfDirectory(atPath: stored) == ["new"])
        }
    }

    @Test(arguments: ["put", "webdav"])
    func `P11 a redirect of nginx to another host is refused and named, and nothing is sent there`(
        protocolName: String
    ) async throws {
        // The other host name leads to the same nginx, which would accept the file.
        try setting("redirect", "308 http://localhost:$server_port/new")
        try makeFile("a.bin", size: 300_000)
        try await with("nginx_put.sh") { server in
            try place.configure(protocolName, at: server.url("/old/"))
            try await place.ferry("add", place.path("a.bin"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
            let upload = try #require(try await place.list().first)
            #expect(upload.state == "failed")
            let named = "and sends it to http://localhost:\(server.port)/new/a.bin"
            #expect(upload.error?.contains(named) == true, "\(upload.error ?? "")")
            #expect(upload.hint == "set the destination's url to the address it redirects to")
            #expect(try FileManager.default.contentsOfDirectory(atPath: stored).isEmpty)
        }
    }

    @Test func `a wrong password, a token and no credentials are each reported with what the server wants`()
        async throws
    {
        try setting("digest")
        try place.file("a.txt")
        try await with("apache_dav.sh") { server in
            for (auth, words) in [
                (basic("WRONG"), "the server asks"),
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
