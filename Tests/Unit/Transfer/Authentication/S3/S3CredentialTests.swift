import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Returns credentials one after another, and counts the calls.
private final class CredentialScript: Sendable {
    private let rest: Mutex<[Result<S3Credentials, UploadFailure>]>
    private let count = Mutex(0)

    init(_ results: [Result<S3Credentials, UploadFailure>]) { rest = Mutex(results) }

    var loads: Int { count.withLock { $0 } }

    /// Returns the next result, and the last one repeatedly.
    func next() throws(UploadFailure) -> S3Credentials {
        count.withLock { $0 += 1 }
        let result = rest.withLock { rest in rest.count > 1 ? rest.removeFirst() : rest.first }
        guard let result else { throw UploadFailure(.authentication, "no credentials") }
        return try result.get()
    }
}

private final class Time: Sendable {
    private let value = Mutex(exampleDay)
    var now: Date { value.withLock { $0 } }
    func advance(by seconds: TimeInterval) { value.withLock { $0 += seconds } }
}

struct S3CredentialTests {
    private let time = Time()

    private func store(_ script: CredentialScript) -> S3CredentialStore {
        S3CredentialStore(
            now: { [time] in time.now }, load: { () async throws(UploadFailure) in try script.next() })
    }

    private static let failure = UploadFailure(.authentication, "the program is gone")

    @Test func `A2 credentials are loaded once and again shortly before they are over`() async throws {
        let script = CredentialScript([
            .success(.temporary("A", until: exampleDay + 3600)),
            .success(.temporary("B", until: exampleDay + 7200)),
        ])
        let store = store(script)
        #expect(try await store.current().sessionToken == "A")
        time.advance(by: 3299)
        #expect(try await store.current().sessionToken == "A")
        time.advance(by: 2)
        #expect(try await store.current().sessionToken == "B")
        #expect(script.loads == 2)
    }

    @Test(arguments: [-172_800.0, -315_619_200.0])
    func `S17 a clock that was put back does not make credentials last longer`(jump: Double) async throws {
        let script = CredentialScript([
            .success(.temporary("A", until: exampleDay + 3600)),
            .success(.temporary("B", until: exampleDay + 7200)),
        ])
        let clock = ManualClock()
        let start = ContinuousClock.now
        let store = S3CredentialStore(
            now: { [time] in time.now }, elapsed: { start.advanced(by: clock.now.offset) },
            load: { () async throws(UploadFailure) in try script.next() })
        #expect(try await store.current().sessionToken == "A")
        time.advance(by: jump)
        clock.advance(by: .seconds(3299))
        #expect(try await store.current().sessionToken == "A")
        clock.advance(by: .seconds(2))
        #expect(try await store.current().sessionToken == "B")
    }

    @Test func `credentials that last a little longer are used while new ones cannot be had`() async throws {
        let script = CredentialScript([
            .success(.temporary("A", until: exampleDay + 3600)), .failure(Self.failure),
        ])
        let store = store(script)
        #expect(try await store.current().sessionToken == "A")
        time.advance(by: 3400)
        #expect(try await store.current().sessionToken == "A")
        time.advance(by: 300)
        await #expect(throws: Self.failure) { try await store.current() }
    }

    @Test func `a request that waits for another's load falls back to credentials that still last`()
        async throws
    {
        let script = CredentialScript([
            .success(.temporary("A", until: exampleDay + 3600)), .failure(Self.failure),
        ])
        let (begun, goesOn) = (Gate(), Gate())
        let store = S3CredentialStore(
            now: { [time] in time.now },
            load: { () async throws(UploadFailure) in
                if script.loads > 0 {
                    begun.open()
                    try? await goesOn.wait()
                }
                return try script.next()
            })
        #expect(try await store.current().sessionToken == "A")
        time.advance(by: 3400)
        async let first = store.current()
        try await begun.wait()
        async let second = store.current()
        // The second request may wait already or not. The load fails in both cases.
        goesOn.open()
        #expect(try await [first, second].map(\.sessionToken) == ["A", "A"])
    }

    @Test func `credentials of one minute are not loaded for each request`() async throws {
        let script = CredentialScript([.success(.temporary("A", until: exampleDay + 70))])
        let store = store(script)
        for _ in 0..<5 { _ = try await store.current() }
        #expect(script.loads == 1)
    }

    @Test(arguments: [(403, "ExpiredToken"), (400, "InvalidToken"), (400, "TokenRefreshRequired")])
    func `a token that is over is replaced, and the request made again`(status: Int, code: String)
        async throws
    {
        let script = CredentialScript([.success(.temporary("A")), .success(.temporary("B"))])
        let stage = S3Stage([.s3(status, code), .fine], store: store(script))
        #expect(try await stage.get() == 200)
        #expect(stage.log.all.map { $0.field("x-amz-security-token") } == ["A", "B"])
        #expect(script.loads == 2)
    }

    @Test func `A1 many requests that are refused at once load new credentials once`() async throws {
        let script = CredentialScript([.success(.temporary("A")), .success(.temporary("B"))])
        let store = store(script)
        let log = S3Stage.Log()
        let refused = Gate()
        let transport = ScriptedTransport { request in
            guard request.field("x-amz-security-token") == "A" else { return .success(.fine) }
            if log.append(request) == 19 { refused.open() }
            try? await refused.wait()
            return .success(.s3(403, "ExpiredToken"))
        }
        let interceptor = S3Interceptor(
            for: "https://bucket.example/", credentials: store, now: { exampleDay })
        let sender = RequestSender(
            over: transport, interceptor: Interceptor(interceptors: [interceptor]))
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let exchange = Exchange(.get, "https://bucket.example/\(number)")
                    guard case .responded(let answer) = try? await sender.ask(exchange) else { return 0 }
                    return answer.status
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(script.loads == 2)
    }

    @Test func `a token that is over and has no successor is reported with its source`() async throws {
        let script = CredentialScript([.success(.temporary("A"))])
        let stage = S3Stage([.s3(403, "ExpiredToken")], store: store(script))
        let failure = await #expect(throws: UploadFailure.self) { try await stage.get() }
        #expect(
            failure?.summary == "the session token from the script has expired or is not valid")
        #expect(stage.log.all.count == 1)
    }

    @Test func `a secret that was corrected meanwhile is found`() async throws {
        var wrong = S3Credentials.example
        wrong.secretKey = "wrong"
        let script = CredentialScript([.success(wrong), .success(.example)])
        let stage = S3Stage([.s3(403, "SignatureDoesNotMatch"), .fine], store: store(script))
        #expect(try await stage.get() == 200)
        let signatures = stage.log.all.map { $0.field("authorization") }
        #expect(signatures.count == 2 && signatures[0] != signatures[1])
    }

    @Test func `a failure to load credentials keeps its own text`() async throws {
        let stage = S3Stage([.fine], store: store(CredentialScript([.failure(Self.failure)])))
        await #expect(throws: Self.failure) { try await stage.get() }
    }
}
