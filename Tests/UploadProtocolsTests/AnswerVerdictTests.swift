import Foundation
import HTTPTypes
import Testing

@testable import UploadProtocols

struct AnswerVerdictTests {
    private static func failure(_ status: Int, _ fields: HTTPFields = [:], body: String = "") -> UploadFailure
    {
        AnswerVerdict.failure(
            Reply.Answer(status: status, fields: fields, body: Array(body.utf8)),
            now: Date(timeIntervalSince1970: 0))
    }

    @Test func `exactly these statuses are worth waiting for`() {
        let transient = (100..<600).filter { Self.failure($0).isTransient }
        #expect(transient == [408, 425, 429, 500, 502, 503, 504, 507, 520, 521, 522, 523, 524])
    }

    @Test func `exactly these statuses are about credentials`() {
        #expect((100..<600).filter { Self.failure($0).category == .authentication } == [401, 407])
    }

    @Test(arguments: [Int.min, -1, 0, 999, Int.max])
    func `a status out of range is a permanent failure`(status: Int) {
        #expect(Self.failure(status).category == .permanent)
    }

    @Test func `the wait a server asks for counts only where waiting helps`() {
        #expect(Self.failure(503, [.retryAfter: "7"]).retryAfter == 7)
        #expect(Self.failure(404, [.retryAfter: "7"]).retryAfter == nil)
    }

    @Test func `a refusal of the size with a wait is temporary`() {
        #expect(Self.failure(413).category == .permanent)
        #expect(Self.failure(413, [.retryAfter: "7"]).category == .server)
        #expect(Self.failure(413, [.retryAfter: "7"]).retryAfter == 7)
    }

    @Test func `the failure says the status, its name and the server's words`() {
        let failure = Self.failure(
            409, [.contentType: "application/json"], body: "{\n \"detail\":\r\n \"x\"\n}\n")
        #expect(failure.summary == "the server answered 409 (conflict): { \"detail\": \"x\" }")
        #expect(failure.status == 409)
    }
}

struct ServerTextTests {
    private static func excerpt(_ body: [UInt8], type: String? = "text/plain; charset=utf-8") -> String? {
        var answer = Reply.Answer(status: 400, body: body)
        answer.fields[.contentType] = type
        return ServerText.excerpt(of: answer)
    }

    @Test func `nothing in it steers a terminal`() throws {
        let hostile = "a\u{1B}[2J\u{1B}]0;x\u{7}b\u{9B}31m\u{202E}c\u{200F}\u{2028}d\u{0}e\u{FEFF}\u{E000}\rf"
        let text = try #require(Self.excerpt(Array(hostile.utf8)))
        #expect(text == "a[2J]0;xb31mc d ef" || text == "a[2J]0;xb31mc d e f")
    }

    @Test(arguments: ["x", "\u{301}", "😀", "\u{1F468}\u{200D}", "\u{FFFF}"])
    func `it is short, whatever it is made of`(unit: String) {
        let text = Self.excerpt(Array(String(repeating: unit, count: 100_000).utf8)) ?? ""
        #expect(text.unicodeScalars.count <= 200)
        #expect(text.utf8.count <= 800)
    }

    @Test func `invalid bytes do no harm`() {
        #expect(Self.excerpt([0xFF, 0xC0, 0x80, 0x61]) == "\u{FFFD}\u{FFFD}\u{FFFD}a")
    }

    @Test(arguments: ["text/html", "application/octet-stream", nil] as [String?])
    func `a page for browsers is not shown`(type: String?) {
        #expect(Self.excerpt(Array("<html>".utf8), type: type) == nil)
    }

    @Test(arguments: ["", " \r\n\t ", "\u{1B}"])
    func `an answer that says nothing is not quoted`(text: String) {
        #expect(Self.excerpt(Array(text.utf8)) == nil)
    }
}
