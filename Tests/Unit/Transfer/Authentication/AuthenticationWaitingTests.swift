import FerryProtocols
import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

/// Tests requests that wait for the renewal of a credential.
struct AuthenticationWaitingTests {
    private let gate = Gate()
    private let authenticator: CountingAuthenticator
    private let interceptor: AuthenticationInterceptor<CountingAuthenticator>
    private let server = TokenServer(accepting: "a1", "b")
    private let driver: RequestDriver

    init() {
        let gate = gate
        authenticator = CountingAuthenticator { number in
            try await gate.wait()
            return Token(name: "a\(number)")
        }
        interceptor = AuthenticationInterceptor(authenticator, credential: .expired, clock: ManualClock())
        driver = RequestDriver(interceptor: interceptor, server: server)
    }

    @Test func `a request that is cancelled stops waiting at once, and the others continue`() async throws {
        let cancelled = Task { await driver.run() }
        try await interceptor.waitForWaiters(1)
        async let other = driver.run()
        try await interceptor.waitForWaiters(2)
        cancelled.cancel()
        guard case .cancelled = await cancelled.value.failure else {
            Issue.record("not cancelled")
            return
        }
        #expect(!gate.isOpen)
        gate.open()
        #expect(await other.status == 200)
        #expect(authenticator.refreshes == 1)
    }

    @Test func `a renewal continues when no request waits for it any more`() async throws {
        let only = Task { await driver.run() }
        try await interceptor.waitForWaiters(1)
        only.cancel()
        _ = await only.value
        gate.open()
        #expect(await driver.run().status == 200)
        #expect(authenticator.refreshes == 1)
    }

    @Test func `a request that is cancelled already does not wait`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await driver.run()
        }
        guard case .cancelled = await task.value.failure else {
            Issue.record("not cancelled")
            return
        }
        gate.open()
    }

    @Test func `a credential set meanwhile serves those that wait`() async throws {
        async let running = driver.run(count: 3)
        try await interceptor.waitForWaiters(3)
        await interceptor.setCredential(Token(name: "b"))
        #expect(await running.allSatisfy { $0.status == 200 })
        #expect(server.tokens == ["b", "b", "b"])
        gate.open()
        #expect(await driver.run().status == 200)
        #expect(server.tokens.last == "b")
    }

    @Test func `signing out meanwhile ends those that wait`() async throws {
        async let running = driver.run()
        try await interceptor.waitForWaiters(1)
        await interceptor.setCredential(nil)
        guard case .missingCredential = await running.authenticationError else {
            Issue.record("\(await running)")
            return
        }
        gate.open()
    }

    @Test func `a renewal is reported once`() async throws {
        final class Log: EventMonitor {
            let count = Mutex(0)
            func receive(_ event: TransferEvent, of request: RequestContext) {
                if case .refreshed = event { count.withLock { $0 += 1 } }
            }
        }
        let log = Log()
        var driver = driver
        driver.monitors = [log]
        async let running = driver.run(count: 3)
        try await interceptor.waitForWaiters(3)
        gate.open()
        _ = await running
        #expect(log.count.withLock { $0 } == 1)
    }
}

/// An authenticator that requests its tokens through the session that it authenticates.
private final class SelfServingAuthenticator: Authenticator {
    let driver = Mutex<RequestDriver?>(nil)

    func apply(_ credential: Token, to request: inout TransportRequest) {
        request.fields[.authorization] = credential.name
    }

    func refresh(_ credential: Token) async throws -> Token {
        guard let driver = driver.withLock({ $0 }) else { return credential }
        // The request runs in a task of its own, as in a session.
        let answer = try await Task { try await driver.run("/token").result.get() }.value
        return Token(name: String(decoding: answer.body, as: UTF8.self))
    }

    func isRequest(_ request: TransportRequest, authenticatedWith credential: Token) -> Bool {
        request.fields[.authorization] == credential.name
    }
}

struct AuthenticationThroughItselfTests {
    private func run(_ credential: Token, tokenStatus: Int) async -> (RequestDriver.Ending, TokenServer) {
        let server = TokenServer { request in
            guard request.url.hasSuffix("/token") else {
                return .success(.status(request.fields[.authorization] == "a1" ? 200 : 401))
            }
            return .success(TransportResponse(status: tokenStatus, body: Array("a1".utf8)))
        }
        let authenticator = SelfServingAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator, credential: credential)
        let driver = RequestDriver(interceptor: interceptor, server: server)
        authenticator.driver.withLock { $0 = driver }
        return (await driver.run("/file"), server)
    }

    @Test(.timeLimit(.minutes(10)), arguments: [Token.a0, Token.expired])
    func `a renewal through the same session does not wait for itself`(credential: Token) async {
        let (ending, server) = await run(credential, tokenStatus: 200)
        #expect(ending.status == 200)
        let request = server.requests.first { $0.url.hasSuffix("/token") }
        #expect(request != nil && request?.fields[.authorization] == nil)
    }

    @Test(.timeLimit(.minutes(10)), arguments: [Token.a0, Token.expired])
    func `a renewal that is refused itself is not renewed`(credential: Token) async {
        let (ending, server) = await run(credential, tokenStatus: 401)
        guard case .refreshFailed = ending.authenticationError else {
            Issue.record("\(ending)")
            return
        }
        #expect(server.requests.count { $0.url.hasSuffix("/token") } == 1)
    }
}

struct AuthenticationErrorTests {
    @Test(arguments: [
        (UploadFailure(.network, "no connection"), UploadFailure.Category.signInAway),
        (UploadFailure(.server, "busy", retryAfter: 7), .signInAway),
        (UploadFailure(.authentication, "revoked"), .authentication),
        (UploadFailure(.permanent, "bad certificate"), .authentication),
    ])
    func `A3 a temporary failure of a token refresh is waited for, and others need the user`(
        failure: UploadFailure, category: UploadFailure.Category
    ) {
        for error: any Error in [failure, TransportError(.broken, failure), RequestFailure.unusable(failure)]
        {
            let reported = RequestFailure.adaptation(AuthenticationError.refreshFailed(error)).failure
            #expect(reported.category == category)
            #expect(reported.summary == "the credentials could not be renewed: \(failure.summary)")
            #expect(reported.retryAfter == failure.retryAfter)
        }
    }

    @Test func `A3 too many renewals without a network are waited for`() async {
        let offline = AuthenticationError.refreshFailed(UploadFailure(.network, "no connection"))
        #expect(AuthenticationError.excessiveRefresh(last: offline).failure.category == .signInAway)
        #expect(AuthenticationError.excessiveRefresh(last: nil).failure.category == .authentication)
        #expect(AuthenticationError.excessiveRefresh(last: nil).failure.hint != nil)
    }

    @Test func `without a network the window ends with what the network said`() async {
        let interceptor = AuthenticationInterceptor(
            CountingAuthenticator { _ in throw UploadFailure(.network, "no connection") },
            credential: .expired,
            clock: ManualClock())
        let driver = RequestDriver(interceptor: interceptor, server: TokenServer(accepting: "a1"))
        for _ in 0..<8 { #expect(await driver.run().failure?.failure.category == .signInAway) }
    }
}
