import FerryTestSupport
import Foundation
import Synchronization
import Testing

/// Tests servers that repeat the request in every part of their response. No secret of the request may reach a file of
/// the queue, a log, a hook or the terminal.
@Suite(.fewAtOnce, .timeLimit(.minutes(3)))
struct SecretEchoTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// A kind of secret, and the destination that sends it.
    struct Kind: Sendable, CustomTestStringConvertible {
        var name: String
        var protocolName = "put"
        var path = "/box/"
        /// The members of the destination after the URL and the protocol. `SERVER` stands for the server's URL.
        var members = ""
        /// The secrets, none of which may be shown in any form.
        var secrets: [String]
        /// True for a form parameter. The user put it into the queue, so the queue's files contain it.
        var isParameter = false
        /// The files with the secret, by name. `SECRETS` stands for their folder.
        var files: [String: String] = [:]
        /// Further variables of Ferry's environment.
        var environment: [String: String] = [:]

        var testDescription: String { name }
    }

    static let kinds: [Kind] = [
        Kind(
            name: "bearer token", members: #", "auth": { "bearer": "canary+bearer/1a2b3c4d=" }"#,
            secrets: ["canary+bearer/1a2b3c4d="]),
        Kind(
            name: "password",
            members: #", "auth": { "basic": { "user": "hanna", "password": "canary word 2b" } }"#,
            secrets: ["canary word 2b"]),
        Kind(
            name: "header X-Api-Key", members: #", "headers": { "X-Api-Key": "canary\"key\\3c" }"#,
            secrets: [#"canary"key\3c"#]),
        Kind(
            name: "header with an unusual name",
            members: #", "headers": { "X-Upload-Grant": "canary-grant-9d8c7b" }"#,
            secrets: ["canary-grant-9d8c7b"]),
        Kind(
            name: "cookie", members: #", "headers": { "Cookie": "id=canary-cookie-4d; b=c" }"#,
            secrets: ["canary-cookie-4d"]),
        Kind(
            name: "signature in the query", path: "/box/?sv=2026&sig=canary%2Bsas%2F5e",
            secrets: ["canary+sas/5e"]),
        Kind(
            name: "session token of S3", protocolName: "s3", path: "/bucket/",
            members:
                #", "auth": { "s3": { "accessKey": "AK", "secretKey": "canary-secret-6f", "sessionToken": "canary-session-6f" } }"#,
            secrets: ["canary-session-6f", "canary-secret-6f"]),
        Kind(
            name: "OAuth tokens",
            members:
                #", "auth": { "oauth2": { "tokenURL": "SERVER/token", "clientID": "ferry", "clientSecret": "canary-client-7a", "refreshToken": "canary-refresh-7a" } }"#,
            secrets: ["canary-access-7a", "canary-client-7a", "canary-refresh-7a"]),
        Kind(
            name: "OAuth tokens that are refused", path: "/box/",
            members:
                #", "auth": { "oauth2": { "tokenURL": "SERVER/refused", "clientID": "ferry", "clientSecret": "canary-client-7b", "clientAuthentication": "body", "refreshToken": "canary-refresh-7b" } }"#,
            secrets: ["canary-client-7b", "canary-refresh-7b"]),
        Kind(
            name: "form parameter", protocolName: "form",
            members: #", "field": "file", "parameters": { "token": "canary-form-8b" }"#,
            secrets: ["canary-form-8b"], isParameter: true),
        Kind(
            name: "password of the proxy",
            members: #", "proxy": { "url": "PROXY", "password": "canary-proxy-9c" }"#,
            secrets: ["canary-proxy-9c"]),
        Kind(
            name: "bearer token over tus", protocolName: "tus",
            members: #", "auth": { "bearer": "canary-tus-1d" }"#, secrets: ["canary-tus-1d"]),
        Kind(
            name: "bearer token over WebDAV", protocolName: "webdav",
            members: #", "auth": { "bearer": "canary-dav-2e" }"#, secrets: ["canary-dav-2e"]),
        Kind(
            name: "token of a file", members: #", "auth": { "bearer": { "file": "SECRETS/token" } }"#,
            secrets: ["canary-file-7e"], files: ["token": "canary-file-7e\n"]),
        Kind(
            name: "token of a command",
            members: #", "auth": { "bearer": { "command": ["cat", "SECRETS/token"] } }"#,
            secrets: ["canary-command-8f"], files: ["token": "canary-command-8f\n"]),
        Kind(
            name: "bearer token over resumable uploads", protocolName: "resumable",
            members: #", "auth": { "bearer": "canary-resumable-1a" }"#, secrets: ["canary-resumable-1a"]),
        Kind(
            name: "password over Nextcloud", protocolName: "nextcloud",
            path: "/remote.php/dav/files/hanna/",
            members: #", "auth": { "basic": { "user": "hanna", "password": "canary cloud 2b" } }"#,
            secrets: ["canary cloud 2b"]),
        Kind(
            name: "bearer token over Google", protocolName: "google",
            path: "/upload/storage/v1/b/bkt/o?uploadType=resumable",
            members: #", "auth": { "bearer": "canary-google-3c" }"#, secrets: ["canary-google-3c"]),
        Kind(
            name: "bearer token over Graph", protocolName: "graph",
            path: "/v1.0/me/drive/root:/in/{name}:/createUploadSession",
            members: #", "auth": { "bearer": "canary-graph-4d" }"#, secrets: ["canary-graph-4d"]),
        Kind(
            name: "signature over Azure", protocolName: "azure",
            path: "/container/in/?sv=2021-12-02&sig=canary%2Bazure%2F5e", secrets: ["canary+azure/5e"]),
    ]

    /// Returns the destination's members, with the URLs and paths of this test.
    static func members(of kind: Kind, server: HostileServer, in place: Workplace) -> String {
        kind.members.replacing("SERVER", with: server.url(""))
            .replacing("PROXY", with: "http://me@127.0.0.1:\(server.port)")
            .replacing("SECRETS", with: place.directory.path("secrets"))
    }

    /// Returns a home with the files and the environment that the kind needs.
    static func prepared(_ place: Workplace, for kind: Kind) throws -> Workplace {
        var place = place
        let folder = place.directory.path("secrets")
        for (name, text) in kind.files {
            let path = try place.directory.write(
                Array(text.replacing("SECRETS", with: folder).utf8), to: "secrets/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        for (name, value) in kind.environment {
            place.environment[name] = value.replacing("SECRETS", with: folder)
        }
        return place
    }

    /// The escapes of Go's html/template, and those of .NET's JSON.
    private static let escapes: [[Character: String]] = [
        ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&#34;", "'": "&#39;", "+": "&#43;"],
        ["&": "\\u0026", "<": "\\u003C", ">": "\\u003E", "\"": "\\u0022", "'": "\\u0027", "+": "\\u002B"],
    ]

    /// Returns the forms in which servers repeat a text: plain, percent-encoded, in Base64, as JSON, as HTML and in
    /// hexadecimal.
    static func forms(of secret: String) -> [String] {
        let json = (try? JSONEncoder().encode([secret])).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let encoded = secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret
        let base64 = Data(secret.utf8).base64EncodedString()
        let escaped = escapes.map { escapes in
            secret.map { escapes[$0] ?? String($0) }.joined()
        }
        let digits = secret.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return [secret, encoded, encoded.lowercased(), base64, String(json.dropFirst(2).dropLast(2))]
            + escaped + [digits, digits.uppercased()]
    }

    /// Responds with the request's secrets in every part of the response. Ferry shows only the beginning of a text, so
    /// each response begins with other forms.
    private static func answer(_ connection: HostileConnection, _ kind: Kind, number: Int) throws {
        let request = try connection.readHead()
        try connection.readBody()
        guard !request.target.hasSuffix("/token") else {
            return try connection.answer(
                200, headers: [("Content-Type", "application/json")],
                body: #"{ "access_token": "canary-access-7a", "token_type": "Bearer", "expires_in": 3600 }"#)
        }
        // The server knows only the secrets that the client has sent.
        let isSign = request.target.hasSuffix("/refused")
        var sent = kind.secrets.filter { secret in
            secret != "canary-secret-6f" && (isSign || !secret.hasPrefix("canary-client"))
                && (isSign || !secret.hasPrefix("canary-refresh"))
        }
        sent += request.headers.filter { $0.name.lowercased().contains("auth") }.map(\.value)
        let all = sent.flatMap(forms)
        let first = 4 * number % all.count
        let echo = all[first...] + all[..<first]
        guard !isSign else {
            let members = ["error": "invalid_grant", "error_description": echo.joined(separator: " ")]
            return try connection.answer(
                400, headers: [("Content-Type", "application/json")],
                body: String(decoding: try JSONEncoder().encode(members), as: UTF8.self))
        }
        let header = echo.joined(separator: " ")
        let type =
            switch kind.protocolName {
            case "s3", "webdav", "nextcloud", "azure": "application/xml"
            case "google", "graph": "application/json"
            default: "text/plain"
            }
        let text = echo.joined(separator: "\n")
        let body =
            switch kind.protocolName {
            case "s3", "azure":
                "<Error><Code>\(sent[0])</Code><Message>\(escaped(text))</Message></Error>"
            case "webdav", "nextcloud":
                #"<error xmlns="DAV:"><message>\#(escaped(text))</message></error>"#
            case "google", "graph":
                String(
                    decoding: try JSONEncoder().encode(["error": ["code": sent[0], "message": text]]),
                    as: UTF8.self)
            default: text
            }
        let length = sent.flatMap { forms(of: $0).prefix(5) }.joined(separator: " ").count
        try connection.answer(
            [403, 401, 409, 507][length % 4],
            headers: [
                ("Content-Type", type), ("ETag", "\"\(sent[0])\""), ("WWW-Authenticate", "Bearer \(sent[0])"),
                ("Location", "/box/a?again=\(forms(of: sent[0])[1])"), ("Tus-Version", sent[0]),
                ("Server", sent[0]),
                ("Allow", header), ("X-Reason", header),
            ], body: body)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    @Test(arguments: kinds)
    func `a request's secret that the server repeats is shown nowhere`(kind: Kind) async throws {
        let place = try Self.prepared(self.place, for: kind)
        let count = Counter()
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try Self.answer(connection, kind, number: count.add())
            }
        }
        defer { server.stop() }
        let base = server.url("")
        let hook = #"["sh", "-c", "cat >> \"$1\"", "hook", "\#(place.directory.path("told"))"]"#
        let members = Self.members(of: kind, server: server, in: place)
        let host = members.contains("proxy") ? "http://upload.example" : base
        try place.configure(
            """
            { "destinations": { "here": { "url": "\(host)\(kind.path)", "protocol": "\(kind.protocolName)"\(members) } },
              "retry": { "base": 0.01, "cap": 0.02, "serverTries": 2 }, "hooks": { "failed": \(hook), "held": \(hook) } }
            """)
        let file = try place.file("a", "contents")
        var shown: [String: String] = [:]
        func run(_ words: String...) async throws {
            let result = try await Workplace.result(of: try place.start(words))
            shown["`ferry \(words.joined(separator: " "))`"] = result.output + result.errors
        }
        try await run("check", "here")
        try await run("add", file)
        try await run("run", "--exit-when-idle", "--json")
        try await run("list")
        try await run("list", "--json")
        try await run("status")
        try await run("history", "--json")
        try await run("config")
        try #require(!server.requests.isEmpty)
        let listed = try await place.list()
        #expect(listed.first?.error != nil, "\(shown)")
        for (name, text) in try files(below: place.directory.path) { shown[name] = text }
        for (name, text) in shown {
            if kind.isParameter, name.contains("ferry/queue.") || name.contains("journal.") { continue }
            for secret in kind.secrets {
                for form in Self.forms(of: secret) where text.contains(form) {
                    Issue.record("\(name) holds \(form): \(text)")
                }
            }
        }
    }

    /// Returns the contents of all files, except those with the secret and the one with OAuth tokens.
    private func files(below folder: String) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard !name.hasSuffix("config.json"), !name.contains("/tokens/"), !name.hasPrefix("secrets/"),
                let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
            else { continue }
            files[name] = String(decoding: data, as: UTF8.self)
        }
        return files
    }
}

/// Tests URLs with a secret in their query.
@Suite(.fewAtOnce, .timeLimit(.minutes(3)))
struct SecretQueryTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private static let secret = "canary-query-1f"

    /// Accepts files, and has no information about them later.
    private static func answer(_ connection: HostileConnection, refusesBodies: Bool) throws {
        let request = try connection.readRequest()
        switch request.method {
        case "OPTIONS":
            try connection.answer(
                200, headers: [("DAV", "1, 2"), ("Allow", "OPTIONS, PUT, MOVE, PROPFIND, DELETE")])
        case "PROPFIND", "HEAD", "GET": try connection.answer(404)
        default:
            guard request.target.contains(secret) else { return try connection.answer(401) }
            try connection.answer(refusesBodies ? 503 : 201)
        }
    }

    private func run(_ protocolName: String, refusesBodies: Bool) async throws -> [String: String] {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try Self.answer(connection, refusesBodies: refusesBodies)
            }
        }
        defer { server.stop() }
        let field = protocolName == "form" ? #", "field": "file""# : ""
        try place.configure(
            """
            { "destinations": { "here": { "url": "\(server.url("/box/?v=1&token=\(Self.secret)"))",
                "protocol": "\(protocolName)"\(field) } },
              "retry": { "base": 0.01, "cap": 0.02, "serverTries": 2 } }
            """)
        var shown: [String: String] = [:]
        try await place.ferry("add", try place.file("a"))
        let result = try await place.ferry("run", "--exit-when-idle", "--json")
        shown["run"] = result.output + result.errors
        #expect(result.ending == .exited(refusesBodies ? 1 : 0), "\(result.output)")
        shown["list"] = try await place.ferry("list", "--json").output
        shown["history"] = try await place.ferry("history", "--json").output
        for name in try FileManager.default.subpathsOfDirectory(atPath: place.state) {
            shown[name] = FileManager.default.contents(atPath: "\(place.state)/\(name)").map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return shown
    }

    @Test(arguments: ["put", "post", "form"])
    func `a query of the configuration is not in the location of what was uploaded`(name: String) async throws
    {
        for (place, text) in try await run(name, refusesBodies: false) {
            #expect(!text.contains(Self.secret), "\(place): \(text)")
        }
    }

    @Test(arguments: ["put", "post", "form", "webdav"])
    func `a query of the configuration is not in what an upload resumes with`(name: String) async throws {
        for (place, text) in try await run(name, refusesBodies: true) {
            #expect(!text.contains(Self.secret), "\(place): \(text)")
        }
    }

    @Test func `an upload resumes at an address with a query that is in the configuration alone`()
        async throws
    {
        _ = try await run("webdav", refusesBodies: true)
        try await place.ferry("retry", "--all")
        let server = try HostileServer { connection in
            while try connection.waitForRequest() { try Self.answer(connection, refusesBodies: true) }
        }
        defer { server.stop() }
        let text = try String(contentsOfFile: place.configurationFile, encoding: .utf8)
        try place.configure(text.replacing(/127\.0\.0\.1:\d+/, with: "127.0.0.1:\(server.port)"))
        _ = try await place.ferry("run", "--exit-when-idle")
        for request in server.requests { #expect(request.target.contains(Self.secret), "\(request.target)") }
    }
}

/// Servers that put the token of a request into what an upload resumes with.
@Suite(.fewAtOnce, .timeLimit(.minutes(3)))
struct SecretResourceTests {
    private static let secret = "canary-resource-1a"
    private let place: Workplace

    init() throws { place = try Workplace() }

    private static func answer(_ connection: HostileConnection) throws {
        let request = try connection.readRequest()
        let tus = ("Tus-Resumable", "1.0.0")
        switch request.method {
        case "OPTIONS" where request[tus.0] != nil:
            try connection.answer(
                204, headers: [tus, ("Tus-Version", "1.0.0"), ("Tus-Extension", "creation")])
        case "OPTIONS":
            try connection.answer(
                200, headers: [("DAV", "1, 2"), ("Allow", "OPTIONS, PUT, MOVE, PROPFIND, DELETE")])
        case "POST": try connection.answer(201, headers: [tus, ("Location", "/box/7?again=\(secret)")])
        case "PROPFIND":
            let properties = """
                <d:getcontentlength>8</d:getcontentlength><d:getetag>"\(secret)"</d:getetag>\
                <d:getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</d:getlastmodified><d:resourcetype/>
                """
            try connection.answer(
                207, headers: [("Content-Type", "application/xml")],
                body: """
                    <d:multistatus xmlns:d="DAV:"><d:response><d:href>\(request.target)</d:href><d:propstat>\
                    <d:prop>\(properties)</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>\
                    </d:multistatus>
                    """)
        case "MOVE" where request["Destination"]?.hasSuffix("/a") == true: connection.stall()
        default: try connection.answer(201)
        }
    }

    private func with(_ protocolName: String, _ body: (HostileServer) async throws -> Void) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() { try Self.answer(connection) }
        }
        defer { server.stop() }
        try place.configure(
            protocolName, at: server.url("/box/"), more: #", "auth": { "bearer": "\#(Self.secret)" }"#)
        try await place.ferry("add", try place.file("a"))
        try await body(server)
    }

    /// All files of the state folder.
    private func state() throws -> String {
        try FileManager.default.subpathsOfDirectory(atPath: place.state).map { name in
            String(
                decoding: FileManager.default.contents(atPath: "\(place.state)/\(name)") ?? Data(),
                as: UTF8.self)
        }.joined()
    }

    @Test func `an upload at an address that repeats its token fails, and the address is in no file`()
        async throws
    {
        try await with("tus") { (server) async throws in
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
            #expect(try await place.list().first?.error?.contains("repeats a secret") == true)
            #expect(server.requests.map(\.method) == ["OPTIONS", "POST"])
            #expect(try !state().contains(Self.secret))
        }
    }

    @Test func `an entity tag that repeats a token is in no file, and the rest is stored`()
        async throws
    {
        try await with("webdav") { server in
            let killed = try place.start("run")
            try await server.wait(upTo: .seconds(60)) { requests in
                requests.contains { $0["Destination"]?.hasSuffix("/a") == true }
            }
            killed.signal(SIGKILL)
            _ = try await killed.ending()
            let state = try state()
            #expect(state.contains("\"newTime\""))
            #expect(!state.contains(Self.secret), "\(state)")
        }
    }
}
