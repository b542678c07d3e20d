import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let url = "http://server.example/f"

struct RetryingTests {
    private struct Broken: Error {}

    private static let broke = RequestFailure.transport(
        TransportError(.broken, UploadFailure(.network, "the connection broke")))

    // LeftOut.md, items 31 and 54
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

    // LeftOut.md, items 32 and 59
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

    // LeftOut.md, items 36 and 37
    @Test(arguments: ["data", "file", "stream"])
    func `every body arrives although an adapter fails once, when the retrier retries`(kind: String)
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
        // LeftOut.md, item 27
        #expect(request.method == "POST")
        #expect(request["Authorization"] == "123456")
        #expect(request.body == bytes)
        guard case .adaptation(is Broken)? = retrier.asked.first?.failure else {
            return #expect(Bool(false), "\(retrier.asked)")
        }
    }

    @Test func `adapters that wait run eight times in an attempt, and then it ends`() async {
        struct Waiting: RequestAdapter {
            let count = Counter()
            func adapt(_ request: TransportRequest, for context: RequestContext) throws -> TransportRequest {
                count.add()
                throw AdapterRetry()
            }
        }
        let adapter = Waiting()
        let session = Session.making(
            ScriptedTransport { _ in .success(TransportResponse(status: 200)) }, adapters: [adapter])
        let task = session.upload(.data([1]), to: url)
        let result = await outcome { () throws(RequestFailure) in try await task.data() }
        guard case .adaptation(is AdapterRetry)? = result.failure else {
            return #expect(Bool(false), "\(result)")
        }
        #expect(adapter.count.value == 8)
    }

    // LeftOut.md, item 53
    @Test func `a cancelled request's retrier is never asked`() async throws {
        let (transport, retrier) = (HeldTransport(), ScriptedRetrier([.retry]))
        let task = Session.making(transport, retriers: [retrier]).upload(.data([1]), to: url)
        try await transport.started.wait()
        task.cancel()
        #expect(
            await outcome { () throws(RequestFailure) in try await task.data() }.failure?.isCancelled == true)
        #expect(retrier.asked.isEmpty)
    }

    // LeftOut.md, item 55
    @Test(arguments: [
        (RetryDecision.retry, 1), (.retryAfter(.seconds(1)), 1), (.fail(Broken()), 1), (.doNotRetry, 2),
    ])
    func `the first decision other than no ends the asking`(first: RetryDecision, asked: Int) async {
        let retriers = [ScriptedRetrier([first]), ScriptedRetrier([.doNotRetry])]
        _ = await Interceptor(retriers: retriers).retry(
            TransportRequest(method: .put, url: url), after: Self.broke, for: RequestContext())
        #expect(retriers.map(\.asked.count) == [1, asked - 1])
    }

    // LeftOut.md, item 55
    @Test func `an interceptor without retriers does not retry`() async {
        let decision = await Interceptor().retry(
            TransportRequest(method: .put, url: url), after: Self.broke, for: RequestContext())
        #expect(decision == .doNotRetry)
    }

    // LeftOut.md, item 56
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

    // LeftOut.md, item 57
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

    // LeftOut.md, item 58
    @Test func `a response that cannot be decoded is asked for again, and every reader gets the good one`()
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

    @Test func `a stream that can be had once is not retried after it was read`() async {
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
        #expect(retrier.asked.map(\.context.retries.response) == [0, 0, 1])
        #expect(Set(retrier.asked.map(\.context.id)).count == 1)
    }
}
