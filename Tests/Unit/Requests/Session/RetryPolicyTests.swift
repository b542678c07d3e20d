import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let url = "http://server.example/f"

private func broke(_ reason: TransportError.Reason = .broken, _ category: UploadFailure.Category = .network)
    -> RequestFailure
{ .transport(TransportError(reason, UploadFailure(category, "the connection broke"))) }

private func rejected(_ status: Int, _ fields: HTTPFields = [:]) -> RequestFailure {
    let response = TransportResponse(status: status, fields: fields)
    return .rejected(response, ResponseClassifier.failure(response.protocolResponse))
}

private func context(retries: Int) -> RequestContext {
    var counts = RetryCounts()
    counts.network = retries
    return RequestContext(attempt: retries + 1, retries: counts)
}

struct RetryPolicyTests {
    /// Makes a policy without jitter.
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

    // LeftOut.md, item 47
    @Test func `a lost connection is retried after half a second, after a second, and no more`() async {
        #expect(
            await decisions(policy(), count: 3)
                == [.retryAfter(.seconds(0.5)), .retryAfter(.seconds(1)), .doNotRetry])
    }

    // LeftOut.md, item 48
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

    // LeftOut.md, item 49
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

    // LeftOut.md, item 50, and also 429
    @Test func `six of all statuses are retried`() async {
        var repeated: [Int] = []
        for status in 100..<600 {
            let decision = await policy().retry(
                TransportRequest(method: .put, url: url), after: rejected(status), for: context(retries: 0))
            if decision != .doNotRetry { repeated.append(status) }
        }
        #expect(repeated == [408, 429, 500, 502, 503, 504])
    }

    // LeftOut.md, items 51 and 52: `TransportError.Reason` takes the place of URLSession's error codes, most of which
    // are -1 on Linux.
    @Test(arguments: [
        (TransportError.Reason.notConnected, true), (.unsent, true), (.staleConnection, true),
        (.broken, true),
        (.cancelled, false), (.source, false),
    ])
    func `a broken connection is retried, and an error of the file or a cancellation is not`(
        reason: TransportError.Reason, isRepeated: Bool
    ) async {
        let decision = await policy().retry(
            TransportRequest(method: .put, url: url), after: broke(reason), for: context(retries: 0))
        #expect((decision != .doNotRetry) == isRepeated)
    }

    @Test func `N12 a certificate that is not accepted is not retried`() async {
        let decision = await policy().retry(
            TransportRequest(method: .put, url: url), after: broke(.notConnected, .permanent),
            for: context(retries: 0))
        #expect(decision == .doNotRetry)
    }

    @Test func `a status that says later wins over a response that cannot be decoded`() async {
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
