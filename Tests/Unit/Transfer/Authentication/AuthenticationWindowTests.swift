import FerryProtocols
import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

struct AuthenticationWindowTests {
    /// A server that accepts each token only once, so that each new request is refused first.
    private static func greedyServer() -> TokenServer {
        let used = Mutex<Set<String>>(["a0"])
        return TokenServer { request in
            let isFresh = used.withLock { $0.insert(request.fields[.authorization] ?? "").inserted }
            return .success(.status(isFresh ? 200 : 401))
        }
    }

    // LeftOut.md, item 72
    @Test func `A6 more renewals than the window allows end with that and the refusal`() async {
        let clock = ManualClock()
        let stage = AuthenticationStage(
            .a0, Self.greedyServer(), window: RefreshWindow(interval: .seconds(30), limit: 2), clock: clock)
        for _ in 0..<2 { #expect(await stage.driver.run().status == 200) }
        let ending = await stage.driver.run()
        #expect(ending.authenticationError?.isExcessive == true)
        #expect(ending.failure?.response?.status == 401)
        #expect(stage.authenticator.refreshes == 2)
        clock.advance(by: .seconds(30))
        #expect(await stage.driver.run().status == 200)
    }

    // LeftOut.md, item 72
    @Test func `without a window there may be many renewals`() async {
        let stage = AuthenticationStage(.a0, Self.greedyServer(), window: nil)
        for _ in 0..<5 { #expect(await stage.driver.run().status == 200) }
        #expect(stage.authenticator.refreshes == 5)
    }

    // LeftOut.md, item 72
    @Test(arguments: [Token.a0, Token.expired])
    func `a window of none allows none`(credential: Token) async {
        let stage = AuthenticationStage(credential, Self.greedyServer(), window: RefreshWindow(limit: 0))
        #expect(await stage.driver.run().authenticationError?.isExcessive == true)
        #expect(stage.authenticator.refreshes == 0)
    }

    // LeftOut.md, item 72
    @Test func `the window remembers renewals after their failure is cleared`() async {
        let stage = AuthenticationStage(
            .a0, TokenServer(accepting: "none"),
            authenticator: CountingAuthenticator { throw RefreshRefused(number: $0) },
            window: RefreshWindow(limit: 2))
        for number in 1...2 {
            #expect(await stage.driver.run().authenticationError?.underlying?.number == number)
            await stage.interceptor.setCredential(.a0)
        }
        #expect(await stage.driver.run().authenticationError?.isExcessive == true)
        #expect(stage.authenticator.refreshes == 2)
    }
}
