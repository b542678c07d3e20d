import FerryProtocols
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

struct BasicCredentialTests {
    @Test(arguments: [
        // RFC 7617 §2 and §2.1
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
        ("", "", "Basic Og=="),
        ("me", "a:b", "Basic bWU6YTpi"),
        ("e\u{301}", "x", "Basic w6k6eA=="),
    ])
    func `user and password are UTF-8 in base 64`(user: String, password: String, value: String) throws {
        #expect(try BasicCredential(user: user, password: password).fieldValue == value)
    }

    @Test(arguments: [("a:b", "x"), ("a\nb", "x"), ("a", "x\r\ny"), ("a", "\u{0}")])
    func `a credential that the scheme cannot express is refused`(user: String, password: String) {
        let error = #expect(throws: UploadFailure.self) {
            try BasicCredential(user: user, password: password)
        }
        #expect(error?.category == .authentication)
        #expect(error?.summary.contains(password) == false)
    }
}

/// A source of a secret that changes.
private final class Safe: Sendable {
    private let state: Mutex<(secrets: [String], asked: Int)>
    init(_ secrets: String...) { state = Mutex((secrets, 0)) }

    var asked: Int { state.withLock { $0.asked } }

    /// Returns the next secret, and the last one repeatedly.
    func open() -> String {
        state.withLock { state in
            state.asked += 1
            return state.secrets[min(state.asked, state.secrets.count) - 1]
        }
    }
}

struct AuthorizationInterceptorTests {
    private func run(_ interceptor: AuthorizationInterceptor, accepting tokens: String) async -> (
        RequestDriver.Ending, [String?]
    ) {
        let server = TokenServer(accepting: tokens)
        return (await RequestDriver(interceptor: interceptor, server: server).run(), server.tokens)
    }

    @Test func `the secret is read anew on each attempt`() async {
        let safe = Safe("one", "two")
        let interceptor = AuthorizationInterceptor.bearer { safe.open() }
        let server = TokenServer(accepting: "Bearer one", "Bearer two")
        let driver = RequestDriver(interceptor: interceptor, server: server)
        await driver.run()
        await driver.run()
        #expect(server.tokens == ["Bearer one", "Bearer two"])
    }

    @Test func `after a refusal another secret is tried once`() async {
        let safe = Safe("old", "new")
        let (ending, tokens) = await run(.bearer { safe.open() }, accepting: "Bearer new")
        #expect(ending.status == 200)
        #expect(tokens == ["Bearer old", "Bearer new"])
    }

    @Test func `A6 a refused secret that has not changed is not sent again`() async {
        let safe = Safe("same")
        let (ending, tokens) = await run(.bearer { safe.open() }, accepting: "")
        #expect(ending.failure?.response?.status == 401)
        #expect(tokens == ["Bearer same"])
        #expect(safe.asked == 2)
    }

    @Test func `a secret that changes for ever is tried twice`() async {
        let safe = Safe("1", "2", "3", "4", "5", "6")
        let (ending, tokens) = await run(.bearer { safe.open() }, accepting: "")
        #expect(ending.failure?.response?.status == 401)
        #expect(tokens.count == 2)
    }

    @Test func `a remembered secret is looked up anew after a refusal`() async {
        let remembered = Mutex("old")
        let interceptor = AuthorizationInterceptor.basic(user: "me") {
            remembered.withLock { $0 }
        } afterRefusal: {
            remembered.withLock { $0 = "new" }
            return "new"
        }
        let (ending, tokens) = await run(interceptor, accepting: "Basic bWU6bmV3")
        #expect(ending.status == 200)
        #expect(tokens == ["Basic bWU6b2xk", "Basic bWU6bmV3"])
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "ä", "a\u{7F}"])
    func `A7 a token that cannot be in a field is refused before anything is sent`(token: String) async {
        let (ending, tokens) = await run(.bearer { token }, accepting: "")
        #expect(ending.failure?.failure.category == .authentication)
        #expect(tokens.isEmpty)
    }

    @Test func `a secret that cannot be read anew is reported with the refusal`() async {
        let interceptor = AuthorizationInterceptor.bearer {
            "token"
        } afterRefusal: { () async throws(UploadFailure) in
            throw UploadFailure(.authentication, "locked")
        }
        let (ending, _) = await run(interceptor, accepting: "")
        #expect(ending.failure?.failure.summary == "locked")
        #expect(ending.failure?.response?.status == 401)
    }
}
