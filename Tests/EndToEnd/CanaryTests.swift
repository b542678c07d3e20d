import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests that secrets of every kind are sent to the server, and occur in no other output.
@Suite(.fewAtOnce, .timeLimit(.minutes(3)))
struct CanaryTests {
    private let place: Workplace

    init() throws {
        var place = try Workplace()
        place.environment["CANARY_TOKEN"] = "canary-environment-3f"
        self.place = place
    }

    static let kinds =
        SecretEchoTests.kinds.filter { !$0.name.contains("refused") } + [
            SecretEchoTests.Kind(
                name: "presigned address",
                path:
                    "/box/?X-Amz-Credential=canary-id-4a%2Fs3&X-Amz-Signature=canary5b5b5b5b5b5b&X-Amz-Expires=60",
                secrets: ["canary-id-4a/s3", "canary5b5b5b5b5b5b"]),
            SecretEchoTests.Kind(
                name: "token of the environment",
                members: #", "auth": { "bearer": { "env": "CANARY_TOKEN" } }"#,
                secrets: ["canary-environment-3f"]),
            SecretEchoTests.Kind(
                name: "password by Digest",
                members: #", "auth": { "basic": { "user": "hanna", "password": "canary digest 5d" } }"#,
                secrets: ["canary digest 5d"]),
            SecretEchoTests.Kind(
                name: "profile of AWS", protocolName: "s3", path: "/bucket/",
                members: #", "auth": { "s3": { "profile": "work" } }"#,
                secrets: ["canary-profile-9a", "canary-session-9a"],
                files: [
                    "credentials": """
                    [work]
                    aws_access_key_id = AK
                    aws_secret_access_key = canary-profile-9a
                    aws_session_token = canary-session-9a

                    """
                ], environment: awsFiles),
            SecretEchoTests.Kind(
                name: "process of a profile of AWS", protocolName: "s3", path: "/bucket/",
                members: #", "auth": { "s3": { "profile": "work" } }"#,
                secrets: ["canary-process-1b", "canary-session-1b"],
                files: [
                    "credentials": "[work]\ncredential_process = cat SECRETS/keys\n",
                    "keys": """
                    { "Version": 1, "AccessKeyId": "AK", "SecretAccessKey": "canary-process-1b",
                      "SessionToken": "canary-session-1b" }
                    """,
                ], environment: awsFiles),
        ]

    private static let awsFiles = [
        "AWS_SHARED_CREDENTIALS_FILE": "SECRETS/credentials", "AWS_CONFIG_FILE": "SECRETS/config",
    ]

    @Test(arguments: kinds)
    func `a secret that Ferry sends appears nowhere else, whatever the outcome of the upload`(
        kind: SecretEchoTests.Kind
    ) async throws {
        let place = try SecretEchoTests.prepared(self.place, for: kind)
        let goesOn = Gate()
        let canary = try CanaryServer(kind, takesFiles: goesOn)
        let server = canary.server
        defer { server.stop() }
        let members = SecretEchoTests.members(of: kind, server: server, in: place)
        let host = members.contains("proxy") ? "http://upload.example" : server.url("")
        let hook =
            #"["sh", "-c", "env >> \"$1\"; cat >> \"$1\"", "hook", "\#(place.directory.path("received"))"]"#
        try place.configure(
            """
            { "destinations": { "here": { "url": "\(host)\(kind.path)", "protocol": "\(kind.protocolName)"\(members) } },
              "retry": { "base": 0.01, "cap": 0.02, "serverTries": 2 },
              "hooks": { "done": \(hook), "failed": \(hook), "held": \(hook) } }
            """)
        var shown: [String: String] = [:]
        func run(_ words: String...) async throws {
            let result = try await Workplace.result(of: try place.start(words))
            shown["`ferry \(words.joined(separator: " "))`"] = result.output + result.errors
        }
        try await run("add", try place.file("a", "contents"))
        let killed = try place.start("run", "--json")
        try await server.wait(upTo: .seconds(60)) { requests in
            requests.contains {
                ["PUT", "PATCH"].contains($0.method) || kind.protocolName == "form" && $0.method == "POST"
            }
        }
        for (name, words) in Self.commandLines() { shown[name] = words }
        killed.signal(SIGKILL)
        _ = try await killed.ending()
        try shown.merge(files()) { $1 }
        Self.search(shown, for: kind, "while it was sent, and after a kill")
        goesOn.open()
        if kind.protocolName == "form" {
            // After a kill, a form upload that may have arrived is held by the next engine.
            try await run("run", "--exit-when-idle", "--json")
            try await place.ferry("retry", "--all")
        }
        try await run("run", "--exit-when-idle", "--json")
        try await run("list", "--json")
        try await run("status", "--json")
        try await run("history", "--json")
        try await run("config", "--json")
        try shown.merge(files()) { $1 }
        Self.search(shown, for: kind, "at the end")
        let sent = canary.received
        #expect(kind.protocolName == "form" || sent.contains(#/canary|Basic |Digest /#), "\(sent)")
        let received = shown.first { $0.key.hasSuffix("received") }?.value ?? ""
        // The server reports neither a size nor a digest after MOVE, so the upload fails.
        let event = kind.protocolName == "webdav" ? "failed" : "done"
        #expect(received.contains("\"event\":\"\(event)\""), "\(shown)")
    }

    @Test func `a SOCKS proxy's password, which is not supported, is shown nowhere`() async throws {
        var place = self.place
        place.environment["http_proxy"] = "socks5h://me:canary-socks-6e@127.0.0.1:9"
        let kind = SecretEchoTests.Kind(name: "password of a SOCKS proxy", secrets: ["canary-socks-6e"])
        try place.configure("put", at: "http://upload.example/box/", more: #", "proxy": "environment""#)
        try await place.ferry("add", try place.file("a", "contents"))
        var shown: [String: String] = [:]
        for words in [
            ["run", "--exit-when-idle", "--json"], ["list", "--json"], ["check", "here"], ["config"],
        ] {
            let result = try await Workplace.result(of: try place.start(words))
            shown["`ferry \(words[0])`"] = result.output + result.errors
        }
        #expect(shown["`ferry list`"]?.contains("SOCKS") == true, "\(shown)")
        try shown.merge(files()) { $1 }
        Self.search(shown, for: kind, "after a refusal of the proxy")
    }

    @Test func `a detached engine's own log holds no secret of its uploads`() async throws {
        let kind = Self.kinds[0]
        let goesOn = Gate()
        goesOn.open()
        let canary = try CanaryServer(kind, takesFiles: goesOn)
        defer { canary.server.stop() }
        try place.configure("put", at: canary.server.url(kind.path), more: kind.members)
        try await place.ferry("add", try place.file("a", "contents"))
        let started = try await place.ferry("run", "--detach", "--exit-when-idle")
        #expect(started.ending == .exited(0), "\(started.errors)")
        try await canary.server.wait(upTo: .seconds(60)) { $0.contains { $0.isComplete } }
        try await Eventually.holds("the end of the engine") {
            !UnixSocket.accepts(place.state + "/control")
        }
        let shown = try files()
        #expect(shown.keys.contains { $0.hasSuffix("/engine.log") }, "\(shown.keys)")
        #expect(canary.received.contains("canary"))
        Self.search(shown, for: kind, "after a detached engine")
    }

    @Test func `the environment of a secret's command holds no other secret`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let shown = place.directory.path("environment")
        let script = #"env > \"$1\"; echo token-4d"#
        let token = #"{ "command": ["sh", "-c", "\#(script)", "sh", "\#(shown)"] }"#
        try place.configure(
            "put", at: server.url("/box/"),
            more: #", "headers": { "X-Api-Key": "canary-header-4d" }, "auth": { "bearer": \#(token) }"#)
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        let environment = try String(contentsOfFile: shown, encoding: .utf8)
        #expect(environment.contains("PATH="))
        #expect(!environment.contains("canary"), "\(environment)")
    }

    #if os(Linux)
        @Test(arguments: ["hook", "secret"])
        func `descriptors of a hook and of a secret's command are the three streams alone`(
            kind: String
        ) async throws {
            let server = try HostileServer([.answer(201)])
            defer { server.stop() }
            let shown = place.directory.path("descriptors")
            let script = #"ls -l /proc/self/fd > \"$1\"; echo token-4d"#
            let command = #"["sh", "-c", "\#(script)", "sh", "\#(shown)"]"#
            let secret = kind == "secret" ? #"{ "command": \#(command) }"# : #""token-4d""#
            let hooks = kind == "hook" ? #", "hooks": { "done": \#(command) }"# : ""
            try place.configure(
                """
                { "destinations": { "here": {
                    "url": "\(server.url("/box/"))", "protocol": "put", "auth": { "bearer": \(secret) } } }\(hooks) }
                """)
            try await place.ferry("add", try place.file("a"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
            let listing = try String(contentsOfFile: shown, encoding: .utf8)
            let open = listing.matches(of: #/ (\d+) -> /#).compactMap { Int($0.1) }
            // The fourth descriptor is the folder that `ls` itself reads.
            #expect(open.sorted() == [0, 1, 2, 3], "\(listing)")
            #expect(!listing.contains("socket:") && !listing.contains(place.state), "\(listing)")
        }
    #endif

    private static func search(_ shown: [String: String], for kind: SecretEchoTests.Kind, _ moment: String) {
        for (name, text) in shown {
            // The user put the form parameters into the queue, so its files and the history contain them.
            let isQueue = ["ferry/queue.", "ferry/.tmp.", "journal.", "ferry/history"].contains {
                name.contains($0)
            }
            if kind.isParameter, isQueue { continue }
            for secret in kind.secrets {
                for form in SecretEchoTests.forms(of: secret) where text.contains(form) {
                    Issue.record("\(moment): \(name) holds \(form): \(text)")
                }
            }
        }
    }

    /// Returns the command line of every process of this machine.
    private static func commandLines() -> [String: String] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var lines: [String: String] = [:]
        for process in processes where process.allSatisfy(\.isNumber) {
            let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
            lines["command line of \(process)"] = words.map { String(decoding: $0, as: UTF8.self) }
        }
        return lines
    }

    /// Returns the contents of all files, except the configuration, the secrets and the OAuth tokens.
    private func files() throws -> [String: String] {
        var files: [String: String] = [:]
        let folder = place.directory.path
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard !name.hasSuffix("config.json"), !name.contains("/tokens/"), !name.hasPrefix("secrets/"),
                let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
            else { continue }
            files[name] = String(decoding: data, as: UTF8.self)
        }
        return files
    }
}
