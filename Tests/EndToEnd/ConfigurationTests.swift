import FerryTestSupport
import Foundation
import Testing

/// Tests what the program prints about valid and invalid configurations.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ConfigurationTests {
    private static let example = Repository.root.appending(path: "config.example.json")

    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `the example is what the command prints, byte for byte`() async throws {
        let printed = try await place.ferry("config", "--print-example")
        #expect(printed.ending == .exited(0))
        #expect(Data(printed.bytes) == (try Data(contentsOf: Self.example)))
    }

    @Test func `the example works as it is, also readable by all`() async throws {
        try place.configure(String(decoding: try Data(contentsOf: Self.example), as: UTF8.self))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: place.configurationFile)
        let result = try await place.ferry("config")
        // This machine does not have the secrets of the example.
        #expect(result.ending == .exited(1), "\(result.errors)")
        #expect(
            result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("warning: ") }, "\(result.errors)")
        #expect(
            result.errors.contains("destinations.films.auth: the environment variable FILMS_TOKEN is not set")
        )
        #expect(result.output.contains("films (default): tus https://uploads.example.org/files/"))
        #expect(result.output.contains(place.configurationFile))
        #expect(result.output.contains(place.state))
    }

    @Test func `the keys of the screen are listed, and those that were changed are named`() async throws {
        try place.configure(#"{ "keys": { "remove": ["d", "Delete"], "pauseAll": [] } }"#)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0), "\(result.errors)")
        let keys = result.output.split(separator: "\n").filter { $0.hasPrefix("key ") }
        #expect(keys == ["key            remove: d, Del", "key            pauseAll: no key"])
        let listed = try await place.ferry("config", "--keys").output
        #expect(listed.contains(/\nremove +d, Del +remove from the queue\n/))
        #expect(listed.contains(/\ndetails.retry +r +retry this upload\n/))
    }

    @Test func `without a file there is nothing wrong`() async throws {
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0))
        #expect(result.output.contains("(none; `ferry init` makes one)"))
    }

    @Test(arguments: [
        (#"{ "destinations": "#, " is not valid JSON: "),
        (#"{ "limits": null }"#, ": limits: expected an object"),
    ])
    func `an error names the file, and a hint follows it`(text: String, message: String) async throws {
        try place.configure(text)
        let result = try await place.ferry("list")
        #expect(result.ending == .exited(2))
        #expect(
            result.errors.hasPrefix("error: \(place.configurationFile)\(message)"), "\(result.errors)")
        #expect(result.errors.contains("\nhint: "))
    }

    @Test func `an algorithm that this kernel has not got is warned of`() async throws {
        try place.configure(
            "put", at: "http://127.0.0.1:9/", more: #", "congestionControl": "no_such_thing""#)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0))
        #expect(result.errors.contains("warning: destinations.here: congestionControl has no effect: "))
    }

    @Test(arguments: [
        #""bearer": "s3cret""#, #""basic": { "user": "me", "password": "s3cret" }"#,
        #""oauth2": { "tokenURL": "https://h/t", "clientID": "c", "refreshToken": "s3cret" }"#,
        #""oauth2": { "tokenURL": "https://h/t", "clientID": "c", "refreshToken": { "env": "PATH" }, "clientSecret": "s3cret" }"#,
    ])
    func `a literal secret that others can read is refused`(authentication: String) async throws {
        try place.configure("put", at: "http://127.0.0.1:9/", more: #", "auth": { \#(authentication) }"#)
        #expect(try await place.ferry("config").ending == .exited(0))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: place.configurationFile)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(
            result.errors.contains("destinations.here.auth: a secret is written here and others can read"))
        #expect(!result.errors.contains("s3cret"))
    }

    @Test func `a proxy's literal password that others can read is refused`() async throws {
        try place.configure(
            "put", at: "http://127.0.0.1:9/",
            more: #", "proxy": { "url": "http://me@p:1", "password": "s3cret" }"#)
        #expect(try await place.ferry("config").ending == .exited(0))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: place.configurationFile)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("destinations.here.proxy: a secret is written here"))
        #expect(!result.errors.contains("s3cret"))
    }

    @Test func `a certificate that is not verified is a warning wherever uploads run`() async throws {
        try place.configure("put", at: "https://127.0.0.1:9/", more: #", "tls": { "insecure": true }"#)
        let warning = "warning: destinations.here: the certificate of 127.0.0.1 is NOT verified"
        let config = try await place.ferry("config")
        #expect(config.ending == .exited(0))
        #expect(config.errors.contains(warning))
        #expect(try await place.ferry("run", "--exit-when-idle").errors.contains(warning))
        #expect(try String(contentsOfFile: place.state + "/ferry.log", encoding: .utf8).contains(warning))
    }

    @Test func `a file that was named must be there`() async throws {
        let result = try await place.ferry("list", "--config", place.path("none.json"))
        #expect(result.ending == .exited(2))
        #expect(
            result.errors.hasPrefix(
                "error: the configuration \(place.path("none.json")) cannot be read\nhint: "))
    }

    @Test func `a token from the environment is sent to the server alone`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        var place = place
        place.environment["FERRY_TEST_TOKEN"] = "tok-3n"
        try place.configure(
            "put", at: server.url("/"), more: #", "auth": { "bearer": { "env": "FERRY_TEST_TOKEN" } }"#)
        try await place.ferry("add", try place.file("a"))
        let result = try await place.ferry("run", "--json", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(server.requests.first?["Authorization"] == "Bearer tok-3n")
        #expect(!(result.output + result.errors).contains("tok-3n"))
        for name in try FileManager.default.contentsOfDirectory(atPath: place.state) {
            let content = FileManager.default.contents(atPath: place.state + "/" + name) ?? Data()
            #expect(!content.contains(subsequence: Data("tok-3n".utf8)), "\(name)")
        }
    }

    @Test func `a secret that is missing holds the upload and says where it should be`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try place.configure(
            "put", at: server.url("/"), more: #", "auth": { "bearer": { "env": "NOT_SET_ANYWHERE" } }"#)
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(upload.error?.contains("the environment variable NOT_SET_ANYWHERE is not set") == true)
        #expect(server.requests.isEmpty)
    }
}

extension Data {
    fileprivate func contains(subsequence: Data) -> Bool { range(of: subsequence) != nil }
}

/// Tests `ferry config --systemd`.
struct SystemdUnitTests {
    @Test func `it runs this ferry on this queue with this configuration`() async throws {
        let place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let state = place.directory.path("a state $1%")
        let result = try await place.ferry("config", "--systemd", "--state", state)
        #expect(result.ending == .exited(0), "\(result.errors)")
        let command = try #require(result.lines.first { $0.hasPrefix("ExecStart=") })
        let program = URL(fileURLWithPath: try FerryBinary.path()).resolvingSymlinksInPath().path
        #expect(command.hasPrefix("ExecStart=\(program) run --config "), "\(command)")
        #expect(command.contains(" --state \""))
        #expect(command.hasSuffix("/a state $$1%%\""))
        #expect(
            result.lines.contains(
                command.replacing("ExecStart=\(program) run ", with: "ExecReload=\(program) reload ")))
        #expect(result.lines.contains("WantedBy=default.target"))
    }

    @Test func `the systemd unit names paths that environment variables moved, and no default path`()
        async throws
    {
        var place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let moved = try await place.ferry("config", "--systemd")
        let program = URL(fileURLWithPath: try FerryBinary.path()).resolvingSymlinksInPath().path
        #expect(
            moved.lines.contains(
                "ExecStart=\(program) run --config \(place.configurationFile) --state \(place.state)"),
            "\(moved.output)")
        place.environment["XDG_CONFIG_HOME"] = nil
        place.environment["XDG_STATE_HOME"] = nil
        let usual = try await place.ferry("config", "--systemd")
        #expect(usual.lines.contains("ExecStart=\(program) run"), "\(usual.output)")
    }

    @Test func `a crash under systemd would not write memory into the log`() async throws {
        let place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let result = try await place.ferry("config", "--systemd")
        #expect(result.lines.contains("Environment=SWIFT_BACKTRACE=enable=no"), "\(result.output)")
    }

    @Test func `no unit is printed for a configuration that ferry would not take`() async throws {
        let place = try Workplace()
        try place.configure("{ \"limit\": 1 }")
        let result = try await place.ferry("config", "--systemd")
        #expect(result.ending == .exited(2))
        #expect(result.output.isEmpty)
    }
}
