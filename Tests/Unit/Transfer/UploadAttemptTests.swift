import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

struct UploadAttemptTests {
    @Test func `a new address is durable before anything goes to it`() async throws {
        let stage = try AttemptStage()
        let outcome = try await stage.run { number, _ in
            number == 1
                ? .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
                : .success(TransportResponse(status: 204, fields: [.uploadOffset: "10"]))
        }
        #expect(outcome.receipt?.bytes == 10)
        #expect(
            stage.log.all == [
                .request("POST"), .recorded(tusUploadResource, durably: true), .request("PATCH"),
                .recorded(tusUploadResource.withWholeBodySent(true), durably: true),
                .recorded(UploadResource(url: tusUploadResource.url, confirmed: 10), durably: false),
            ])
    }

    @Test func `an address that cannot be recorded gets nothing`() async throws {
        let stage = try AttemptStage(
            log: AttemptSequence(failure: UploadFailure(.storage, "the disk is full")))
        let outcome = try await stage.run { _, _ in
            .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
        }
        #expect(outcome.failure?.category == .storage)
        #expect(stage.log.all.filter { if case .request = $0 { true } else { false } } == [.request("POST")])
    }

    @Test func `a mark is durable before the last bytes and goes when they did not get out`() async throws {
        let stage = try AttemptStage()
        let mark = UploadResource(url: "http://server.example/f").withWholeBodySent(true)
        _ = try await stage.run(stage.post) { _, _ in brokenLink(.cancelled, sent: 9) }
        #expect(
            stage.log.all == [
                .request("POST"), .recorded(mark, durably: true), .recorded(nil, durably: true),
            ])
    }

    @Test func `a mark that does no harm precedes the request of a small body, and each one after a 401`()
        async throws
    {
        let stage = try AttemptStage()
        let put = PutUpload(item: .make(url: "http://server.example/f", size: 10), options: .init())
        _ = try await stage.run(put, retriers: [WatchingRetrier {}]) { number, _ in
            .success(TransportResponse(status: number == 1 ? 401 : 201, bodySent: 10))
        }
        let kinds = stage.log.all.map { entry in
            switch entry {
            case .recorded(let mark, _): mark == nil ? "no mark" : "mark"
            case .request(let method): method
            }
        }
        #expect(kinds.prefix(5) == ["mark", "PUT", "no mark", "mark", "PUT"])
    }

    @Test func `a mark stays when the last bytes got out`() async throws {
        let stage = try AttemptStage()
        let outcome = try await stage.run(stage.post) { _, _ in brokenLink(.cancelled, sent: 10) }
        #expect(outcome.isCancelled)
        #expect(stage.log.all.count == 2)
    }

    @Test func `a request that the server refused is not marked while other credentials are fetched`()
        async throws
    {
        let stage = try AttemptStage()
        let mark = UploadResource(url: "http://server.example/f").withWholeBodySent(true)
        let before = Mutex<[AttemptSequence.Entry]>([])
        let retrier = WatchingRetrier { [log = stage.log] in before.withLock { $0 = log.all } }
        let outcome = try await stage.run(stage.post, retriers: [retrier]) { number, _ in
            .success(TransportResponse(status: number == 1 ? 401 : 201))
        }
        #expect(outcome.receipt != nil)
        #expect(
            before.withLock { $0 } == [
                .request("POST"), .recorded(mark, durably: true), .recorded(nil, durably: true),
            ])
        #expect(stage.log.all[3...] == [.request("POST"), .recorded(mark, durably: true)])
    }

    @Test(arguments: [(9, false), (10, true)])
    func `a second sending that is cancelled is unknown only if everything was sent`(
        sent: ByteCount, isMarked: Bool
    ) async throws {
        let stage = try AttemptStage()
        let outcome = try await stage.run(stage.post, retriers: [WatchingRetrier {}]) { number, _ in
            number == 1 ? .success(TransportResponse(status: 401)) : brokenLink(.cancelled, sent: sent)
        }
        #expect(outcome.isCancelled)
        guard case .recorded(let last, _)? = stage.log.all.last else {
            return #expect(Bool(false), "\(stage.log.all)")
        }
        #expect((last != nil) == isMarked)
    }

    @Test(arguments: [0, 10])
    func `a post that is made again after a 401 has its mark again, an empty one still`(size: Int)
        async throws
    {
        let stage = try AttemptStage(size: size)
        let outcome = try await stage.run(stage.post, retriers: [WatchingRetrier {}]) { number, _ in
            number == 1 ? .success(TransportResponse(status: 401)) : brokenLink(sent: ByteCount(size))
        }
        #expect(outcome.failure?.category == .outcomeUnknown)
        let recorded = stage.log.all.filter { if case .recorded = $0 { true } else { false } }
        guard case .recorded(_?, durably: true)? = recorded.last else {
            return #expect(Bool(false), "\(stage.log.all)")
        }
    }

    @Test func `A3 a renewal that fails for want of a network leaves no mark and passes by itself`()
        async throws
    {
        let stage = try AttemptStage()
        let reason = UploadFailure(.network, "the token server is away")
        let outcome = try await stage.run(stage.post, retriers: [ScriptedRetrier([.fail(reason)])]) { _, _ in
            .success(TransportResponse(status: 401))
        }
        #expect(outcome.failure == reason)
        #expect(stage.log.all.last == .recorded(nil, durably: true))
    }

    @Test func `a retrier that fails over a post that may have arrived leaves the mark`() async throws {
        let stage = try AttemptStage()
        let retrier = ScriptedRetrier([.fail(UploadFailure(.network, "x"))])
        _ = try await stage.run(stage.post, retriers: [retrier]) { _, _ in brokenLink(sent: 10) }
        guard case .recorded(_?, durably: true)? = stage.log.all.last else {
            return #expect(Bool(false), "\(stage.log.all)")
        }
    }

    @Test func `an empty post that was never made leaves no mark`() async throws {
        let stage = try AttemptStage(size: 0)
        let locked = AuthorizationInterceptor { () async throws(UploadFailure) in
            throw UploadFailure(.authentication, "no secret")
        }
        let outcome = try await stage.run(stage.post, adapters: [locked]) { _, _ in brokenLink(sent: 0) }
        #expect(outcome.failure?.category == .authentication)
        #expect(stage.log.all.last == .recorded(nil, durably: true))
    }

    @Test func `an empty post with a refused connection is a network failure`() async throws {
        let stage = try AttemptStage(size: 0)
        let outcome = try await stage.run(stage.post) { _, _ in brokenLink(.notConnected, sent: 0) }
        #expect(outcome.failure?.category == .network)
    }

    @Test func `N3 a post without a response is unknown only if everything was sent`() async throws {
        let whole = try AttemptStage()
        #expect(
            try await whole.run(whole.post) { _, _ in brokenLink(sent: 10) }.failure?.category
                == .outcomeUnknown)
        let part = try AttemptStage()
        #expect(try await part.run(part.post) { _, _ in brokenLink(sent: 9) }.failure?.category == .network)
    }

    @Test func `a cancelled request ends the attempt as cancelled`() async throws {
        let stage = try AttemptStage()
        #expect(try await stage.run { _, _ in brokenLink(.cancelled, sent: 0) }.isCancelled)
    }

    @Test func `a protocol that asks without end is stopped`() async throws {
        let stage = try AttemptStage()
        let outcome = try await stage.run(EndlessProtocol()) { _, _ in
            .success(TransportResponse(status: 200))
        }
        #expect(outcome.failure?.summary == "the server keeps asking and nothing moves")
        #expect(stage.log.all.count < 200)
    }

    @Test func `N3 a creation met by a dying connection is made again`() async throws {
        let stage = try AttemptStage()
        let outcome = try await stage.run { number, _ in
            switch number {
            case 1: brokenLink(.staleConnection, sent: 0)
            case 2: .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
            default: .success(TransportResponse(status: 204, fields: [.uploadOffset: "10"]))
            }
        }
        #expect(outcome.receipt != nil)
    }

    @Test(arguments: [true, false])
    func `the protocol's knowledge of a slow response reaches the transport`(responseMayTakeLong: Bool)
        async throws
    {
        let file = try TestFile(count: 10)
        var exchange = Exchange(.post, "http://server.example/f")
        exchange.set(.slowResponse, if: responseMayTakeLong)
        let received = Mutex<[Bool]>([])
        _ = try await AttemptLog().run(ScriptedProtocol(.send(exchange)) { _ in .done(Receipt()) }, of: file)
        {
            request in
            received.withLock { $0.append(request.responseMayTakeLong) }
            return .success(TransportResponse(status: 200))
        }
        #expect(received.withLock { $0 } == [responseMayTakeLong])
    }

    @Test func `P9 bytes that the server lost are an event of the upload`() async throws {
        let file = try TestFile(count: 10)
        let log = EventLog()
        let requests = Mutex(0)
        let outcome = try await AttemptLog().run(
            TusUpload(item: .make(url: "http://server.example/files/"), options: .init()), of: file,
            resource: UploadResource(url: tusUploadResource.url, confirmed: 8),
            monitors: [log]
        ) { _ in
            let isFirst = requests.withLock { count in
                count += 1
                return count == 1
            }
            return .success(TransportResponse(status: 200, fields: [.uploadOffset: isFirst ? "3" : "10"]))
        }
        #expect(outcome.receipt != nil)
        #expect(log.all.filter { $0.name == "serverLost" } == [.serverLost(5)])
        #expect(log.entries.first { $0.event.name == "serverLost" }?.context.label == "1")
    }

    @Test(arguments: ["put", "tus"])
    func `P4 an upload has not succeeded if its last response is cut, and the next attempt asks or sends`(
        name: String
    ) async throws {
        let file = try TestFile(count: 200_000)
        let cut = HostileBehavior.raw(
            "HTTP/1.1 200 OK\r\nUpload-Offset: 200000\r\nContent-Length: 9\r\n\r\ncut")
        let whole = HostileBehavior.answer(200, headers: [("Upload-Offset", "200000")])
        let server = try HostileServer(
            name == "put" ? [cut, whole] : [.answer(200, headers: [("Upload-Offset", "0")]), cut, whole])
        defer { server.stop() }
        try await withTransport { transport in
            let source = try file.open()
            let item = UploadItem.make(url: server.url("/files/7"), size: 200_000)
            let attempt = UploadAttempt(
                sender: RequestSender(over: transport), file: source, identity: source.identity, label: "1",
                recorder: AttemptSequence())
            let entry = try #require(ProtocolCatalog.entry(named: name))
            let resource = name == "tus" ? UploadResource(url: server.url("/files/7")) : nil
            let known = ServerCapabilities(extensions: ["creation"])
            let first = await attempt.run(entry.make(item, .init()), resource: resource, capabilities: known)
                .value
            #expect(first.failure?.category == .network)
            let second = await attempt.run(
                entry.make(item, .init()), resource: resource, capabilities: known
            ).value
            #expect(second.receipt?.bytes == 200_000)
        }
        #expect(
            server.requests.map(\.method) == (name == "put" ? ["PUT", "PUT"] : ["HEAD", "PATCH", "HEAD"]))
    }

    @Test func `a whole tus upload over a real connection arrives`() async throws {
        let file = try TestFile(count: 5 << 20)
        let server = try HostileServer(
            bodyLimit: 6 << 20,
            [
                .answer(204, headers: [("Tus-Extension", "creation"), ("Tus-Version", "1.0.0")]),
                .answer(201, headers: [("Location", "/files/7")], keepAlive: false),
                .reset(afterBodyBytes: 1 << 20),
                .answer(200, headers: [("Upload-Offset", "1000000")]),
                .answer(204, headers: [("Upload-Offset", "5242880")]),
                .answer(200, headers: [("Upload-Offset", "5242880")]),
            ])
        defer { server.stop() }
        let log = AttemptSequence()
        try await withTransport { transport in
            let source = try file.open()
            let item = UploadItem.make(url: server.url("/files/"), size: 5 << 20)
            let attempt = UploadAttempt(
                sender: RequestSender(over: transport), file: source, identity: source.identity, label: "1",
                recorder: log)
            let tus = TusUpload(item: item, options: .init())
            let first = await attempt.run(tus, resource: nil, capabilities: nil).value
            #expect(first.failure?.category == .network)
            let second = await attempt.run(
                tus, resource: UploadResource(url: server.url("/files/7")),
                capabilities: ServerCapabilities(extensions: ["creation"])
            ).value
            #expect(second.receipt?.location == server.url("/files/7"))
        }
        #expect(server.requests.last?.method == "HEAD")
        let last = try #require(server.requests.last { $0.method == "PATCH" })
        #expect(last.isComplete && last["Upload-Offset"] == "1000000")
        #expect(file.pattern.firstDifference(from: last.body, at: 1_000_000) == nil)
    }
}

/// Retries every refused request, and runs a closure each time.
private struct WatchingRetrier: RequestRetrier {
    let look: @Sendable () -> Void

    init(_ look: @escaping @Sendable () -> Void) { self.look = look }

    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision {
        look()
        return failure.response?.status == 401 ? .retry : .doNotRetry
    }
}

/// Sends the same request repeatedly.
private struct EndlessProtocol: SequentialProtocol {
    static let name = "endless"
    static let traits = ProtocolTraits(resumes: false)
    private let exchange = Exchange(.get, "http://server.example/")

    init() {}
    init(item: UploadItem, options: ProtocolOptions) {}

    mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        .send(exchange)
    }
    mutating func receive(_ reply: ExchangeOutcome) -> Step { .send(exchange) }
    func removal(of resource: UploadResource) -> [Exchange] { [] }
}
