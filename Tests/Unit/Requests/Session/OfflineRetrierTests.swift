import FerryConnectivity
import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let url = "http://server.example/f"

// LeftOut.md, item 78
struct OfflineRetrierTests {
    private let link = FakeLink(.down(reason: "no address"))
    private let clock = ManualClock()
    private var retrier: OfflineRetrier { OfflineRetrier(ConnectivityMonitor(link), clock: clock) }

    private func ask(
        _ retrier: OfflineRetrier, method: HTTPRequest.Method = .put,
        _ reason: TransportError.Reason = .notConnected, retries: Int = 0
    ) async -> RetryDecision {
        var counts = RetryCounts()
        counts.network = retries
        return await retrier.retry(
            TransportRequest(method: method, url: url),
            after: .transport(TransportError(reason, UploadFailure(.network, "no network"))),
            for: RequestContext(retries: counts))
    }

    @Test func `four requests that wait resume together, twice`() async throws {
        let retrier = retrier
        for round in 1...2 {
            link.report(.down(reason: "no address"))
            let decisions = await withTaskGroup(of: RetryDecision.self) { group in
                for _ in 0..<4 { group.addTask { await ask(retrier) } }
                try? await clock.waitForSleepers(4)
                link.report(.up(generation: round))
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(decisions == Array(repeating: .retry, count: 4))
        }
    }

    @Test func `a network that comes back too late fails all with what they had`() async throws {
        let retrier = retrier
        let decisions = await withTaskGroup(of: RetryDecision.self) { group in
            for _ in 0..<4 { group.addTask { await ask(retrier) } }
            try? await clock.waitForSleepers(4)
            clock.advance(by: .seconds(5))
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(decisions == Array(repeating: .doNotRetry, count: 4))
    }

    @Test func `a response of the server is no reason to wait`() async {
        let response = TransportResponse(status: 404)
        let decision = await retrier.retry(
            TransportRequest(method: .put, url: url),
            after: .rejected(response, ResponseClassifier.failure(response.protocolResponse)),
            for: RequestContext())
        #expect(decision == .doNotRetry)
        #expect(link.watchCount == 0)
    }

    @Test func `a failure while there is a network is left to the next`() async {
        link.report(.up(generation: 0))
        #expect(await ask(retrier) == .doNotRetry)
    }

    @Test func `it does not try for ever`() async {
        #expect(await ask(retrier, retries: 10) == .doNotRetry)
    }

    @Test func `a POST that may have arrived is not made again`() async {
        #expect(await ask(retrier, method: .post, .broken) == .doNotRetry)
    }

    @Test func `a request that is cancelled while it waits ends at once`() async throws {
        let session = Session.making(
            ScriptedTransport { _ in
                .failure(TransportError(.notConnected, UploadFailure(.network, "no network")))
            }, retriers: [retrier])
        let task = session.upload(.data([1]), to: url)
        try await clock.waitForSleepers()
        task.cancel()
        #expect(
            await outcome { () throws(RequestFailure) in try await task.data() }.failure?.isCancelled == true)
    }
}
