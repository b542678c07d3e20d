import Ferry
import FerryTestSupport
import Foundation
import Synchronization
import Testing

/// Runs the examples of the documentation against servers on loopback.
struct ExampleTests {
    private func withSession<Result>(
        _ session: Session? = nil, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        var transport = HTTPClientTransport.Configuration()
        transport.proxy = .none
        let session = try session ?? Session(transport: transport)
        do {
            let result = try await body(session)
            await session.shutdown()
            return result
        } catch {
            await session.shutdown()
            throw error
        }
    }

    private static let json = [("Content-Type", "application/json")]

    @Test func `a file is uploaded with progress, and its response is a value`() async throws {
        let folder = try TemporaryDirectory()
        let film = LocalPath(try folder.write([UInt8](repeating: 7, count: 300_000), to: "film.mov"))
        let server = try HostileServer([.answer(201, headers: Self.json, body: #"{"id":7}"#)])
        defer { server.stop() }
        let receipt = try await withSession {
            try await upload(film, to: server.url(""), over: $0)
        }
        #expect(receipt.id == 7)
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.target == "/films")
        #expect(request["Content-Type"] == "video/quicktime" && request.bodyByteCount == 300_000)
    }

    @Test func `the shortest example sends a file`() async throws {
        let folder = try TemporaryDirectory()
        let film = LocalPath(try folder.write(Array("film".utf8), to: "film.mov"))
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try await withSession { try await send(film, to: server.url("/film.mov"), over: $0) }
        #expect(server.requests.first?.body == Array("film".utf8))
    }

    @Test func `a form has its fields, its list, its JSON and its file in order`() async throws {
        let folder = try TemporaryDirectory()
        let photo = LocalPath(try folder.write(Array("pixels".utf8), to: "May 1.jpg"))
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try await withSession {
            try await upload(photo, into: "May", at: server.url(""), over: $0)
        }
        let request = try #require(server.requests.first)
        var parser = try MultipartParser(contentType: request["Content-Type"] ?? "")
        var names: [String] = []
        for case .partBegan(let part) in try parser.parse(request.body) { names.append(part.name) }
        try parser.finish()
        #expect(names == ["album", "tags", "tags", "details", "photo"])
        let text = String(decoding: request.body, as: UTF8.self)
        #expect(text.contains("Content-Type: application/json") && text.contains("filename=\"May 1.jpg\""))
    }

    @Test func `a transport of one's own reads files and forms' files`() async throws {
        let folder = try TemporaryDirectory()
        let photo = LocalPath(try folder.write([UInt8](repeating: 7, count: 2_000_000), to: "May 1.jpg"))
        let transport = RecordingTransport()
        let session = Session(transport: transport)
        #expect(
            try await session.upload(.file(photo), to: "http://server.example/f", method: .put).status()
                == 201)
        try await upload(photo, into: "May", at: "http://server.example", over: session)
        let requests = transport.requests
        #expect(requests.map(\.url) == ["http://server.example/f", "http://server.example/photos"])
        #expect(requests[0].body == [UInt8](repeating: 7, count: 2_000_000))
        #expect(requests[1].body.count > 2_000_000)
        #expect(String(decoding: requests[1].body.prefix(400), as: UTF8.self).contains("name=\"album\""))
    }

    @Test func `a session fetches its token, tries again and sends the whole body`() async throws {
        let folder = try TemporaryDirectory()
        let token = #"{"access_token":"a1","token_type":"Bearer","expires_in":3600,"refresh_token":"r2"}"#
        let signIn = try HostileServer([.answer(200, headers: Self.json, body: token)])
        defer { signIn.stop() }
        let server = try HostileServer([.answer(503, headers: [("Retry-After", "0")]), .answer(201)])
        defer { server.stop() }
        let session = try makeSession(
            tokenURL: signIn.url("/token"), refreshToken: "r1", tokens: LocalPath(folder.path("token.json")))
        let status = try await withSession(session) {
            try await $0.upload(.string("film"), to: server.url(), method: .put).status()
        }
        #expect(status == 201)
        let asked = String(decoding: signIn.requests.first?.body ?? [], as: UTF8.self)
        #expect(asked.contains("refresh_token=r1"))
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer a1", "Bearer a1"])
        #expect(server.requests.map(\.bodyByteCount) == [4, 4])
    }

    @Test func `a session goes through its proxy, follows a redirect and writes events down`() async throws {
        let folder = try TemporaryDirectory()
        let events = LocalPath(folder.path("events.jsonl"))
        let proxy = try HostileServer([.redirect(307, to: "http://other.example/f"), .answer(201)])
        defer { proxy.stop() }
        let session = try makeSession(
            pins: [], proxy: "http://127.0.0.1:\(proxy.port)",
            events: events)
        let status = try await withSession(session) {
            try await $0.upload(.string("film"), to: "http://server.example/f?key=secret", method: .put)
                .status()
        }
        #expect(status == 201)
        #expect(
            proxy.requests.map(\.target) == ["http://server.example/f?key=secret", "http://other.example/f"])
        (session.configuration.monitors.first as? JSONLinesMonitor)?.flush()
        let log = try String(contentsOfFile: events.text, encoding: .utf8)
        #expect(log.contains(#""event":"redirected""#) && log.contains(#""event":"finished""#))
        #expect(!log.contains("secret"))
    }

    @Test func `a queue uploads files by tus`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write([UInt8](repeating: 1, count: 100_000), to: "in/a.bin")
        try folder.write([UInt8](repeating: 2, count: 50_000), to: "in/b.bin")
        let uploads = try await withReceiver(in: folder) { server in
            try await uploadSurely(
                [LocalPath(folder.path("in"))], to: server, state: LocalPath(folder.path("state")))
        }
        #expect(uploads.map(\.state.kind) == ["done", "done"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("stored/in")).sorted()
                == ["a.bin", "b.bin"])
    }

    @Test func `files of a watched folder are uploaded by tus`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write([UInt8](repeating: 1, count: 1000), to: "in/a.bin")
        let uploads = try await withReceiver(in: folder) { server in
            try await uploadArrivals(
                in: LocalPath(folder.path("in")),
                to: Destination(name: "films", url: server + "/files/", protocol: .tus),
                state: LocalPath(folder.path("state")))
        }
        #expect(uploads.map(\.state.kind) == ["done"])
        let stored = try FileManager.default.contentsOfDirectory(atPath: folder.path("stored"))
        #expect(stored.filter { !$0.hasPrefix(".") } == ["a.bin"])
    }

    @Test func `one attempt uploads a file by tus`() async throws {
        let folder = try TemporaryDirectory()
        let film = LocalPath(try folder.write([UInt8](repeating: 3, count: 70_000), to: "film.bin"))
        let recorder = Recorder()
        let outcome = try await withReceiver(in: folder) { server in
            try await withSession {
                try await resume(film, to: server, from: nil, over: $0, recorder: recorder)
            }
        }
        guard case .done(let receipt) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(receipt.bytes == 70_000)
        #expect(recorder.first?.url.hasPrefix("http://127.0.0.1") == true)
    }

    @Test func `a program's output is uploaded while it is written`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write([UInt8](repeating: 4, count: 10_000), to: "in/a.bin")
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try await withSession { try await backUp(folder.path("in"), to: server.url(""), over: $0) }
        let request = try #require(server.requests.first)
        #expect(request["Transfer-Encoding"] == "chunked")
        #expect(request.body.prefix(2) == [0x1F, 0x8B] && request.isComplete)
    }

    @Test func `a program that fails ends the upload`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        _ = try await withSession { session in
            await #expect(throws: RequestFailure.self) {
                try await backUp("/nowhere", to: server.url(""), over: session)
            }
        }
        #expect(server.requests.allSatisfy { !$0.isComplete })
    }

    @Test func `a token is sent with every request`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let session = try makeSession(token: { "t1" })
        try await withSession(session) { _ = try await $0.upload(.string("x"), to: server.url()).status() }
        #expect(server.requests.first?["Authorization"] == "Bearer t1")
    }

    @Test func `an authenticator of one's own renews through the session it serves`() async throws {
        let server = try HostileServer([.answer(200, body: "k1"), .answer(201)])
        defer { server.stop() }
        try await withSession { plain in
            let doorkeeper = Doorkeeper(server: server.url(""), session: plain)
            let interceptor = AuthenticationInterceptor(doorkeeper, credential: Visit(key: "old", end: .now))
            let session = try Session(
                Session.Configuration(interceptor: Interceptor(interceptors: [interceptor])))
            try await withSession(session) {
                _ = try await $0.upload(.string("x"), to: server.url("/f")).status()
            }
        }
        #expect(server.requests.map(\.target) == ["/visits", "/f"])
        #expect(server.requests.last?["Cookie"] == "visit=k1")
    }

    @Test func `a monitor of one's own receives the reason why a request failed`() async throws {
        let lines = Mutex<[String]>([])
        let server = try HostileServer([.answer(404)])
        defer { server.stop() }
        let log = FailureLog { line in lines.withLock { $0.append(line) } }
        try await withSession(try Session(Session.Configuration(monitors: [log]))) { session in
            var options = RequestOptions()
            options.label = "film"
            let upload = session.upload(.string("x"), to: server.url(), options: options)
            await #expect(throws: RequestFailure.self) { try await upload.status() }
        }
        #expect(lines.withLock { $0.count } == 1)
        #expect(lines.withLock { $0.first?.hasPrefix("film: ") } == true)
    }

    @Test func `a retrier of one's own decides by the response and its own count`() async {
        let answer = TransportResponse(status: 529)
        let failure = RequestFailure.rejected(answer, UploadFailure(.server, "asleep", status: 529))
        let request = TransportRequest(method: .put, url: "http://server.example/")
        var retries = RetryCounts()
        retries.response = 2
        let decision = await StubbornRetrier().retry(
            request, after: failure, for: RequestContext(retries: retries))
        guard case .retryAfter(let delay) = decision, delay == .seconds(4) else {
            Issue.record("\(decision)")
            return
        }
        retries.response = 3
        guard
            case .doNotRetry = await StubbornRetrier().retry(
                request, after: failure, for: RequestContext(retries: retries))
        else {
            Issue.record("a fourth retry")
            return
        }
    }

    @Test func `a destination on this machine is online`() async throws {
        let received = Gate()
        let line = Mutex("")
        let task = Task {
            await watch(ConnectivityMonitor(host: "localhost")) { text in
                line.withLock { $0 = text }
                received.open()
            }
        }
        defer { task.cancel() }
        try await received.wait()
        #expect(line.withLock { $0 } == "online by loopback")
    }

    /// Runs a receiver that stores into the folder `stored`, and passes its address, without the final slash, to
    /// `body`.
    private func withReceiver<Result: Sendable>(
        in folder: TemporaryDirectory, _ body: @escaping @Sendable (String) async throws -> Result
    ) async throws -> Result {
        let stored = folder.path("stored")
        try FileManager.default.createDirectory(atPath: stored, withIntermediateDirectories: false)
        let (addresses, started) = AsyncStream<ReceiverAddress>.makeStream()
        let server = Task {
            defer { started.finish() }
            try await receive(into: stored) { started.yield($0) }
        }
        defer { server.cancel() }
        let address = try #require(await addresses.first { _ in true })
        return try await body(String(address.url.dropLast()))
    }
}

/// A recorder that keeps the first upload resource.
private final class Recorder: AttemptRecorder {
    private let resource = Mutex<UploadResource?>(nil)

    var first: UploadResource? { resource.withLock { $0 } }

    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {
        self.resource.withLock { $0 = $0 ?? resource?.value }
    }
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}
