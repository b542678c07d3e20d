import Foundation
import HTTPTypes
import Support
import Synchronization
import Testing

@testable import Transfer
@testable import UploadProtocols

/// What an attempt recorded and what it sent, in one order.
private final class Log: AttemptRecorder {
    enum Entry: Hashable {
        case recorded(Resource?, durably: Bool)
        case request(String)
    }

    private let entries = Mutex<[Entry]>([])
    private let failure: UploadFailure?

    init(failure: UploadFailure? = nil) { self.failure = failure }

    var all: [Entry] { entries.withLock { $0 } }
    func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }

    func record(_ resource: Resource?, durably: Bool) async throws(UploadFailure) {
        note(.recorded(resource, durably: durably))
        if let failure { throw failure }
    }
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}

/// An attempt over a transport that answers from a list, and runs what stands before the last bytes of a file.
private struct Stage {
    let file: TestFile
    let log: Log

    init(size: Int = 10, log: Log = Log()) throws {
        file = try TestFile(count: size)
        self.log = log
    }

    func run(
        _ uploadProtocol: (any UploadProtocol)? = nil, of opened: SourceFile? = nil,
        resource: Resource? = nil,
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        _ answers:
            @escaping @Sendable (Int, TransportRequest) async -> Result<TransportResponse, TransportError>
    ) async throws -> UploadAttempt.Outcome {
        let source = try opened ?? file.open()
        let count = Mutex(0)
        let transport = ScriptedTransport { [log] request in
            log.note(.request(request.method.rawValue))
            if case .streamed(let body) = request.body, let check = body.beforeLastBytes {
                do throws(UploadFailure) { try await check() } catch {
                    return .failure(TransportError(.source, error))
                }
            }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return await answers(number, request)
        }
        let attempt = UploadAttempt(
            session: Session.making(transport, adapters: adapters, retriers: retriers), file: source,
            identity: source.identity,
            label: "1", recorder: log)
        let item = UploadItem.make(url: "http://server.example/files/", size: source.identity.size)
        return await attempt.run(
            uploadProtocol ?? TusUpload(item: item, options: .init()), resource: resource,
            capabilities: ServerCapabilities(extensions: ["creation"]))
    }

    var post: PostUpload {
        PostUpload(item: .make(size: ByteCount(file.pattern.count)), options: .init())
    }
}

private let tusResource = Resource(url: "http://server.example/files/7")

private func broke(
    _ reason: TransportError.Reason = .broken, sent: ByteCount
) -> Result<TransportResponse, TransportError> {
    .failure(TransportError(reason, UploadFailure(.network, "the link broke"), bodySent: sent))
}

struct UploadAttemptTests {
    @Test func `a new address is durable before anything goes to it`() async throws {
        let stage = try Stage()
        let outcome = try await stage.run { number, _ in
            number == 1
                ? .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
                : .success(TransportResponse(status: 204, fields: [.uploadOffset: "10"]))
        }
        #expect(outcome.receipt?.bytes == 10)
        #expect(
            stage.log.all == [
                .request("POST"), .recorded(tusResource, durably: true), .request("PATCH"),
                .recorded(tusResource.withWholeBodySent(true), durably: true),
                .recorded(Resource(url: tusResource.url, confirmed: 10), durably: false),
            ])
    }

    @Test func `an address that cannot be recorded gets nothing`() async throws {
        let stage = try Stage(log: Log(failure: UploadFailure(.storage, "the disk is full")))
        let outcome = try await stage.run { _, _ in
            .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
        }
        #expect(outcome.failure?.category == .storage)
        #expect(stage.log.all.filter { if case .request = $0 { true } else { false } } == [.request("POST")])
    }

    @Test func `a mark is durable before the last bytes and goes when they did not get out`() async throws {
        let stage = try Stage()
        let mark = Resource(url: "http://server.example/f").withWholeBodySent(true)
        _ = try await stage.run(stage.post) { _, _ in broke(.cancelled, sent: 9) }
        #expect(
            stage.log.all == [
                .request("POST"), .recorded(mark, durably: true), .recorded(nil, durably: true),
            ])
    }

    @Test func `a mark stays when the last bytes got out`() async throws {
        let stage = try Stage()
        let outcome = try await stage.run(stage.post) { _, _ in broke(.cancelled, sent: 10) }
        #expect(outcome.isCancelled)
        #expect(stage.log.all.count == 2)
    }

    @Test func `what a server refused is not marked while other credentials are fetched`() async throws {
        let stage = try Stage()
        let mark = Resource(url: "http://server.example/f").withWholeBodySent(true)
        let before = Mutex<[Log.Entry]>([])
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
        let stage = try Stage()
        let outcome = try await stage.run(stage.post, retriers: [WatchingRetrier {}]) { number, _ in
            number == 1 ? .success(TransportResponse(status: 401)) : broke(.cancelled, sent: sent)
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
        let stage = try Stage(size: size)
        let outcome = try await stage.run(stage.post, retriers: [WatchingRetrier {}]) { number, _ in
            number == 1 ? .success(TransportResponse(status: 401)) : broke(sent: ByteCount(size))
        }
        #expect(outcome.failure?.category == .outcomeUnknown)
        let recorded = stage.log.all.filter { if case .recorded = $0 { true } else { false } }
        guard case .recorded(_?, durably: true)? = recorded.last else {
            return #expect(Bool(false), "\(stage.log.all)")
        }
    }

    @Test func `a renewal that fails for want of a network leaves no mark and passes by itself`() async throws
    {
        let stage = try Stage()
        let reason = UploadFailure(.network, "the token server is away")
        let outcome = try await stage.run(stage.post, retriers: [ScriptedRetrier([.fail(reason)])]) { _, _ in
            .success(TransportResponse(status: 401))
        }
        #expect(outcome.failure == reason)
        #expect(stage.log.all.last == .recorded(nil, durably: true))
    }

    @Test func `a retrier that fails over a post that may have arrived leaves the mark`() async throws {
        let stage = try Stage()
        let retrier = ScriptedRetrier([.fail(UploadFailure(.network, "x"))])
        _ = try await stage.run(stage.post, retriers: [retrier]) { _, _ in broke(sent: 10) }
        guard case .recorded(_?, durably: true)? = stage.log.all.last else {
            return #expect(Bool(false), "\(stage.log.all)")
        }
    }

    @Test func `an empty post that was never made leaves no mark`() async throws {
        let stage = try Stage(size: 0)
        let locked = AuthorizationInterceptor { () async throws(UploadFailure) in
            throw UploadFailure(.authentication, "no secret")
        }
        let outcome = try await stage.run(stage.post, adapters: [locked]) { _, _ in broke(sent: 0) }
        #expect(outcome.failure?.category == .authentication)
        #expect(stage.log.all.last == .recorded(nil, durably: true))
    }

    @Test func `an empty post whose connection was refused is a network failure`() async throws {
        let stage = try Stage(size: 0)
        let outcome = try await stage.run(stage.post) { _, _ in broke(.notConnected, sent: 0) }
        #expect(outcome.failure?.category == .network)
    }

    @Test func `a post without an answer is unknown only if everything was sent`() async throws {
        let whole = try Stage()
        #expect(
            try await whole.run(whole.post) { _, _ in broke(sent: 10) }.failure?.category == .outcomeUnknown)
        let part = try Stage()
        #expect(try await part.run(part.post) { _, _ in broke(sent: 9) }.failure?.category == .network)
    }

    @Test func `a cancelled request ends the attempt as cancelled`() async throws {
        let stage = try Stage()
        #expect(try await stage.run { _, _ in broke(.cancelled, sent: 0) }.isCancelled)
    }

    @Test func `F1 what the server holds of a file that changed is deleted there, then forgotten`()
        async throws
    {
        let stage = try Stage()
        let path = stage.file.path
        let outcome = try await stage.run { number, _ in
            guard number == 1 else { return .success(TransportResponse(status: 204)) }
            try? SourceChangeTests.Change.grows.make(at: path)
            return .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(
            outcome.failure?.summary.hasPrefix("\(path): changed while it was sent: it has 11 bytes") == true)
        #expect(outcome.failure?.hint == "retry uploads the file as it is now")
        #expect(
            stage.log.all == [
                .request("POST"), .recorded(tusResource, durably: true), .request("DELETE"),
                .recorded(nil, durably: true),
            ])
    }

    @Test func `F1 what could not be deleted at the server is not forgotten`() async throws {
        let stage = try Stage()
        let path = stage.file.path
        let outcome = try await stage.run { number, _ in
            guard number == 1 else { return broke(.notConnected, sent: 0) }
            try? SourceChangeTests.Change.grows.make(at: path)
            return .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(
            stage.log.all == [
                .request("POST"), .recorded(tusResource, durably: true), .request("DELETE"),
            ])
    }

    @Test(arguments: [("10", true), ("3", false)])
    func `F1 a server that may have all of the file is asked before a change counts`(
        offset: String, isComplete: Bool
    ) async throws {
        let stage = try Stage()
        let source = try stage.file.open()
        try SourceChangeTests.Change.isRewritten.make(at: stage.file.path)
        let outcome = try await stage.run(
            of: source, resource: tusResource.withWholeBodySent(true)
        ) { number, _ in
            number == 1
                ? .success(TransportResponse(status: 200, fields: [.uploadOffset: offset]))
                : .success(TransportResponse(status: 204))
        }
        #expect((outcome.receipt != nil) == isComplete)
        #expect((outcome.failure?.category == .sourceChanged) == !isComplete)
        #expect(stage.log.all.contains(.request("DELETE")) == !isComplete)
        #expect(!stage.log.all.contains(.request("PATCH")))
    }

    /// What ends an upload without carrying any of the file: S3's completion, a MOVE, the end of a tus concatenation.
    @Test(arguments: [Exchange.Body.none, .bytes([1, 2])], [false, true])
    func `F1 a finishing request without the file does not go out over a change`(
        body: Exchange.Body, isDuringAdaptation: Bool
    ) async throws {
        let stage = try Stage()
        let path = stage.file.path
        let change: @Sendable () -> Void = { try? SourceChangeTests.Change.isRewritten.make(at: path) }
        let finish = Exchange(
            .post, "http://server.example/finish", body: body, isIdempotent: true, mayComplete: true)
        let ask = Exchange(.get, "http://server.example/ask", isIdempotent: true)
        let uploadProtocol = ScriptedProtocol(.send(ask), state: 0) { count, _, _ in
            count += 1
            return count == 1 ? .send(finish) : .done(Receipt())
        }
        let slow = AuthorizationInterceptor { () async throws(UploadFailure) in
            if isDuringAdaptation, stage.log.all.contains(.request("GET")) { change() }
            return "Bearer token"
        }
        let outcome = try await stage.run(uploadProtocol, adapters: [slow]) { _, _ in
            if !isDuringAdaptation { change() }
            return .success(TransportResponse(status: 200))
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(!stage.log.all.contains(.request("POST")))
    }

    @Test func `F1 a link that broke over a file that changed is about the file`() async throws {
        let stage = try Stage()
        let path = stage.file.path
        let outcome = try await stage.run(resource: tusResource) { number, _ in
            if number == 1 { return .success(TransportResponse(status: 200, fields: [.uploadOffset: "0"])) }
            try? SourceChangeTests.Change.grows.make(at: path)
            return broke(sent: 3)
        }
        #expect(outcome.failure?.category == .sourceChanged)
    }

    @Test func `a protocol that asks without end is stopped`() async throws {
        let stage = try Stage()
        let outcome = try await stage.run(EndlessProtocol()) { _, _ in
            .success(TransportResponse(status: 200))
        }
        #expect(outcome.failure?.summary == "the server keeps asking and nothing moves")
        #expect(stage.log.all.count < 200)
    }

    @Test func `a creation met by a dying connection is made again`() async throws {
        let stage = try Stage()
        let outcome = try await stage.run { number, _ in
            switch number {
            case 1: broke(.staleConnection, sent: 0)
            case 2: .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
            default: .success(TransportResponse(status: 204, fields: [.uploadOffset: "10"]))
            }
        }
        #expect(outcome.receipt != nil)
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
            ])
        defer { server.stop() }
        let log = Log()
        try await withTransport { transport in
            let source = try file.open()
            let item = UploadItem.make(url: server.url("/files/"), size: 5 << 20)
            let attempt = UploadAttempt(
                session: Session(transport: transport), file: source, identity: source.identity, label: "1",
                recorder: log)
            let tus = TusUpload(item: item, options: .init())
            let first = await attempt.run(tus, resource: nil, capabilities: nil)
            #expect(first.failure?.category == .network)
            let second = await attempt.run(
                tus, resource: Resource(url: server.url("/files/7")),
                capabilities: ServerCapabilities(extensions: ["creation"]))
            #expect(second.receipt?.location == server.url("/files/7"))
        }
        let last = try #require(server.requests.last)
        #expect(last.isComplete && last["Upload-Offset"] == "1000000")
        #expect(file.pattern.firstDifference(from: last.body, at: 1_000_000) == nil)
    }
}

/// Wants every refused request again, and looks at something meanwhile.
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

/// Sends the same request for ever.
private struct EndlessProtocol: SequentialProtocol {
    static let name = "endless"
    static let traits = ProtocolTraits(resumes: false)
    private let exchange = Exchange(.get, "http://server.example/", isIdempotent: true)

    mutating func start(resource: Resource?, capabilities: ServerCapabilities?) -> Step { .send(exchange) }
    mutating func receive(_ reply: Reply) -> Step { .send(exchange) }
    func removal(of resource: Resource) -> [Exchange] { [] }
}
