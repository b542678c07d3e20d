import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let credentials = AuthorizationInterceptor { () async throws(UploadFailure) in "Bearer secret" }

struct RedirectTests {
    @Test(arguments: [(307, true), (308, true), (307, false), (308, false)])
    func `P11 a redirect within the server gets the whole body again`(status: Int, early: Bool) async throws {
        let file = try TestFile(count: 3 << 20)
        let server = try HostileServer(
            bodyLimit: 4 << 20, [.redirect(status, to: "/other?x=1", early: early), .answer(201)])
        defer { server.stop() }
        let answer = try await withTransport { transport in
            try await Session.making(transport, adapters: [credentials]).perform(
                TransportRequest(method: .put, url: server.url("/f"), body: try file.body()), label: "1")
        }
        #expect(answer.status == 201)
        let last = try #require(server.requests.last)
        #expect(last.method == "PUT" && last.target == "/other?x=1")
        #expect(last["Authorization"] == "Bearer secret")
        #expect(last.isComplete && file.pattern.firstDifference(from: last.body) == nil)
    }

    @Test(arguments: [301, 302, 303])
    func `P11 other redirects are not followed`(status: Int) async throws {
        let server = try HostileServer([.redirect(status, to: "/other"), .answer(201)])
        defer { server.stop() }
        let answer = try await withTransport { transport in
            try await Session.making(transport).perform(
                TransportRequest(method: .put, url: server.url(), body: .bytes([1])), label: "1")
        }
        #expect(answer.status == status)
        #expect(server.requests.count == 1)
    }

    @Test func `P11 another server gets neither bytes nor credentials`() async throws {
        let other = try HostileServer([.answer(201)])
        defer { other.stop() }
        let server = try HostileServer([.redirect(307, to: other.url("/x"))])
        defer { server.stop() }
        let answer = try await withTransport { transport in
            try await Session.making(transport, adapters: [credentials]).perform(
                TransportRequest(method: .put, url: server.url(), body: .bytes([1])), label: "1")
        }
        #expect(answer.status == 307)
        #expect(other.connectionCount == 0)
    }

    @Test func `P11 https never leads to http`() async throws {
        let session = Session.making(
            ScriptedTransport { request in
                .success(TransportResponse(status: 308, fields: [.location: "http://server.example/f"]))
            })
        let request = TransportRequest(method: .put, url: "https://server.example/f", body: .bytes([1]))
        #expect(try await session.perform(request, label: "1").status == 308)
    }

    @Test func `P11 a circle of redirects ends`() async throws {
        let tries = Mutex(0)
        let session = Session.making(
            ScriptedTransport { _ in
                tries.withLock { $0 += 1 }
                return .success(TransportResponse(status: 307, fields: [.location: "/f"]))
            })
        let request = TransportRequest(method: .put, url: "http://server.example/f")
        await #expect(throws: RequestFailure.self) { try await session.perform(request, label: "1") }
        #expect(tries.withLock { $0 } == 6)
    }

    @Test func `events show neither passwords nor query values`() async throws {
        let log = EventLog()
        let session = Session.making(
            ScriptedTransport { _ in .success(TransportResponse(status: 200)) }, monitors: [log])
        let url = "http://user:word@server.example/f?token=secret"
        _ = try await session.perform(TransportRequest(method: .put, url: url), label: "1")
        let text = "\(log.all)"
        #expect(text.contains("server.example/f"))
        for secret in ["user", "word", "secret"] { #expect(!text.contains(secret)) }
    }
}

struct StaleConnectionTests {
    /// Makes two requests. The server closes the kept connection when the second one arrives. Returns the results of
    /// the second.
    private static func second(
        _ method: HTTPRequest.Method, isRepeatable: Bool? = nil,
        dying: [HostileBehavior] = [.answerThenGoStale(200)]
    ) async throws -> (status: Int?, requests: [RecordedRequest], events: [TransferEvent]) {
        let server = try HostileServer(dying + [.answer(201)])
        defer { server.stop() }
        let log = EventLog()
        let status = try await withTransport { transport in
            let session = Session.making(transport, monitors: [log])
            let first = TransportRequest(method: .put, url: server.url("/1"), body: .bytes([1]))
            _ = try await session.perform(first, label: "1")
            let file = try TestFile(count: 1000)
            let request = TransportRequest(
                method: method, url: server.url("/2"), body: try file.body(), isRepeatable: isRepeatable)
            return try? await session.perform(request, label: "2").status
        }
        return (status, server.requests, log.all)
    }

    @Test func `N14 a request that may be repeated is made once more on a fresh connection`() async throws {
        let (status, requests, events) = try await Self.second(.put)
        #expect(status == 201)
        #expect(requests.map(\.connection) == [1, 2])
        #expect(events.contains(.retriedOnFreshConnection))
    }

    @Test func `N14 a request that may not be repeated is not, once its bytes are out`() async throws {
        let (status, requests, _) = try await Self.second(
            .post, dying: [.answer(200), .close(afterBodyBytes: 500)])
        #expect(status == nil)
        #expect(requests.map(\.connection) == [1, 1])
    }

    @Test func `a key makes a post repeatable`() async throws {
        let (status, _, _) = try await Self.second(.post, isRepeatable: true)
        #expect(status == 201)
    }

    @Test func `N14 a fresh connection that breaks is not retried`() async throws {
        let server = try HostileServer([.closeWithoutAnswer, .answer(201)])
        defer { server.stop() }
        try await withTransport { transport in
            let request = TransportRequest(method: .put, url: server.url(), body: .bytes([1]))
            await #expect(throws: RequestFailure.self) {
                try await Session.making(transport).perform(request, label: "1")
            }
        }
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        (TransportError.Reason.unsent, HTTPRequest.Method.post, ByteCount(0), 2),
        (.staleConnection, .put, 5, 2), (.staleConnection, .put, 300_000, 1),
        (.staleConnection, .post, 0, 2), (.staleConnection, .post, 5, 1), (.broken, .put, 0, 1),
        (.notConnected, .put, 0, 1), (.cancelled, .put, 0, 1), (.source, .put, 0, 1),
    ])
    func `N14 one more try is made only where it is safe, and only one`(
        reason: TransportError.Reason, method: HTTPRequest.Method, sent: ByteCount, tries: Int
    ) async {
        let made = Mutex(0)
        let session = Session.making(
            ScriptedTransport { _ in
                made.withLock { $0 += 1 }
                return .failure(TransportError(reason, UploadFailure(.network, "x"), bodySent: sent))
            })
        let request = TransportRequest(
            method: method, url: "http://server.example/", body: .bytes([1, 2, 3, 4, 5]))
        await #expect(throws: RequestFailure.self) { try await session.perform(request, label: "1") }
        #expect(made.withLock { $0 } == tries)
    }
}

/// Adds the header fields that a request does not have.
private struct Completing: RequestAdapter {
    let fields: HTTPFields

    func adapt(_ request: TransportRequest, for context: RequestContext) -> TransportRequest {
        var request = request
        for field in fields where !request.fields.contains(field.name) { request.fields.append(field) }
        return request
    }
}

struct AdapterTests {
    @Test func `adapters run in order on each try, from the unadapted request`() async throws {
        let seen = Mutex<[HTTPFields]>([])
        let session = Session.making(
            ScriptedTransport { request in
                let count = seen.withLock { seen in
                    seen.append(request.fields)
                    return seen.count
                }
                return count == 1
                    ? .failure(TransportError(.unsent, UploadFailure(.network, "x")))
                    : .success(TransportResponse(status: 200))
            },
            adapters: [Completing(fields: [.userAgent: "first", .contentType: "x/y"]), credentials])
        let request = TransportRequest(
            method: .put, url: "http://server.example/", fields: [.contentType: "text/plain"])
        _ = try await session.perform(request, label: "1")
        let expected: HTTPFields = [
            .contentType: "text/plain", .userAgent: "first", .authorization: "Bearer secret",
        ]
        #expect(seen.withLock { $0 } == [expected, expected])
    }

    @Test func `a secret that cannot be read sends nothing`() async throws {
        let session = Session.making(
            ScriptedTransport { _ in
                Issue.record("the request was made")
                return .success(TransportResponse(status: 200))
            },
            adapters: [
                AuthorizationInterceptor { () async throws(UploadFailure) in
                    throw UploadFailure(.authentication, "no secret")
                }
            ])
        await #expect {
            try await session.perform(TransportRequest(method: .put, url: "http://h/"), label: "1")
        } throws: { error in
            guard case .adaptation(let reason as UploadFailure) = error as? RequestFailure else {
                return false
            }
            return reason.category == .authentication
        }
    }
}
