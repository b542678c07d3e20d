import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `ferry serve`, and what needs a terminal where there is none.
@Suite(.fewAtOnce, .timeLimit(.minutes(2)))
struct ServeTests {
    private let place: Workplace
    private let inbox: String

    init() throws {
        place = try Workplace()
        inbox = place.directory.path("inbox")
        try FileManager.default.createDirectory(atPath: inbox, withIntermediateDirectories: false)
    }

    @Test func `a receiver says where it is, takes a file and ends when it is told to`() async throws {
        let server = try place.start("serve", "--directory", inbox, "--bind", "127.0.0.1:0")
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

    @Test func `what a receiver does is told to programs`() async throws {
        let server = try place.start("serve", "--json", "--directory", inbox, "--bind", "127.0.0.1:0")
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

    @Test func `N16 a receiver that is killed goes on with what it had`() async throws {
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: 12_000_000)
        var server = try place.start("serve", "--directory", inbox, "--bind", "127.0.0.1:0")
        let url = try await address(of: server)
        try place.configure("tus", at: url + "files/", limits: #"{ "bandwidth": "6M" }"#)
        try await place.ferry("add", place.path("large.bin"))
        let engine = try place.start("run", "--json", "--exit-when-idle")
        try await Eventually.holds("a part of the file at the receiver") { partSize() > 3_000_000 }
        server.signal(SIGKILL)
        try await server.ending()
        let kept = partSize()
        let port = try #require(URL(string: url)?.port)
        server = try place.start("serve", "--directory", inbox, "--bind", "127.0.0.1:\(port)")
        _ = try await address(of: server)
        #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
        #expect(await ChildProcess.succeeds("cmp", place.path("large.bin"), inbox + "/large.bin"))
        let sizes = try place.exchangeSizes("PATCH")
        #expect(
            sizes.last.map { $0 <= 12_000_000 - kept + 8 << 20 && $0 < 12_000_000 } == true,
            "\(sizes) \(kept)")
        server.signal(SIGTERM)
        try await server.ending()
    }

    @Test(arguments: [
        (
            ["--bind", "0.0.0.0:0"],
            "error: Anyone who can reach 0.0.0.0 could store files: it needs a token.\nhint: "
        ),
        (["--bind", "127.0.0.1"], "Error: --bind takes HOST:PORT"),
        (["--bind", "127.0.0.1:65536"], "Error: --bind takes HOST:PORT"),
        (["--max-size=-1"], "Error: --max-size takes an amount"),
        (["--max-size", "99999999999999999999G"], "Error: --max-size takes an amount"),
        (
            ["--token-file", "/nonexistent/token"],
            "error: the token file /nonexistent/token cannot be read\nhint: "
        ),
        (
            ["--directory", "/nonexistent"],
            "error: Cannot receive into /nonexistent: No such file or directory."
        ),
    ])
    func `what cannot be served says why, with status 2`(words: [String], message: String) async throws {
        let all = ["serve", "--directory", inbox, "--bind", "127.0.0.1:0"] + words
        let result = try await Workplace.result(of: try place.start(all))
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix(message), "\(result.errors)")
    }

    @Test(arguments: [(0o644, "s3cret\n", "others can read the token file"), (0o600, " \n", "is empty")])
    func `a token that is none is refused`(mode: Int, text: String, message: String) async throws {
        let token = try place.directory.write(Array(text.utf8), to: "token")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: token)
        let result = try await place.ferry("serve", "--directory", inbox, "--token-file", token)
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains(message))
        #expect(!result.errors.contains("s3cret"))
    }

    @Test func `P1 a file over the limit fails and is not tried again`() async throws {
        let server = try place.start(
            "serve", "--directory", inbox, "--bind", "127.0.0.1:0", "--max-size", "1K")
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

    /// The address that a receiver prints.
    private func address(of server: ChildProcess) async throws -> String {
        let lines = try await server.output.wait { $0.contains { $0.hasPrefix("receiving into ") } }
        let words = lines.flatMap { $0.split(separator: " ") }
        return String(try #require(words.first { $0.hasPrefix("http://") }))
    }

    /// Bytes of unfinished uploads at the receiver.
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
