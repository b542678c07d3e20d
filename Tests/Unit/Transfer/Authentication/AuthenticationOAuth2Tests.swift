import FerryProtocols
import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

struct OAuth2RequestTests {
    private func asked(_ client: OAuth2Client) async throws -> TokenEndpoint.Asked {
        let endpoint = TokenEndpoint.rotating()
        _ = try await OAuth2Authenticator(client, file: nil, transport: endpoint.transport).refresh(.missing)
        return try #require(endpoint.all.first)
    }

    // RFC 6749 §6 and §2.3.1
    @Test func `the last 16 secrets of a sign-in are cut from what a server repeats`() async throws {
        let endpoint = TokenEndpoint.rotating()
        let authenticator = OAuth2Authenticator(.make(), file: nil, transport: endpoint.transport)
        var credential = OAuth2Credential.missing
        for _ in 0..<20 { credential = try await authenticator.refresh(credential) }
        var request = TransportRequest(method: .put, url: "https://files.example/a")
        authenticator.apply(credential, to: &request)
        #expect(request.hiddenSecrets.count == 16)
        #expect(request.hiddenSecrets.contains("r0") && request.hiddenSecrets.contains("r20"))
    }

    @Test func `the client's name and secret are encoded before they become a field`() async throws {
        let asked = try await asked(OAuth2Client.make(secret: { "p ä:%" }))
        #expect(asked.request.method == .post)
        #expect(asked.request.url == "https://sign-in.example/token")
        #expect(asked.fields[.contentType] == "application/x-www-form-urlencoded")
        let pair = Data("fer+ry%3A1:p+%C3%A4%3A%25".utf8).base64EncodedString()
        #expect(asked.fields[.authorization] == "Basic \(pair)")
        #expect(asked.form == ["grant_type": "refresh_token", "refresh_token": "r0"])
    }

    @Test func `a server that wants the secret in the body gets it there alone`() async throws {
        let asked = try await asked(OAuth2Client.make(secret: { "p&=" }, authentication: .body, scope: "a b"))
        #expect(asked.fields[.authorization] == nil)
        #expect(
            asked.form == [
                "grant_type": "refresh_token", "refresh_token": "r0", "client_id": "fer ry:1",
                "client_secret": "p&=", "scope": "a b",
            ])
    }

    @Test func `a public client names itself`() async throws {
        let asked = try await asked(OAuth2Client.make())
        #expect(asked.fields[.authorization] == nil)
        #expect(asked.form["client_id"] == "fer ry:1")
        #expect(asked.form["client_secret"] == nil)
    }

    @Test func `a token request is never repeated by the transport`() async throws {
        #expect(try await asked(OAuth2Client.make()).request.isRepeatable == false)
    }

    @Test(arguments: [
        ("https://h/token", true), ("https://h/token?x=1", true), ("http://127.0.0.1:8080/t", true),
        ("http://[::1]/t", true), ("http://localhost/t", true), ("http://h/token", false),
        ("https://u:p@h/token", false), ("https://h/token#x", false), ("ftp://localhost/t", false),
        ("/token", false), ("https://", false), ("", false),
    ])
    func `tokens are asked for only by https or on this machine`(url: String, isFine: Bool) async {
        #expect(OAuth2Client.isTokenURL(url) == isFine)
        let endpoint = TokenEndpoint.rotating()
        let failure = await TokenEndpoint.failure(of: endpoint, OAuth2Client.make(url: url))
        #expect((failure == nil) == isFine)
        #expect(endpoint.all.isEmpty == !isFine)
    }
}

struct OAuth2ResponseTests {
    private func credential(_ body: String) async -> Result<OAuth2Credential, any Error> {
        let endpoint = TokenEndpoint { _, _ in .json(200, body) }
        let authenticator = OAuth2Authenticator(OAuth2Client.make(), file: nil, transport: endpoint.transport)
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
    func `a response without a usable token is refused`(body: String) async {
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
    func `A4 a refusal is reported in the server's words, made harmless`(
        body: String, words: String, hint: String
    ) async throws {
        let failure = try #require(
            await TokenEndpoint.failure(of: TokenEndpoint { _, _ in .json(400, body) }))
        #expect(failure.category == .authentication)
        #expect(failure.summary.contains(words), "\(failure.summary)")
        #expect(failure.hint?.contains(hint) == true, "\(failure.hint ?? "")")
    }

    @Test(arguments: [408, 429, 500, 503])
    func `A3 a server that is busy is asked again later`(status: Int) async {
        let failure = await TokenEndpoint.failure(
            of: TokenEndpoint { _, _ in .json(status, "{}", [.retryAfter: "11"]) })
        #expect(failure?.category == .server)
        #expect(failure?.retryAfter == 11)
    }

    @Test func `A3 a network that is down is reported as such`() async {
        let failure = await TokenEndpoint.failure(
            of: TokenEndpoint { _, _ in
                .failure(TransportError(.notConnected, UploadFailure(.network, "down")))
            })
        #expect(failure == UploadFailure(.network, "down"))
    }

    @Test(arguments: [(302, "tokenURL"), (404, "tokenURL"), (403, "auth of the destination")])
    func `another status points at the setting`(status: Int, hint: String) async {
        let failure = await TokenEndpoint.failure(
            of: TokenEndpoint { _, _ in .json(status, "{}", [.location: "/x"]) })
        #expect(failure?.category == .authentication)
        #expect(failure?.hint?.contains(hint) == true)
    }

    @Test func `A4 a token that the server refused for good is not sent to it again`() async throws {
        let endpoint = TokenEndpoint { _, form in
            form["refresh_token"] == "r0"
                ? .json(400, #"{"error":"invalid_grant"}"#)
                : .json(200, #"{"access_token":"a","token_type":"bearer"}"#)
        }
        let token = Mutex("r0")
        let authenticator = OAuth2Authenticator(
            OAuth2Client.make(refreshToken: { token.withLock { $0 } }), file: nil,
            transport: endpoint.transport)
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
    func `A2 a token is renewed five minutes before its end, or in the last tenth of a short life`(
        lifetime: Int, age: Int
    ) {
        let credential = OAuth2Credential(accessToken: "a", lifetime: .seconds(lifetime), clock: clock)
        clock.advance(by: .seconds(age) - .milliseconds(1))
        #expect(!credential.requiresRefresh)
        clock.advance(by: .milliseconds(1))
        #expect(credential.requiresRefresh)
    }

    @Test(arguments: [("60", true), ("\"60\"", true), ("null", false), ("1e999", false), ("{}", false)])
    func `A8 the lifetime may be a number, text or missing`(json: String, ends: Bool) async throws {
        let endpoint = TokenEndpoint { _, _ in
            .json(200, #"{"access_token":"a","token_type":"bearer","expires_in":\#(json)}"#)
        }
        let credential = try await OAuth2Authenticator(
            OAuth2Client.make(), file: nil, transport: endpoint.transport, clock: clock
        ).refresh(.missing)
        #expect(!credential.requiresRefresh)
        clock.advance(by: .seconds(60))
        #expect(credential.requiresRefresh == ends)
    }

    @Test func `A1 many requests cost one token, and so does each of its lives`() async {
        let endpoint = TokenEndpoint.rotating(lifetime: 100)
        let interceptor = AuthenticationInterceptor(
            OAuth2Authenticator(OAuth2Client.make(), file: nil, transport: endpoint.transport, clock: clock),
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
