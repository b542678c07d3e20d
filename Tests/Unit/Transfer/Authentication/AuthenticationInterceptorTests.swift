import FerryProtocols
import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

struct AuthenticationAdaptTests {
    // LeftOut.md, item 60
    @Test func `a valid credential is put on the request`() async {
        let stage = AuthenticationStage(.a0, TokenServer(accepting: "a0"))
        #expect(await stage.driver.run().status == 200)
        #expect(stage.server.tokens == ["a0"])
        #expect(stage.authenticator.applies == 1)
        #expect(stage.authenticator.refreshes == 0)
    }

    // LeftOut.md, item 61
    @Test(arguments: [1, 12])
    func `A2 a credential that is over is renewed once before anything is sent`(count: Int) async {
        let together = Barrier(count)
        struct Arrival: RequestAdapter {
            let together: Barrier
            func adapt(_ request: TransportRequest, for context: RequestContext) async -> TransportRequest {
                if request.fields[.userAgent] == nil { await together.pass() }
                return request
            }
        }
        var stage = AuthenticationStage(.expired, TokenServer(accepting: "a1"))
        stage.driver.adapters = [Arrival(together: together)]
        let endings = await stage.driver.run(count: count)
        #expect(endings.allSatisfy { $0.status == 200 })
        #expect(stage.authenticator.refreshes == 1)
        #expect(stage.server.tokens == Array(repeating: "a1", count: count))
        #expect(endings.allSatisfy { $0.context.retries == RetryCounts() && $0.context.attempt == 1 })
    }

    // LeftOut.md, item 62
    @Test func `each request that waited fails once with a failed renewal, and nothing is sent`()
        async throws
    {
        let gate = Gate()
        let stage = AuthenticationStage(
            .expired, TokenServer(accepting: "a1"),
            authenticator: CountingAuthenticator { number in
                try await gate.wait()
                throw RefreshRefused(number: number)
            })
        async let running = stage.driver.run(count: 3)
        try await stage.interceptor.waitForWaiters(3)
        gate.open()
        let endings = await running
        #expect(endings.map { $0.authenticationError?.underlying?.number } == [1, 1, 1])
        #expect(stage.authenticator.refreshes == 1)
        #expect(stage.authenticator.applies == 0)
        #expect(stage.server.requests.isEmpty)
    }

    // LeftOut.md, item 63
    @Test(arguments: [nil, Token.a0])
    func `without a credential nothing is sent`(first: Token?) async {
        let stage = AuthenticationStage(first, TokenServer(accepting: "a0"))
        await stage.interceptor.setCredential(nil)
        let ending = await stage.driver.run()
        #expect(ending.authenticationError?.isMissing == true)
        #expect(ending.failure?.failure.category == .authentication)
        #expect(stage.server.requests.isEmpty)
    }

    // LeftOut.md, item 68
    @Test func `a renewal that ends at once deadlocks neither before nor after a refusal`() async {
        let before = AuthenticationStage(.expired, TokenServer(accepting: "a1"))
        #expect(await before.driver.run().status == 200)
        let after = AuthenticationStage(.a0, TokenServer(accepting: "a1"))
        #expect(await after.driver.run().status == 200)
    }

    // LeftOut.md, item 73
    @Test func `adapters before one that waited run again, and there is one renewal`() async {
        /// Adds a time to requests, as a signature does.
        struct Stamp: RequestAdapter {
            let clock: ManualClock
            func adapt(_ request: TransportRequest, for context: RequestContext) -> TransportRequest {
                var request = request
                request.fields[.date] = "\(clock.now)"
                return request
            }
        }
        let clock = ManualClock()
        var stage = AuthenticationStage(
            .expired, TokenServer(accepting: "a1"),
            authenticator: CountingAuthenticator { number in
                clock.advance(by: .seconds(60))
                return Token(name: "a\(number)")
            })
        stage.driver.adapters = [Stamp(clock: clock)]
        let ending = await stage.driver.run()
        #expect(ending.status == 200)
        #expect(stage.server.requests.first?.fields[.date] == "\(clock.now)")
        #expect(stage.authenticator.refreshes == 1)
        #expect(ending.context.attempt == 1)
    }

    @Test func `a new credential that calls itself over is used all the same`() async {
        let stage = AuthenticationStage(
            .expired, TokenServer(accepting: "a1"),
            authenticator: CountingAuthenticator { Token(name: "a\($0)", requiresRefresh: true) })
        #expect(await stage.driver.run().status == 200)
        #expect(stage.authenticator.refreshes == 1)
    }

    @Test func `a session that does not run adapters again makes another attempt`() async throws {
        let stage = AuthenticationStage(.expired, TokenServer(accepting: "a1"))
        let request = TransportRequest(method: .put, url: "http://server.example/")
        let context = RequestContext()
        await #expect(throws: AdapterRetry()) {
            try await stage.interceptor.adapt(request, for: context)
        }
        let decision = await stage.interceptor.retry(
            request, after: .adaptation(AdapterRetry()), for: context)
        guard case .retry = decision else {
            Issue.record("\(decision)")
            return
        }
        let next = context.next(counting: .preparation)
        #expect(try await stage.interceptor.adapt(request, for: next).fields[.authorization] == "a1")
    }
}

struct AuthenticationRefusalTests {
    // LeftOut.md, item 64
    @Test(arguments: [nil, 500, 403])
    func `nothing but a refusal renews the credential`(status: Int?) async {
        let stage = AuthenticationStage(
            .a0,
            TokenServer { _ in
                status.map { .success(.status($0)) }
                    ?? .failure(TransportError(.broken, UploadFailure(.network, "cut")))
            })
        #expect(await stage.driver.run().status == status)
        #expect(stage.authenticator.refreshes == 0)
        #expect(stage.server.requests.count == 1)
    }

    // LeftOut.md, item 65
    @Test func `a credential that is gone when the refusal comes is reported with the refusal`() async throws
    {
        let holder = Mutex<AuthenticationInterceptor<CountingAuthenticator>?>(nil)
        let stage = AuthenticationStage(
            .a0,
            TokenServer { _ in
                await holder.withLock { $0 }?.setCredential(nil)
                return .success(.status(401))
            })
        holder.withLock { $0 = stage.interceptor }
        let ending = await stage.driver.run()
        #expect(ending.authenticationError?.isMissing == true)
        #expect(ending.failure?.response?.status == 401)
    }

    // LeftOut.md, item 66
    @Test func `A1 a refused credential that was replaced meanwhile is retried without a renewal`() async {
        let holder = Mutex<AuthenticationInterceptor<CountingAuthenticator>?>(nil)
        let stage = AuthenticationStage(
            .a0,
            TokenServer { request in
                if request.fields[.authorization] == "a1" { return .success(.status(200)) }
                await holder.withLock { $0 }?.setCredential(Token(name: "a1"))
                return .success(.status(401))
            })
        holder.withLock { $0 = stage.interceptor }
        let ending = await stage.driver.run()
        #expect(ending.status == 200)
        #expect(ending.context.retries.authentication == 1)
        #expect(stage.server.tokens == ["a0", "a1"])
        #expect(stage.authenticator.refreshes == 0)
    }

    // LeftOut.md, item 67
    @Test(arguments: [6, 1000])
    func `A1 parallel refusals cause exactly one renewal, and each request is made once more`(count: Int)
        async
    {
        let together = Barrier(count)
        let stage = AuthenticationStage(
            .a0,
            TokenServer { request in
                if request.fields[.authorization] == "a1" { return .success(.status(200)) }
                await together.pass()
                return .success(.status(401))
            })
        let endings = await stage.driver.run(count: count)
        #expect(endings.allSatisfy { $0.status == 200 && $0.context.retries.authentication == 1 })
        #expect(endings.allSatisfy { $0.context.retries.withoutAuthentication == 0 })
        #expect(stage.authenticator.refreshes == 1)
        #expect(stage.authenticator.applies == 2 * count)
        #expect(stage.server.requests.count == 2 * count)
    }

    // LeftOut.md, item 69
    @Test
    func `A3 a renewal that fails for parallel refusals fails all, and a later request tries again`()
        async
    {
        let together = Barrier(6)
        let stage = AuthenticationStage(
            .a0,
            TokenServer { request in
                if request.url.hasSuffix("/late") {
                    return .success(.status(request.fields[.authorization] == "a2" ? 200 : 401))
                }
                await together.pass()
                return .success(.status(401))
            },
            authenticator: CountingAuthenticator { number in
                if number == 1 { throw RefreshRefused(number: 1) }
                return Token(name: "a\(number)")
            })
        let endings = await stage.driver.run(count: 6)
        #expect(endings.allSatisfy { $0.authenticationError?.underlying?.number == 1 })
        #expect(endings.allSatisfy { $0.failure?.response?.status == 401 })
        #expect(stage.authenticator.refreshes == 1)
        #expect(await stage.driver.run("/late").status == 200)
        #expect(stage.authenticator.refreshes == 2)
    }

    // LeftOut.md, item 69
    @Test func `a refusal that comes after the renewal failed begins no other`() async throws {
        let (arrived, answer) = (Gate(), Gate())
        let stage = AuthenticationStage(
            .a0,
            TokenServer { request in
                if request.url.hasSuffix("/slow") {
                    arrived.open()
                    try? await answer.wait()
                }
                return .success(.status(401))
            }, authenticator: CountingAuthenticator { throw RefreshRefused(number: $0) })
        async let slow = stage.driver.run("/slow")
        try await arrived.wait()
        #expect(await stage.driver.run().authenticationError?.underlying?.number == 1)
        answer.open()
        #expect(await slow.authenticationError?.underlying?.number == 1)
        #expect(stage.authenticator.refreshes == 1)
    }

    // LeftOut.md, item 70
    @Test func `a new request does not wait for a renewal that a refusal began`() async throws {
        let gate = Gate()
        let stage = AuthenticationStage(
            .a0,
            TokenServer { request in
                let isEnough = request.url.hasSuffix("/open") || request.fields[.authorization] == "a1"
                return .success(.status(isEnough ? 200 : 401))
            },
            authenticator: CountingAuthenticator { number in
                try await gate.wait()
                return Token(name: "a\(number)")
            })
        async let refused = stage.driver.run("/closed")
        try await stage.interceptor.waitForWaiters(1)
        #expect(await stage.driver.run("/open").status == 200)
        #expect(stage.server.tokens == ["a0", "a0"])
        gate.open()
        #expect(await refused.status == 200)
    }

    // LeftOut.md, item 71
    @Test func `A4 a credential set from outside clears the failure`() async throws {
        let (arrived, answer) = (Gate(), Gate())
        let stage = AuthenticationStage(
            .a0,
            TokenServer { request in
                if request.fields[.authorization] == "new" { return .success(.status(200)) }
                if request.url.hasSuffix("/slow") {
                    arrived.open()
                    try? await answer.wait()
                }
                return .success(.status(401))
            }, authenticator: CountingAuthenticator { throw RefreshRefused(number: $0) })
        async let slow = stage.driver.run("/slow")
        try await arrived.wait()
        #expect(await stage.driver.run().authenticationError?.underlying?.number == 1)
        await stage.interceptor.setCredential(Token(name: "new"))
        answer.open()
        #expect(await slow.status == 200)
        #expect(stage.authenticator.refreshes == 1)
    }

    @Test func `A6 a server that refuses a new credential too is asked no third time`() async {
        let stage = AuthenticationStage(.a0, TokenServer(accepting: "nothing"))
        let ending = await stage.driver.run()
        guard case .rejected(let response, _) = ending.failure else {
            Issue.record("\(ending)")
            return
        }
        #expect(response.status == 401)
        #expect(stage.server.tokens == ["a0", "a1"])
        #expect(stage.authenticator.refreshes == 1)
    }

    @Test func `A6 a credential got in advance and refused is renewed once more`() async {
        let stage = AuthenticationStage(.expired, TokenServer(accepting: "a2"))
        #expect(await stage.driver.run().status == 200)
        #expect(stage.server.tokens == ["a1", "a2"])
    }

    @Test func `A6 a credential that is replaced again and again is tried only so often`() async {
        let holder = Mutex<AuthenticationInterceptor<CountingAuthenticator>?>(nil)
        let count = Mutex(0)
        let stage = AuthenticationStage(
            .a0,
            TokenServer { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                await holder.withLock { $0 }?.setCredential(Token(name: "b\(number)"))
                return .success(.status(401))
            })
        holder.withLock { $0 = stage.interceptor }
        #expect(await stage.driver.run().failure?.response?.status == 401)
        #expect(stage.server.tokens == ["a0", "b1", "b2"])
    }
}
