import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests valid and invalid configurations, with the messages about them.
@Suite(.fewAtOnce, .timeLimit(.minutes(2)))
struct ConfigurationTests {
    private static let example = Repository.root.appending(path: "config.example.json")

    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `the example is a valid configuration`() throws {
        let data = try Data(contentsOf: Self.example)
        let configuration = try ConfigurationFile.parse(data, file: "config.example.json")
        #expect(
            configuration.destinations.keys.sorted() == [
                "anything", "archive", "backup", "cloud", "drive", "films", "objects", "photos",
            ])
        #expect(configuration.defaultDestination == "films")
        #expect(configuration.limits.bandwidth.otherwise == .atMost(20 << 20))
    }

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

    /// Invalid configurations, with the messages about them.
    static let invalid: [(String, String)] = [
        (#"{ "destinations": "#, "is not valid JSON: it ends too early"),
        (
            "{\n  \"limits\": { \"concurrency\": x }\n}",
            "is not valid JSON: line 2, column 30: invalid value"
        ),
        ("", "is not valid JSON: it ends too early"),
        (
            "{\n  \"limits\": { \"concurrency\": 4, }\n}",
            "is not valid JSON: line 2, column 31: a comma before }"
        ),
        (#"[]"#, "the top level: expected an object"),
        (#"{ "destination": {} }"#, "destination: expected one of appearance, connectivity,"),
        (#"{ "limits": { "concurrency": "4" } }"#, "limits.concurrency: expected a whole number"),
        (
            #"{ "limits": { "concurrency": 0 } }"#,
            "limits.concurrency: expected a whole number from 1 to 256"
        ),
        (#"{ "limits": { "concurrency": 1.5 } }"#, "limits.concurrency: expected a whole number from"),
        (
            #"{ "limits": { "bandwidth": "fast" } }"#,
            "limits.bandwidth: expected an amount of bytes such as"
        ),
        (
            #"{ "limits": { "bandwidth": null } }"#,
            "limits.bandwidth: expected an amount of bytes such as"
        ),
        (#"{ "limits": null }"#, "limits: expected an object, found null"),
        (#"{ "timeouts": { "stall": -1 } }"#, "timeouts.stall: expected seconds, from 0.1 to 86400.0"),
        (#"{ "timeouts": { "stall": 1e999 } }"#, "timeouts.stall: expected seconds"),
        (
            #"{ "defaultDestination": "x" }"#,
            "defaultDestination: expected the name of one of the destinations; none is configured"
        ),
        (
            #"{ "watch": [{ "folder": "/out", "to": "x" }] }"#,
            "watch.0.to: expected an address, or the name of one of the destinations; none is configured"
        ),
        (
            #"{ "appearance": { "color": "red" } }"#,
            "appearance.color: expected one of auto, always, never, direct"
        ),
        (
            #"{ "appearance": { "theme": "pink" } }"#,
            "appearance.theme: expected one of default, light, high-contrast, mono"
        ),
        (
            #"{ "keys": { "remov": ["d"] } }"#,
            "keys.remov: expected the name of an action (did you mean `remove`?); `ferry config --keys` lists all"
        ),
        (
            #"{ "keys": { "details.retry": ["j"] } }"#,
            "keys.details.retry: expected keys that nothing else has there: j is bound to details.next too"
        ),
        (#"{ "keys": { "remove": "d" } }"#, "keys.remove: expected a list"),
        (
            #"{ "appearance": { "theme": "light", "themeFile": "~/mine.json" } }"#,
            "appearance.themeFile: expected theme or themeFile, not both"
        ),
        (
            #"{ "hooks": { "done": "notify-send Ferry" } }"#,
            "hooks.done: expected a program and its arguments, each a text of its own, as no shell takes them apart"
        ),
        (#"{ "hooks": { "done": [] } }"#, "hooks.done: expected a program and its arguments"),
        (#"{ "hooks": { "done": [["a"], []] } }"#, "hooks.done: expected a program and its arguments"),
        (#"{ "hooks": { "idle": ["a", ["b"]] } }"#, "hooks.idle: expected a program and its arguments"),
        (#"{ "hooks": { "idle": [""] } }"#, "hooks.idle: expected a program and its arguments"),
        (#"{ "hooks": { "idle": ["a\u0000b"] } }"#, "hooks.idle: expected a program and its arguments"),
        (#"{ "hooks": { "idle": null } }"#, "hooks.idle: expected a program and its arguments"),
        (
            #"{ "hooks": { "finished": ["a"] } }"#,
            "hooks.finished: expected one of done, failed, held, idle,"
        ),
        (#"{ "hooks": { "timeout": 0 } }"#, "hooks.timeout: expected seconds, from 0.1 to 3600.0"),
        (#"{ "notify": { "terminal": "beep" } }"#, "notify.terminal: expected one of none, bell, osc9"),
        (
            #"{ "notify": { "on": ["idle", "finished"] } }"#,
            "notify.on: expected a list of some of done, failed, held, idle, offline, online, notSaved"
        ),
        (#"{ "notify": { "on": [] } }"#, "notify.on: expected a list of some of done,"),
        (#"{ "hooks": ["a"] }"#, "hooks: expected an object"),
        (#"{ "connectivity": { "monitor": "yes" } }"#, "connectivity.monitor: expected true or false"),
        (
            #"{ "destinations": { "a": { "protocol": "put" } } }"#,
            "destinations.a.url: expected an http or https address"
        ),
        (
            #"{ "destinations": { "a": { "url": "ftp://h/", "protocol": "put" } } }"#,
            "destinations.a.url: expected an http or https address"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://u:p@h/", "protocol": "put" } } }"#,
            "destinations.a.url: expected an address without user and password"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "ftp" } } }"#,
            "destinations.a.protocol: expected one of "
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "headers": { "X Y": "1" } } } }"#,
            "destinations.a.headers.X Y: expected a valid field name"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "headers": { "X": "a\r\nB: c" } } } }"#,
            "destinations.a.headers.X: expected a value without line breaks"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "auth": { "bearer": { "var": "X" } } } } }"#,
            "destinations.a.auth.bearer.var: expected one of command, env, file, not this key"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "auth": { "bearer": "x", "basic": {} } } } }"#,
            "destinations.a.auth.bearer: expected one kind of auth: basic, bearer, oauth2 or s3"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "auth": { "oauth2": {} } } } }"#,
            "destinations.a.auth.oauth2.tokenURL: expected an https address (http only on this machine)"
        ),
        (
            Self.oauth2(#""tokenURL": "http://h/token", "clientID": "c", "refreshToken": "r""#),
            "destinations.a.auth.oauth2.tokenURL: expected an https address (http only on this machine)"
        ),
        (
            Self.oauth2(#""tokenURL": "https://h/token", "refreshToken": "r""#),
            "destinations.a.auth.oauth2.clientID: expected the name that the server knows this program by"
        ),
        (
            Self.oauth2(#""tokenURL": "https://h/token", "clientID": "c""#),
            "destinations.a.auth.oauth2.refreshToken: expected {\"env\": \"NAME\"}"
        ),
        (
            Self.oauth2(
                #""tokenURL": "https://h/token", "clientID": "c", "refreshToken": "r", "tokenFile": "t""#),
            "destinations.a.auth.oauth2.tokenFile: expected the absolute path of a file"
        ),
        (
            Self.oauth2(
                #""tokenURL": "https://h/token", "clientID": "c", "refreshToken": "r", "clientAuthentication": "jwt""#
            ),
            "destinations.a.auth.oauth2.clientAuthentication: expected one of basic, body"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "tls": { "key": "k" } } } }"#,
            "destinations.a.tls.certificate: expected both certificate and key, or neither"
        ),
        (
            #"{ "destinations": { "a": { "url": "https://h/", "protocol": "put", "tls": { "caFile": "a", "authorities": "b" } } } }"#,
            "destinations.a.tls.authorities: expected caFile alone: authorities is its former name"
        ),
        (
            #"{ "destinations": { "a": { "url": "https://h/", "protocol": "put", "tls": { "pins": ["x"] } } } }"#,
            #"destinations.a.tls.pins: expected the SHA-256 of a public key, as "sha256//" and 44 characters"#
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "tls": { "pins": ["sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="] } } } }"#,
            "destinations.a.tls.pins: expected an https address in url"
        ),
        (
            #"{ "destinations": { "a": { "url": "https://h/", "protocol": "put", "tls": { "minimumVersion": "1.1" } } } }"#,
            "destinations.a.tls.minimumVersion: expected one of 1.2, 1.3"
        ),
        (
            #"{ "destinations": { "a": { "url": "https://h/", "protocol": "put", "tls": { "insecure": "yes" } } } }"#,
            "destinations.a.tls.insecure: expected true or false"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://[fe80::1%25eth0]/", "protocol": "put" } } }"#,
            "destinations.a.url: expected an IPv6 address without a zone"
        ),
        (
            #"{ "destinations": { "a": { "url": "http+unix://run/", "protocol": "put" } } }"#,
            "destinations.a.url: expected the socket's absolute path"
        ),
        (
            #"{ "destinations": { "d": { "url": "http://h/", "congestionControl": "BBR" } } }"#,
            "destinations.d.congestionControl: expected an algorithm of the kernel"
        ),
        (
            #"{ "connectivity": { "monitor": false, "metered": "pause" } }"#,
            "connectivity.monitor: expected true, for metered or pauseOn to be watched"
        ),
        (#"{ "proxy": "off" }"#, #"proxy: expected "none", "environment" or an address such as"#),
        (
            #"{ "proxy": "https://p:1" }"#,
            "proxy: expected a proxy's address; the proxy https://p:1 cannot be used"
        ),
        (#"{ "proxy": "http://me:geheim@p:1" }"#, "proxy: expected an address without a password"),
        (#"{ "proxy": { "password": { "env": "X" } } }"#, "proxy.url: expected an address such as"),
        (
            #"{ "proxy": { "url": "http://p:1", "password": { "env": "X" } } }"#,
            "proxy.url: expected an address with the password's user"
        ),
        (
            #"{ "proxy": { "url": "http://p:1", "exept": [] } }"#,
            "proxy.exept: expected one of except, password, url"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "proxy": 1 } } }"#,
            "destinations.a.proxy: expected an object"
        ),
    ]

    @Test(arguments: invalid)
    func `an error is reported with file, position and what is expected`(text: String, message: String)
        async throws
    {
        try place.configure(text)
        let result = try await place.ferry("list")
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("error: \(place.configurationFile)"), "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.errors.contains("\nhint: "))
    }

    private static func oauth2(_ settings: String) -> String {
        #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "auth": { "oauth2": { \#(settings) } } } } }"#
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
