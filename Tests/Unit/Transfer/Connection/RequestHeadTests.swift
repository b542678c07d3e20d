import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests request heads of any length with a streamed body. AsyncHTTPClient 1.37.0 ends the process if such a head has
/// more than 64 KiB.
struct RequestHeadTests {
    private func outcome(
        _ fields: HTTPFields, path: String = "/f", proxied: Bool = false
    ) async throws -> (result: Result<TransportResponse, TransportError>, requests: [RecordedRequest]) {
        let file = try TestFile(count: 100_000)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let proxy =
            proxied ? ProxySettings.server(try ProxyAddress(server.url("")), except: NoProxyList("")) : .none
        let result = try await withTransport(proxy: proxy) { transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .put, url: proxied ? "http://server.example\(path)" : server.url(path),
                    fields: fields,
                    body: try file.body()))
        }
        return (result, server.requests)
    }

    private func refuses(
        _ outcome: (result: Result<TransportResponse, TransportError>, requests: [RecordedRequest])
    )
        throws -> String
    {
        let failure = try #require(outcome.result.error?.failure)
        #expect(failure.category == .permanent)
        #expect(outcome.requests.isEmpty)
        return failure.summary
    }

    @Test func `a head of almost 32 KiB goes out`() async throws {
        let (result, requests) = try await outcome([.authorization: String(repeating: "x", count: 32_000)])
        #expect(result.status == 201)
        #expect(requests.first?["Authorization"]?.count == 32_000)
    }

    @Test(arguments: [33_000, 65_536, 70_000, 500_000])
    func `a longer field is not sent, and the failure names it and the server`(length: Int) async throws {
        let summary = try refuses(await outcome([.authorization: String(repeating: "x", count: length)]))
        #expect(summary.contains("127.0.0.1") && summary.contains("Authorization"))
        #expect(summary.count < 300)
    }

    @Test(arguments: [33_000, 70_000, 500_000])
    func `a longer address is not sent, and the failure does not repeat it`(length: Int) async throws {
        let summary = try refuses(await outcome([:], path: "/" + String(repeating: "x", count: length)))
        #expect(summary.contains("127.0.0.1") && summary.contains("the address"))
        #expect(summary.count < 300)
    }

    @Test func `an address is measured as it is written out`() async throws {
        _ = try refuses(await outcome([:], path: "/" + String(repeating: "é", count: 12_000)))
    }

    @Test func `many fields count together`() async throws {
        var fields = HTTPFields()
        for number in 0..<100 {
            fields.append(HTTPField(name: .named("x-\(number)"), value: String(repeating: "x", count: 400)))
        }
        _ = try refuses(await outcome(fields))
    }

    @Test func `a proxy gets no longer head than a server`() async throws {
        _ = try refuses(await outcome([:], path: "/" + String(repeating: "x", count: 70_000), proxied: true))
    }

    @Test func `an upload with a queued address that is too long ends, and nothing is sent`() async throws {
        let file = try TestFile(count: 1000)
        let server = try HostileServer([])
        defer { server.stop() }
        let source = try file.open()
        let place = server.url("/files/" + String(repeating: "x", count: 70_000))
        let outcome = try await withTransport { transport in
            let attempt = UploadAttempt(
                sender: RequestSender(over: transport), file: source, identity: source.identity, label: "1",
                recorder: AttemptSequence())
            return await attempt.run(
                TusUpload(item: .make(url: server.url("/files/"), size: 1000), options: .init()),
                resource: UploadResource(url: place),
                capabilities: ServerCapabilities(extensions: ["creation"])
            ).value
        }
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.category == .permanent)
        #expect(server.requests.isEmpty)
    }
}

/// Tests redirects to URLs of any length.
struct LongRedirectTests {
    // A header field may have 64 KiB (`ResponseLimitTests`), so a server can redirect to a URL of that length.
    @Test(arguments: [(8192, 201), (8193, 307), (60_000, 307)])
    func `a redirect to an address of more than 8 KiB is not followed`(length: Int, status: Int) async throws
    {
        let file = try TestFile(count: 100_000)
        let server = try HostileServer { connection in
            guard try connection.waitForRequest() else { return }
            let request = try connection.readRequest()
            let start = "http://\(request["Host"] ?? "")/"
            let place = start + String(repeating: "x", count: length - start.utf8.count)
            try connection.answer(307, headers: [("Location", place)])
            guard try connection.waitForRequest() else { return }
            try connection.readRequest()
            try connection.answer(201)
        }
        defer { server.stop() }
        let answered = try await withTransport { transport in
            try await RequestSender(over: transport).perform(
                TransportRequest(method: .put, url: server.url("/f"), body: try file.body())
            ).status
        }
        #expect(answered == status)
    }
}
