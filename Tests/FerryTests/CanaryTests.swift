import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Secrets of every kind that are sent as they should be, and looked for in all places where nobody should find them.
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
        ]

    /// Takes a file by every protocol, and knows the places of none.
    private static func answer(_ connection: HostileConnection, _ request: RecordedRequest, size: Int) throws
    {
        let isTus = request.headers.contains { $0.name.lowercased() == "tus-resumable" }
        switch request.method {
        case _ where request.target.hasSuffix("/token"):
            try connection.answer(
                200, headers: [("Content-Type", "application/json")],
                body: #"{ "access_token": "canary-access-7a", "token_type": "Bearer", "expires_in": 3600 }"#)
        case "OPTIONS":
            try connection.answer(
                200,
                headers: [
                    ("Tus-Version", "1.0.0"), ("Tus-Resumable", "1.0.0"), ("Tus-Extension", "creation"),
                    ("DAV", "1, 2"), ("Allow", "OPTIONS, PUT, MOVE, PROPFIND, DELETE"),
                ])
        case "HEAD" where isTus:
            try connection.answer(
                200,
                headers: [("Tus-Resumable", "1.0.0"), ("Upload-Offset", "0"), ("Upload-Length", "\(size)")])
        case "PATCH":
            try connection.answer(204, headers: [("Tus-Resumable", "1.0.0"), ("Upload-Offset", "\(size)")])
        case "POST" where isTus:
            try connection.answer(201, headers: [("Tus-Resumable", "1.0.0"), ("Location", "/box/7")])
        case "PROPFIND", "HEAD", "GET": try connection.answer(404)
        default: try connection.answer(201, headers: [("ETag", "\"7\"")])
        }
    }

    @Test(arguments: kinds)
    func `a secret that Ferry sends appears nowhere else, whatever the outcome of the upload`(
        kind: SecretEchoTests.Kind
    ) async throws {
        let goesOn = Gate()
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let request = try connection.readRequest()
                let carriesFile = ["PUT", "PATCH"].contains(request.method) || kind.protocolName == "form"
                guard goesOn.isOpen || !carriesFile else { return connection.stall() }
                try Self.answer(connection, request, size: 8)
            }
        }
        defer { server.stop() }
        let base = server.url("")
        let members = kind.members.replacing("SERVER", with: base).replacing(
            "PROXY", with: "http://me@127.0.0.1:\(server.port)")
        let host = members.contains("proxy") ? "http://upload.example" : base
        let hook =
            #"["sh", "-c", "env >> \"$1\"; cat >> \"$1\"", "hook", "\#(place.directory.path("told"))"]"#
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
            // What may have arrived is held by whoever runs the queue next.
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
        let sent = server.requests.map { "\($0.target) \($0.headers.map(\.value))" }.joined()
        #expect(kind.protocolName == "form" || sent.contains("canary") || sent.contains("Basic"), "\(sent)")
        let told = shown.first { $0.key.hasSuffix("told") }?.value ?? ""
        // This server tells nothing of what was moved to its place.
        let event = kind.protocolName == "webdav" ? "failed" : "done"
        #expect(told.contains("\"event\":\"\(event)\""), "\(shown)")
    }

    private static func search(_ shown: [String: String], for kind: SecretEchoTests.Kind, _ moment: String) {
        for (name, text) in shown {
            // Form parameters are part of the queue, of what a kill left of writing it, and of the history.
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

    /// The words of every process of this machine.
    private static func commandLines() -> [String: String] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var lines: [String: String] = [:]
        for process in processes where process.allSatisfy(\.isNumber) {
            let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
            lines["command line of \(process)"] = words.map { String(decoding: $0, as: UTF8.self) }
        }
        return lines
    }

    /// All files but the configuration, and the one that keeps OAuth tokens.
    private func files() throws -> [String: String] {
        var files: [String: String] = [:]
        let folder = place.directory.path
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard !name.hasSuffix("config.json"), !name.contains("/tokens/"),
                let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
            else { continue }
            files[name] = String(decoding: data, as: UTF8.self)
        }
        return files
    }
}
