import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests that secrets of every kind are sent to the server, and occur in no other output.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct CanaryTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test(arguments: SecretKind.sent)
    func `a secret that Ferry sends appears nowhere else, whatever the outcome of the upload`(
        kind: SecretKind
    ) async throws {
        let place = try kind.prepared(self.place)
        let goesOn = Gate()
        let canary = try CanaryServer(kind, takesFiles: goesOn)
        let server = canary.server
        defer { server.stop() }
        var shown = SecretSearch(place)
        try kind.configure(place, server: server, hook: shown.hook)
        try await shown.run("add", try place.file("a", "contents"))
        let killed = try place.start("run", "--json")
        try await server.wait { requests in
            requests.contains {
                ["PUT", "PATCH"].contains($0.method) || kind.protocolName == "form" && $0.method == "POST"
            }
        }
        shown.addCommandLines()
        killed.signal(SIGKILL)
        _ = try await killed.ending()
        shown.add(killed.output.text + killed.errors.text, from: "the killed `ferry run`")
        try shown.addFiles()
        shown.expectNone(of: kind, "while it was sent, and after a kill")
        goesOn.open()
        if kind.protocolName == "form" {
            // After a kill, a form upload that may have arrived is held by the next engine.
            try await shown.run("run", "--exit-when-idle", "--json")
            try await place.ferry("retry", "--all")
        }
        try await shown.run("run", "--exit-when-idle", "--json")
        try await shown.run("list", "--json")
        try await shown.run("status", "--json")
        try await shown.run("history", "--json")
        try await shown.run("config", "--json")
        try shown.addFiles()
        shown.expectNone(of: kind, "at the end")
        let sent = canary.received
        #expect(kind.protocolName == "form" || sent.contains(#/canary|Basic |Digest /#), "\(sent)")
        // The server reports neither a size nor a digest after MOVE, so the upload fails.
        let event = kind.protocolName == "webdav" ? "failed" : "done"
        #expect(shown.received.contains("\"event\":\"\(event)\""), "\(shown)")
    }

    @Test func `a SOCKS proxy's password, which is not supported, is shown nowhere`() async throws {
        var place = self.place
        place.environment["http_proxy"] = "socks5h://me:canary-socks-6e@127.0.0.1:9"
        let kind = SecretKind(name: "password of a SOCKS proxy", secrets: ["canary-socks-6e"])
        try place.configure("put", at: "http://upload.example/box/", more: #", "proxy": "environment""#)
        try await place.ferry("add", try place.file("a", "contents"))
        var shown = SecretSearch(place)
        try await shown.run("run", "--exit-when-idle", "--json")
        let listed = try await shown.run("list", "--json")
        try await shown.run("check", "here")
        try await shown.run("config")
        #expect(listed.output.contains("SOCKS"), "\(shown)")
        try shown.addFiles()
        shown.expectNone(of: kind, "after a refusal of the proxy")
    }

    @Test func `a detached engine's own log holds no secret of its uploads`() async throws {
        let kind = SecretKind.sent[0]
        let goesOn = Gate()
        goesOn.open()
        let canary = try CanaryServer(kind, takesFiles: goesOn)
        defer { canary.server.stop() }
        try place.configure("put", at: canary.server.url(kind.path), more: kind.members)
        try await place.ferry("add", try place.file("a", "contents"))
        let started = try await place.ferry("run", "--detach", "--exit-when-idle")
        #expect(started.ending == .exited(0), "\(started.errors)")
        try await canary.server.wait { $0.contains { $0.isComplete } }
        try await Eventually.holds("the end of the engine") {
            !UnixSocket.accepts(place.state + "/control")
        }
        var shown = SecretSearch(place)
        try shown.addFiles()
        #expect(shown.shown.keys.contains { $0.hasSuffix("/engine.log") }, "\(shown.shown.keys)")
        #expect(canary.received.contains("canary"))
        shown.expectNone(of: kind, "after a detached engine")
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
}
