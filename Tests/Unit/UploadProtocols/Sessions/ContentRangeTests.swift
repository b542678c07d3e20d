import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// The content of `Vectors/ranges.json`.
private struct RangeVectors: Decodable {
    struct Held: Decodable {
        var range: String?
        var next: Next
    }

    /// The expected next offset, or a sentence that says what is wrong.
    struct Next: Decodable {
        var count: ByteCount?

        init(from decoder: any Decoder) throws {
            count = try? decoder.singleValueContainer().decode(ByteCount.self)
        }
    }

    struct Expected: Decodable {
        var ranges: [String]
        var next: Next

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            ranges = try container.decode([String].self)
            next = try container.decode(Next.self)
        }
    }

    struct Request: Decodable {
        var offset: ByteCount?
        var count: ByteCount?
        var total: ByteCount
        var header: String
    }

    var gcsRange: [Held]
    var graphNextExpectedRanges: [Expected]
    var contentRangeRequest: [Request]
}

struct ContentRangeTests {
    private let vectors: RangeVectors

    init() throws { vectors = try UploadProtocolsTests.vectors("ranges") }

    @Test func `the range that Google holds is read as the vectors say`() {
        for entry in vectors.gcsRange {
            let held = entry.range.map { ContentRange.held($0) } ?? 0
            #expect(held == entry.next.count, "\(entry.range ?? "no Range")")
        }
    }

    @Test func `the range that Graph expects next is read as the vectors say`() {
        for entry in vectors.graphNextExpectedRanges {
            #expect(ContentRange.firstExpected(entry.ranges) == entry.next.count, "\(entry.ranges)")
        }
    }

    @Test func `ranges are written as the vectors say`() {
        for entry in vectors.contentRangeRequest {
            guard let offset = entry.offset, let count = entry.count else {
                #expect(ContentRange.asking(of: entry.total) == entry.header)
                continue
            }
            #expect(ContentRange.sending(offset..<offset + count, of: entry.total) == entry.header)
        }
    }

    @Test(arguments: [
        "", "bytes=", "bytes=0-", "bytes=-5", "bytes=0-9223372036854775807", "bytes=0-99999999999999999999",
        "bytes=0-5,7-9", "bytes=1-5", "bytes=0--1", "bytes=0-+5", "items=0-5", "bytes 0-5/9",
    ])
    func `a range that cannot be is none`(field: String) {
        #expect(ContentRange.held(field) == nil)
    }

    @Test(arguments: [["x-"], ["-5"], [""], ["0-", "y"], ["99999999999999999999-"]])
    func `an expectation that cannot be is none`(ranges: [String]) {
        #expect(ContentRange.firstExpected(ranges) == nil)
    }
}

struct AddressQueryTests {
    @Test(arguments: [
        ("http://s/x", "http://s/x?a=b%2Fc"), ("http://s/x?", "http://s/x?a=b%2Fc"),
        ("http://s/x?sig=%2B%2f=#f", "http://s/x?sig=%2B%2f=&a=b%2Fc"),
    ])
    func `an item comes after those that are there, which stay as they are`(url: String, expected: String) {
        #expect(AddressQuery.adding([("a", "b/c")], to: url) == expected)
    }

    @Test func `the first item of a name counts, decoded`() {
        #expect(AddressQuery.value("name", in: "http://s/x?q=1&name=a%20b&name=c#name=d") == "a b")
        #expect(AddressQuery.value("name", in: "http://s/x#?name=d") == nil)
        #expect(AddressQuery.value("flag", in: "http://s/x?flag") == "")
    }
}

struct ServiceFailureTests {
    @Test func `Google's words are shown`() {
        let body = #"{"error":{"code":403,"message":"No access.","errors":[{"reason":"forbidden"}]}}"#
        let failure = ServiceFailure.of(
            .init(status: 403, fields: [.contentType: "application/json"], body: Array(body.utf8)))
        #expect(failure.summary == "the server answered 403 (forbidden): forbidden: No access.")
    }

    @Test func `Microsoft's code and words are shown`() {
        let body = #"{"error":{"code":"quotaLimitReached","message":"Full","innerError":{"date":"x"}}}"#
        let answer = ExchangeOutcome.Response(
            status: 507, fields: [.contentType: "application/json"], body: Array(body.utf8))
        #expect(ServiceFailure(answer).code == "quotaLimitReached")
        #expect(ServiceFailure.of(answer).summary.hasSuffix("quotaLimitReached: Full"))
        #expect(ServiceFailure.of(answer).category == .server)
    }

    @Test func `Azure's XML is shown, with its mark of order before it`() {
        let body =
            "\u{FEFF}<?xml version=\"1.0\" encoding=\"utf-8\"?>"
            + "<Error><Code>ServerBusy</Code><Message>Later.\nTime:now</Message></Error>"
        let answer = ExchangeOutcome.Response(
            status: 503, fields: [.contentType: "application/xml"], body: Array(body.utf8))
        #expect(ServiceFailure(answer).code == "ServerBusy")
        #expect(ServiceFailure.of(answer).summary.hasSuffix("ServerBusy: Later. Time:now"))
    }

    @Test func `a response without a body has Azure's code in a field`() {
        let answer = ExchangeOutcome.Response(status: 404, fields: [.msErrorCode: "BlobNotFound"])
        #expect(ServiceFailure(answer).code == "BlobNotFound")
    }

    @Test(arguments: ["", "<", "[]", "{}", #"{"error":"x"}"#, #"{"error":{"code":{}}}"#, "<a/>"])
    func `anything else is the status alone`(body: String) {
        let answer = ExchangeOutcome.Response(status: 400, fields: [:], body: Array(body.utf8))
        #expect(ServiceFailure(answer).code.isEmpty)
        #expect(ServiceFailure.of(answer).status == 400)
    }
}
