import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Servers that put the token of a request into what an upload resumes with.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
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
            try connection.answer(properties: properties, of: request.target)
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
            try await server.wait { requests in
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
