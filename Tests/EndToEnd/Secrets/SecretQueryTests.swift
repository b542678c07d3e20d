import FerryTestSupport
import Foundation
import Testing

/// Tests URLs with a secret in their query.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
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
