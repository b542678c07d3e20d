import FerryProtocols
import FerryTestSupport
import Foundation
import Synchronization
import Testing

@testable import FerryTransfer
@testable import FerryUploads

/// Networks that want a sign-in and respond instead of a known server.
struct RunnerSignInTests {
    /// A network's response to every request.
    struct Portal: Sendable, CustomTestStringConvertible {
        var status: Int
        var location: String?
        var type: String?
        var body = ""

        var testDescription: String { "\(status) \(location ?? type ?? "")" }

        func answer(_ connection: HostileConnection, isHead: Bool) throws {
            var headers: [(String, String)] = []
            if let location { headers.append(("Location", location)) }
            if let type { headers.append(("Content-Type", type)) }
            try connection.answer(status, headers: headers, body: isHead ? "" : body, keepAlive: false)
        }
    }

    private static let html = "<!DOCTYPE html><html><title>Welcome to the hotel</title></html>"
    static let portals: [Portal] = {
        var portals: [Portal] = []
        for status in [301, 302, 303, 307, 308] {
            portals.append(Portal(status: status, location: "http://login.hotel.example/?next=1"))
            portals.append(Portal(status: status, location: "/login"))
        }
        for status in [200, 401, 402, 403, 404, 406, 407, 451, 511] {
            portals.append(Portal(status: status, type: "text/html", body: html))
        }
        portals.append(Portal(status: 401))
        return portals
    }()

    private let directory: TemporaryDirectory
    private let store = CapabilityMemory()

    init() throws { directory = try TemporaryDirectory() }

    private func upload(to destination: Destination, resource: UploadResource?) throws -> Upload {
        let path = LocalPath(try directory.write(Array("hello".utf8), to: "f"))
        return Upload(
            id: 1, rank: 1, path: path, identity: try SourceFile(path).identity,
            target: destination.target(name: "f"), resource: resource, added: Date(timeIntervalSince1970: 0))
    }

    /// - Parameter software: The software name that the server is known by, empty if it names none; nil if it was never
    ///   reached.
    private func outcome(
        at server: HostileServer, _ protocolName: String, software: String? = "box/1.0",
        resource path: String? = nil, now: @escaping @Sendable () -> Date = { Date() }, runs: Int = 1,
        uncertain: Int = 0
    ) async throws -> UploadAttempt.Outcome {
        let destination = Destination(
            name: "d", url: server.url("/in/"), protocolName: protocolName, proxy: .none)
        let runner = DestinationRunner(
            destinations: [destination], capabilities: store, proxy: .none, rateLimit: RateLimit(), now: now)
        let resource = path.map { UploadResource(url: server.url($0)) }
        var upload = try upload(to: destination, resource: resource)
        upload.tries.uncertain = uncertain
        if let software {
            let name = KnownSecrets().redact(software: software.isEmpty ? nil : software)
            store.recognize(name, at: CapabilityKey(ofServer: upload.target), now: now())
        }
        var outcome = UploadAttempt.Outcome.cancelled
        for _ in 0..<runs { outcome = await runner.run(upload, recorder: SilentRecorder()).value }
        await runner.shutdown()
        return outcome
    }

    private func portal(_ portal: Portal) throws -> HostileServer {
        try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readHead()
                try portal.answer(connection, isHead: head.method == "HEAD")
                connection.closeSending()
                _ = try? connection.readBody()
                connection.drain()
                connection.close()
                return
            }
        }
    }

    private func failure(_ outcome: UploadAttempt.Outcome) -> UploadFailure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }

    @Test(arguments: ["put", "form", "post", "s3", "webdav", "tus", "resumable"], portals)
    func `N11 whatever a network sends instead of a known server is a sign-in page`(
        protocolName: String, answer: Portal
    ) async throws {
        let server = try portal(answer)
        defer { server.stop() }
        let outcome = try await outcome(at: server, protocolName)
        #expect(failure(outcome)?.category == .signInPage, "\(outcome)")
        #expect(failure(outcome)?.isTransient == true)
    }

    @Test(arguments: ["tus", "resumable"], portals)
    func `N11 a captive portal does not end an upload that asks the server for its offset`(
        protocolName: String, answer: Portal
    ) async throws {
        let server = try portal(answer)
        defer { server.stop() }
        let outcome = try await outcome(at: server, protocolName, resource: "/in/7")
        #expect(failure(outcome)?.category == .signInPage, "\(outcome)")
    }

    @Test(arguments: [403, 404, 401])
    func `N11 a refusal that names the server's own software is the server's`(status: Int) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(
                    status, headers: [("Server", "box/1.0"), ("Content-Type", "text/html")], body: Self.html)
            }
        }
        defer { server.stop() }
        let outcome = try await outcome(at: server, "put")
        #expect(failure(outcome)?.status == status)
        #expect(server.requests.map(\.method) == ["PUT"])
    }

    @Test func `N11 a refusal is the server's where its first page shows that the server itself responds`()
        async throws
    {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                if head.method == "HEAD" {
                    try connection.answer(200, headers: [("Server", "box/1.0")])
                } else {
                    try connection.answer(403, headers: [("Content-Type", "text/html")], body: Self.html)
                }
            }
        }
        defer { server.stop() }
        #expect(failure(try await outcome(at: server, "put"))?.status == 403)
        #expect(server.requests.map(\.target) == ["/in/f", "/"])
    }

    @Test(
        arguments: ["put", "form", "post", "s3", "webdav", "tus", "resumable"],
        [401, 402, 403, 404, 405, 406, 407, 451])
    func `N11 a page that refuses every request to a server that was never reached holds the upload`(
        protocolName: String, status: Int
    ) async throws {
        let server = try portal(Portal(status: status, type: "text/html", body: Self.html))
        defer { server.stop() }
        let outcome = try await outcome(at: server, protocolName, software: nil)
        #expect(failure(outcome)?.category == .authentication, "\(outcome)")
        #expect(failure(outcome)?.status == status)
    }

    @Test(
        arguments: ["put", "form", "tus"],
        [(403, 404, 404), (403, 403, 200), (404, 404, 200), (405, 404, 404)])
    func `N11 a refusal is the server's if its addresses have different responses`(
        protocolName: String, statuses: (refused: Int, unknown: Int, first: Int)
    ) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                let status =
                    switch (head.method, head.target) {
                    case ("GET", "/"): statuses.first
                    case ("GET", _): statuses.unknown
                    default: statuses.refused
                    }
                try connection.answer(status, headers: [("Content-Type", "text/html")], body: Self.html)
            }
        }
        defer { server.stop() }
        let outcome = try await outcome(at: server, protocolName, software: nil)
        #expect(failure(outcome)?.category == .permanent, "\(outcome)")
    }

    @Test func `N11 a refusal is the server's if it has no file of an unknown name either`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                try connection.answer(
                    head.target == "/" ? 200 : 404, headers: [("Content-Type", "text/html")],
                    body: head.method == "HEAD" ? "" : Self.html, keepAlive: head.method != "HEAD")
                if head.method == "HEAD" { return }
            }
        }
        defer { server.stop() }
        let outcome = try await outcome(at: server, "put", software: "")
        #expect(failure(outcome)?.status == 404, "\(outcome)")
        #expect(failure(outcome)?.category == .permanent, "\(outcome)")
    }

    @Test func `N11 a portal that knows only GET holds the upload`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let isGet = try connection.readRequest().method == "GET"
                try connection.answer(
                    isGet ? 200 : 405, headers: [("Content-Type", "text/html")], body: Self.html)
            }
        }
        defer { server.stop() }
        let outcome = try await outcome(at: server, "put", software: nil)
        #expect(failure(outcome)?.category == .authentication, "\(outcome)")
    }

    @Test func `N11 a refusal without a page is the server's`() async throws {
        let server = try portal(Portal(status: 403, type: "application/json", body: "{}"))
        defer { server.stop() }
        let outcome = try await outcome(at: server, "put", software: nil)
        #expect(failure(outcome)?.category == .permanent)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["put", "form", "post", "s3", "webdav", "tus", "resumable"], [301, 302, 303, 307, 308])
    func `N11 a redirect of every request to one page of another host is a captive portal's`(
        protocolName: String, status: Int
    ) async throws {
        let server = try portal(Portal(status: status, location: "http://login.hotel.example/?next=/in/f"))
        defer { server.stop() }
        let outcome = try await outcome(at: server, protocolName, software: nil)
        #expect(failure(outcome)?.category == .signInPage, "\(outcome)")
        #expect(failure(outcome)?.summary.contains("login.hotel.example") == true)
    }

    @Test(arguments: ["put", "form", "tus"], [301, 302, 307])
    func `N11 a redirect to the same path of another host is a move of the server`(
        protocolName: String, status: Int
    ) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                try connection.answer(status, headers: [("Location", "http://new.example\(head.target)")])
            }
        }
        defer { server.stop() }
        let outcome = try await outcome(at: server, protocolName, software: nil)
        #expect(failure(outcome).map { $0.category == .signInPage } == false, "\(outcome)")
        #expect(!server.requests.contains { $0.target.hasSuffix("ferry-asks-who-responds") })
    }

    @Test func `N11 redirects to two pages of another host are the server's`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                let page = head.method == "POST" ? "thanks" : "missing"
                try connection.answer(303, headers: [("Location", "http://www.example/\(page)")])
            }
        }
        defer { server.stop() }
        let outcome = try await outcome(at: server, "form", software: nil)
        #expect(failure(outcome).map { $0.category == .signInPage } == false, "\(outcome)")
    }

    @Test(arguments: ["form", "post"], [nil, ""])
    func `N11 a page that responds to every request completes no form at a server that names no software`(
        protocolName: String, software: String?
    ) async throws {
        let server = try portal(Portal(status: 200, type: "text/html", body: Self.html))
        defer { server.stop() }
        let first = try await outcome(at: server, protocolName, software: software)
        #expect(failure(first)?.category == .outcomeUnknown, "\(first)")
        guard case .done = try await outcome(at: server, protocolName, software: software, uncertain: 1)
        else {
            Issue.record("a retry by the user is not done")
            return
        }
    }

    @Test(arguments: [400, 403, 405, 501, 503])
    func `N11 a refusal of the second request does not prove that the server responds`(status: Int)
        async throws
    {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                let headers = [("Server", "portal/1"), ("Content-Type", "text/html")]
                try connection.answer(head.method == "POST" ? 200 : status, headers: headers, body: Self.html)
            }
        }
        defer { server.stop() }
        let outcome = try await outcome(at: server, "form", software: nil)
        #expect(failure(outcome)?.category == .outcomeUnknown, "\(outcome)")
        let target = Destination(name: "d", url: server.url("/in/"), protocolName: "form").target(name: "f")
        #expect(store.capabilities(of: CapabilityKey(ofServer: target)) == nil)
    }

    @Test(arguments: ["form", "post"])
    func `N11 a form ends with a page where the server has no file of an unknown name`(
        protocolName: String
    ) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                let headers = [("Server", "app/1.0"), ("Content-Type", "text/html")]
                if head.method == "GET" {
                    try connection.answer(404, headers: headers, body: Self.html)
                } else {
                    try connection.answer(200, headers: headers, body: Self.html)
                }
            }
        }
        defer { server.stop() }
        for _ in 0..<2 {
            guard case .done = try await outcome(at: server, protocolName, software: nil) else {
                Issue.record("it is not done")
                return
            }
        }
        // The second upload needs no look: the first one has learned the name of the server's software.
        #expect(server.requests.map(\.method) == ["POST", "GET", "POST"])
    }

    @Test(arguments: ["put", "resumable"], [nil, ""])
    func `N11 a page completes no upload at a server that was never reached or names no software`(
        protocolName: String, software: String?
    ) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                if head.method == "POST" {
                    try connection.answer(201, headers: [("Location", "/in/7"), ("Upload-Complete", "?0")])
                } else {
                    try connection.answer(
                        200, headers: [("Content-Type", "text/html")],
                        body: head.method == "HEAD" ? "" : Self.html)
                }
            }
        }
        defer { server.stop() }
        let outcome = try await outcome(at: server, protocolName, software: software)
        #expect(
            failure(outcome)?.category == (protocolName == "put" ? .outcomeUnknown : .signInPage),
            "\(outcome)")
    }

    @Test(arguments: [(404, nil), (401, nil), (200, "application/octet-stream"), (200, nil)])
    func `N11 a server that responds to a PUT with a page and then has the file is taken at its word`(
        status: Int, type: String?
    ) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                if head.method == "HEAD" {
                    try connection.write(
                        "HTTP/1.1 \(status) Status\r\nContent-Length: 5\r\n"
                            + "Content-Type: \(type ?? "text/html")\r\n\r\n")
                } else {
                    try connection.answer(200, headers: [("Content-Type", "text/html")], body: Self.html)
                }
            }
        }
        defer { server.stop() }
        guard case .done = try await outcome(at: server, "put", software: nil) else {
            Issue.record("it is not done")
            return
        }
        #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
    }

    @Test func `N11 a PUT that a user retried after a page may end with one`() async throws {
        let server = try portal(Portal(status: 200, type: "text/html", body: Self.html))
        defer { server.stop() }
        let outcome = try await outcome(at: server, "put", software: nil, uncertain: 1)
        guard case .done = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `N11 a page that replaces the server for more than a day is the server's`()
        async throws
    {
        let server = try portal(Portal(status: 403, type: "text/html", body: Self.html))
        defer { server.stop() }
        let seconds = Mutex(0.0)
        let now: @Sendable () -> Date = {
            seconds.withLock { $0 += 290 }
            return Date(timeIntervalSince1970: seconds.withLock { $0 })
        }
        #expect(failure(try await outcome(at: server, "put", now: now, runs: 100))?.category == .signInPage)
        #expect(failure(try await outcome(at: server, "put", now: now, runs: 160))?.status == 403)
    }

    @Test func `N11 eight software names stay known while no ninth comes`() throws {
        let key = CapabilityKey(destination: "d", url: "http://h/", protocolName: "server")
        for name in (1...8).map({ "box/\($0)" }) + ["box/3"] {
            store.recognize(KnownSecrets().redact(software: name), at: key, now: Date())
        }
        #expect(store.capabilities(of: key)?.facts.count == 8)
        store.recognize(KnownSecrets().redact(software: "box/9"), at: key, now: Date())
        #expect(store.capabilities(of: key)?.facts.count == 1)
    }

    @Test func `N11 the server's software name is known after its first success`() async throws {
        let server = try HostileServer([.answer(201, headers: [("Server", "box/2.0")])])
        defer { server.stop() }
        guard case .done = try await outcome(at: server, "put", software: nil) else {
            Issue.record("it is not done")
            return
        }
        let target = Destination(name: "d", url: server.url("/in/"), protocolName: "put").target(name: "f")
        let known = store.capabilities(of: CapabilityKey(ofServer: target))
        #expect(known.map { Array($0.facts.keys) } == ["box/2.0"])
    }
}

private struct SilentRecorder: AttemptRecorder {
    func record(_ resource: UploadResource?, durably: Bool) async throws(UploadFailure) {}
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}
