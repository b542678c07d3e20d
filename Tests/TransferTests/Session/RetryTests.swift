import Foundation
import HTTPTypes
import Support
import Synchronization
import Testing

@testable import Transfer
@testable import UploadProtocols

private let url = "http://server.example/f"

private func broke(_ reason: TransportError.Reason = .broken, _ category: UploadFailure.Category = .network)
    -> RequestFailure
{ .transport(TransportError(reason, UploadFailure(category, "the connection broke"))) }

private func rejected(_ status: Int, _ fields: HTTPFields = [:]) -> RequestFailure {
    let response = TransportResponse(status: status, fields: fields)
    return .rejected(response, AnswerVerdict.failure(response.answer))
}

private func context(retries: Int) -> RequestContext {
    var counts = RetryCounts()
    counts.network = retries
    return RequestContext(attempt: retries + 1, retries: counts)
}

extension RetryDecision: Equatable {
    static func == (first: RetryDecision, second: RetryDecision) -> Bool {
        "\(first)" == "\(second)"
    }
}

struct RetryPolicyTests {
    /// Without jitter.
    private func policy(_ change: (inout RetryPolicy) -> Void = { _ in }) -> RetryPolicy {
        var policy = RetryPolicy(now: { Date(timeIntervalSince1970: 1_000_000) })
        policy.jitter = .none
        change(&policy)
        return policy
    }

    private func decisions(_ policy: RetryPolicy, count: Int, method: HTTPRequest.Method = .put) async
        -> [RetryDecision]
    {
        var decisions: [RetryDecision] = []
        for retries in 0..<count {
            decisions.append(
                await policy.retry(
                    TransportRequest(method: method, url: url), after: broke(), for: context(retries: retries)
                ))
        }
        return decisions
    }

    // http.md §3, 47
    @Test func `a lost connection is tried again after half a second, after a second, and no more`() async {
        #expect(
            await decisions(policy(), count: 3)
                == [.retryAfter(.seconds(0.5)), .retryAfter(.seconds(1)), .doNotRetry])
    }

    // http.md §3, 48
    @Test func `the waits double up to the limit`() async {
        let waits = [0.5, 1, 2, 4].map { RetryDecision.retryAfter(.seconds($0)) }
        #expect(await decisions(policy { $0.limit = 4 }, count: 5) == waits + [.doNotRetry])
    }

    @Test func `no wait is longer than the cap`() async {
        let decisions = await decisions(policy { ($0.limit, $0.cap) = (40, .seconds(3)) }, count: 40)
        #expect(decisions[3...].allSatisfy { $0 == .retryAfter(.seconds(3)) })
    }

    @Test func `jitter draws from nothing to the wait`() async {
        let ranges = Mutex<[ClosedRange<Double>]>([])
        var policy = RetryPolicy(random: { range in
            ranges.withLock { $0.append(range) }
            return range.upperBound / 4
        })
        policy.limit = 3
        #expect(
            await decisions(policy, count: 3)
                == [0.125, 0.25, 0.5].map { RetryDecision.retryAfter(.seconds($0)) })
        #expect(ranges.withLock { $0 } == [0...0.5, 0...1, 0...2])
    }

    // http.md §3, 49
    @Test(arguments: [
        (HTTPRequest.Method.delete, true), (.get, true), (.head, true), (.options, true), (.put, true),
        (.trace, true), (.post, false), (.patch, false), (.connect, false),
    ])
    func `only methods that may be repeated are`(method: HTTPRequest.Method, isRepeated: Bool) async {
        #expect(
            await decisions(policy(), count: 1, method: method)
                == [isRepeated ? .retryAfter(.seconds(0.5)) : .doNotRetry])
    }

    @Test func `a POST with an idempotency key is repeated`() async {
        var request = TransportRequest(method: .post, url: url)
        request.fields.idempotencyKey = "a"
        #expect(
            await policy().retry(request, after: broke(), for: context(retries: 0))
                == .retryAfter(.seconds(0.5)))
    }

    // http.md §3, 50; 429 besides
    @Test func `of all statuses seven say later`() async {
        var repeated: [Int] = []
        for status in 100..<600 {
            let decision = await policy().retry(
                TransportRequest(method: .put, url: url), after: rejected(status), for: context(retries: 0))
            if decision != .doNotRetry { repeated.append(status) }
        }
        #expect(repeated == [408, 429, 500, 502, 503, 504])
    }

    // http.md §3, 51 and 52: our reasons instead of URLSession's codes, which say -1 for most.
    @Test(arguments: [
        (TransportError.Reason.notConnected, true), (.unsent, true), (.staleConnection, true),
        (.broken, true),
        (.cancelled, false), (.source, false),
    ])
    func `what broke on the way is tried again, the file's own faults are not`(
        reason: TransportError.Reason, isRepeated: Bool
    ) async {
        let decision = await policy().retry(
            TransportRequest(method: .put, url: url), after: broke(reason), for: context(retries: 0))
        #expect((decision != .doNotRetry) == isRepeated)
    }

    @Test func `a certificate that is not accepted is not tried again`() async {
        let decision = await policy().retry(
            TransportRequest(method: .put, url: url), after: broke(.notConnected, .permanent),
            for: context(retries: 0))
        #expect(decision == .doNotRetry)
    }

    @Test func `a status that says later wins over an answer that cannot be read`() async {
        let failure = RequestFailure.undecodable(
            TransportResponse(status: 503), UploadFailure(.permanent, "x"))
        let decision = await policy().retry(
            TransportRequest(method: .get, url: url), after: failure, for: context(retries: 0))
        #expect(decision == .retryAfter(.seconds(0.5)))
    }

    @Test(arguments: [
        ("7", RetryDecision.retryAfter(.seconds(7))), ("0", .retryAfter(.seconds(0.5))),
        ("Mon, 12 Jan 1970 13:46:50 GMT", .retryAfter(.seconds(10))), ("601", .doNotRetry),
        ("soon", .retryAfter(.seconds(0.5))),
    ])
    func `a server is not asked before the time it names`(value: String, decision: RetryDecision) async {
        let made = await policy().retry(
            TransportRequest(method: .put, url: url), after: rejected(503, [.retryAfter: value]),
            for: context(retries: 0))
        #expect(made == decision)
    }

    @Test func `renewed credentials do not use up its retries`() async {
        var counts = RetryCounts()
        counts.authentication = 5
        let decision = await policy().retry(
            TransportRequest(method: .put, url: url), after: broke(), for: RequestContext(retries: counts))
        #expect(decision == .retryAfter(.seconds(0.5)))
    }

    @Test(arguments: [(TransportError.Reason.broken, true), (.staleConnection, true), (.notConnected, false)])
    func `the policy for lost connections is about those alone`(
        reason: TransportError.Reason, isRepeated: Bool
    ) async {
        var policy = RetryPolicy.connectionLost
        policy.jitter = .none
        let request = TransportRequest(method: .put, url: url)
        let decision = await policy.retry(request, after: broke(reason), for: context(retries: 0))
        #expect((decision != .doNotRetry) == isRepeated)
        #expect(await policy.retry(request, after: rejected(503), for: context(retries: 0)) == .doNotRetry)
    }
}

/// Writes down what it is asked, and decides as a list says.
final class ScriptedRetrier: RequestRetrier {
    struct Asked: Sendable {
        var request: TransportRequest
        var failure: RequestFailure
        var context: RequestContext
    }

    private let state: Mutex<(asked: [Asked], decisions: [RetryDecision])>

    init(_ decisions: [RetryDecision]) { state = Mutex(([], decisions)) }

    var asked: [Asked] { state.withLock { $0.asked } }

    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision {
        state.withLock { state in
            state.asked.append(Asked(request: request, failure: failure, context: context))
            return state.decisions.isEmpty ? .doNotRetry : state.decisions.removeFirst()
        }
    }
}

struct RetryingTests {
    private struct Broken: Error {}

    // http.md §3, 31 and 54
    @Test func `an attempt that breaks is made again with the whole body, after the wait`() async throws {
        let server = try HostileServer([.reset(afterBodyBytes: 100_000), .answer(201)])
        defer { server.stop() }
        let file = try TestFile(count: 3 << 20)
        let (clock, retrier) = (ManualClock(), ScriptedRetrier([.retryAfter(.seconds(0.1))]))
        try await withTransport { transport in
            let session = Session.making(transport, retriers: [retrier], validation: .automatic, clock: clock)
            let task = session.upload(.file(LocalPath(file.path)), to: server.url("/f"), method: .put)
            try await clock.waitForSleepers()
            #expect(clock.deadlines == [.init(offset: .seconds(0.1))])
            clock.advance(by: .seconds(0.1))
            #expect(try await task.status() == 201)
        }
        #expect(retrier.asked.count == 1)
        let last = try #require(server.requests.last)
        #expect(last.isComplete && file.pattern.firstDifference(from: last.body) == nil)
    }

    // http.md §3, 32 and 59
    @Test func `adapters run on every attempt, from the request as it was asked for`() async throws {
        struct Numbering: RequestAdapter {
            func adapt(_ request: TransportRequest, for context: RequestContext) -> TransportRequest {
                var request = request
                request.url += "?attempt=\(context.attempt)"
                return request
            }
        }
        let urls = Mutex<[String]>([])
        let session = Session.making(
            ScriptedTransport { request in
                urls.withLock { $0.append(request.url) }
                return .success(TransportResponse(status: request.url.hasSuffix("=2") ? 200 : 503))
            }, adapters: [Numbering()], retriers: [ScriptedRetrier([.retry])], validation: .automatic)
        #expect(try await session.upload(.data([1]), to: url).status() == 200)
        #expect(urls.withLock { $0 } == [url + "?attempt=1", url + "?attempt=2"])
    }

    // http.md §3, 36 and 37
    @Test(arguments: ["data", "file", "stream"])
    func `an adapter that fails once and a retrier that says so still get every body across`(kind: String)
        async throws
    {
        struct Failing: RequestAdapter {
            let count = Counter()
            func adapt(_ request: TransportRequest, for context: RequestContext) throws -> TransportRequest {
                if count.add() == 1 { throw Broken() }
                var request = request
                request.fields[.authorization] = "123456"
                return request
            }
        }
        let file = try TestFile(count: 70_000)
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: file.path)))
        let body: UploadBody =
            switch kind {
            case "data": .data(bytes)
            case "file": .file(LocalPath(file.path))
            default:
                .stream(
                    BodyStream {
                        AsyncThrowingStream {
                            $0.yield(bytes)
                            $0.finish()
                        }
                    })
            }
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let retrier = ScriptedRetrier([.retry])
        try await withTransport { transport in
            let session = Session.making(transport, adapters: [Failing()], retriers: [retrier])
            _ = try await session.upload(body, to: server.url()).response()
        }
        let request = try #require(server.requests.last)
        // http.md §3, 27
        #expect(request.method == "POST")
        #expect(request["Authorization"] == "123456")
        #expect(request.body == bytes)
        guard case .adaptation(is Broken)? = retrier.asked.first?.failure else {
            return #expect(Bool(false), "\(retrier.asked)")
        }
    }

    // http.md §3, 53
    @Test func `a cancelled request's retrier is never asked`() async throws {
        let (transport, retrier) = (HeldTransport(), ScriptedRetrier([.retry]))
        let task = Session.making(transport, retriers: [retrier]).upload(.data([1]), to: url)
        try await transport.started.wait()
        task.cancel()
        #expect(
            await outcome { () throws(RequestFailure) in try await task.data() }.failure?.isCancelled == true)
        #expect(retrier.asked.isEmpty)
    }

    // http.md §3, 55
    @Test(arguments: [
        (RetryDecision.retry, 1), (.retryAfter(.seconds(1)), 1), (.fail(Broken()), 1), (.doNotRetry, 2),
    ])
    func `the first decision other than no ends the asking`(first: RetryDecision, asked: Int) async {
        let retriers = [ScriptedRetrier([first]), ScriptedRetrier([.doNotRetry])]
        _ = await Interceptor(retriers: retriers).retry(
            TransportRequest(method: .put, url: url), after: broke(), for: RequestContext())
        #expect(retriers.map(\.asked.count) == [1, asked - 1])
    }

    // http.md §3, 55
    @Test func `nobody to ask means no`() async {
        let decision = await Interceptor().retry(
            TransportRequest(method: .put, url: url), after: broke(), for: RequestContext())
        #expect(decision == .doNotRetry)
    }

    // http.md §3, 56
    @Test func `the session is asked and adapts before the request's own interceptor`() async throws {
        struct Adding: RequestAdapter {
            let mark: String
            func adapt(_ request: TransportRequest, for context: RequestContext) -> TransportRequest {
                var request = request
                request.url += mark
                return request
            }
        }
        let (first, second) = (ScriptedRetrier([.doNotRetry]), ScriptedRetrier([.retry]))
        let urls = Mutex<[String]>([])
        let session = Session.making(
            ScriptedTransport { request in
                let count = urls.withLock { urls in
                    urls.append(request.url)
                    return urls.count
                }
                return .success(TransportResponse(status: count == 1 ? 500 : 200))
            }, adapters: [Adding(mark: "1")], retriers: [first], validation: .automatic)
        var options = RequestOptions()
        options.interceptor = Interceptor(adapters: [Adding(mark: "2")], retriers: [second])
        _ = try await session.upload(.data([1]), to: url, options: options).response()
        #expect(urls.withLock { $0 } == [url + "12", url + "12"])
        #expect(first.asked.count == 1 && second.asked.count == 1)
    }

    // http.md §3, 57
    @Test func `a retrier's own error comes with the failure it was asked about`() async {
        let session = Session.making(
            ScriptedTransport { _ in .success(TransportResponse(status: 500)) },
            retriers: [ScriptedRetrier([.fail(Broken())])], validation: .automatic)
        let result = await outcome { () throws(RequestFailure) in
            try await session.upload(.data([1]), to: url).response()
        }
        guard case .retry(let error, .rejected(let response, _))? = result.failure else {
            return #expect(Bool(false), "\(result)")
        }
        #expect(error is Broken)
        #expect(response.status == 500)
    }

    // http.md §3, 58
    @Test func `an answer that cannot be decoded is asked for again, and every reader gets the good one`()
        async throws
    {
        let count = Counter()
        let retrier = ScriptedRetrier([.retry, .retry, .retry, .retry])
        let session = Session.making(
            ScriptedTransport { _ in
                .success(TransportResponse(status: 200, body: Array((count.add() == 1 ? "{" : "[1,2]").utf8)))
            }, retriers: [retrier])
        let task = session.request(url)
        let values = await withTaskGroup(of: [Int]?.self) { group in
            for _ in 0..<4 { group.addTask { try? await task.decoding([Int].self) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: [1, 2], count: 4))
        #expect(count.value == 2)
        guard case .undecodable? = retrier.asked.first?.failure else {
            return #expect(Bool(false), "\(retrier.asked)")
        }
    }

    @Test func `a stream that can be had once is not tried again when it was read`() async {
        let (chunks, end) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
        end.finish()
        let retrier = ScriptedRetrier([.retry])
        let stream = BodyStream.once(chunks)
        let session = Session.making(
            ScriptedTransport { _ in
                _ = try? await stream.open()
                return .failure(TransportError(.broken, UploadFailure(.network, "x")))
            }, retriers: [retrier])
        let result = await outcome { () throws(RequestFailure) in
            try await session.upload(.stream(stream), to: url).response()
        }
        guard case .transport? = result.failure else { return #expect(Bool(false), "\(result)") }
    }

    @Test func `attempts and retries are counted apart by their reason`() async {
        let answers = Mutex([401, 503, 401, 200])
        let retrier = ScriptedRetrier([.retry, .retry, .retry])
        let session = Session.making(
            ScriptedTransport { _ in
                .success(TransportResponse(status: answers.withLock { $0.removeFirst() }))
            },
            retriers: [retrier], validation: .automatic)
        _ = try? await session.upload(.data([1]), to: url).response()
        #expect(retrier.asked.map(\.context.attempt) == [1, 2, 3])
        #expect(retrier.asked.map(\.context.retries.authentication) == [0, 1, 1])
        #expect(retrier.asked.map(\.context.retries.answer) == [0, 0, 1])
        #expect(Set(retrier.asked.map(\.context.id)).count == 1)
    }
}
