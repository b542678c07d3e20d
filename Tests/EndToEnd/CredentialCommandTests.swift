import FerryTestSupport
import Foundation
import Testing

/// Tests uploads whose credential a command prints.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct CredentialCommandTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test(arguments: [
        ("printf 'a\\001b'", "bearer", "the token is empty, or holds spaces or other characters"),
        ("printf 'a b'", "bearer", "the token is empty, or holds spaces or other characters"),
        ("printf 'a\\001b'", "basic", "user and password may not hold control characters"),
        ("printf '\\n\\n'", "bearer", "is empty"),
        ("exit 2", "bearer", "ended with status 2"),
        ("exec yes", "bearer", "printed more than 65536 bytes"),
    ])
    func `A7 a command that prints no valid credential holds the upload, and nothing is sent`(
        script: String, kind: String, words: String
    ) async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let command = try place.file("secret.sh", script)
        let secret = #"{ "command": ["sh", "\#(command)"] }"#
        let auth = kind == "basic" ? #"{ "user": "me", "password": \#(secret) }"# : secret
        try place.configure("put", at: server.url("/"), more: #", "auth": { "\#(kind)": \#(auth) }"#)
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(upload.error?.contains(words) == true, "\(upload.error ?? "")")
        #expect(server.requests.isEmpty)
    }

    @Test func `A7 the first line that a command prints is the secret`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let command = try place.file("secret.sh", "printf 'first\\r\\nX-Second: line\\n'")
        try place.configure(
            "put", at: server.url("/"), more: #", "auth": { "bearer": { "command": ["sh", "\#(command)"] } }"#
        )
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        let request = try #require(server.requests.first)
        #expect(request["Authorization"] == "Bearer first")
        #expect(request["X-Second"] == nil)
    }
}
