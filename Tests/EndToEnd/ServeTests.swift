import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests `ferry serve`, and commands that need a terminal if there is none.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ServeTests {
    private let place: Workplace
    private let inbox: String

    init() throws {
        place = try Workplace()
        inbox = place.directory.path("inbox")
        try FileManager.default.createDirectory(atPath: inbox, withIntermediateDirectories: false)
    }

    @Test func `a receiver says where it is, takes a file and ends at a signal`() async throws {
        let server = try place.start("serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:0")
        let url = try await address(of: server)
        let name = "right\u{202E}left.txt"
        try await place.ferry("add", "--to", url, try place.file(name, "hello"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        #expect(FileManager.default.contents(atPath: inbox + "/" + name) == Data("hello".utf8))
        try await server.output.wait { $0.contains { $0.hasPrefix("stored") } }
        server.signal(SIGTERM)
        #expect(try await server.ending() == .exited(0))
        #expect(!server.output.text.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `the receiver prints its events as JSON lines`() async throws {
        let server = try place.start(
            "serve", "--json", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:0")
        try await server.output.wait { !$0.isEmpty }
        let listening = try JSONDecoder().decode(
            [String: String].self, from: Data(try #require(server.output.lines.first).utf8))
        #expect(listening["event"] == "listening")
        #expect(listening["folder"] == inbox)
        try await place.ferry("add", "--to", try #require(listening["url"]), try place.file("a", "hello"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        try await server.output.wait {
            $0.contains { $0.contains(#""event":"stored""#) && $0.contains(#""name":"a","size":5"#) }
        }
        server.signal(SIGTERM)
        try await server.ending()
    }

    /// A bind mount gives the folder a second path, as short names on vfat do.
    @Test(.enabled(if: Privilege.isRoot && Privilege.has("mount"), "mounts a folder: needs root"))
    func `a second name of the receiver's own folder leads nowhere`() async throws {
        let server = try place.start(
            "serve", "--no-token", "--list", "--directory", inbox, "--bind", "127.0.0.1:0")
        let url = try await address(of: server)
        let alias = inbox + "/FERRY~1"
        try FileManager.default.createDirectory(atPath: alias, withIntermediateDirectories: false)
        #expect(await ChildProcess.succeeds("mount", "--bind", inbox + "/.ferry", alias))
        let file = try place.file("token", "mine")
        func reaches(_ words: String...) async -> Bool {
            await ChildProcess.succeeds(["curl", "-sf"] + words)
        }
        let put = await reaches("-T", file, url + "FERRY~1/token")
        let get = await reaches(url + "FERRY~1/lock")
        let list = await reaches("-X", "PROPFIND", "-H", "Depth: 1", url + "FERRY~1/")
        let names = try FileManager.default.contentsOfDirectory(atPath: alias)
        #expect(await ChildProcess.succeeds("umount", alias))
        #expect(!put && !get && !list)
        #expect(names == ["lock"])
        #expect(await reaches("-T", file, url + "other~1/token"))
        server.signal(SIGTERM)
        try await server.ending()
    }

    @Test func `N16 a receiver that is killed resumes with what it had`() async throws {
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: 12_000_000)
        var server = try place.start("serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:0")
        let url = try await address(of: server)
        try place.configure("tus", at: url + "files/", limits: #"{ "bandwidth": "6M" }"#)
        try await place.ferry("add", place.path("large.bin"))
        let engine = try place.start("run", "--json", "--exit-when-idle")
        try await Eventually.holds("a part of the file at the receiver") { partSize() > 3_000_000 }
        server.signal(SIGKILL)
        try await server.ending()
        let kept = partSize()
        let port = try #require(URL(string: url)?.port)
        server = try place.start(
            "serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:\(port)")
        _ = try await address(of: server)
        #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
        #expect(await ChildProcess.succeeds("cmp", place.path("large.bin"), inbox + "/large.bin"))
        try await server.output.wait { $0.contains { $0.hasPrefix("resumed      large.bin (at ") } }
        let sizes = try place.exchangeSizes("PATCH")
        #expect(
            sizes.last.map { $0 <= 12_000_000 - kept + 8 << 20 && $0 < 12_000_000 } == true,
            "\(sizes) \(kept)")
        server.signal(SIGTERM)
        try await server.ending()
    }

    @Test func `the commands that ferry serve prints set up an upload to it`() async throws {
        // The default port may be in use, so another one is chosen.
        let serve = ["serve", "--directory", "in", "--bind", "127.0.0.1:0"]
        var server = try place.start(through: ["-C", place.directory.path], serve)
        let lines = try await server.output.wait { $0.contains { $0.hasPrefix("set up with  ferry init ") } }
        let received = place.directory.path("in")
        #expect(try mode(received) == 0o700)
        let token = try String(contentsOfFile: received + "/.ferry/token", encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        #expect(lines.contains { $0.hasPrefix("token        \(token) ") })
        let words = try #require(lines.last).dropFirst("set up with  ferry ".count).split(separator: " ")
        let answers = try place.file("answers", "box\n\ny\n")
        let shell = ["sh", "-c", #"file=$1; shift; exec "$@" <"$file""#, "sh", answers]
        let setUp = try await Workplace.result(of: try place.start(through: shell, words.map(String.init)))
        #expect(setUp.ending == .exited(0), "\(setUp.output) \(setUp.errors)")
        try await place.ferry("add", try place.file("film.mov", "hello"))
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(FileManager.default.contents(atPath: received + "/film.mov") == Data("hello".utf8))
        server.signal(SIGTERM)
        #expect(try await server.ending() == .exited(0))
        #expect(server.output.lines.contains { $0.hasPrefix("stored       film.mov (") })
        // The token is known, so it is not printed again.
        server = try place.start(through: ["-C", place.directory.path], serve)
        try await server.output.wait { $0.contains { $0.hasPrefix("set up with  ferry init ") } }
        #expect(!server.output.text.contains(token))
        server.signal(SIGTERM)
        try await server.ending()
    }

    @Test func `without words a receiver takes a folder of its own, and asks for a token`() async throws {
        let server = try place.start(
            through: ["-C", place.directory.path], ["serve", "--bind", "127.0.0.1:0"])
        let url = try await address(of: server)
        #expect(try mode(place.directory.path("ferry-received")) == 0o700)
        try await place.ferry("add", "--to", "put+\(url)", try place.file("a", "hello"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        #expect(try await place.list().first?.status == 401)
        server.signal(SIGTERM)
        try await server.ending()
    }

    @Test func `the log says what was refused, and why`() async throws {
        let server = try place.start("serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:0")
        let url = try await address(of: server)
        try await place.ferry("add", "--to", "put+\(url)", "--as", ".profile", try place.file("a", "hello"))
        _ = try await place.ferry("run", "--exit-when-idle")
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "failed")
        try await server.output.wait {
            $0.contains {
                $0.hasPrefix("refused      400 PUT /.profile: ") && $0.contains("begin with a dot")
            }
        }
        server.signal(SIGTERM)
        try await server.ending()
    }

    @Test func `a flood of refused requests makes few lines`() async throws {
        let server = try place.start("serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:0")
        let url = try await address(of: server)
        let port = try #require(URL(string: url)?.port)
        try flood(UInt16(port), count: 500)
        server.signal(SIGTERM)
        #expect(try await server.ending() == .exited(0))
        let lines = server.output.lines.filter { $0.hasPrefix("refused ") }
        #expect(lines.first?.hasSuffix(" (from 127.0.0.1)") == true)
        #expect(lines.count < 100)
        let omitted = lines.compactMap { line in
            line.firstMatch(of: /([0-9]+) more/).flatMap { Int($0.output.1) }
        }
        // Each refusal has a line or is counted. The last line contains only a count.
        let own = lines.filter { !$0.hasSuffix(" more") }
        #expect(own.count + omitted.reduce(0, +) == 500)
    }

    /// Sends `count` requests that are refused, one after another on one connection.
    private func flood(_ port: UInt16, count: Int) throws {
        let client = try RawClient(port: port)
        for _ in 0..<count {
            client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            _ = client.receive(until: "tus at /files/.\n")
        }
    }

    @Test(.enabled(if: Privilege.has("openssl"), "needs openssl; Tests/run installs it"))
    func `a receiver with a certificate takes uploads over TLS`() async throws {
        let (certificate, key) = (place.directory.path("server.pem"), place.directory.path("server.key"))
        let made = await ChildProcess.succeeds(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days",
            "2", "-subj", "/CN=receiver", "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate,
            "-keyout", key)
        try #require(made)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let server = try place.start(
            "serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:0", "--tls-certificate",
            certificate, "--tls-key", key)
        let lines = try await server.output.wait { $0.contains { $0.hasPrefix("receiving into ") } }
        let words = lines.flatMap { $0.split(separator: " ") }
        let url = try #require(words.first { $0.hasPrefix("https://") })
        try place.configure(
            "tus", at: url + "files/", more: #", "tls": { "caFile": "\#(certificate)" }"#)
        _ = try PatternFile(at: place.directory.path("large.bin"), count: 3_000_001)
        try await place.ferry("add", place.directory.path("large.bin"), try place.file("a", "hello"))
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(
            await ChildProcess.succeeds("cmp", place.directory.path("large.bin"), inbox + "/large.bin"))
        #expect(FileManager.default.contents(atPath: inbox + "/a") == Data("hello".utf8))
        server.signal(SIGTERM)
        #expect(try await server.ending() == .exited(0))
    }

    @Test(arguments: [
        (0o600, "", "error: cannot use CERT: it does not hold a certificate in PEM"),
        (0o644, "", "error: others can read the key KEY"),
        (0o600, nil, "error: cannot use CERT: No such file or directory"),
    ])
    func `a certificate or a key that cannot be used is named`(
        mode: Int, text: String?, message: String
    ) async throws {
        let certificate = place.directory.path("cert")
        if let text { try place.directory.write(Array(text.utf8), to: "cert") }
        let key = try place.directory.write([], to: "key")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
        let result = try await place.ferry(
            "serve", "--directory", inbox, "--tls-certificate", certificate, "--tls-key", key)
        #expect(result.ending == .exited(2))
        let expected = message.replacing("CERT", with: certificate).replacing("KEY", with: key)
        #expect(result.errors.hasPrefix(expected), "\(result.errors)")
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(arguments: [
        (
            ["--no-token", "--bind", "0.0.0.0:0"],
            "error: no token is set: anyone who can reach 0.0.0.0 could store files\nhint: "
        ),
        (["--bind", "127.0.0.1"], "error: --bind takes HOST:PORT"),
        (["--bind", "127.0.0.1:65536"], "error: --bind takes HOST:PORT"),
        (["--no-token", "--token-file", "t"], "error: give --no-token or --token-file, not both"),
        (["--tls-key", "k"], "error: give --tls-certificate and --tls-key together"),
        (["--max-size=-1"], "error: --max-size takes an amount"),
        (["--max-size", "99999999999999999999G"], "error: --max-size takes an amount"),
        (
            ["--token-file", "/nonexistent/token"],
            "error: the token file /nonexistent/token cannot be read\nhint: "
        ),
        (
            ["--directory", "/nonexistent/in"],
            "error: cannot receive into /nonexistent/in: No such file or directory\n"
        ),
    ])
    func `a receiver that cannot start prints the cause and exits with status 2`(
        words: [String], message: String
    ) async throws {
        let all = ["serve", "--directory", inbox, "--bind", "127.0.0.1:0"] + words
        let result = try await Workplace.result(of: try place.start(all))
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix(message), "\(result.errors)")
    }

    @Test(arguments: [
        (0o644, "s3cret\n", "others can read the token file"), (0o600, " \n", "is empty"),
        (0o600, "s3cret\n", "fewer than 16 bytes"),
    ])
    func `a token that is none is refused`(mode: Int, text: String, message: String) async throws {
        let token = try place.directory.write(Array(text.utf8), to: "token")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: token)
        let result = try await place.ferry("serve", "--directory", inbox, "--token-file", token)
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains(message))
        #expect(!result.errors.contains("s3cret"))
    }

    /// Writes a private file with a token. Line breaks fill it up to `size` bytes.
    private func tokenFile(size: Int) throws -> String {
        let token = Array("canary-of-a-receiver".utf8)
        let filler = [UInt8](repeating: 0x0A, count: size - token.count)
        let path = try place.directory.write(token + filler, to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    @Test func `a token file of 1 MiB is read by the receiver`() async throws {
        let path = try tokenFile(size: 1 << 20)
        let server = try place.start(
            "serve", "--token-file", path, "--directory", inbox, "--bind", "127.0.0.1:0")
        try await server.output.wait { !$0.isEmpty }
        server.signal(SIGTERM)
        #expect(try await server.ending() == .exited(0), "\(server.errors.text)")
    }

    @Test func `a token file of a byte more than 1 MiB is refused by the receiver`() async throws {
        let path = try tokenFile(size: (1 << 20) + 1)
        let result = try await place.ferry(
            "serve", "--token-file", path, "--directory", inbox, "--bind", "127.0.0.1:0")
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("error: the token file \(path) is larger than 1 MiB\nhint: "))
    }

    @Test func `a receiver keeps its token in no folder that others can change, unless that one is sticky`()
        async throws
    {
        func setMode(_ mode: Int) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: inbox)
        }
        let serve = ["serve", "--directory", inbox, "--bind", "127.0.0.1:0"]
        try setMode(0o777)
        let refused = try await Workplace.result(of: try place.start(serve))
        #expect(refused.ending == .exited(2))
        #expect(
            refused.errors.hasPrefix("error: the folder \(inbox) above the receiver's token can be changed"),
            "\(refused.errors)")
        #expect(refused.errors.contains("`chmod go-w \(inbox)`"), "\(refused.errors)")

        let token = try place.file("token", "a-token-of-the-user")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
        for (mode, words) in [(0o1777, []), (0o777, ["--token-file", token])] {
            try setMode(mode)
            let server = try place.start(serve + words)
            _ = try await address(of: server)
            server.signal(SIGTERM)
            #expect(try await server.ending() == .exited(0))
        }
    }

    @Test func `P1 a file over the limit fails and is not retried`() async throws {
        let server = try place.start(
            "serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:0", "--max-size", "1K")
        let url = try await address(of: server)
        let file = try place.file("a", String(repeating: "x", count: 2000))
        try await place.ferry("add", "--to", "put+\(url)", file)
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "failed")
        #expect(upload.status == 413)
        #expect(upload.attempts == 1)
        server.signal(SIGINT)
        #expect(try await server.ending() == .exited(0))
    }

    @Test(arguments: [[], ["screen"], ["--ascii"], ["--plain"]])
    func `without a terminal there are lines, until nothing is left to run`(words: [String]) async throws {
        let result = try await Workplace.result(of: try place.start(words))
        #expect(result.ending == .exited(0))
        #expect(result.lines.first?.hasPrefix("ferry in plain lines") == true)
        #expect(
            result.lines.dropFirst() == ["the queue is empty; add PATH adds files", "nothing is left to run"])
        #expect(result.errors.isEmpty)
    }

    /// Returns the URL that a receiver prints.
    private func address(of server: ChildProcess) async throws -> String {
        let lines = try await server.output.wait { $0.contains { $0.hasPrefix("receiving into ") } }
        let words = lines.flatMap { $0.split(separator: " ") }
        return String(try #require(words.first { $0.hasPrefix("http://") }))
    }

    /// Returns the number of bytes of unfinished uploads at the receiver.
    private func partSize() -> Int {
        let folder = inbox + "/.ferry"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            sum
                + ((try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int)
                    ?? 0)
        }
    }
}
