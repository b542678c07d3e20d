import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// Tests the bytes of requests on the wire.
struct WireTests {
    private func sent(
        _ server: HostileServer, _ make: @Sendable (Session) -> RequestTask
    ) async throws -> Result<TransportResponse, RequestFailure>? {
        try await withTransport { transport in
            let task = make(Session.making(transport))
            return await soon { await outcome { () throws(RequestFailure) in try await task.response() } }
        }
    }

    @Test(arguments: ["get", "TRACE", "CONNECT", "M-SEARCH", "Query"])
    func `any method is sent as it is written, or refused`(name: String) async throws {
        let server = try HostileServer([.answer(200, body: "x")])
        defer { server.stop() }
        let method = try #require(HTTPRequest.Method(rawValue: name))
        let result = try await sent(server) { $0.request(server.url("/f"), method: method) }
        switch result {
        case .success?: #expect(server.requests.map(\.method) == [name])
        case .failure(.unusable)?: #expect(server.requests.isEmpty)
        default: Issue.record("\(String(describing: result))")
        }
    }

    @Test(arguments: ["GET", "HEAD", "TRACE", "CONNECT"])
    func `no body is sent with a method that has none`(name: String) async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let method = try #require(HTTPRequest.Method(rawValue: name))
        let result = try await sent(server) { $0.upload(.data([1]), to: server.url("/f"), method: method) }
        guard case .failure(.unusable)? = result else {
            return #expect(Bool(false), "\(String(describing: result))")
        }
    }

    @Test(arguments: [("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("content-length", "7")])
    func `how long a body is says the body alone`(name: String, value: String) async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let field = try #require(HTTPField.Name(name))
        _ = try await sent(server) {
            $0.upload(.data(Array("0123456789".utf8)), to: server.url("/f"), headers: [field: value])
        }
        let request = try #require(server.requests.first)
        #expect(request.headers.filter { $0.name.lowercased() == "content-length" }.map(\.value) == ["10"])
        #expect(request["Transfer-Encoding"] == nil)
        #expect(request.body == Array("0123456789".utf8))
    }

    @Test func `a stream of a length that no stream has is refused`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let stream = BodyStream(length: -5) { AsyncThrowingStream { $0.finish() } }
        let result = try await sent(server) { $0.upload(.stream(stream), to: server.url("/f")) }
        guard case .failure? = result else { return #expect(Bool(false), "\(String(describing: result))") }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        ("", "/?a=1"), ("?", "/?a=1"), ("/", "/?a=1"), ("/?b=2", "/?b=2&a=1"), ("/?b&#x?y", "/?b&a=1"),
        ("/p#x", "/p?a=1"), ("/ä b", "/%C3%A4%20b?a=1"), ("/%41", "/%41?a=1"), ("/#", "/?a=1"),
    ])
    func `a query is added where it belongs, whatever the address has`(path: String, target: String)
        async throws
    {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let result = try await sent(server) { $0.request(server.url("") + path, query: ["a": 1]) }
        #expect(server.requests.map(\.target) == [target], "\(String(describing: result))")
    }

    @Test func `a header of a mebibyte ends the request before anything is sent`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let field = try #require(HTTPField.Name("X-Long"))
        let value = String(repeating: "x", count: 1_000_000)
        let result = try await sent(server) { $0.request(server.url("/f"), headers: [field: value]) }
        guard case .failure(let failure)? = result else {
            return #expect(Bool(false), "\(String(describing: result))")
        }
        #expect(failure.failure.summary.contains("the field X-Long is the longest"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["fifo", "folder", "/dev/zero", "missing"] + (geteuid() == 0 ? [] : ["secret"]))
    func `a path that is no readable file is refused before anything is sent`(kind: String) async throws {
        let directory = try TemporaryDirectory()
        let path = kind.hasPrefix("/") ? kind : directory.path("x")
        switch kind {
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        case "folder":
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "secret":
            try Data("x".utf8).write(to: URL(filePath: path))
            chmod(path, 0)
        default: break
        }
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let result = try await sent(server) { $0.upload(.file(LocalPath(path)), to: server.url("/f")) }
        guard case .failure(.unusable(let failure))? = result else {
            return #expect(Bool(false), "\(String(describing: result))")
        }
        #expect(failure.category == .sourceUnreadable)
        #expect(server.requests.isEmpty)
    }

    @Test func `a file that was replaced between two attempts is sent as it is now`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("x")
        try Data("first".utf8).write(to: URL(filePath: path))
        let server = try HostileServer([.answer(503), .answer(200)])
        defer { server.stop() }
        let retrier = Replacing(path: path)
        let status = try await withTransport { transport in
            try await Session.making(transport, retriers: [retrier], validation: .automatic)
                .upload(.file(LocalPath(path)), to: server.url("/f"), method: .put).status()
        }
        #expect(status == 200)
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["first", "second one"])
    }

    @Test func `a file that is gone at the second attempt ends the request with its name`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("x")
        try Data("first".utf8).write(to: URL(filePath: path))
        let server = try HostileServer([.answer(503), .answer(200)])
        defer { server.stop() }
        let result = try await withTransport { transport in
            let session = Session.making(
                transport, retriers: [Replacing(path: path, removes: true)], validation: .automatic)
            return await outcome { () throws(RequestFailure) in
                try await session.upload(.file(LocalPath(path)), to: server.url("/f"), method: .put).status()
            }
        }
        guard case .unusable(let failure)? = result.failure else {
            return #expect(Bool(false), "\(result)")
        }
        #expect(failure.summary.contains(path))
        #expect(server.requests.count == 1)
    }

    @Test func `more requests than connections wait for one as long as it takes`() async throws {
        let (release, full) = (Gate(), Gate())
        let arrived = Counter()
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                if arrived.add() == 256 { full.open() }
                try connection.hold(until: release)
                try connection.answer(200)
            }
        }
        defer { server.stop() }
        let statuses = try await withTransport(connect: .seconds(120)) { transport in
            let session = Session.making(transport)
            let tasks = (0..<300).map { session.upload(.data([1]), to: server.url("/\($0)")) }
            try await full.wait()
            // They wait in the transport, not in the pool of the HTTP client, whose timeout is that for connecting.
            let end = ContinuousClock.now + .seconds(30)
            while transport.waitingCount(for: server.url()) < 44, .now < end { await Task.yield() }
            #expect(transport.waitingCount(for: server.url()) == 44)
            release.open()
            var statuses: [Int?] = []
            for task in tasks {
                let result = await outcome { () throws(RequestFailure) in try await task.status() }
                statuses.append(try? result.get())
            }
            return statuses
        }
        #expect(statuses.count { $0 == 200 } == 300)
    }
}

struct ConnectionSlotTests {
    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    private final class Inside: Sendable {
        private let counts = Mutex((now: 0, most: 0))
        var now: Int { counts.withLock { $0.now } }
        var most: Int { counts.withLock { $0.most } }
        func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func leave() { counts.withLock { $0.now -= 1 } }
    }

    @Test func `waiting tasks get slots in the order they came, and cancelled ones get none`() async {
        let slots = OriginLimiter(limit: 1)
        let order = Order()
        #expect(await slots.enter("a"))
        #expect(await slots.enter("b"))
        var tasks: [Task<Bool, Never>] = []
        for number in 0..<5 {
            tasks.append(
                Task {
                    let isIn = await slots.enter("a")
                    if isIn { order.numbers.withLock { $0.append(number) } }
                    if isIn { slots.leave("a") }
                    return isIn
                })
            while slots.waitingCount(for: "a") <= number { await Task.yield() }
        }
        tasks[2].cancel()
        #expect(await tasks[2].value == false)
        slots.leave("a")
        for number in [0, 1, 3, 4] { #expect(await tasks[number].value) }
        #expect(order.numbers.withLock { $0 } == [0, 1, 3, 4])
        #expect(await slots.enter("a"))
    }

    @Test func `256 requests are under way to one origin, and the next one waits`() async {
        let slots = OriginLimiter(limit: HTTPClientTransport.Configuration().connectionsPerOrigin)
        for _ in 0..<256 { #expect(await slots.enter("a")) }
        let next = Task { await slots.enter("a") }
        while slots.waitingCount(for: "a") == 0 { await Task.yield() }
        #expect(await slots.enter("b"))
        slots.leave("a")
        #expect(await next.value)
    }

    @Test func `a task that is cancelled already gets no slot`() async {
        let slots = OriginLimiter(limit: 1)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await slots.enter("a")
        }
        task.cancel()
        #expect(await task.value == false)
        #expect(await slots.enter("a"))
    }

    @Test func `however many come and go, no more are in than there are slots`() async {
        let slots = OriginLimiter(limit: 3)
        let inside = Inside()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let task = Task {
                        guard await slots.enter("a") else { return }
                        inside.enter()
                        await Task.yield()
                        inside.leave()
                        slots.leave("a")
                    }
                    if number.isMultiple(of: 7) { task.cancel() }
                    await task.value
                }
            }
        }
        #expect(inside.now == 0)
        #expect((1...3).contains(inside.most))
        for _ in 0..<3 { #expect(await slots.enter("a")) }
    }
}

private struct Replacing: RequestRetrier {
    let path: String
    var removes = false

    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision {
        unlink(path)
        if !removes { try? Data("second one".utf8).write(to: URL(filePath: path)) }
        return context.attempt == 1 ? .retry : .doNotRetry
    }
}
