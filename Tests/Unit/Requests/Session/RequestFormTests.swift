import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

// LeftOut.md, item 80
struct RequestFormTests {
    /// Returns the request that a server receives.
    private func received(
        _ make: (Session, HostileServer) -> RequestTask
    ) async throws -> RecordedRequest {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        try await withTransport { transport in
            _ = try await make(Session.making(transport), server).status()
        }
        return try #require(server.requests.last)
    }

    @Test func `a value goes as JSON and says so`() async throws {
        let request = try await received { session, server in
            session.upload(.json(["name": "film"]), to: server.url())
        }
        #expect(request["Content-Type"] == "application/json")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"name":"film"}"#)
        #expect(request["Content-Length"] == "15")
    }

    @Test func `a content type of the caller's own stays`() async throws {
        let request = try await received { session, server in
            session.upload(
                .json(["name": "film"]), to: server.url(), headers: [.contentType: "application/problem+json"]
            )
        }
        #expect(request["Content-Type"] == "application/problem+json")
    }

    // LeftOut.md, item 23
    @Test func `a form's content type has its boundary whatever the caller says`() async throws {
        var form = MultipartFormData()
        form.append("film", name: "name")
        let sent = form
        let request = try await received { session, server in
            session.upload(.multipart(sent), to: server.url(), headers: [.contentType: "multipart/form-data"])
        }
        #expect(
            request.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value) == [
                form.contentType
            ])
        #expect(request.body == (try await form.encode()))
    }

    @Test(arguments: [
        (FormFields.ListNaming.brackets, "tags%5B%5D=a&tags%5B%5D=b"), (.repeated, "tags=a&tags=b"),
        (.indexed, "tags%5B0%5D=a&tags%5B1%5D=b"),
    ])
    func `lists become one field an element`(naming: FormFields.ListNaming, encoded: String) {
        var fields: FormFields = ["tags": ["a", "b"]]
        fields.listNaming = naming
        #expect(fields.encoded == encoded)
    }

    @Test func `everything but the unreserved, question mark and slash is escaped`() {
        let fields: FormFields = ["a b": "1+1=2&c?d/e~é", "yes": true, "no": false, "n": 7, "x": nil]
        #expect(fields.encoded == "a%20b=1%2B1%3D2%26c?d/e~%C3%A9&yes=1&no=0&n=7")
    }

    @Test func `fields go as a form`() async throws {
        let request = try await received { session, server in
            session.request(server.url(), method: .post, body: .form(["album": "May", "tags": ["raw"]]))
        }
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
        #expect(String(decoding: request.body, as: UTF8.self) == "album=May&tags%5B%5D=raw")
    }

    @Test(arguments: [
        ("/f", "/f?a=1&b=2"), ("/f?x=y", "/f?x=y&a=1&b=2"), ("/f?", "/f?a=1&b=2"), ("/f#end", "/f?a=1&b=2"),
    ])
    func `query items join what the address has`(path: String, target: String) async throws {
        let request = try await received { session, server in
            session.request(server.url(path), query: ["a": 1, "b": 2])
        }
        #expect(request.method == "GET")
        #expect(request.target == target)
        #expect(request.body.isEmpty)
    }

    // LeftOut.md, item 28
    @Test func `an upload of nothing has a length and gets a response`() async throws {
        let request = try await received { session, server in
            session.upload(.data([UInt8]()), to: server.url())
        }
        #expect(request.method == "POST")
        #expect(request["Content-Length"] == "0")
    }

    @Test func `the session's headers complete a request, and its own win`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        try await withTransport { transport in
            let session = Session(
                Session.Configuration(headers: [.userAgent: "session", .accept: "*/*"]), transport: transport)
            _ = try await session.upload(.data([1]), to: server.url(), headers: [.userAgent: "own"]).status()
        }
        let request = try #require(server.requests.last)
        #expect(request["User-Agent"] == "own" && request["Accept"] == "*/*")
    }

    @Test func `a value that cannot be written as JSON sends nothing`() async {
        let transport = HeldTransport()
        let result = await outcome { () throws(RequestFailure) in
            try await Session.making(transport).upload(.json(Double.nan), to: "http://server.example/")
                .status()
        }
        guard case .unusable? = result.failure else { return #expect(Bool(false), "\(result)") }
        #expect(transport.count.value == 0)
    }

    @Test func `a missing file sends nothing and is named`() async throws {
        let transport = HeldTransport()
        let result = await outcome { () throws(RequestFailure) in
            try await Session.making(transport).upload(
                .file(LocalPath("/nowhere/film.mov")), to: "http://server.example/"
            ).status()
        }
        #expect(result.failure?.failure.summary == "/nowhere/film.mov: no such file")
        #expect(transport.count.value == 0)
    }
}
