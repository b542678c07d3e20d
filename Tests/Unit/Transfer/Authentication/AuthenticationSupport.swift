import FerryProtocols
import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

struct RefreshRefused: Error, Hashable {
    var number = 0
}

/// Responds to requests, and keeps them with their tokens.
final class TokenServer: Sendable {
    private let answer: @Sendable (TransportRequest) async -> Result<TransportResponse, TransportError>
    private let received = Mutex<[TransportRequest]>([])

    init(_ answer: @escaping @Sendable (TransportRequest) async -> Result<TransportResponse, TransportError>)
    {
        self.answer = answer
    }

    /// Responds with 200 to requests with one of these tokens, and with 401 to others.
    convenience init(accepting names: String...) {
        self.init { request in
            .success(.status(names.contains(request.fields[.authorization] ?? "") ? 200 : 401))
        }
    }

    var requests: [TransportRequest] { received.withLock { $0 } }
    var tokens: [String?] { requests.map { $0.fields[.authorization] } }

    func perform(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        received.withLock { $0.append(request) }
        return try await answer(request).get()
    }
}

extension TransportResponse {
    static func status(_ status: Int) -> TransportResponse { TransportResponse(status: status) }
}

/// A barrier that opens when `count` callers have reached it. All of them wait for that.
final class Barrier: Sendable {
    private let left: Mutex<Int>
    private let gate = Gate()

    init(_ count: Int) { left = Mutex(count) }

    func pass() async {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { gate.open() }
        try? await gate.wait()
    }
}

/// Makes requests to a simulated server. Only a 401 counts as a failure.
struct RequestDriver: Sendable {
    var adapters: [any RequestAdapter] = []
    let interceptor: any RequestInterceptor
    let server: TokenServer
    var monitors: [any EventMonitor] = []

    struct Ending: Sendable {
        var result: Result<TransportResponse, RequestFailure>
        var context: RequestContext

        var status: Int? { try? result.get().status }
        var failure: RequestFailure? { if case .failure(let failure) = result { failure } else { nil } }
        /// The authentication error within the failure; nil if there is none.
        var authenticationError: AuthenticationError? {
            switch failure {
            case .adaptation(let error), .retry(let error, _): error as? AuthenticationError
            default: nil
            }
        }
    }

    @discardableResult
    func run(_ path: String = "/") async -> Ending {
        let sender = RequestSender(
            over: ScriptedTransport { request in
                do throws(TransportError) { return .success(try await server.perform(request)) } catch {
                    return .failure(error)
                }
            }, interceptor: Interceptor(adapters: adapters, interceptors: [interceptor]), monitors: monitors)
        let request = TransportRequest(
            method: .put, url: "http://server.example\(path)", body: .bytes([1]))
        let run = RequestRun(request, body: request.body, by: sender, label: "") {
            request, response throws(RequestFailure) in
            guard response.status != 401 else {
                throw .rejected(response, ResponseClassifier.failure(response.protocolResponse))
            }
        }
        var context = run.context
        let result: Result<TransportResponse, RequestFailure>
        do throws(RequestFailure) {
            result = .success(try await run.attempts(&context).response)
        } catch {
            result = .failure(error)
        }
        return Ending(result: result, context: context)
    }

    /// Makes `count` requests at the same time.
    func run(count: Int) async -> [Ending] {
        await withTaskGroup(of: Ending.self) { group in
            for number in 0..<count { group.addTask { await run("/\(number)") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

extension AuthenticationInterceptor {
    /// Waits until `count` requests wait for a renewal.
    func waitForWaiters(_ count: Int) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while waiterCount < count {
            try #require(ContinuousClock.now < end, "\(waiterCount) of \(count) wait")
            await Task.yield()
        }
    }
}

/// An interceptor with its authenticator and a server.
struct AuthenticationStage {
    let authenticator: CountingAuthenticator
    let interceptor: AuthenticationInterceptor<CountingAuthenticator>
    let server: TokenServer
    var driver: RequestDriver

    init(
        _ credential: Token?, _ server: TokenServer, authenticator: CountingAuthenticator = .init(),
        window: RefreshWindow? = RefreshWindow(), clock: ManualClock = ManualClock()
    ) {
        self.authenticator = authenticator
        self.server = server
        interceptor = AuthenticationInterceptor(
            authenticator, credential: credential, refreshWindow: window, clock: clock)
        driver = RequestDriver(interceptor: interceptor, server: server)
    }
}

extension AuthenticationError {
    var isMissing: Bool { if case .missingCredential = self { true } else { false } }
    var isExcessive: Bool { if case .excessiveRefresh = self { true } else { false } }
    var underlying: RefreshRefused? {
        if case .refreshFailed(let error) = self { error as? RefreshRefused } else { nil }
    }
}
