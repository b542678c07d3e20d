import FerryTestSupport
import Foundation
import Testing

/// Tests uploads with tokens of a real server, which replaces the refresh token with each use.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(10)), .enabled(if: InteropServer.hasPython, InteropServer.needsPython))
struct OAuth2Tests {
    private let place: Workplace
    private let folder: String
    private let server: InteropServer

    init() async throws {
        place = try Workplace()
        folder = try place.folder("server")
        server = try await InteropServer("oauth2_server.py", folder: folder)
    }

    private func configure(
        secret: String = "client-secret", token: String = "first-token", more: String = "",
        limits: String = "{}"
    ) throws {
        try place.configure(
            "put", at: server.url("/files/"),
            more: #"""
                , "auth": { "oauth2": { "tokenURL": "\#(server.url("/token"))", "clientID": "ferry",
                    "clientSecret": "\#(secret)", "refreshToken": "\#(token)"\#(more) } }
                """#, limits: limits)
    }

    private func log() -> [String: Int] {
        let text = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
        return Dictionary(text.split(separator: "\n").map { (String($0), 1) }, uniquingKeysWith: +)
    }

    private func upload(_ names: [String], size: Int = 10) async throws -> CommandResult {
        for name in names {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: 1)
            try await place.ferry("add", place.path(name))
        }
        return try await place.ferry("run", "--exit-when-idle")
    }

    @Test func `A1 one token serves many uploads, and the next run renews what was revoked`() async throws {
        // On a busy machine, a token of two seconds would be renewed within a run.
        try place.directory.write(Array("3600".utf8), to: "server/lifetime")
        try configure()
        let first = try await upload((1...8).map { "a\($0)" })
        #expect(first.ending == .exited(0), "\(first.output) \(first.errors)")
        #expect(log() == ["refresh": 1, "stored": 8])
        let tokens = try String(contentsOfFile: place.state + "/tokens/here.json", encoding: .utf8)
        #expect(!tokens.contains(#""refreshToken" : "first-token""#))
        #expect(FileManager.default.createFile(atPath: folder + "/revoke", contents: nil))
        let second = try await upload(["b"])
        #expect(second.ending == .exited(0), "\(second.output) \(second.errors)")
        let seen = log()
        #expect(seen["refresh"] == 2)
        #expect(seen["stored"] == 9)
        #expect(seen["reused"] == nil)
        try await server.stop()
    }

    @Test func `A2 a token of two seconds is renewed before its end while uploads run`() async throws {
        // At this rate, ten files one after another take longer than the lifetime of two tokens.
        try configure(limits: #"{ "concurrency": 1, "bandwidth": 400000 }"#)
        let result = try await upload((1...10).map { "a\($0)" }, size: 200_000)
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        let seen = log()
        #expect(seen["stored"] == 10)
        #expect(seen["refresh"] ?? 0 >= 2, "\(seen)")
        #expect(seen["reused"] == nil)
        try await server.stop()
    }

    @Test func `two queues that share a token file never use a replaced token`() async throws {
        let file = place.directory.path("shared.json")
        try configure(more: #", "tokenFile": "\#(file)""#)
        let states = [place.directory.path("one"), place.directory.path("two")]
        for state in states {
            for number in 1...3 {
                try await place.ferry(
                    "add", "--state", state,
                    try place.file("\((state as NSString).lastPathComponent)\(number)"))
            }
        }
        let runs = place
        try await withThrowingTaskGroup(of: CommandResult.self) { group in
            for state in states {
                group.addTask { try await runs.ferry("run", "--exit-when-idle", "--state", state) }
            }
            for try await result in group { #expect(result.ending == .exited(0), "\(result.output)") }
        }
        let seen = log()
        #expect(seen["stored"] == 6)
        #expect(seen["reused"] == nil)
        try await server.stop()
    }

    @Test(arguments: [
        ("wrong", "first-token", "(invalid_client", "clientSecret"),
        ("client-secret", "unknown", "(invalid_grant)", "sign in again"),
    ])
    func `A4 a refusal of the token server holds all uploads after one request`(
        secret: String, token: String, words: String, hint: String
    ) async throws {
        try configure(secret: secret, token: token)
        let result = try await upload(["a", "b", "c"])
        #expect(result.ending == .exited(1))
        for upload in try await place.list() {
            #expect(upload.state == "held")
            #expect(upload.error?.contains(words) == true, "\(upload.error ?? "")")
            #expect(upload.hint?.contains(hint) == true, "\(upload.hint ?? "")")
        }
        #expect(log()["unknown"] ?? 1 == 1)
        let state = try FileManager.default.contentsOfDirectory(atPath: place.state)
        for name in state {
            let content = FileManager.default.contents(atPath: place.state + "/" + name) ?? Data()
            #expect(content.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
        try await server.stop()
    }
}
