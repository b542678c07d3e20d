import FerryProtocols
import FerryTestSupport
import Foundation
import Synchronization
import Testing

@testable import FerryTransfer
@testable import FerryUploads

/// Tests captive portals that respond instead of a known server.
struct RunnerSignInTests {
    static let portals: [SignInStage.Portal] = {
        var portals: [SignInStage.Portal] = []
        for status in [301, 302, 303, 307, 308] {
            portals.append(SignInStage.Portal(status: status, location: "http://login.hotel.example/?next=1"))
            portals.append(SignInStage.Portal(status: status, location: "/login"))
        }
        for status in [200, 401, 402, 403, 404, 406, 407, 451, 511] {
            portals.append(SignInStage.Portal(status: status, type: "text/html", body: SignInStage.html))
        }
        for status in [403, 404] {
            portals.append(SignInStage.Portal(status: status, type: "text/plain", body: "Sign in first."))
        }
        portals.append(SignInStage.Portal(status: 401))
        return portals
    }()

    private let stage: SignInStage

    init() throws { stage = try SignInStage() }

    @Test(arguments: ["put", "form", "post", "s3", "webdav", "tus", "resumable"], portals)
    func `N11 whatever a network sends instead of a known server is a sign-in page`(
        protocolName: String, answer: SignInStage.Portal
    ) async throws {
        let server = try stage.portal(answer)
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, protocolName)
        #expect(stage.failure(outcome)?.category == .signInPage, "\(outcome)")
        #expect(stage.failure(outcome)?.isTransient == true)
    }

    @Test(arguments: ["put", "form", "post", "s3", "webdav", "tus", "resumable"], portals)
    func `N11 whatever a network sends instead of a known server without a software name fails no upload`(
        protocolName: String, answer: SignInStage.Portal
    ) async throws {
        let server = try stage.portal(answer)
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, protocolName, software: "")
        let expected: UploadFailure.Category =
            switch (answer.status, answer.type) {
            case (200, _) where ["put", "form", "post"].contains(protocolName): .outcomeUnknown
            // The server itself possibly wants other credentials, so a user must look.
            case (401, nil), (_, "text/plain"): .authentication
            default: .signInPage
            }
        #expect(stage.failure(outcome)?.category == expected, "\(outcome)")
    }

    @Test(
        arguments: [("tus", "box/1.0"), ("tus", ""), ("resumable", "box/1.0"), ("resumable", "")], portals)
    func `N11 a captive portal does not end an upload that asks the server for its offset`(
        upload: (protocolName: String, software: String), answer: SignInStage.Portal
    ) async throws {
        let server = try stage.portal(answer)
        defer { server.stop() }
        let outcome = try await stage.outcome(
            at: server, upload.protocolName, software: upload.software, resource: "/in/7")
        let isSignIn = upload.software.isEmpty && answer.status == 401 && answer.type == nil
        #expect(
            stage.failure(outcome)?.category == (isSignIn ? .authentication : .signInPage), "\(outcome)")
    }

    @Test func `N11 an upload that a server without a software name has lost starts again`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                let tus = [("Tus-Resumable", "1.0.0")]
                switch (head.method, head.target) {
                case ("OPTIONS", "/in/"):
                    try connection.answer(
                        204, headers: tus + [("Tus-Version", "1.0.0"), ("Tus-Extension", "creation")])
                case ("POST", "/in/"): try connection.answer(201, headers: tus + [("Location", "/in/8")])
                case ("PATCH", "/in/8"): try connection.answer(204, headers: tus + [("Upload-Offset", "5")])
                default:
                    try connection.answer(
                        404, headers: [("Content-Type", "text/plain")],
                        body: head.method == "HEAD" ? "" : "404 page not found\n")
                }
            }
        }
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, "tus", software: "", resource: "/in/7")
        guard case .done = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test(arguments: ["", "box/1.0"])
    func `N11 a refusal in plain text is the server's if it refuses GET with another status`(software: String)
        async throws
    {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                try connection.answer(
                    head.method == "PUT" ? 403 : 405, headers: [("Content-Type", "text/plain")],
                    body: head.method == "HEAD" ? "" : "No.")
            }
        }
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, "put", software: software)
        #expect(stage.failure(outcome)?.category == .permanent, "\(outcome)")
    }

    @Test(arguments: [403, 404, 401])
    func `N11 a refusal that names the server's own software is the server's`(status: Int) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(
                    status, headers: [("Server", "box/1.0"), ("Content-Type", "text/html")],
                    body: SignInStage.html)
            }
        }
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, "put")
        #expect(stage.failure(outcome)?.status == status)
        #expect(server.requests.map(\.method) == ["PUT"])
    }

    @Test(arguments: ["text/html", "text/plain"])
    func `N11 a refusal is the server's where its first page shows that the server itself responds`(
        type: String
    ) async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                if head.method == "HEAD" {
                    try connection.answer(200, headers: [("Server", "box/1.0")])
                } else {
                    try connection.answer(403, headers: [("Content-Type", type)], body: SignInStage.html)
                }
            }
        }
        defer { server.stop() }
        #expect(stage.failure(try await stage.outcome(at: server, "put"))?.status == 403)
        #expect(server.requests.map(\.target) == ["/in/f", "/"])
    }

    @Test func `N11 a refusal is the server's if it has no file of an unknown name either`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readRequest()
                try connection.answer(
                    head.target == "/" ? 200 : 404, headers: [("Content-Type", "text/html")],
                    body: head.method == "HEAD" ? "" : SignInStage.html, keepAlive: head.method != "HEAD")
                if head.method == "HEAD" { return }
            }
        }
        defer { server.stop() }
        let outcome = try await stage.outcome(at: server, "put", software: "")
        #expect(stage.failure(outcome)?.status == 404, "\(outcome)")
        #expect(stage.failure(outcome)?.category == .permanent, "\(outcome)")
    }

    @Test(arguments: ["form", "post"], [nil, ""])
    func `N11 a page that responds to every request completes no form at a server that names no software`(
        protocolName: String, software: String?
    ) async throws {
        let server = try stage.portal(
            SignInStage.Portal(status: 200, type: "text/html", body: SignInStage.html))
        defer { server.stop() }
        let first = try await stage.outcome(at: server, protocolName, software: software)
        #expect(stage.failure(first)?.category == .outcomeUnknown, "\(first)")
        let automatic = try await stage.outcome(at: server, protocolName, software: software, uncertain: 1)
        #expect(stage.failure(automatic)?.category == .outcomeUnknown, "\(automatic)")
        guard
            case .done = try await stage.outcome(
                at: server, protocolName, software: software, uncertain: 1, acceptsPage: true)
        else {
            Issue.record("a retry by the user is not done")
            return
        }
    }

    @Test func `N11 a page that replaces the server for more than a day is the server's`()
        async throws
    {
        let server = try stage.portal(
            SignInStage.Portal(status: 403, type: "text/html", body: SignInStage.html))
        defer { server.stop() }
        let seconds = Mutex(0.0)
        let now: @Sendable () -> Date = {
            seconds.withLock { $0 += 290 }
            return Date(timeIntervalSince1970: seconds.withLock { $0 })
        }
        #expect(
            stage.failure(try await stage.outcome(at: server, "put", now: now, runs: 100))?.category
                == .signInPage)
        #expect(stage.failure(try await stage.outcome(at: server, "put", now: now, runs: 160))?.status == 403)
    }

    @Test func `N11 eight software names stay known while no ninth comes`() throws {
        let key = CapabilityKey(destination: "d", url: "http://h/", protocolName: "server")
        for name in (1...8).map({ "box/\($0)" }) + ["box/3"] {
            stage.store.recognize(KnownSecrets().redact(software: name), at: key, now: Date())
        }
        #expect(stage.store.capabilities(of: key)?.facts.count == 8)
        let name = String(repeating: "n", count: 200)
        stage.store.recognize(KnownSecrets().redact(software: name + "n"), at: key, now: Date())
        #expect(stage.store.capabilities(of: key)?.facts == [name: "software"])
    }
}
