import FerryProtocols
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer
@testable import FerryUploads

/// Tests responses that come from a server that was never reached before, or from a captive portal.
struct RunnerFirstContactTests {
    private let stage: SignInStage

    init() throws { stage = try SignInStage() }

    @Test(
        arguments: ["put", "form", "post", "s3", "webdav", "tus", "resumable"],
        [401, 402, 403, 404, 405, 406, 407, 451])
    func `N11 a page that refuses every request to a server that was never reached holds the upload`(
        protocolName: String, status: Int
    ) async throws {
        let server = try stage.portal(
            SignInStage.Portal(status: status, type: "text/html", body: SignInStage.html))
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, protocolName, software: nil)
        #expect(stage.failure(outcome)?.category == .authentication, "\(outcome)")
        #expect(stage.failure(outcome)?.status == status)
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
                try connection.answer(
                    status, headers: [("Content-Type", "text/html")], body: SignInStage.html)
            }
        }
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, protocolName, software: nil)
        #expect(stage.failure(outcome)?.category == .permanent, "\(outcome)")
    }

    @Test func `N11 a portal that knows only GET holds the upload`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let isGet = try connection.readRequest().method == "GET"
                try connection.answer(
                    isGet ? 200 : 405, headers: [("Content-Type", "text/html")], body: SignInStage.html)
            }
        }
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, "put", software: nil)
        #expect(stage.failure(outcome)?.category == .authentication, "\(outcome)")
    }

    @Test func `N11 a refusal without a page is the server's`() async throws {
        let server = try stage.portal(SignInStage.Portal(status: 403, type: "application/json", body: "{}"))
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, "put", software: nil)
        #expect(stage.failure(outcome)?.category == .permanent)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["put", "form", "post", "s3", "webdav", "tus", "resumable"], [301, 302, 303, 307, 308])
    func `N11 a redirect of every request to one page of another host is a captive portal's`(
        protocolName: String, status: Int
    ) async throws {
        let server = try stage.portal(
            SignInStage.Portal(status: status, location: "http://login.hotel.example/?next=/in/f"))
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, protocolName, software: nil)
        #expect(stage.failure(outcome)?.category == .signInPage, "\(outcome)")
        #expect(stage.failure(outcome)?.summary.contains("login.hotel.example") == true)
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
        let outcome = try await stage.outcome(at: server, protocolName, software: nil)
        #expect(stage.failure(outcome).map { $0.category == .signInPage } == false, "\(outcome)")
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
        let outcome = try await stage.outcome(at: server, "form", software: nil)
        #expect(stage.failure(outcome).map { $0.category == .signInPage } == false, "\(outcome)")
    }

    @Test(arguments: [400, 403, 405, 501, 503])
    func `N11 a refusal of the second request does not prove that the server responds`(status: Int)
        async throws
    {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                let headers = [("Server", "portal/1"), ("Content-Type", "text/html")]
                try connection.answer(
                    head.method == "POST" ? 200 : status, headers: headers, body: SignInStage.html)
            }
        }
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, "form", software: nil)
        #expect(stage.failure(outcome)?.category == .outcomeUnknown, "\(outcome)")
        let target = Destination(name: "d", url: server.url("/in/"), protocolName: "form").target(name: "f")
        #expect(stage.store.capabilities(of: CapabilityKey(ofServer: target)) == nil)
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
                    try connection.answer(404, headers: headers, body: SignInStage.html)
                } else {
                    try connection.answer(200, headers: headers, body: SignInStage.html)
                }
            }
        }
        defer { server.stop() }
        for _ in 0..<2 {
            guard case .done = try await stage.outcome(at: server, protocolName, software: nil) else {
                Issue.record("it is not done")
                return
            }
        }
        // The second upload does not look for the file, because the first one has recorded the name of the server's
        // software.
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
                        body: head.method == "HEAD" ? "" : SignInStage.html)
                }
            }
        }
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, protocolName, software: software)
        #expect(
            stage.failure(outcome)?.category == (protocolName == "put" ? .outcomeUnknown : .signInPage),
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
                    try connection.answer(
                        200, headers: [("Content-Type", "text/html")], body: SignInStage.html)
                }
            }
        }
        defer { server.stop() }
        guard case .done = try await stage.outcome(at: server, "put", software: nil) else {
            Issue.record("it is not done")
            return
        }
        #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
    }

    @Test func `N11 a PUT that a user retried after a page may end with one`() async throws {
        let server = try stage.portal(
            SignInStage.Portal(status: 200, type: "text/html", body: SignInStage.html))
        defer { server.stop() }
        let outcome = try await stage.outcome(
            at: server, "put", software: nil, uncertain: 1, acceptsPage: true)
        guard case .done = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `N11 the server's software name is known after its first success`() async throws {
        let server = try HostileServer([.answer(201, headers: [("Server", "box/2.0")])])
        defer { server.stop() }
        guard case .done = try await stage.outcome(at: server, "put", software: nil) else {
            Issue.record("it is not done")
            return
        }
        let target = Destination(name: "d", url: server.url("/in/"), protocolName: "put").target(name: "f")
        let known = stage.store.capabilities(of: CapabilityKey(ofServer: target))
        #expect(known.map { Array($0.facts.keys) } == ["box/2.0"])
    }
}
