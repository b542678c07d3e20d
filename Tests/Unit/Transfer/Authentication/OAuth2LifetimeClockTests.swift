import FerryProtocols
import FerryTestSupport
import Foundation
import Synchronization
import Testing

@testable import FerryTransfer

/// Tests that changes of the wall clock do not shorten the lifetime of tokens.
struct OAuth2LifetimeClockTests {
    private let clock = ManualClock()
    private let endpoint = TokenEndpoint.rotating(lifetime: 100)

    @Test(arguments: [-3_650.0, -1, 1, 3_650])
    func `A8 a token's life is counted from its receipt, whatever the wall clock says`(
        days: Double
    ) async throws {
        let date = Mutex(Date())
        let authenticator = OAuth2Authenticator(
            OAuth2Client.make(), file: nil, transport: endpoint.transport, clock: clock,
            date: { date.withLock { $0 } })
        let credential = try await authenticator.refresh(.missing)
        date.withLock { $0 += days * 86_400 }
        #expect(!credential.requiresRefresh)
        clock.advance(by: .seconds(90) - .milliseconds(1))
        #expect(!credential.requiresRefresh)
        clock.advance(by: .milliseconds(1))
        #expect(credential.requiresRefresh)
    }

    @Test(arguments: [-3_650.0, 3_650])
    func `A8 requests keep the token they have when the wall clock is set`(days: Double) async {
        let date = Mutex(Date())
        let interceptor = AuthenticationInterceptor(
            OAuth2Authenticator(
                OAuth2Client.make(), file: nil, transport: endpoint.transport, clock: clock,
                date: { date.withLock { $0 } }), credential: .missing, clock: clock)
        let driver = RequestDriver(
            interceptor: interceptor, server: TokenServer(accepting: "Bearer a1", "Bearer a2"))
        #expect(await driver.run().status == 200)
        date.withLock { $0 += days * 86_400 }
        #expect(await driver.run().status == 200)
        #expect(endpoint.tokens == ["r0"])
        clock.advance(by: .seconds(90))
        #expect(await driver.run().status == 200)
        #expect(endpoint.tokens == ["r0", "r1"])
    }

    @Test func `A8 the remaining life of a stored token is counted on the continuous clock once it is read`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = TokenFile(LocalPath(directory.path("tokens/here.json")))
        let date = Mutex(Date())
        func authenticator() -> OAuth2Authenticator {
            OAuth2Authenticator(
                OAuth2Client.make(), file: file, transport: endpoint.transport, clock: clock,
                date: { date.withLock { $0 } })
        }
        _ = try await authenticator().refresh(.missing)
        date.withLock { $0 += 40 }
        let stored = try await authenticator().refresh(.missing)
        #expect(stored.accessToken == "a1")
        #expect(endpoint.tokens == ["r0"])
        date.withLock { $0 -= 3_650 * 86_400 }
        // 60 of 100 seconds are left. A token is renewed in the last tenth of its lifetime.
        clock.advance(by: .seconds(49))
        #expect(!stored.requiresRefresh)
        clock.advance(by: .seconds(1))
        #expect(stored.requiresRefresh)
    }
}
