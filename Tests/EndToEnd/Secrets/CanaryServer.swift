import FerryTestSupport
import Foundation

/// A server for one file of eight bytes, for every protocol and every kind of authentication.
final class CanaryServer: Sendable {
    let server: HostileServer
    private static let size = 8
    /// The challenge of a server that demands Digest.
    static let demand = #"Digest realm="box", nonce="7", qop="auth", algorithm=SHA-256"#
    /// The response of a server for tokens, which replaces the refresh token.
    static let tokens = """
        { "access_token": "canary-access-7a", "token_type": "Bearer", "expires_in": 3600,
          "refresh_token": "canary-rotated-7a" }
        """

    /// Starts the server.
    ///
    /// - Parameter takesFiles: A gate that delays the requests with the file until it opens.
    init(_ kind: SecretKind, takesFiles: Gate) throws {
        let isStored = Gate()
        server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let request = try connection.readRequest()
                let carriesFile =
                    ["PUT", "PATCH"].contains(request.method)
                    || kind.protocolName == "form" && request.method == "POST"
                guard takesFiles.isOpen || !carriesFile else { return connection.stall() }
                try Self.respond(to: request, on: connection, kind, isStored)
            }
        }
    }

    /// The targets and header fields of all requests.
    var received: String {
        server.requests.map { "\($0.target) \($0.headers.map(\.value))" }.joined()
    }

    private static func respond(
        to request: RecordedRequest, on connection: HostileConnection, _ kind: SecretKind,
        _ isStored: Gate
    ) throws {
        if kind.isDigest, request["Authorization"]?.hasPrefix("Digest ") != true {
            return try connection.answer(401, headers: [("WWW-Authenticate", demand)])
        }
        switch kind.protocolName {
        case "resumable": try takeResumable(request, connection)
        case "nextcloud": try takeNextcloud(request, connection, isStored)
        case "google": try takeGoogle(request, connection)
        case "graph": try takeGraph(request, connection)
        default: try take(request, connection)
        }
    }

    /// Handles a request of the other protocols. Lookups of the stored file get a 404.
    private static func take(_ request: RecordedRequest, _ connection: HostileConnection) throws {
        let isTus = request["Tus-Resumable"] != nil
        switch request.method {
        case _ where request.target.hasPrefix("/token"): try json(tokens, on: connection)
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

    private static func takeResumable(_ request: RecordedRequest, _ connection: HostileConnection) throws {
        let name = "Upload-Draft-Interop-Version"
        let version = (name, request[name] ?? "8")
        let isComplete = request.method == "PATCH"
        let facts = [
            version, ("Upload-Complete", isComplete ? "?1" : "?0"),
            ("Upload-Offset", isComplete ? "\(size)" : "0"),
        ]
        switch request.method {
        case "OPTIONS": try connection.answer(204, headers: [version])
        case "POST": try connection.answer(201, headers: facts + [("Location", "/box/7")])
        case "HEAD": try connection.answer(204, headers: facts + [("Upload-Length", "\(size)")])
        case "PATCH": try connection.answer(201, headers: facts)
        default: try connection.answer(404)
        }
    }

    private static func takeNextcloud(
        _ request: RecordedRequest, _ connection: HostileConnection, _ isStored: Gate
    ) throws {
        switch request.method {
        case "PUT":
            isStored.open()
            try connection.answer(201, headers: [("ETag", "\"7\"")])
        case "PROPFIND" where isStored.isOpen:
            let properties = "<d:getcontentlength>\(size)</d:getcontentlength><d:resourcetype/>"
            try connection.answer(properties: properties, of: request.target)
        case "MKCOL": try connection.answer(405)
        default: try connection.answer(404)
        }
    }

    private static func takeGoogle(_ request: RecordedRequest, _ connection: HostileConnection) throws {
        switch request.method {
        case "POST": try connection.answer(200, headers: [("Location", "\(request.target)&upload_id=7")])
        case "PUT" where request["Content-Range"] == "bytes */\(size)": try connection.answer(308)
        case "PUT": try json(#"{ "name": "a", "size": "\#(size)" }"#, on: connection)
        default: try connection.answer(404)
        }
    }

    private static func takeGraph(_ request: RecordedRequest, _ connection: HostileConnection) throws {
        let session = #""nextExpectedRanges": ["0-"], "expirationDateTime": "2099-01-29T09:21:55Z""#
        switch request.method {
        case "POST":
            let address = "http://\(request["Host"] ?? "")/up/7"
            try json(#"{ "uploadUrl": "\#(address)", \#(session) }"#, on: connection)
        case "GET" where request.target.hasPrefix("/up/"): try json("{ \(session) }", on: connection)
        case "PUT":
            try json(
                #"{ "id": "1", "name": "a", "size": \#(size), "file": {} }"#, on: connection, status: 201)
        default: try connection.answer(404)
        }
    }

    private static func json(_ text: String, on connection: HostileConnection, status: Int = 200) throws {
        try connection.answer(status, headers: [("Content-Type", "application/json")], body: text)
    }
}
