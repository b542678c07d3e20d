import Foundation
import HTTPTypes
import Support
import Synchronization
import Testing
import UploadProtocols

@testable import Transfer

/// A token server: answers as told, and keeps the forms it got.
private final class TokenEndpoint: Sendable {
    struct Asked: Sendable {
        var fields: HTTPFields
        var form: [String: String]
        var request: TransportRequest
    }

    private let asked = Mutex<[Asked]>([])
    private let answer: @Sendable (Int, [String: String]) -> Result<TransportResponse, TransportError>

    /// - Parameter answer: Gets the number of the request, from 1, and its form.
    init(_ answer: @escaping @Sendable (Int, [String: String]) -> Result<TransportResponse, TransportError>) {
        self.answer = answer
    }

    /// Replaces the refresh token with each use, r0, r1, …, and refuses all but the newest.
    static func rotating(lifetime: Int = 3600) -> TokenEndpoint {
        let newest = Mutex(0)
        return TokenEndpoint { number, form in
            newest.withLock { newest in
                guard form["refresh_token"] == "r\(newest)" else {
                    return .json(400, #"{"error":"invalid_grant"}"#)
                }
                newest += 1
                return .json(
                    200,
                    """
                    {"access_token":"a\(number)","token_type":"Bearer","expires_in":\(lifetime),"refresh_token":"r\(newest)"}
                    """)
            }
        }
    }

    var all: [Asked] { asked.withLock { $0 } }
    var tokens: [String?] { all.map { $0.form["refresh_token"] } }

    var transport: ScriptedTransport {
        ScriptedTransport { request in
            guard case .bytes(let bytes) = request.body else { return .json(400, "{}") }
            var form: [String: String] = [:]
            for pair in String(decoding: bytes, as: UTF8.self).split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "?" }
                form[parts[0]] = parts[1]
            }
            let number = self.asked.withLock { asked in
                asked.append(Asked(fields: request.fields, form: form, request: request))
                return asked.count
            }
            return self.answer(number, form)
        }
    }
}

extension Result where Success == TransportResponse, Failure == TransportError {
    fileprivate static func json(_ status: Int, _ text: String, _ fields: HTTPFields = [:]) -> Self {
        var fields = fields
        fields[.contentType] = "application/json"
        return .success(TransportResponse(status: status, fields: fields, body: Array(text.utf8)))
    }
}

private func client(
    refreshToken: @escaping OAuth2Client.Secret = { "r0" }, secret: OAuth2Client.Secret? = nil,
    authentication: OAuth2Client.Authentication = .basic, scope: String? = nil,
    url: String = "https://sign-in.example/token"
) -> OAuth2Client {
    OAuth2Client(
        tokenURL: url, clientID: "fer ry:1", clientSecret: secret, authentication: authentication,
        refreshToken: refreshToken, scope: scope)
}

/// What a renewal failed with.
private func failure(
    of endpoint: TokenEndpoint, _ client: OAuth2Client = client(), file: TokenFile? = nil
) async -> UploadFailure? {
    let authenticator = OAuth2Authenticator(client, file: file, transport: endpoint.transport)
    do {
        _ = try await authenticator.refresh(.missing)
        return nil
    } catch {
        return error as? UploadFailure
    }
}

struct OAuth2RequestTests {
    private func asked(_ client: OAuth2Client) async throws -> TokenEndpoint.Asked {
        let endpoint = TokenEndpoint.rotating()
        _ = try await OAuth2Authenticator(client, file: nil, transport: endpoint.transport).refresh(.missing)
        return try #require(endpoint.all.first)
    }

    // RFC 6749 §6 and §2.3.1
    @Test func `the client's name and secret are encoded before they become a field`() async throws {
        let asked = try await asked(client(secret: { "p ä:%" }))
        #expect(asked.request.method == .post)
        #expect(asked.request.url == "https://sign-in.example/token")
        #expect(asked.fields[.contentType] == "application/x-www-form-urlencoded")
        let pair = Data("fer+ry%3A1:p+%C3%A4%3A%25".utf8).base64EncodedString()
        #expect(asked.fields[.authorization] == "Basic \(pair)")
        #expect(asked.form == ["grant_type": "refresh_token", "refresh_token": "r0"])
    }

    @Test func `a server that wants the secret in the body gets it there alone`() async throws {
        let asked = try await asked(client(secret: { "p&=" }, authentication: .body, scope: "a b"))
        #expect(asked.fields[.authorization] == nil)
        #expect(
            asked.form == [
                "grant_type": "refresh_token", "refresh_token": "r0", "client_id": "fer ry:1",
                "client_secret": "p&=", "scope": "a b",
            ])
    }

    @Test func `a public client names itself`() async throws {
        let asked = try await asked(client())
        #expect(asked.fields[.authorization] == nil)
        #expect(asked.form["client_id"] == "fer ry:1")
        #expect(asked.form["client_secret"] == nil)
    }

    @Test func `a token request is never repeated by the transport`() async throws {
        #expect(try await asked(client()).request.isRepeatable == false)
    }

    @Test(arguments: [
        ("https://h/token", true), ("https://h/token?x=1", true), ("http://127.0.0.1:8080/t", true),
        ("http://[::1]/t", true), ("http://localhost/t", true), ("http://h/token", false),
        ("https://u:p@h/token", false), ("https://h/token#x", false), ("ftp://localhost/t", false),
        ("/token", false), ("https://", false), ("", false),
    ])
    func `tokens are asked for where nobody listens`(url: String, isFine: Bool) async {
        #expect(OAuth2Client.isTokenURL(url) == isFine)
        let endpoint = TokenEndpoint.rotating()
        let failure = await failure(of: endpoint, client(url: url))
        #expect((failure == nil) == isFine)
        #expect(endpoint.all.isEmpty == !isFine)
    }
}

struct OAuth2AnswerTests {
    private func credential(_ body: String) async -> Result<OAuth2Credential, any Error> {
        let endpoint = TokenEndpoint { _, _ in .json(200, body) }
        let authenticator = OAuth2Authenticator(client(), file: nil, transport: endpoint.transport)
        do { return .success(try await authenticator.refresh(.missing)) } catch { return .failure(error) }
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER"])
    func `the type is bearer in any case`(type: String) async throws {
        let got = try await credential(#"{"access_token":"t-1","token_type":"\#(type)","x":{"y":[1]}}"#).get()
        #expect(got.accessToken == "t-1")
        #expect(!got.requiresRefresh)
    }

    @Test(arguments: [
        "", "[]", "<html>", "{}", #"{"access_token":1,"token_type":"bearer"}"#,
        #"{"access_token":"","token_type":"bearer"}"#, #"{"access_token":"t"}"#,
        #"{"access_token":"t","token_type":"mac"}"#, #"{"access_token":"t\r\nX: y","token_type":"bearer"}"#,
        #"{"access_token":"t t","token_type":"bearer"}"#,
        #"{"access_token":"t","token_type":"bearer","refresh_token":"r\u0000"}"#,
    ])
    func `an answer without a usable token is refused`(body: String) async {
        let error = await #expect(throws: UploadFailure.self) { try await credential(body).get() }
        #expect(error?.category == .authentication)
        #expect(error?.summary.hasPrefix("sign-in.example sent ") == true)
        #expect(error?.hint != nil)
    }

    @Test(arguments: [
        (
            #"{"error":"invalid_grant","error_description":"Token revoked"}"#,
            "(invalid_grant: Token revoked)", "sign in again"
        ),
        (#"{"error":"invalid_client"}"#, "(invalid_client)", "clientSecret"),
        (#"{"error":"invalid_scope"}"#, "(invalid_scope)", "scope"),
        ("<html>", "answered 400", "auth of the destination"),
        (
            #"{"error":"x\u001b[31m\"","error_description":"l1\nl2 \u202e"}"#, "(x[31m: l1l2)",
            "auth of the destination"
        ),
        (
            #"{"error":"invalid_grant","error_description":"no such token r0!"}"#, "no such token ...!",
            "sign in again"
        ),
    ])
    func `a refusal is told in the server's words, made harmless`(body: String, words: String, hint: String)
        async throws
    {
        let failure = try #require(await failure(of: TokenEndpoint { _, _ in .json(400, body) }))
        #expect(failure.category == .authentication)
        #expect(failure.summary.contains(words), "\(failure.summary)")
        #expect(failure.hint?.contains(hint) == true, "\(failure.hint ?? "")")
    }

    @Test(arguments: [408, 429, 500, 503])
    func `a server that is busy is asked again later`(status: Int) async {
        let failure = await failure(
            of: TokenEndpoint { _, _ in .json(status, "{}", [.retryAfter: "11"]) })
        #expect(failure?.category == .server)
        #expect(failure?.retryAfter == 11)
    }

    @Test func `a network that is down is told as that`() async {
        let failure = await failure(
            of: TokenEndpoint { _, _ in
                .failure(TransportError(.notConnected, UploadFailure(.network, "down")))
            })
        #expect(failure == UploadFailure(.network, "down"))
    }

    @Test(arguments: [(302, "tokenURL"), (404, "tokenURL"), (403, "auth of the destination")])
    func `another answer points at the setting`(status: Int, hint: String) async {
        let failure = await failure(of: TokenEndpoint { _, _ in .json(status, "{}", [.location: "/x"]) })
        #expect(failure?.category == .authentication)
        #expect(failure?.hint?.contains(hint) == true)
    }

    @Test func `a token that the server refused for good is not sent to it again`() async throws {
        let endpoint = TokenEndpoint { _, form in
            form["refresh_token"] == "r0"
                ? .json(400, #"{"error":"invalid_grant"}"#)
                : .json(200, #"{"access_token":"a","token_type":"bearer"}"#)
        }
        let token = Mutex("r0")
        let authenticator = OAuth2Authenticator(
            client(refreshToken: { token.withLock { $0 } }), file: nil, transport: endpoint.transport)
        for _ in 0..<3 {
            await #expect(throws: UploadFailure.self) { try await authenticator.refresh(.missing) }
        }
        #expect(endpoint.all.count == 1)
        token.withLock { $0 = "signed-in-again" }
        #expect(try await authenticator.refresh(.missing).accessToken == "a")
    }
}

struct OAuth2LifetimeTests {
    private let clock = ManualClock()

    @Test(arguments: [(3600, 3300), (600, 540), (10, 9)])
    func `a token is renewed five minutes before its end, or in the last tenth of a short life`(
        lifetime: Int, age: Int
    ) {
        let credential = OAuth2Credential(accessToken: "a", lifetime: .seconds(lifetime), clock: clock)
        clock.advance(by: .seconds(age) - .milliseconds(1))
        #expect(!credential.requiresRefresh)
        clock.advance(by: .milliseconds(1))
        #expect(credential.requiresRefresh)
    }

    @Test(arguments: [("60", true), ("\"60\"", true), ("null", false), ("1e999", false), ("{}", false)])
    func `the lifetime may be a number, text or missing`(json: String, ends: Bool) async throws {
        let endpoint = TokenEndpoint { _, _ in
            .json(200, #"{"access_token":"a","token_type":"bearer","expires_in":\#(json)}"#)
        }
        let credential = try await OAuth2Authenticator(
            client(), file: nil, transport: endpoint.transport, clock: clock
        ).refresh(.missing)
        #expect(!credential.requiresRefresh)
        clock.advance(by: .seconds(60))
        #expect(credential.requiresRefresh == ends)
    }

    @Test func `many requests cost one token, and so does each of its lives`() async {
        let endpoint = TokenEndpoint.rotating(lifetime: 100)
        let interceptor = AuthenticationInterceptor(
            OAuth2Authenticator(client(), file: nil, transport: endpoint.transport, clock: clock),
            credential: .missing, clock: clock)
        let server = TokenServer(accepting: "Bearer a1", "Bearer a2")
        let driver = RequestDriver(interceptor: interceptor, server: server)
        #expect(await driver.run(count: 50).allSatisfy { $0.status == 200 })
        #expect(endpoint.tokens == ["r0"])
        clock.advance(by: .seconds(95))
        #expect(await driver.run(count: 50).allSatisfy { $0.status == 200 })
        #expect(endpoint.tokens == ["r0", "r1"])
    }
}

struct OAuth2FileTests {
    private let directory: TemporaryDirectory
    private let file: TokenFile
    private var path: String { directory.path("tokens/here.json") }

    init() throws {
        directory = try TemporaryDirectory()
        file = TokenFile(LocalPath(directory.path("tokens/here.json")))
    }

    private func stored() throws -> StoredTokens {
        try StoredTokens.decode(try Data(contentsOf: URL(fileURLWithPath: path)), file: path)
    }

    private func authenticator(
        _ endpoint: TokenEndpoint, _ client: OAuth2Client = client(), date: Date = Date()
    ) -> OAuth2Authenticator {
        OAuth2Authenticator(client, file: file, transport: endpoint.transport, date: { date })
    }

    @Test func `a token that the server replaced is in a private file before the renewal ends`() async throws
    {
        _ = try await authenticator(.rotating()).refresh(.missing)
        #expect(try stored().refreshToken == "r1")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path("tokens")).sorted() == [
                "here.json", "here.json.lock",
            ])
    }

    @Test func `the next run uses the access token that is left, and then the replaced token`() async throws {
        let endpoint = TokenEndpoint.rotating()
        let first = try await authenticator(endpoint).refresh(.missing)
        let next = authenticator(endpoint)
        let same = try await next.refresh(.missing)
        #expect(same.accessToken == first.accessToken)
        #expect(endpoint.all.count == 1)
        let renewed = try await next.refresh(same)
        #expect(renewed.accessToken == "a2")
        #expect(endpoint.tokens == ["r0", "r1"])
    }

    @Test(arguments: [3400.0, -1.0])
    func `an access token that is nearly over, or from the future, is not used`(later: Double) async throws {
        let endpoint = TokenEndpoint.rotating()
        let now = Date()
        _ = try await authenticator(endpoint, date: now).refresh(.missing)
        _ = try await authenticator(endpoint, date: now + later).refresh(.missing)
        #expect(endpoint.tokens == ["r0", "r1"])
    }

    @Test func `another sign-in, client or server begins anew`() async throws {
        let endpoint = TokenEndpoint { number, _ in
            .json(
                200,
                #"{"access_token":"a","token_type":"bearer","expires_in":3600,"refresh_token":"n\#(number)"}"#
            )
        }
        _ = try await authenticator(endpoint).refresh(.missing)
        _ = try await authenticator(endpoint, client(refreshToken: { "s0" })).refresh(.missing)
        _ = try await authenticator(endpoint, client(url: "https://other.example/")).refresh(.missing)
        #expect(endpoint.tokens == ["r0", "s0", "r0"])
    }

    @Test func `the token before is tried when the server forgot that it replaced it`() async throws {
        let endpoint = TokenEndpoint { number, form in
            form["refresh_token"] == "r0"
                ? .json(200, #"{"access_token":"a\#(number)","token_type":"bearer","refresh_token":"lost"}"#)
                : .json(400, #"{"error":"invalid_grant"}"#)
        }
        let first = try await authenticator(endpoint).refresh(.missing)
        #expect(try await authenticator(endpoint).refresh(first).accessToken == "a3")
        #expect(endpoint.tokens == ["r0", "lost", "r0"])
    }

    @Test func `two that share the file never use a replaced token`() async throws {
        let endpoint = TokenEndpoint.rotating()
        let (one, two) = (authenticator(endpoint), authenticator(endpoint))
        var (left, right) = (OAuth2Credential.missing, OAuth2Credential.missing)
        for _ in 0..<5 {
            // Both were refused, as after a change at the server.
            let (oldLeft, oldRight) = (left, right)
            async let newLeft = one.refresh(oldLeft)
            async let newRight = two.refresh(oldRight)
            (left, right) = (try await newLeft, try await newRight)
        }
        #expect(endpoint.tokens == (0..<endpoint.all.count).map { "r\($0)" })
    }

    @Test func `a replaced token that cannot be stored is not used, and stored when that is possible`()
        async throws
    {
        let endpoint = TokenEndpoint.rotating()
        let authenticator = authenticator(endpoint)
        let first = try await authenticator.refresh(.missing)
        // A folder in the way of the new file; a permission would not stop root.
        try directory.write([0], to: "tokens/here.json.new/x")
        let error = await #expect(throws: UploadFailure.self) { try await authenticator.refresh(first) }
        #expect(error?.summary.hasPrefix("cannot open \(path).new: ") == true, "\(error?.summary ?? "")")
        #expect(try stored().refreshToken == "r1")
        try FileManager.default.removeItem(atPath: path + ".new")
        #expect(try await authenticator.refresh(first).accessToken == "a2")
        #expect(try stored().refreshToken == "r2")
        #expect(endpoint.tokens == ["r0", "r1"])
    }

    @Test func `what a killed program left of a new file is in nobody's way`() async throws {
        let endpoint = TokenEndpoint.rotating()
        try directory.write(Array("{".utf8), to: "tokens/here.json.new")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: directory.path("tokens"))
        _ = try await authenticator(endpoint).refresh(.missing)
        #expect(try stored().refreshToken == "r1")
    }

    @Test(arguments: [
        "readable", "link", "folder", "lock link", "open folder", "broken", "newer",
    ])
    func `a file that is not safe is refused before anything is sent`(danger: String) async throws {
        let endpoint = TokenEndpoint.rotating()
        _ = try await authenticator(endpoint).refresh(.missing)
        let files = FileManager.default
        switch danger {
        case "readable": try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        case "link":
            try files.moveItem(atPath: path, toPath: path + ".real")
            try files.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        case "folder":
            try files.removeItem(atPath: path)
            try files.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        case "lock link":
            try files.removeItem(atPath: path + ".lock")
            try files.createSymbolicLink(atPath: path + ".lock", withDestinationPath: path)
        case "open folder":
            try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path("tokens"))
        case "broken": try directory.write(Array("{".utf8), to: "tokens/here.json")
        default:
            let text = try String(contentsOfFile: path, encoding: .utf8).replacing(
                "\"version\" : 1", with: "\"version\" : 2")
            try directory.write(Array(text.utf8), to: "tokens/here.json")
        }
        if ["broken", "newer"].contains(danger) {
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let failure = try #require(await failure(of: endpoint, file: file))
        #expect(failure.category == .authentication)
        #expect(failure.hint?.hasSuffix("then retry") == true)
        #expect(endpoint.all.count == 1)
    }
}
