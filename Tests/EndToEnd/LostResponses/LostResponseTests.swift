import FerryTestSupport
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests uploads whose final response does not reach Ferry, although the server has the whole file.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct LostResponseTests {
    private static let needsThreads: Comment = "needs /proc to see that a program stands still"

    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    @Test func `S3 and P10 are tried with every server that can be started here`() {
        let missing = LostResponseRoute.allCases.compactMap { route in
            route.missing.map { "\(route.rawValue) (needs \($0))" }
        }
        if !missing.isEmpty { print("not tried: \(missing.joined(separator: ", "))") }
        #expect(LostResponseRoute.possible.contains(.tusReceiver))
    }

    @Test(.enabled(if: ChildProcess.showsThreads, needsThreads), arguments: LostResponseRoute.possible)
    func `S3 killed between the final response and the journal, the next run asks the server and ends`(
        route: LostResponseRoute
    ) async throws {
        let (place, folder) = (place, folder)
        try await route.with(folder) { port, isStored in
            try await Self.killAtFinalResponse(route, in: place, to: port, isStored)
        }
    }

    /// Kills Ferry between the final response and its record in the journal, and checks that the next run settles the
    /// upload.
    /// - Parameter port: The port of the route's server, or of another server with the same protocol.
    static func killAtFinalResponse(
        _ route: LostResponseRoute, in place: Workplace, to port: Int, _ isStored: LostResponseRoute.IsStored
    ) async throws {
        let once = Once<ChildProcess>()
        let proxy = try ResponseProxy(to: port) { request in
            guard route.isLast(request), let engine = once.take() else { return .deliver }
            return .around(before: { engine.standStill() }, after: { engine.signal(SIGKILL) })
        }
        defer { proxy.stop() }
        let file = try await queue(route, in: place, at: proxy.port)
        let engine = try place.start("run")
        once.arm(engine)
        #expect(try await engine.ending() == .killed(SIGKILL), "\(engine.output.text)")
        #expect(try await place.list().map(\.state) == ["queued"])
        let before = proxy.requests.count
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(route.outcome == .held ? 1 : 0), "\(result.output)")
        try await expectSettled(
            route, in: place, after: Array(proxy.requests.dropFirst(before)), file, isStored)
    }

    @Test(arguments: LostResponseRoute.possible)
    func `P10 the link loses the final response, the next attempt asks the server and ends`(
        route: LostResponseRoute
    ) async throws {
        let (place, folder) = (place, folder)
        try await route.with(folder) { port, isStored in
            try await Self.loseFinalResponse(route, in: place, to: port, isStored)
        }
    }

    /// Breaks the connection instead of the final response, and checks that the next attempt settles the upload.
    /// - Parameter port: The port of the route's server, or of another server with the same protocol.
    static func loseFinalResponse(
        _ route: LostResponseRoute, in place: Workplace, to port: Int, _ isStored: LostResponseRoute.IsStored
    ) async throws {
        let once = Once(())
        let proxy = try ResponseProxy(to: port) { request in
            route.isLast(request) && once.take() != nil ? .lose : .deliver
        }
        defer { proxy.stop() }
        let file = try await queue(route, in: place, at: proxy.port)
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(route.outcome == .held ? 1 : 0), "\(result.output)")
        let lost = try #require(proxy.requests.firstIndex(where: route.isLast))
        try await expectSettled(
            route, in: place, after: Array(proxy.requests.dropFirst(lost + 1)), file, isStored)
    }

    /// Adds a file to the queue.
    ///
    /// - Returns: The path of the file.
    private static func queue(
        _ route: LostResponseRoute, in place: Workplace, at port: Int
    ) async throws -> String {
        try place.file("whole.bin", "")
        _ = try PatternFile(at: place.path("whole.bin"), count: route.size, seed: 90)
        try place.configure(route.protocolName, at: "http://127.0.0.1:\(port)\(route.path)", more: route.more)
        let added = try await place.ferry("add", place.path("whole.bin"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        return place.path("whole.bin")
    }

    private static func expectSettled(
        _ route: LostResponseRoute, in place: Workplace, after requests: [ProxiedRequest], _ file: String,
        _ isStored: LostResponseRoute.IsStored
    ) async throws {
        let upload = try #require(try await place.list().first)
        #expect(upload.state == (route.outcome == .held ? "held" : "done"), "\(upload.error ?? "")")
        #expect(upload.possibleDuplicate == nil)
        #expect(try await isStored(upload, file), "another file is at the server")
        let asked = requests.map { "\($0.method) \($0.status)" }.joined(separator: ", ")
        let bytes = requests.reduce(0) { $0 + $1.bodyBytes }
        print("\(route.rawValue), answer lost: \(asked); \(bytes) bytes of \(route.size) again")
        let content = route.outcome == .repeated ? route.size : 0
        // The bytes include lists of parts and of properties.
        #expect((content..<content + 4096).contains(bytes))
        #expect(!requests.isEmpty, "nobody was asked")
    }
}

/// Tests POST, whose outcome Ferry cannot ask the server about. The user must check, unless the request has a key.
extension LostResponseTests {
    @Test(.enabled(if: ChildProcess.showsThreads, needsThreads), arguments: ["post", "form"])
    func `S3 a POST is held if ferry was killed before its response, and nothing is sent`(name: String)
        async throws
    {
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        let proxy = try await killAtAnswer(name, server: server)
        defer { proxy.stop() }
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(upload.error?.contains("may or may not have the file") == true)
        #expect(upload.hint?.contains("may be there twice") == true)
        #expect(upload.possibleDuplicate == nil)
        #expect(server.requests.count == 1)
    }

    @Test(.enabled(if: ChildProcess.showsThreads, needsThreads), arguments: ["post", "form"])
    func `S3 with a key the same request is made again after the kill, under the same key`(name: String)
        async throws
    {
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        let proxy = try await killAtAnswer(name, server: server, more: #", "idempotencyKey": true"#)
        defer { proxy.stop() }
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        let keys = server.requests.compactMap { $0["Idempotency-Key"] }
        #expect(keys.count == 2)
        #expect(Set(keys).count == 1)
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "done")
        #expect(upload.possibleDuplicate == nil)
    }

    @Test(arguments: ["post", "form"])
    func `P10 a POST without a response is held, and with a key made again under the same`(name: String)
        async throws
    {
        let server = try HostileServer([.closeWithoutAnswer, .closeWithoutAnswer, .answer(201)])
        defer { server.stop() }
        let file = try place.file("a.txt", "hello")
        try place.configure(name, at: server.url("/in"))
        try await place.ferry("add", file)
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        #expect(try await place.list().map(\.state) == ["held"])
        #expect(server.requests.count == 1)
        try place.configure(name, at: server.url("/in"), more: #", "idempotencyKey": true"#)
        try await place.ferry("add", "--again", file)
        // An earlier run has held the first upload.
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        #expect(try await place.list().map(\.state) == ["held", "done"])
        let keys = server.requests.map { $0["Idempotency-Key"] }
        #expect(keys.count == 3)
        #expect(keys[1] != nil && keys[1] == keys[2])
    }

    @Test func `P10 a tus file that went with its creation is held if the response is lost`() async throws {
        let place = place
        let file = try place.file("a.txt", "hello")
        try await ReceiverSite.with { site in
            let once = Once(())
            let proxy = try ResponseProxy(to: site.port) { request in
                request.method == "POST" && once.take() != nil ? .lose : .deliver
            }
            defer { proxy.stop() }
            let address = "http://127.0.0.1:\(proxy.port)/files/"
            try place.configure("tus", at: address, more: #", "createWithContent": true"#)
            try await place.ferry("add", file)
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
            #expect(try await place.list().map(\.state) == ["held"])
            #expect(try site.names() == ["a.txt"])
            try await place.ferry("add", "--again", file)
            // An earlier run has held the first upload.
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
            #expect(try await place.list().map(\.state) == ["held", "done"])
            #expect(proxy.requests.filter { $0.method == "POST" }.map(\.bodyBytes) == [5, 5])
            #expect(!proxy.requests.contains { $0.method == "PATCH" })
        }
    }

    @Test func `I10 the key of a file that was changed and queued anew is another`() async throws {
        let server = try HostileServer([.closeWithoutAnswer, .answer(500), .answer(201)])
        defer { server.stop() }
        try place.configure("post", at: server.url("/in"), more: #", "idempotencyKey": true"#)
        let file = try place.file("a.txt", "before")
        try await place.ferry("add", file)
        let engine = try place.start("run")
        try await server.wait { $0.count >= 2 }
        engine.signal(SIGKILL)
        try await engine.ending()
        // The file is written in place, so it keeps its inode.
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.write(contentsOf: Data("after!".utf8))
        try handle.close()
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        try await place.ferry("retry", "1")
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        let keys = server.requests.compactMap { $0["Idempotency-Key"] }
        #expect(keys.count == 3)
        #expect(keys[0] == keys[1])
        #expect(keys[2] != keys[1])
    }

    /// Runs Ferry until the server has the whole request and responds, and kills it before it can record that.
    /// - Returns: The proxy before the server. The caller must stop it.
    private func killAtAnswer(
        _ name: String, server: HostileServer, more: String = ""
    ) async throws -> ResponseProxy {
        let once = Once<ChildProcess>()
        let proxy = try ResponseProxy(to: Int(server.port)) { _ in
            guard let engine = once.take() else { return .deliver }
            return .around(before: { engine.standStill() }, after: { engine.signal(SIGKILL) })
        }
        try place.configure(name, at: "http://127.0.0.1:\(proxy.port)/in", more: more)
        try await place.ferry("add", try place.file("a.txt", String(repeating: "hello", count: 30_000)))
        let engine = try place.start("run")
        once.arm(engine)
        #expect(try await engine.ending() == .killed(SIGKILL))
        #expect(server.requests.map(\.isComplete) == [true])
        return proxy
    }
}

/// A value that can be taken once, by any thread.
private final class Once<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value? = nil) { self.value = Mutex(value) }

    func arm(_ value: Value) { self.value.withLock { $0 = value } }

    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
