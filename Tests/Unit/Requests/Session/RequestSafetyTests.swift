import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let url = "http://server.example/f"

private struct Adding: RequestAdapter {
    let fields: HTTPFields
    func adapt(_ request: TransportRequest, for context: RequestContext) -> TransportRequest {
        var request = request
        for field in fields { request.fields[field.name] = field.value }
        return request
    }
}

/// A server whose responses a closure makes from the request. It keeps the requests.
private final class Site: Sendable {
    private let received = Mutex<[TransportRequest]>([])
    private let answer: @Sendable (TransportRequest) -> TransportResponse

    init(_ answer: @escaping @Sendable (TransportRequest) -> TransportResponse) { self.answer = answer }

    var requests: [TransportRequest] { received.withLock { $0 } }
    var transport: ScriptedTransport {
        ScriptedTransport { [self] request in
            received.withLock { $0.append(request) }
            return .success(answer(request))
        }
    }
}

private func following(_ redirects: any RedirectHandler = Redirector.follow) -> RequestOptions {
    var options = RequestOptions()
    options.redirects = redirects
    return options
}

/// Tests redirects to URLs that a server must not choose.
struct RedirectSafetyTests {
    @Test(arguments: [
        ("http://server.example/f", "http+unix://%2Frun%2Fdocker.sock/containers"),
        ("https://server.example/f", "HTTP+UNIX://%2Frun%2Fdocker.sock/"),
        ("http+unix://%2Frun%2Fa.sock/f", "http+unix://%2Frun%2Fb.sock/f"),
        ("http+unix://%2Frun%2Fa.sock/f", "http://server.example/f"),
        ("http://server.example/f", "ftp://server.example/f"),
        ("http://server.example/f", "file://server.example/etc/passwd"),
        ("http://server.example/f", "http://server.example:99999/f"),
        ("http://server.example/f", "http://user:word@server.example/f"),
        ("http://server.example/f", "http://:word@server.example/f"),
        ("http://server.example/f", "javascript:alert(1)"),
        ("http://server.example/f", "http://[::1/"),
        ("https://server.example/f", "http://server.example/f"),
        ("https://server.example/f", "//"),
    ])
    func `no handler follows a redirect to an address of another kind`(from: String, to: String) async throws
    {
        let site = Site { _ in TransportResponse(status: 308, fields: [.location: to]) }
        let task = Session.making(site.transport).upload(
            .data([1]), to: from, method: .put, options: following())
        #expect(try await task.status() == 308)
        #expect(site.requests.count == 1)
    }

    @Test func `another server gets nothing that an adapter added`() async throws {
        let site = Site { request in
            request.url == url
                ? TransportResponse(status: 307, fields: [.location: "http://other.example/g"])
                : TransportResponse(status: 201)
        }
        let ring = try #require(HTTPField.Name("X-Ring"))
        let album = try #require(HTTPField.Name("X-Album"))
        let key = try #require(HTTPField.Name("X-Api-Key"))
        let session = Session.making(
            site.transport, adapters: [Adding(fields: [ring: "secret", album: "June"])])
        let task = session.upload(
            .string("x"), to: url, headers: [album: "May", key: "secret"], options: following())
        #expect(try await task.status() == 201)
        let last = try #require(site.requests.last)
        #expect(last.url == "http://other.example/g")
        #expect(last.fields[ring] == nil)
        #expect(last.fields[key] == nil)
        #expect(last.fields[.contentType] == "text/plain; charset=utf-8")
        #expect(site.requests.first?.fields[ring] == "secret")
    }

    @Test func `a POST that was redirected with 303 is not made again because of what it led to`()
        async throws
    {
        let site = Site { request in
            request.method == .post
                ? TransportResponse(status: 303, fields: [.location: "/receipt"])
                : TransportResponse(status: 503)
        }
        var policy = RetryPolicy()
        policy.scale = .zero
        let session = Session.making(site.transport, retriers: [policy], validation: .automatic)
        let task = session.upload(.data([1]), to: url, options: following())
        let result = await outcome { () throws(RequestFailure) in try await task.status() }
        #expect(result.failure?.response?.status == 503)
        #expect(site.requests.map(\.method) == [.post, .get])
    }

    @Test(arguments: [
        (303, HTTPRequest.Method.put, HTTPRequest.Method.get), (303, .head, .head), (303, .post, .get),
        (301, .post, .get), (302, .put, .put), (308, .post, .post),
    ])
    func `the method after a redirect is the one that RFC 9110 names`(
        status: Int, method: HTTPRequest.Method, next: HTTPRequest.Method
    ) async throws {
        let site = Site { request in
            request.url == url
                ? TransportResponse(status: status, fields: [.location: "../g?x=1#part"])
                : TransportResponse(status: 200)
        }
        let body: UploadBody = method == .head ? .none : .string("x")
        let task = Session.making(site.transport).upload(body, to: url, method: method, options: following())
        #expect(try await task.status() == 200)
        let last = try #require(site.requests.last)
        #expect(last.method == next)
        #expect(last.body.length == (next == .get || next == .head ? 0 : 1))
        #expect((last.fields[.contentType] == nil) == (next == .get || next == .head))
    }

    @Test func `a stream that can be read once is not sent again on another connection`() async throws {
        let (chunks, end) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
        end.finish()
        let stream = BodyStream.once(chunks)
        let attempts = Counter()
        let session = Session.making(
            ScriptedTransport { _ in
                attempts.add()
                _ = try? await stream.open()
                return .failure(TransportError(.staleConnection, UploadFailure(.network, "closed")))
            })
        let result = await outcome { () throws(RequestFailure) in
            try await session.upload(.stream(stream), to: url).response()
        }
        #expect(attempts.value == 1)
        #expect(result.failure?.failure.summary == "closed")
    }
}

/// Tests errors that the code of other modules throws.
struct ForeignErrorTests {
    private struct Cancelling: RequestAdapter {
        func adapt(_ request: TransportRequest, for context: RequestContext) throws -> TransportRequest {
            throw CancellationError()
        }
    }

    @Test func `an adapter that throws a cancellation of its own has failed`() async {
        let (log, retrier) = (EventLog(), ScriptedRetrier([.retry]))
        let task = Session.making(
            HeldTransport(), adapters: [Cancelling()], retriers: [retrier], monitors: [log]
        ).upload(.data([1]), to: url)
        let result = await outcome { () throws(RequestFailure) in try await task.status() }
        guard case .adaptation(is CancellationError)? = result.failure else {
            return #expect(Bool(false), "\(result)")
        }
        #expect(retrier.asked.count == 2)
        #expect(log.names.last == "failed")
    }

    @Test func `a body that throws a cancellation of its own has failed`() async {
        let log = EventLog()
        let task = Session.making(HeldTransport(), monitors: [log])
            .upload(UploadBody { throw CancellationError() }, to: url)
        let result = await outcome { () throws(RequestFailure) in try await task.status() }
        guard case .unusable? = result.failure else { return #expect(Bool(false), "\(result)") }
        #expect(log.names.last == "failed")
    }

    @Test func `a failure that a check throws keeps its text and its category`() async {
        let reason = UploadFailure(.server, "the disk of the server is full", hint: "wait")
        let check = ResponseValidation.check { _, _ in throw TransportError(.broken, reason) }
        var options = RequestOptions()
        options.validation = check
        let session = Session.making(ScriptedTransport { _ in .success(TransportResponse(status: 200)) })
        let result = await outcome { () throws(RequestFailure) in
            try await session.upload(.data([1]), to: url, options: options).status()
        }
        #expect(result.failure?.failure == reason)
    }

    @Test func `a retrier may ask for any wait`() async throws {
        let waiting = Gate()
        let log = EventLog { event in if event.name == "retrying" { waiting.open() } }
        let session = Session.making(
            ScriptedTransport { _ in .failure(TransportError(.broken, UploadFailure(.network, "x"))) },
            retriers: [ScriptedRetrier([.retryAfter(.seconds(Int64.max))])], monitors: [log])
        let task = session.upload(.data([1]), to: url)
        try await waiting.wait()
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        let result = await outcome { () throws(RequestFailure) in try await task.status() }
        #expect(result.failure?.isCancelled == true)
    }

    @Test func `an adapter that cancels its own request ends it`() async {
        final class Suicidal: RequestAdapter {
            let task = Mutex<RequestTask?>(nil)
            func adapt(_ request: TransportRequest, for context: RequestContext) -> TransportRequest {
                task.withLock { $0 }?.cancel()
                return request
            }
        }
        let (adapter, transport) = (Suicidal(), HeldTransport())
        transport.answer.open()
        var configuration = Session.Configuration(interceptor: Interceptor(adapters: [adapter]))
        configuration.startsRequestsImmediately = false
        let task = Session(configuration, transport: transport).upload(.data([1]), to: url)
        adapter.task.withLock { $0 = task }
        let result = await outcome { () throws(RequestFailure) in try await task.status() }
        #expect(result.failure?.isCancelled == true)
        adapter.task.withLock { $0 = nil }
    }

    @Test func `one request that does not end delays the end of no other`() async throws {
        struct Stubborn: RequestAdapter {
            let entered = Gate()
            let release = Gate()
            func adapt(_ request: TransportRequest, for context: RequestContext) async -> TransportRequest {
                guard context.label == "stubborn" else { return request }
                entered.open()
                await withCheckedContinuation { continuation in release.whenOpen { continuation.resume() } }
                return request
            }
        }
        let (adapter, transport) = (Stubborn(), HeldTransport())
        let session = Session.making(transport, adapters: [adapter])
        var options = RequestOptions()
        options.label = "stubborn"
        let stubborn = session.upload(.data([1]), to: url, options: options)
        try await adapter.entered.wait()
        let others = (0..<20).map { _ in session.upload(.data([1]), to: url) }
        try await transport.started.wait()
        let shutdown = Task { await session.shutdown() }
        for task in others {
            let result = await soon {
                await outcome { () throws(RequestFailure) in try await task.status() }
            }
            guard case .sessionClosed? = result?.failure else {
                adapter.release.open()
                return #expect(Bool(false), "\(String(describing: result))")
            }
        }
        adapter.release.open()
        await shutdown.value
        #expect(stubborn.state == .cancelled)
    }
}
