import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests the configurations of the README and the manual. Only ports and folders are replaced.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct RecipeTests {
    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    /// Runs nginx, with a block of a page in its server section.
    private func withNginx(_ block: String, _ body: (InteropServer) async throws -> Void) async throws {
        let file = try place.directory.write(Array(block.utf8), to: "block.conf")
        let server = try await InteropServer(
            "nginx_recipe.sh", port: try InteropServer.freePort(), folder: folder, more: [file])
        try await body(server)
        try await server.stop()
    }

    private func send(to url: String) async throws {
        let added = try await place.ferry("add", "--to", url, try place.file("film.mov", "hello"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.ending == .exited(0), "\(run.output) \(run.errors)")
    }

    /// Starts the receiver with the options of the manual and a free port.
    private func startReceiver(into inbox: String) async throws -> (process: ChildProcess, port: Substring) {
        #expect(try ManualPage.text("servers").contains("`ferry serve --directory /srv/up`"))
        let receiver = try place.start("serve", "--directory", inbox, "--bind", "127.0.0.1:0", "--json")
        let lines = try await receiver.output.wait { $0.contains { $0.contains("\"listening\"") } }
        return (receiver, try #require(lines.first?.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.output.1))
    }

    /// Runs the manual's commands for a receiver with a token, then the queue. Each question of `ferry init` gets the
    /// suggested input.
    private func sendWithToken(in inbox: String, to address: String) async throws {
        let block = try #require(
            ManualPage.blocks("sh", in: try ManualPage.text("servers")).first { $0.contains("ferry init") })
        let film = try place.file("film.mov", "hello")
        for command in block.split(separator: "\n") {
            let words = command.split(separator: " ").dropFirst().map { word in
                String(word).replacing("https://example.org/", with: address).replacing(
                    "/srv/up", with: inbox
                )
                .replacing("film.mov", with: film)
            }
            let process = try place.start(through: ["sh", "-c", #"printf '\n\n' | "$@""#, "sh"], words)
            let result = try await Workplace.result(of: process)
            #expect(result.ending == .exited(0), "\(command): \(result.output) \(result.errors)")
        }
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.ending == .exited(0), "\(run.output) \(run.errors)")
    }

    /// Runs Caddy with the file of the README, which names the port of a server, and gives `body` Caddy's address.
    private func withCaddy(before port: String, _ body: (String) async throws -> Void) async throws {
        let pages = [try ManualPage.readme(), try ManualPage.text("servers")]
        let files = pages.flatMap { ManualPage.blocks("text", in: $0) }.filter {
            $0.contains("reverse_proxy")
        }
        #expect(files.count == 2 && Set(files).count == 1)
        let own = try InteropServer.freePort()
        let file = try #require(files.first).replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
            .replacing("example.org {", with: "http://127.0.0.1:\(own) {")
        let path = try place.directory.write(Array("{\nadmin off\n}\n\(file)\n".utf8), to: "Caddyfile")
        let caddy = try ChildProcess(
            "/usr/bin/env",
            ["caddy", "run", "--adapter", "caddyfile", "--config", path].map { Array($0.utf8) },
            environment: place.environment)
        try await Eventually.holds("Caddy's port") {
            await ChildProcess.succeeds("curl", "-s", "-o", "/dev/null", "http://127.0.0.1:\(own)/")
        }
        try await body("http://127.0.0.1:\(own)/")
        caddy.signal(SIGTERM)
        try await caddy.ending()
    }

    /// Starts tusd with the options of a page, sends a file through the proxy that `withProxy` runs before the port,
    /// and expects the file at tusd.
    private func sendToTusd(
        of page: String, through withProxy: (String, (String) async throws -> Void) async throws -> Void
    ) async throws {
        let port = try InteropServer.freePort()
        let command = try #require(page.firstMatch(of: /`tusd (-behind-proxy [^`]+)`/)).output.1
        let options = command.replacing("8080", with: "\(port)").replacing("/srv/up", with: folder)
        let tusd = try await OtherTusServer.tusd.start(
            in: folder, port: port, options: options.split(separator: " ").map(String.init))
        try await withProxy("\(port)") { address in
            try await send(to: "tus+\(address)files/")
            let location = try await place.list().first?.location
            #expect(location?.hasPrefix("\(address)files/") == true, "\(location ?? "no location")")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(
            names.contains { FileManager.default.contents(atPath: "\(folder)/\($0)") == Data("hello".utf8) },
            "\(names)")
        try await tusd.stop()
    }

    @Test(.enabled(if: Privilege.has("nginx"), "needs nginx; Tests/run installs it"))
    func `nginx with the block of the README takes a file by PUT`() async throws {
        let block = try #require(ManualPage.blocks("nginx", in: try ManualPage.readme()).first)
        #expect(ManualPage.blocks("nginx", in: try ManualPage.text("servers")).first == block)
        let inbox = try place.folder("up")
        try await withNginx(block.replacing("/srv/up/", with: inbox + "/")) { server in
            try await send(to: "put+" + server.url("/up/"))
        }
        #expect(FileManager.default.contents(atPath: inbox + "/film.mov") == Data("hello".utf8))
    }

    @Test(.enabled(if: Privilege.has("nginx"), "needs nginx; Tests/run installs it"))
    func `nginx with the manual's block passes tus on to a receiver`() async throws {
        let block = try #require(ManualPage.blocks("nginx", in: try ManualPage.text("servers")).last)
        let inbox = place.directory.path("in")
        let (receiver, port) = try await startReceiver(into: inbox)
        try await withNginx(block.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")) { server in
            try await sendWithToken(in: inbox, to: server.url("/"))
        }
        #expect(FileManager.default.contents(atPath: inbox + "/film.mov") == Data("hello".utf8))
        receiver.signal(SIGTERM)
        try await receiver.ending()
    }

    @Test(.enabled(if: Privilege.has("caddy"), "needs caddy; Tests/run installs it"))
    func `Caddy with the file of the README passes tus on to a receiver`() async throws {
        let inbox = place.directory.path("in")
        let (receiver, port) = try await startReceiver(into: inbox)
        try await withCaddy(before: String(port)) { try await sendWithToken(in: inbox, to: $0) }
        #expect(FileManager.default.contents(atPath: inbox + "/film.mov") == Data("hello".utf8))
        receiver.signal(SIGTERM)
        try await receiver.ending()
    }

    @Test(.enabled(if: Privilege.has("caddy") && OtherTusServer.hasTusd, OtherTusServer.needsTusd))
    func `Caddy with the file of the README passes tus on to tusd with the README's options`() async throws {
        try await sendToTusd(of: try ManualPage.readme()) { try await withCaddy(before: $0, $1) }
    }

    @Test(.enabled(if: Privilege.has("nginx") && OtherTusServer.hasTusd, OtherTusServer.needsTusd))
    func `nginx with the manual's block passes tus on to tusd with the manual's options`() async throws {
        let page = try ManualPage.text("servers")
        let block = try #require(ManualPage.blocks("nginx", in: page).last)
        try await sendToTusd(of: page) { port, body in
            try await withNginx(block.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")) { server in
                try await body(server.url("/"))
            }
        }
    }

    /// Uploads a file to a destination of the README. `names` replaces host names in it by those of a local server.
    private func send(to destination: String, replacing names: [(String, String)]) async throws {
        var place = place
        place.environment["MINIO_SECRET"] = "secret"
        place.environment["APP_PASSWORD"] = "secret of 16 letters"
        let block = try #require(
            ManualPage.blocks("json", in: try ManualPage.readme()).first { $0.contains("\"minio\"") })
        try place.configure(names.reduce(block) { $0.replacing($1.0, with: $1.1) })
        let added = try await place.ferry("add", "--to", destination, try place.file("film.mov", "hello"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.ending == .exited(0), "\(run.output) \(run.errors)")
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `the README's configuration for MinIO sends to another S3 server`() async throws {
        _ = FileManager.default.createFile(atPath: folder + "/s3", contents: nil)
        let server = try await InteropServer(
            "rclone_server.py", port: try InteropServer.freePort(), folder: folder)
        try await send(
            to: "minio",
            replacing: [
                ("https://minio.example.org:9000", server.url("")), ("s3://media/", "s3://bucket/"),
                ("\"accessKey\": \"ferry\"", "\"accessKey\": \"key\""),
            ])
        #expect(
            FileManager.default.contents(atPath: folder + "/files/bucket/in/film.mov") == Data("hello".utf8))
        try await server.stop()
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `the README's configuration for Nextcloud sends to the address of its user`() async throws {
        let server = try await InteropServer("nextcloud_server.py", folder: folder)
        try await send(to: "nextcloud", replacing: [("https://cloud.example.org", server.url(""))])
        #expect(FileManager.default.contents(atPath: folder + "/files/in/film.mov") == Data("hello".utf8))
        try await server.stop()
    }

    @Test func `every configuration in the README and the manual is valid`() async throws {
        var place = place
        place.environment["HOME"] = place.directory.path("home")
        for name in ["MINIO_SECRET", "APP_PASSWORD", "TOKEN"] {
            place.environment[name] = "secret of 16 letters"
        }
        for folder in ["outbox", "sent"] { _ = try place.folder("home/" + folder) }
        for page in try ManualPage.all() {
            for block in ManualPage.blocks("json", in: page.text) where !block.contains("\"base\"") {
                try place.configure(Self.withDestination(block))
                let result = try await place.ferry("config")
                #expect(
                    result.ending == .exited(0), "\(page.name): \(block) \(result.errors)\(result.output)")
            }
        }
    }

    /// Adds the destination that the watch folders of the pages use, unless the block has destinations.
    private static func withDestination(_ block: String) -> String {
        guard !block.contains("\"destinations\""), let brace = block.firstIndex(of: "{") else { return block }
        let destination = #" "destinations": { "films": { "url": "https://uploads.example.org/files/" } }, "#
        return block[...brace] + destination + block[block.index(after: brace)...]
    }
}
