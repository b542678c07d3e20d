import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let url = "http://server.example/f"

/// A transport that delays each response until a gate opens or the task is cancelled.
struct HeldTransport: Transport {
    let started = Gate()
    let answer = Gate()
    let count = Counter()

    func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        count.add()
        delegate?.didSendBodyData(
            request.body.length ?? 0, totalBytesSent: request.body.length ?? 0,
            totalBytesExpected: request.body.length)
        started.open()
        do { try await answer.wait() } catch {
            throw TransportError(.cancelled, UploadFailure(.network, "stopped"))
        }
        return TransportResponse(status: 200, body: Array("hello".utf8))
    }
}

extension RequestFailure {
    var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

/// Returns the outcome of a request instead of throwing its error.
func outcome<Value>(
    of body: () async throws(RequestFailure) -> Value
) async -> Result<Value, RequestFailure> {
    do throws(RequestFailure) { return .success(try await body()) } catch { return .failure(error) }
}

extension Result where Failure == RequestFailure {
    var failure: RequestFailure? { if case .failure(let failure) = self { failure } else { nil } }
}

struct RequestTaskTests {
    // LeftOut.md, item 38
    @Test func `a hundred cancels from many tasks are one`() async {
        let (log, transport) = (EventLog(), HeldTransport())
        let task = Session.making(transport, monitors: [log]).upload(.data([1]), to: url)
        try? await transport.started.wait()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { task.cancel() } }
        }
        #expect(
            await outcome { () throws(RequestFailure) in try await task.status() }.failure?.isCancelled
                == true)
        #expect(log.count("cancelled") == 1)
        #expect(task.state == .cancelled)
    }

    // LeftOut.md, items 39 and 40
    @Test func `a hundred holds are one, and so are a hundred resumes`() async throws {
        let (log, transport) = (EventLog(), HeldTransport())
        transport.answer.open()
        var configuration = Session.Configuration(monitors: [log])
        configuration.startsRequestsImmediately = false
        let task = Session(configuration, transport: transport).upload(.data([1]), to: url)
        for _ in 0..<100 { task.suspend() }
        #expect(task.state == .suspended)
        #expect(transport.count.value == 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { task.resume() } }
        }
        #expect(try await task.status() == 200)
        #expect(transport.count.value == 1)
        #expect(log.count("suspended") == 1)
        #expect(log.count("resumed") == 1)
    }

    // LeftOut.md, item 41
    @Test func `a request that was cancelled stays so when it is resumed`() async {
        let (log, transport) = (EventLog(), HeldTransport())
        var configuration = Session.Configuration(monitors: [log])
        configuration.startsRequestsImmediately = false
        let task = Session(configuration, transport: transport).upload(.data([1]), to: url)
        task.cancel()
        task.resume()
        #expect(task.state == .cancelled)
        #expect(
            await outcome { () throws(RequestFailure) in try await task.data() }.failure?.isCancelled == true)
        #expect(transport.count.value == 0)
        #expect(log.names == ["created", "cancelled"])
    }

    // LeftOut.md, items 42 and 43
    @Test func `a task's result is available every time, after a cancel and after the end`() async throws {
        let transport = HeldTransport()
        let session = Session.making(transport)
        let cancelled = session.upload(.data([1]), to: url)
        cancelled.cancel()
        for _ in 0..<2 {
            #expect(
                await outcome { () throws(RequestFailure) in try await cancelled.data() }.failure?.isCancelled
                    == true)
        }
        transport.answer.open()
        let finished = session.upload(.data([1]), to: url)
        for _ in 0..<2 { #expect(try await finished.string() == "hello") }
        #expect(finished.state == .finished)
        #expect(transport.count.value <= 2)
    }

    // LeftOut.md, item 44
    @Test func `many who wait for one request make it once`() async throws {
        let transport = HeldTransport()
        let task = Session.making(transport).upload(.data([1]), to: url)
        let answers = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try? await task.string() } }
            try? await transport.started.wait()
            transport.answer.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: "hello", count: 20))
        #expect(transport.count.value == 1)
    }

    // LeftOut.md, item 45: a session that is released finishes its requests. Only `shutdown()` ends them.
    @Test func `a session that is released completes its requests`() async throws {
        let transport = HeldTransport()
        let task = { Session.making(transport).upload(.data([1]), to: url) }()
        try await transport.started.wait()
        transport.answer.open()
        #expect(try await task.string() == "hello")
    }

    // LeftOut.md, item 45
    @Test func `shutting a session down ends every request with an error and retains none of them`()
        async throws
    {
        let transport = HeldTransport()
        let session = Session.making(transport)
        let tasks = (0..<10).map { _ in session.upload(.data([1]), to: url) }
        let held = session.upload(.data([1]), to: url)
        held.suspend()
        try await transport.started.wait()
        await session.shutdown()
        for task in tasks + [held] {
            let failure = await outcome { () throws(RequestFailure) in try await task.response() }.failure
            guard case .sessionClosed? = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
        }
        #expect(session.running.count == 0)
        let late = await outcome { () throws(RequestFailure) in
            try await session.upload(.data([1]), to: url).response()
        }
        guard case .sessionClosed? = late.failure else {
            return #expect(Bool(false), "a late request was made")
        }
    }

    @Test func `a request that was never begun ends with its session, and so does its progress`() async {
        var configuration = Session.Configuration()
        configuration.startsRequestsImmediately = false
        let session = Session(configuration, transport: HeldTransport())
        let task = session.upload(.data([1]), to: url)
        await session.shutdown()
        for await _ in task.progress {}
        #expect(task.state == .cancelled)
    }

    @Test func `cancelling the task that waits for a request cancels the request`() async throws {
        let transport = HeldTransport()
        let task = Session.making(transport).upload(.data([1]), to: url)
        let reader = Task { await outcome { () throws(RequestFailure) in try await task.response() } }
        try await transport.started.wait()
        reader.cancel()
        #expect(await reader.value.failure?.isCancelled == true)
        #expect(task.state == .cancelled)
    }

    @Test func `a request held while its body goes out is sent anew when it is resumed, and counts no retry`()
        async throws
    {
        let attempts = Counter()
        let (first, log) = (Gate(), EventLog())
        let transport = ScriptedTransport { _ in
            guard attempts.add() == 1 else { return .success(TransportResponse(status: 201)) }
            first.open()
            try? await Gate().wait(upTo: .seconds(30))
            return .failure(TransportError(.cancelled, UploadFailure(.network, "stopped")))
        }
        let task = Session.making(transport, monitors: [log]).upload(.data([1]), to: url)
        try await first.wait()
        task.suspend()
        #expect(task.state == .suspended)
        task.resume()
        #expect(try await task.status() == 201)
        #expect(attempts.value == 2)
        #expect(log.entries.last?.context.attempt == 1)
        #expect(log.count("retrying") == 0)
    }

    @Test func `a request suspended after its last byte keeps the response, and makes no other attempt`()
        async throws
    {
        let attempts = Counter()
        let (sent, answer, retried) = (Gate(), Gate(), Gate())
        let log = EventLog { event in
            switch event {
            case .waiting: sent.open()
            case .retrying: retried.open()
            default: break
            }
        }
        let transport = WaitingTransport(
            begin: { attempts.add() },
            answer: {
                try? await answer.wait()
                return TransportResponse(status: attempts.value == 1 ? 503 : 200)
            })
        var options = RequestOptions()
        options.interceptor = Interceptor(retriers: [AlwaysRetry()])
        let task = Session.making(transport, validation: .automatic, monitors: [log])
            .upload(.data([1]), to: url, options: options)
        try await sent.wait()
        task.suspend()
        answer.open()
        try await retried.wait()
        #expect(task.state == .suspended)
        #expect(attempts.value == 1)
        task.resume()
        #expect(try await task.status() == 200)
        #expect(attempts.value == 2)
    }

    // LeftOut.md, item 35
    @Test(arguments: ["", "no address", "ftp://server.example/f", "http://", "/f"])
    func `an address that cannot be used ends the request with an error and sends nothing`(address: String)
        async
    {
        let transport = HeldTransport()
        let result = await outcome { () throws(RequestFailure) in
            try await Session.making(transport).upload(.data([1]), to: address).response()
        }
        guard case .unusable(let failure)? = result.failure else {
            return #expect(Bool(false), "\(result)")
        }
        #expect(failure.hint != nil)
        #expect(transport.count.value == 0)
    }

    // LeftOut.md, item 46
    @Test(arguments: [false, true])
    func `a GET with a body is not sent, also when an adapter adds it`(addedByAdapter: Bool) async {
        struct Adding: RequestAdapter {
            func adapt(_ request: TransportRequest, for context: RequestContext) -> TransportRequest {
                var request = request
                request.body = .bytes([1])
                return request
            }
        }
        let transport = HeldTransport()
        let session = Session.making(transport, adapters: addedByAdapter ? [Adding()] : [])
        let result = await outcome { () throws(RequestFailure) in
            try await session.request(url, body: addedByAdapter ? .none : .data([1])).response()
        }
        guard case .unusable? = result.failure else { return #expect(Bool(false), "\(result)") }
        #expect(transport.count.value == 0)
    }
}

/// A transport that reports the whole body as written, mostly also as sent, and then responds as a closure decides.
struct WaitingTransport: Transport {
    var isAcknowledged = true
    let begin: @Sendable () -> Void
    let answer: @Sendable () async -> TransportResponse

    func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        begin()
        delegate?.didWriteRequest()
        if isAcknowledged {
            let length = request.body.length ?? 0
            delegate?.didSendBodyData(length, totalBytesSent: length, totalBytesExpected: length)
            delegate?.didFinishSending()
        }
        let response = await answer()
        guard !Task.isCancelled else { throw TransportError(.cancelled, UploadFailure(.network, "stopped")) }
        return response
    }
}

/// Retries every failed request at once.
struct AlwaysRetry: RequestRetrier {
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision { .retry }
}
