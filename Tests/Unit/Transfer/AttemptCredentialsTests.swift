import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests the credentials of exchanges, and which recoverers are asked about a refusal.
struct AttemptCredentialsTests {
    private static let address = "http://server.example/signed"
    private static let team = HTTPField.Name.named("X-Team")

    private static func exchange(carriesCredentials: Bool) -> Exchange {
        var exchange = Exchange(.put, address, body: .file(range: 0..<10))
        exchange.set(.withoutCredentials, if: !carriesCredentials)
        return exchange
    }

    private static let headers: HTTPFields = [team: "blue"]

    private static func interceptor(_ retriers: [any RequestRetrier] = []) -> Interceptor {
        let token = AuthorizationInterceptor { () async throws(UploadFailure) in "Bearer secret" }
        return Interceptor(adapters: [token], retriers: retriers)
    }

    @Test(arguments: [true, false])
    func `an address that is a permission in itself gets nothing of the destination`(carries: Bool)
        async throws
    {
        let file = try TestFile(count: 10)
        let fields = Mutex<HTTPFields>([:])
        let attempt = ScriptedProtocol(.send(Self.exchange(carriesCredentials: carries))) { _ in
            .done(Receipt())
        }
        _ = try await AttemptLog().run(
            attempt, of: file, headers: Self.headers, interceptor: Self.interceptor()
        ) { request in
            fields.withLock { $0 = request.fields }
            return .success(TransportResponse(status: 200))
        }
        let sent = fields.withLock { $0 }
        #expect(sent[.authorization] == (carries ? "Bearer secret" : nil))
        #expect(sent[Self.team] == (carries ? "blue" : nil))
    }

    @Test(arguments: [true, false])
    func `the same holds for what is asked without a file`(carries: Bool) async throws {
        let fields = Mutex<HTTPFields>([:])
        let transport = ScriptedTransport { request in
            fields.withLock { $0 = request.fields }
            return .success(TransportResponse(status: 204))
        }
        var exchange = Exchange(.delete, Self.address)
        exchange.set(.withoutCredentials, if: !carries)
        let reply = try await RequestSender(
            over: transport, headers: Self.headers, interceptor: Self.interceptor()
        ).ask(exchange)
        #expect(reply.status == 204)
        #expect(fields.withLock { $0[.authorization] } == (carries ? "Bearer secret" : nil))
    }

    @Test func `a refusal of a request without credentials asks for no others`() async throws {
        let (file, retrier) = (try TestFile(count: 10), ScriptedRetrier([.retry]))
        let attempt = ScriptedProtocol(.send(Self.exchange(carriesCredentials: false))) { reply in
            .failed(UploadFailure(.authentication, "\(reply.status ?? 0)"))
        }
        let outcome = try await AttemptLog().run(
            attempt, of: file, headers: Self.headers, interceptor: Self.interceptor([retrier])
        ) { _ in .success(TransportResponse(status: 401)) }
        #expect(outcome.failure?.summary == "401")
        #expect(retrier.asked.isEmpty)
    }

    @Test(arguments: [(403, true), (404, false)])
    func `the recoverer of a refusal is asked before the protocol sees the response`(
        status: Int, isAsked: Bool
    ) async throws {
        let (file, recoverer, log) = (try TestFile(count: 10), Recoverer(status: 403), AttemptLog())
        let attempt = ScriptedProtocol(.send(Self.exchange(carriesCredentials: true))) { reply in
            .failed(UploadFailure(.permanent, "\(reply.status ?? 0)"))
        }
        let answers = Mutex([status, 200])
        let outcome = try await log.run(
            attempt, of: file, headers: Self.headers, interceptor: Self.interceptor([recoverer])
        ) { _ in .success(TransportResponse(status: answers.withLock { $0.removeFirst() })) }
        #expect(outcome.failure?.summary == (isAsked ? "200" : "404"))
        #expect(recoverer.count == (isAsked ? 1 : 0))
        #expect(log.requests.count == (isAsked ? 2 : 1))
    }

    @Test func `a refusal that could not be recovered is the protocol's`() async throws {
        let (file, recoverer) = (try TestFile(count: 10), Recoverer(status: 403, decision: .doNotRetry))
        let attempt = ScriptedProtocol(.send(Self.exchange(carriesCredentials: true))) { reply in
            .failed(UploadFailure(.permanent, "\(reply.status ?? 0)"))
        }
        let outcome = try await AttemptLog().run(
            attempt, of: file, headers: Self.headers, interceptor: Self.interceptor([recoverer])
        ) { _ in .success(TransportResponse(status: 403)) }
        #expect(outcome.failure?.summary == "403")
    }
}

/// A recoverer for one status.
private final class Recoverer: ErrorRecoverer {
    private let status: Int
    private let decision: RetryDecision
    private let asked = Mutex(0)

    init(status: Int, decision: RetryDecision = .retry) {
        self.status = status
        self.decision = decision
    }

    var count: Int { asked.withLock { $0 } }

    func canRecover(_ response: TransportResponse) -> Bool { response.status == status }

    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision {
        asked.withLock { $0 += 1 }
        return decision
    }
}
