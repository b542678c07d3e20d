import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

// LeftOut.md, item 79
struct ValidationTests {
    private func reason(
        _ validation: ResponseValidation, status: Int = 200, type: String? = nil, body: String = "x",
        accept: String? = nil
    ) async -> UploadFailure? {
        var request = TransportRequest(method: .get, url: "http://server.example/")
        if let accept { request.fields[.accept] = accept }
        var response = TransportResponse(status: status, body: Array(body.utf8))
        if let type { response.fields[.contentType] = type }
        let result = await outcome { () throws(RequestFailure) in
            try await validation.validate(response, to: request)
        }
        guard case .rejected(_, let failure)? = result.failure else { return nil }
        return failure
    }

    @Test(arguments: [(200, true), (299, true), (300, false), (404, false), (500, false), (199, false)])
    func `a success is 200 to 299`(status: Int, isAccepted: Bool) async {
        let reason = await reason(.automatic, status: status)
        #expect((reason == nil) == isAccepted)
        #expect(isAccepted || reason?.status == status)
    }

    @Test func `no status at all accepts none`() async {
        #expect(await reason(.statuses([]), status: 201)?.status == 201)
    }

    @Test func `the status is looked at before the content type`() async {
        let validation = ResponseValidation.statuses(200..<300).and(.contentTypes(["text/plain"]))
        #expect(await reason(validation, status: 404, type: "image/png")?.summary.contains("404") == true)
    }

    @Test func `the content types that are accepted are named in order`() async {
        let reason = await reason(.contentTypes(["text/plain", "application/json"]), type: "image/png")
        #expect(
            reason?.summary
                == "the answer has the content type image/png; accepted are application/json, text/plain")
    }

    @Test(arguments: [
        ("text/plain", "text/*", true), ("text/plain; charset=utf-8", "text/plain", true),
        ("application/json", "*/json", true), ("image/png", "*/*", true), ("IMAGE/PNG", "image/png", true),
        ("image/png", "text/*", false), ("text", "text/*", false), ("text/html", "application/*", false),
    ])
    func `wildcards and parameters are understood`(type: String, accepted: String, isAccepted: Bool) async {
        #expect((await reason(.contentTypes([accepted]), type: type) == nil) == isAccepted)
    }

    @Test func `an empty body is not asked for its type`() async {
        #expect(await reason(.contentTypes(["text/plain"]), type: "image/png", body: "") == nil)
    }

    @Test func `a response without a content type is accepted only by a rule that accepts every type`() async
    {
        #expect(await reason(.contentTypes(["*/*"])) == nil)
        #expect(await reason(.contentTypes(["text/plain"])) != nil)
    }

    @Test func `without a rule the request's Accept is the rule`() async {
        #expect(
            await reason(.automatic, type: "text/html", accept: "application/json, text/plain;q=0.5") != nil)
        #expect(
            await reason(.automatic, type: "text/plain", accept: "application/json, text/plain;q=0.5") == nil)
        #expect(await reason(.automatic, type: "text/html") == nil)
    }

    @Test func `a check of the caller's own says why`() async {
        struct TooOld: Error {}
        let validation = ResponseValidation.check { _, _ in throw TooOld() }
        #expect(await reason(validation)?.summary == "the answer was not accepted: TooOld()")
    }

    @Test func `without validation every response is taken`() async {
        #expect(await reason(.unchecked, status: 500, type: "x/y", accept: "text/plain") == nil)
    }
}

struct DecodingTests {
    private struct Receipt: Codable, Equatable {
        var name: String
    }

    private func task(
        _ status: Int, _ body: String, type: String = "application/json", method: HTTPRequest.Method = .get,
        isComplete: Bool = true
    ) -> RequestTask {
        Session.making(
            ScriptedTransport { _ in
                .success(
                    TransportResponse(
                        status: status, fields: [.contentType: type], body: Array(body.utf8),
                        isBodyComplete: isComplete))
            }
        ).request("http://server.example/", method: method)
    }

    @Test func `JSON becomes a value`() async throws {
        #expect(try await task(200, #"{"name":"film"}"#).decoding(Receipt.self) == Receipt(name: "film"))
    }

    @Test func `JSON that is not what was asked for is an error with the response beside it`() async {
        let result = await outcome { () throws(RequestFailure) in
            try await task(200, "[]").decoding(Receipt.self)
        }
        guard case .undecodable(let response, is DecodingError)? = result.failure else {
            return #expect(Bool(false), "\(result)")
        }
        #expect(response.body == Array("[]".utf8))
    }

    @Test(arguments: [(204, HTTPRequest.Method.get), (205, .get), (200, .head)])
    func `an empty response is nil where it may be empty`(status: Int, method: HTTPRequest.Method)
        async throws
    {
        #expect(try await task(status, "", method: method).decoding(Receipt?.self) == nil)
    }

    @Test func `an empty response is an error elsewhere, and for a type that has no empty value`() async {
        for (status, wantsOptional) in [(200, true), (204, false)] {
            let task = task(status, "")
            let result = await outcome { () throws(RequestFailure) in
                if wantsOptional {
                    _ = try await task.decoding(Receipt?.self)
                } else {
                    _ = try await task.decoding(Receipt.self)
                }
            }
            #expect(result.failure?.failure.summary.contains("empty") == true)
        }
    }

    @Test func `text is read by its charset`() async throws {
        let session = Session.making(
            ScriptedTransport { _ in
                .success(
                    TransportResponse(
                        status: 200, fields: [.contentType: "text/plain; charset=\"ISO-8859-1\""],
                        body: [0x66, 0xFC, 0x72]))
            })
        #expect(try await session.request("http://server.example/").string() == "für")
    }

    @Test func `a response of which only the beginning was kept is not taken for the whole`() async {
        let task = task(200, "[1", isComplete: false)
        let result = await outcome { () throws(RequestFailure) in try await task.data() }
        #expect(result.failure?.failure.hint?.contains("responseLimit") == true)
        #expect(await outcome { () throws(RequestFailure) in try await task.status() }.failure == nil)
    }

    @Test func `the status alone needs no body`() async throws {
        #expect(try await task(201, "{").status() == 201)
    }
}
