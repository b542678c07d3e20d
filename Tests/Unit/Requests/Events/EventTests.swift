import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// Tests which events monitors receive, and in which order.
struct EventTests {
    /// Returns the events of one upload to a server with this behavior.
    private func events(
        _ behaviors: [HostileBehavior], body: UploadBody = .data([1, 2, 3]),
        interceptor: Interceptor = Interceptor(), log: EventLog = EventLog(),
        during: (RequestTask, HostileServer) async throws -> Void = { _, _ in }
    ) async throws -> EventLog {
        let server = try HostileServer(behaviors)
        defer { server.stop() }
        try await withTransport { transport in
            var options = RequestOptions()
            options.interceptor = interceptor
            options.label = "film"
            let session = Session(Session.Configuration(monitors: [log]), transport: transport)
            let task = session.upload(body, to: server.url(), method: .put, options: options)
            try await during(task, server)
            _ = await outcome { () throws(RequestFailure) in try await task.response() }
        }
        return log
    }

    private static let exchange = ["started", "waiting", "responded"]

    // LeftOut.md, item 33
    @Test func `a success is reported step by step, each once`() async throws {
        let log = try await events([.answer(201)])
        #expect(log.names == ["created", "adapted"] + Self.exchange + ["finished"])
        #expect(log.all.contains(.sent(bytes: 3, total: 3, expected: 3)))
        #expect(log.entries.allSatisfy { $0.context.attempt == 1 && $0.context.label == "film" })
        #expect(Set(log.entries.map(\.context.id)).count == 1)
    }

    // LeftOut.md, item 34
    @Test func `a cancel in flight is reported once, and nothing after it`() async throws {
        let log = try await events([.neverAnswer]) { task, server in
            try await server.wait { $0.first?.isComplete == true }
            task.cancel()
        }
        #expect(log.names == ["created", "adapted", "started", "waiting", "broke", "cancelled"])
    }

    @Test func `a cancel says how much had gone out`() async throws {
        let server = try HostileServer([.neverAnswer])
        defer { server.stop() }
        try await withTransport { transport in
            let task = Session.making(transport).upload(.data([1, 2, 3]), to: server.url())
            try await server.wait { $0.first?.isComplete == true }
            task.cancel()
            let failure = await outcome { () throws(RequestFailure) in try await task.status() }.failure
            guard case .cancelled(bodySent: 3)? = failure else {
                return #expect(Bool(false), "\(String(describing: failure))")
            }
        }
    }

    @Test func `a retry is reported with its reason, its delay and its number`() async throws {
        let log = try await events(
            [.answer(503), .answer(201)], interceptor: Interceptor(retriers: [RetryNow(.milliseconds(1))]))
        #expect(
            log.names
                == ["created", "adapted"] + Self.exchange + ["retrying", "adapted"] + Self.exchange
                + ["finished"])
        let retry = try #require(log.entries.firstIndex { $0.event.name == "retrying" })
        guard case .retrying(let delay, let reason) = log.entries[retry].event else { return }
        #expect(delay == .milliseconds(1))
        #expect(reason == "the server answered 503 (unavailable)")
        #expect(log.entries[...retry].allSatisfy { $0.context.attempt == 1 })
        #expect(log.entries[(retry + 1)...].allSatisfy { $0.context.attempt == 2 })
        #expect(log.entries.last?.context.retries.response == 1)
        #expect(Set(log.entries.map(\.context.id)).count == 1)
    }

    @Test func `a redirect belongs to the attempt it happens in`() async throws {
        let log = try await events([.redirect(307, to: "/other"), .answer(201)])
        #expect(
            log.names
                == ["created", "adapted"] + Self.exchange + ["redirected"] + Self.exchange + ["finished"])
        guard case .redirected(let status, let target)? = log.all.first(where: { $0.name == "redirected" })
        else { return #expect(Bool(false), "no redirect") }
        #expect(status == 307 && target.hasSuffix("/other"))
        #expect(log.entries.allSatisfy { $0.context.attempt == 1 })
    }

    @Test func `a response that is not accepted is reported as a response, then as a failure`() async throws {
        let log = try await events([.answer(404)])
        #expect(log.names == ["created", "adapted"] + Self.exchange + ["failed"])
        guard case .failed(let reason, _)? = log.all.last else { return #expect(Bool(false), "no failure") }
        #expect(reason == "the server answered 404 (not found)")
    }

    @Test func `a connection that breaks is reported, then a failure`() async throws {
        let log = try await events([.closeWithoutAnswer])
        #expect(log.names == ["created", "adapted", "started", "waiting", "broke", "failed"])
        guard case .broke(_, let sent, let after)? = log.all.first(where: { $0.name == "broke" }) else {
            return #expect(Bool(false), "nothing broke")
        }
        #expect(sent == 3 && after >= .zero)
    }

    @Test func `N14 a kept connection that was just closing is reported`() async throws {
        let server = try HostileServer([.answerThenGoStale(200), .answer(201)])
        defer { server.stop() }
        let log = EventLog()
        try await withTransport { transport in
            let session = Session.making(transport)
            _ = try await session.upload(.data([1]), to: server.url(), method: .put).status()
            var options = RequestOptions()
            options.monitors = [log]
            _ = try await session.upload(.data([1]), to: server.url(), method: .put, options: options)
                .status()
        }
        // The first try may or may not send its byte before the connection breaks.
        #expect(
            log.names.filter { $0 != "waiting" } == [
                "created", "adapted", "started", "broke", "retriedOnFreshConnection", "started", "responded",
                "finished",
            ])
        #expect(log.entries.allSatisfy { $0.context.attempt == 1 })
    }

    @Test func `an adapter that refuses is reported as a failure, and nothing starts`() async throws {
        let refusing = AuthorizationInterceptor { () async throws(UploadFailure) in
            throw UploadFailure(.authentication, "no secret")
        }
        let log = try await events([], interceptor: Interceptor(adapters: [refusing]))
        #expect(log.names == ["created", "failed"])
        guard case .failed("no secret", _)? = log.all.last else {
            return #expect(Bool(false), "\(log.all)")
        }
    }

    @Test func `a request that is suspended from the start reports its resumption before it is adapted`()
        async throws
    {
        for _ in 0..<20 {
            let log = EventLog()
            var configuration = Session.Configuration(monitors: [log])
            configuration.startsRequestsImmediately = false
            let transport = HeldTransport()
            transport.answer.open()
            let task = Session(configuration, transport: transport).upload(
                .data([1]), to: "http://server.example/f")
            task.suspend()
            async let status = task.status()
            task.resume()
            _ = try await status
            #expect(
                log.names == [
                    "created", "suspended", "resumed", "adapted", "started", "responded", "finished",
                ])
        }
    }

    @Test func `a request that is suspended in flight breaks, and starts again when it is resumed`()
        async throws
    {
        let broke = Gate()
        let log = EventLog { if $0.name == "broke" { broke.open() } }
        _ = try await events(
            [.stall(afterBodyBytes: 1000), .answer(201)],
            body: .data([UInt8](repeating: 1, count: 16 << 20)), log: log
        ) { task, server in
            try await server.wait { ($0.first?.bodyByteCount ?? 0) >= 1000 }
            task.suspend()
            try await broke.wait()
            task.resume()
        }
        #expect(
            log.names
                == ["created", "adapted", "started", "suspended", "broke", "resumed", "adapted"]
                + Self.exchange + ["finished"])
        #expect(log.entries.allSatisfy { $0.context.attempt == 1 })
    }

    @Test func `times are not negative, and the end comes after the response`() async throws {
        let log = try await events(
            [.answer(503), .answer(201)], interceptor: Interceptor(retriers: [RetryNow(.zero)]))
        var answered = Duration.zero
        for event in log.all {
            switch event {
            case .responded(_, let sent, let after):
                #expect(after >= .zero && sent == 3)
                answered += after
            case .finished(_, let after): #expect(after >= answered)
            default: break
            }
        }
        #expect(answered > .zero)
    }

    @Test func `a hundred requests at once are each reported in sequence`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(201)
            }
        }
        defer { server.stop() }
        let log = EventLog()
        try await withTransport { transport in
            let session = Session.making(transport, monitors: [log])
            let tasks = (0..<100).map { number in
                var options = RequestOptions()
                options.label = "\(number)"
                return session.upload(.data([1, 2, 3]), to: server.url(), options: options)
            }
            for task in tasks { _ = try await task.status() }
        }
        let requests = Dictionary(grouping: log.entries, by: \.context.id)
        #expect(requests.count == 100)
        for entries in requests.values {
            #expect(
                entries.map(\.event.name) == [
                    "created", "adapted", "started", "sent", "waiting", "responded", "finished",
                ])
            #expect(Set(entries.map(\.context.label)).count == 1)
        }
    }

    @Test func `the request's own monitors receive the same events as the session's`() async throws {
        let (all, own) = (EventLog(), EventLog())
        let transport = HeldTransport()
        transport.answer.open()
        let session = Session.making(transport, monitors: [all])
        var options = RequestOptions()
        options.monitors = [own]
        _ = try await session.upload(.data([1]), to: "http://server.example/f", options: options).status()
        _ = try await session.upload(.data([1]), to: "http://server.example/f").status()
        #expect(own.names == ["created", "adapted", "started", "responded", "finished"])
        #expect(all.names == own.names + own.names)
    }

    @Test func `a body's known length is reported at once, and a file's length when it is open`() async throws
    {
        let file = try TestFile(count: 1000)
        let lengths = try await [UploadBody.data([1, 2]), .none, .file(LocalPath(file.path))].asyncMap {
            body in
            let log = try await events([.answer(201)], body: body)
            return log.all.compactMap { event -> ByteCount?? in
                switch event {
                case .created(let summary), .adapted(let summary): .some(summary.bodyLength)
                default: nil
                }
            }
        }
        #expect(lengths == [[2, 2], [0, 0], [nil, 1000]])
    }
}

/// Retries every failed request after the same time.
struct RetryNow: RequestRetrier {
    let delay: Duration

    init(_ delay: Duration) { self.delay = delay }

    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision { .retryAfter(delay) }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
