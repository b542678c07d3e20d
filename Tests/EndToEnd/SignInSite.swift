import FerryTestSupport
import Foundation
import Synchronization

/// A server for tokens and uploads whose responses the test decides.
final class SignInSite: Sendable {
    private struct State {
        var asked: [String] = []
        var granted = 0
    }

    /// The response to a request for a token.
    enum Response: Sendable {
        /// The access token a1, a2, …, each with a new refresh token r1, r2, …
        case token
        case status(Int, String)

        static let refused = Response.status(400, #"{"error":"invalid_grant"}"#)
    }

    private let state: Shared
    let server: HostileServer

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - token: Returns the response to a token request. It is called with the refresh token and the number of the
    ///     request, from 1.
    ///   - upload: Handles any other request, whose head has been read.
    init(
        token: @escaping @Sendable (String, Int) -> Response = { _, _ in .token },
        upload: @escaping @Sendable (HostileConnection, RecordedRequest) throws -> Void
    ) throws {
        let shared = Shared()
        state = shared
        server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let request = try connection.readHead()
                guard request.target == "/token" else {
                    try upload(connection, request)
                    guard connection.isOpen else { return }
                    continue
                }
                let length = request["Content-Length"].flatMap(Int.init) ?? 0
                let form = String(decoding: try connection.readBytes(length), as: UTF8.self)
                let parts = form.split(separator: "&").first { $0.hasPrefix("refresh_token=") } ?? ""
                let name = String(parts.dropFirst("refresh_token=".count))
                let number = shared.state.withLock { state in
                    state.asked.append(name)
                    return state.asked.count
                }
                switch token(name, number) {
                case .status(let status, let body):
                    try connection.answer(status, body: body)
                case .token:
                    let granted = shared.state.withLock { state in
                        state.granted += 1
                        return state.granted
                    }
                    try connection.answer(
                        200,
                        body: """
                            {"access_token":"a\(granted)","token_type":"Bearer","expires_in":3600,\
                            "refresh_token":"r\(granted)"}
                            """)
                }
            }
        }
    }

    /// A server that accepts uploads with one of these access tokens, and responds to others with 401.
    static func taking(
        _ tokens: Set<String>
    ) -> @Sendable (HostileConnection, RecordedRequest) throws -> Void {
        { connection, request in
            let isKnown = tokens.contains { request["Authorization"] == "Bearer \($0)" }
            try connection.readBody()
            try connection.answer(isKnown ? 201 : 401)
        }
    }

    /// The refresh tokens in the requests so far.
    var asked: [String] { state.state.withLock { $0.asked } }

    /// The credentials of the requests other than those for tokens.
    var credentials: [String?] {
        server.requests.filter { $0.target != "/token" }.map { $0["Authorization"] }
    }

    /// Configures a destination whose refresh token is in a file, and returns the path of the file.
    @discardableResult
    func configure(
        _ place: Workplace, refreshToken: String = "r0", protocol name: String = "put", limits: String = "{}"
    ) throws -> String {
        let file = place.directory.path("refresh-token")
        try Self.write(refreshToken, to: file)
        try place.configure(
            name, at: server.url("/files/"),
            more: #"""
                , "auth": { "oauth2": { "tokenURL": "\#(server.url("/token"))", "clientID": "ferry",
                    "refreshToken": { "file": "\#(file)" } } }
                """#, limits: limits)
        return file
    }

    static func write(_ token: String, to file: String) throws {
        try Data("\(token)\n".utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
}
