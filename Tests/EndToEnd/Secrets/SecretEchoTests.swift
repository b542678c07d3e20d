import FerryTestSupport
import Foundation
import Testing

/// Tests servers that repeat the request in every part of their response. No secret of the request may reach a file of
/// the queue, a log, a hook or the terminal.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct SecretEchoTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Responds with the request's secrets in every part of the response.
    private static func answer(_ connection: HostileConnection, _ kind: SecretKind, number: Int) throws {
        let request = try connection.readHead()
        try connection.readBody()
        guard !request.target.hasPrefix("/token") else {
            return try connection.answer(
                200, headers: [("Content-Type", "application/json")], body: CanaryServer.tokens)
        }
        // The server knows only the secrets that the client has sent.
        let isSignIn = request.target.hasSuffix("/refused")
        var sent = kind.secrets.filter { isSignIn || !kind.hidden.contains($0) }
        sent += request.headers.filter { $0.name.lowercased().contains("auth") }.map(\.value)
        let echo = SecretEcho(of: sent, in: kind.protocolName, number: number)
        guard !isSignIn else {
            return try connection.answer(
                400, headers: [("Content-Type", "application/json")], body: echo.refusedSignIn)
        }
        let length = sent.flatMap { SecretForms.all(of: $0).prefix(5) }.joined(separator: " ").count
        try connection.answer(
            [403, 401, 409, 507][length % 4],
            headers: echo.fields + [
                ("Location", "/box/a?again=\(SecretForms.percentEncoded(echo.first))"),
                ("Tus-Version", echo.first), ("Server", echo.first),
            ], body: echo.body)
    }

    @Test(arguments: SecretKind.repeated)
    func `a request's secret that the server repeats is shown nowhere`(kind: SecretKind) async throws {
        let place = try kind.prepared(self.place)
        let count = Counter()
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try Self.answer(connection, kind, number: count.add())
            }
        }
        defer { server.stop() }
        var shown = SecretSearch(place)
        try kind.configure(place, server: server, hook: shown.hook)
        try await shown.run("check", "here")
        try await shown.run("add", try place.file("a", "contents"))
        try await shown.run("run", "--exit-when-idle", "--json")
        try await shown.run("list")
        try await shown.run("list", "--json")
        try await shown.run("status")
        try await shown.run("history", "--json")
        try await shown.run("config")
        try #require(!server.requests.isEmpty)
        let listed = try await place.list()
        #expect(listed.first?.error != nil, "\(shown)")
        try shown.addFiles()
        shown.expectNone(of: kind, "after a refusal")
    }
}
