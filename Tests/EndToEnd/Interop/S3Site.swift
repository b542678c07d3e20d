import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// The S3 interface of OpenStack Swift, which checks signatures. All tests share one server, each with a bucket of its
/// own. The server ends with this process.
struct S3Site {
    static let credentials = S3Credentials(accessKey: "test:tester", secretKey: "testing")
    static let keys = #", "auth": { "s3": { "accessKey": "test:tester", "secretKey": "testing" } }"#
    static let isHere = InteropServer.hasPython && Privilege.has("memcached")
    static let needs: Comment =
        "needs memcached and the packages of Tests/Servers/requirements.txt; Tests/run installs them"

    private static let running = Task {
        // A file system in memory will not do: Swift stores metadata in extended attributes.
        let folder = NSTemporaryDirectory() + "ferry-swift-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        return try await InteropServer("swift_s3.py", folder: folder)
    }

    let server: InteropServer
    let bucket: String

    /// Makes the bucket, unless another case of the same test has made it.
    init(_ bucket: String) async throws { try await self.init(bucket, at: try await Self.running.value) }

    init(_ bucket: String, at server: InteropServer) async throws {
        self.server = server
        self.bucket = bucket
        // On a busy machine the services of Swift lose their connections, and it responds with 503.
        let end = ContinuousClock.now + .seconds(60)
        var status: Int
        repeat { status = try await ask(.put, "").status } while status == 503 && .now < end
        try #require([200, 409].contains(status))
    }

    var url: String { server.url("/\(bucket)/") }
    var address: String { "s3+\(url)" }

    func interceptor(
        region: String = "us-east-1", payload: S3PayloadForm = .auto,
        credentials: S3Credentials = S3Site.credentials, now: @escaping @Sendable () -> Date = { Date() }
    ) -> S3Interceptor {
        S3Interceptor(
            for: url, region: region, payload: payload,
            credentials: S3CredentialStore { () async throws(UploadFailure) in credentials }, now: now)
    }

    /// Sends a request of the test itself, and returns its status and how many requests it took.
    @discardableResult
    func ask(
        _ method: HTTPRequest.Method, _ key: String, body: [UInt8] = [],
        with interceptor: S3Interceptor? = nil
    ) async throws -> (status: Int, requests: Int) {
        let transport = CountingTransport(try HTTPClientTransport(.init(proxy: .none)))
        let sender = RequestSender(
            over: transport, interceptor: Interceptor(interceptors: [interceptor ?? self.interceptor()]))
        let exchange = Exchange(
            method, server.url("/\(bucket)\(key.isEmpty ? "" : "/")\(key)"),
            body: body.isEmpty ? .none : .bytes(body),
            traits: .idempotent)
        let reply = await Result { () async throws in try await sender.ask(exchange) }
        await transport.shutdown()
        guard case .responded(let answer) = try reply.get() else { return (0, transport.count) }
        return (answer.status, transport.count)
    }

    /// Returns true if the object has exactly the bytes of the file. curl fetches it by a presigned URL.
    func holds(_ name: String, sameAs file: String) async throws -> Bool {
        var signer = SigV4Signer()
        let request = SigV4Request(
            method: "GET", path: "/\(bucket)/\(name.replacing("%", with: "%25"))", query: nil,
            fields: [("host", "127.0.0.1:\(server.port)")], payload: "UNSIGNED-PAYLOAD")
        let (query, _) = signer.presign(
            request, with: Self.credentials, in: SigV4Scope(Date(), region: "us-east-1"), expiry: 300)
        let directory = try TemporaryDirectory()
        let copy = directory.path("copy")
        let fetched = await ChildProcess.succeeds(
            "curl", "-sf", "-o", copy, server.url("\(request.sentPath)?\(query)"))
        if !fetched { return false }
        // curl makes no file for an empty object.
        if !FileManager.default.fileExists(atPath: copy) {
            return FileManager.default.contents(atPath: file)?.isEmpty ?? false
        }
        return await ChildProcess.succeeds("cmp", copy, file)
    }
}

private final class CountingTransport: Transport {
    private let transport: HTTPClientTransport
    private let number = Mutex(0)

    init(_ transport: HTTPClientTransport) { self.transport = transport }

    var count: Int { number.withLock { $0 } }

    func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        number.withLock { $0 += 1 }
        return try await transport.perform(request, delegate: delegate)
    }

    func shutdown() async { await transport.shutdown() }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
