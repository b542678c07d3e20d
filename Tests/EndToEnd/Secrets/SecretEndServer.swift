import FerryTestSupport
import Foundation
import Synchronization

/// A server that ends each upload in the way that the name of its file says, and repeats the secrets of the request.
///
/// It speaks what `SecretKind.atEachEnd` needs. A second server at `withoutTLS` speaks no TLS to those who expect it.
final class SecretEndServer: Sendable {
    /// A way in which an upload ends.
    enum End: String, CaseIterable {
        case taken
        /// 401, or 407 if the server is the proxy.
        case unauthorized
        case forbidden
        case conflict
        /// A redirect within the server, which is followed.
        case moved
        /// A redirect to another server, which is not followed.
        case movedAway
        /// The connection is reset, once.
        case cut
        /// No response comes, once.
        case silent
        case busy
        case withoutTLS
        /// No response comes, so that the process can be ended meanwhile.
        case crash

        /// The states in which the upload may be afterwards. A form whose response is missing fails.
        var states: Set<String> {
            switch self {
            case .taken, .moved: ["done"]
            case .cut, .silent: ["done", "failed"]
            case .unauthorized: ["held"]
            case .forbidden, .conflict, .movedAway, .busy, .withoutTLS: ["failed"]
            case .crash: []
            }
        }
    }

    private struct State {
        var requests: [String: Int] = [:]
        var ended: Set<End> = []
    }

    /// The state that the scripts of the connections share.
    private final class Shared: Sendable {
        let state = Mutex(State())
        let crashes = Gate()

        /// Returns how many requests of this name came, with this one.
        func count(_ name: String) -> Int {
            state.withLock { state in
                state.requests[name, default: 0] += 1
                return state.requests[name] ?? 0
            }
        }
    }

    let server: HostileServer
    private let withoutTLS: HostileServer
    private let kind: SecretKind
    private let shared: Shared

    init(_ kind: SecretKind) throws {
        let shared = Shared()
        (self.kind, self.shared) = (kind, shared)
        server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try Self.respond(on: connection, kind, shared)
                guard connection.isOpen else { return }
            }
        }
        withoutTLS = try HostileServer { try Self.respondWithoutTLS(on: $0) }
    }

    func stop() {
        server.stop()
        withoutTLS.stop()
    }

    /// The ends whose requests carried a secret.
    var ended: Set<End> { shared.state.withLock { $0.ended } }
    /// The number of requests for tokens that got none.
    var failedSignIns: Int { shared.state.withLock { $0.requests["sign-in"] ?? 0 } }
    /// A gate that opens when a request of `End.crash` arrives.
    var crashes: Gate { shared.crashes }

    /// Configures the destinations `here` and `withoutTLS`.
    ///
    /// - Parameter signsInWithoutTLS: True if `withoutTLS` asks for tokens there, too.
    func configure(_ place: Workplace, hook: String, signsInWithoutTLS: Bool = false) throws {
        let members = kind.members(server: server, in: place)
        let secure = "https://127.0.0.1:\(withoutTLS.port)"
        let address = (kind.usesProxy ? "https://upload.example" : secure) + kind.path
        let others = signsInWithoutTLS ? members.replacing(server.url(""), with: secure) : members
        try place.configure(
            """
            { "destinations": {
                "here": { "url": "\(kind.url(at: server))", "protocol": "\(kind.protocolName)"\(members) },
                "withoutTLS": { "url": "\(address)", "protocol": "\(kind.protocolName)"\(others) } },
              "defaultDestination": "here", "limits": { "concurrency": 16, "perHost": 16 },
              "retry": { "base": 0.01, "cap": 0.02, "serverTries": 1, "onUncertain": "fail" },
              "timeouts": { "response": 2 },
              "hooks": { "done": \(hook), "failed": \(hook), "held": \(hook) } }
            """)
    }

    private static func respondWithoutTLS(on connection: HostileConnection) throws {
        guard try connection.waitForRequest() else { return }
        try connection.write("HTTP/1.1 400 Status\r\n\r\n")
        connection.drain()
    }

    private static func respond(
        on connection: HostileConnection, _ kind: SecretKind, _ shared: Shared
    ) throws {
        let request = try connection.readHead()
        if request.method == "CONNECT" {
            try connection.write("HTTP/1.1 200 Status\r\n\r\n")
            return try respondWithoutTLS(on: connection)
        }
        let length = request["Content-Length"].flatMap { Int($0) } ?? 0
        let body = String(decoding: try connection.readBytes(length), as: UTF8.self)
        if request.target.hasPrefix("/token") {
            return try connection.answer(
                200, headers: [("Content-Type", "application/json")], body: CanaryServer.tokens)
        }
        let isSignIn = request.target.hasPrefix("/failing")
        // The server knows only the secrets that the client has sent.
        var sent = kind.secrets.filter { isSignIn || !kind.hidden.contains($0) }
        sent += request.headers.filter { $0.name.lowercased().contains("auth") }.map(\.value)
        let echo = SecretEcho(of: sent, in: kind.protocolName, number: shared.count("all"))
        guard !isSignIn else {
            return try refuseSignIn(on: connection, echo, number: shared.count("sign-in"))
        }
        if kind.isDigest, request["Authorization"]?.hasPrefix("Digest ") != true {
            return try connection.answer(401, headers: [("WWW-Authenticate", CanaryServer.demand)])
        }
        guard let end = Self.end(of: request, body) else { return try connection.answer(404) }
        let text = ([request.target, body] + request.headers.map(\.value)).joined(separator: "\n")
        if text.contains(#/canary|Basic |Digest /#) {
            _ = shared.state.withLock { $0.ended.insert(end) }
        }
        if end == .crash { shared.crashes.open() }
        let number = shared.count("\(request.method) \(end)")
        // A `Server` that is always the same keeps Ferry from taking the 404 for a network's sign-in page.
        var fields = echo.fields + [("Server", "box")]
        if kind.isCutFromTextsOnly { fields.removeAll { $0.0 == "ETag" } }
        if ["HEAD", "GET"].contains(request.method) { return try connection.answer(404, headers: fields) }
        if request.target.contains("again=") { return try connection.answer(201, headers: fields) }
        let secret = kind.isCutFromTextsOnly ? "box" : SecretForms.percentEncoded(echo.first)
        try bring(end, number: number, to: request, on: connection, fields, echo, inAddress: secret)
    }

    private static func bring(
        _ end: End, number: Int, to request: RecordedRequest, on connection: HostileConnection,
        _ fields: [(String, String)], _ echo: SecretEcho, inAddress secret: String
    ) throws {
        let path = URLComponents(string: request.target)?.path ?? ""
        let elsewhere = "http://localhost:1/other?again=\(secret)"
        switch end {
        case .cut where number == 1: connection.reset()
        case .silent where number == 1: connection.stall()
        case .crash: connection.stall()
        case .taken:
            try connection.answer(201, headers: fields + [("Location", "/box/\(secret)")], body: echo.body)
        case .cut, .silent, .withoutTLS: try connection.answer(201, headers: fields, body: echo.body)
        case .unauthorized:
            let isProxy = request["Proxy-Authorization"] != nil
            try connection.answer(isProxy ? 407 : 401, headers: fields, body: echo.body)
        case .forbidden: try connection.answer(403, headers: fields, body: echo.body)
        case .conflict: try connection.answer(409, headers: fields, body: echo.body)
        case .busy: try connection.answer(503, headers: fields, body: echo.body)
        case .moved:
            try connection.answer(
                307, headers: fields + [("Location", "\(path)?again=\(secret)")], body: echo.body)
        case .movedAway:
            try connection.answer(307, headers: fields + [("Location", elsewhere)], body: echo.body)
        }
    }

    /// Ends a request for tokens: first with a reset, then without a response, then with refusals.
    private static func refuseSignIn(
        on connection: HostileConnection, _ echo: SecretEcho, number: Int
    ) throws {
        let json = [("Content-Type", "application/json"), ("X-Reason", echo.line)]
        switch number {
        case 1: connection.reset()
        case 2: connection.stall()
        case 3: try connection.answer(503, headers: json, body: echo.refusedSignIn)
        case 4:
            let secret = SecretForms.percentEncoded(echo.first)
            try connection.answer(
                307, headers: json + [("Location", "http://localhost:1/other?again=\(secret)")],
                body: echo.refusedSignIn)
        default: try connection.answer(400, headers: json, body: echo.refusedSignIn)
        }
    }

    /// Returns the end that the name of the file says. It is in the address, or in the body of a form.
    private static func end(of request: RecordedRequest, _ body: String) -> End? {
        let inForm = body.firstMatch(of: /filename="([^"]*)"/).map { String($0.1) }
        let path = URLComponents(string: request.target)?.path
        let inAddress = path?.split(separator: "/").last.map(String.init)
        return (inForm ?? inAddress).flatMap(End.init(rawValue:))
    }
}
