import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

struct ResponseClassifierTests {
    private static func failure(_ status: Int, _ fields: HTTPFields = [:], body: String = "") -> UploadFailure
    {
        ResponseClassifier.failure(
            ExchangeOutcome.Response(status: status, fields: fields, body: Array(body.utf8)),
            now: Date(timeIntervalSince1970: 0))
    }

    @Test func `P2 exactly these statuses are worth waiting for`() {
        let transient = (100..<600).filter { Self.failure($0).isTransient }
        #expect(transient == [408, 425, 429, 500, 502, 503, 504, 507, 520, 521, 522, 523, 524])
    }

    @Test func `exactly these statuses are about credentials`() {
        #expect((100..<600).filter { Self.failure($0).category == .authentication } == [401, 407])
    }

    @Test(arguments: [
        (401, UploadFailure.Category.authentication), (403, .permanent), (413, .permanent), (415, .permanent),
        (422, .permanent),
    ])
    func `P1 a refusal is not worth waiting for, and says what to do where there is something`(
        status: Int, category: UploadFailure.Category
    ) {
        let failure = Self.failure(status, [.contentType: "text/plain"], body: "because of this")
        #expect(failure.category == category)
        #expect(failure.isTransient == false)
        #expect(failure.summary.hasPrefix("the server answered \(status) ("))
        #expect(failure.summary.hasSuffix("): because of this"))
        #expect((failure.hint != nil) == (status != 422))
    }

    @Test(
        arguments: [
            ("https://other.example/in/f?sig=secret#part", " and sends it to https://other.example/in/f"),
            ("/other", " and sends it to /other"), ("https://user:word@other.example/", ""),
            ("http://[", ""), ("?key=secret", ""), ("", ""),
        ])
    func `P11 a redirect that is not followed says where it leads, and no secret`(
        location: String, said: String
    ) {
        let failure = Self.failure(308, [.location: location])
        #expect(failure.summary == "the server answered 308 (permanent redirect)\(said)")
        #expect(failure.category == .permanent)
        #expect(failure.hint == "set the destination's url to the address it redirects to")
    }

    @Test func `a redirect to an address that no request could carry is named by its length`() {
        let failure = Self.failure(307, [.location: "/" + String(repeating: "x", count: 8999)])
        #expect(failure.summary.hasSuffix("sends it to an address of 9000 bytes, which is too long"))
        #expect(failure.hint == nil)
    }

    @Test func `P14 417 names the field that a configuration must not have there`() {
        let failure = Self.failure(417)
        #expect(failure.summary == "the server answered 417 (expectation failed)")
        #expect(failure.category == .permanent)
        #expect(failure.hint?.contains("Expect") == true)
    }

    @Test(arguments: [Int.min, -1, 0, 999, Int.max])
    func `a status out of range is a permanent failure`(status: Int) {
        #expect(Self.failure(status).category == .permanent)
    }

    @Test func `P3 the wait a server asks for counts only where waiting helps`() {
        #expect(Self.failure(503, [.retryAfter: "7"]).retryAfter == 7)
        #expect(Self.failure(404, [.retryAfter: "7"]).retryAfter == nil)
    }

    @Test func `a refusal of the size with a wait is temporary`() {
        #expect(Self.failure(413).category == .permanent)
        #expect(Self.failure(413, [.retryAfter: "7"]).category == .server)
        #expect(Self.failure(413, [.retryAfter: "7"]).retryAfter == 7)
    }

    @Test func `P1 the failure says the status, its name and the server's words`() {
        let failure = Self.failure(
            409, [.contentType: "application/json"], body: "{\n \"detail\":\r\n \"x\"\n}\n")
        #expect(failure.summary == "the server answered 409 (conflict): x")
        #expect(failure.status == 409)
    }
}

struct ServerTextTests {
    private static func excerpt(_ body: [UInt8], type: String? = "text/plain; charset=utf-8") -> String? {
        var answer = ExchangeOutcome.Response(status: 413, body: body)
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

    @Test(
        arguments: [
            ("<title>413 Request Entity Too Large</title><center><h1>413</h1></center>", nil),
            ("<!DOCTYPE html><TITLE>Access denied</TITLE><pre>x</pre>", "Access denied"),
            (
                "<title>t</title><P class=\"e\">The <b>name</b>\n is &quot;taken&quot; &amp;lt;</P><p>2</p>",
                "The name is \"taken\" &lt;"
            ),
            ("<p>\u{1B}[31mred</p>", "[31mred"), ("<p>no end", nil),
            ("<p>must be < 5 MB</p>", "must be < 5 MB"),
            ("<p>To<wbr>k<B>e</B>n<br>x</p>", "Token x"), ("<p", nil), ("<p><p></p>", nil),
        ] as [(String, String?)])
    func `an HTML page shows its first paragraph, or else its title`(page: String, shown: String?) {
        #expect(Self.excerpt(Array(page.utf8), type: "text/html") == shown)
    }

    @Test func `a hostile HTML page has a short text`() {
        for page in ["<p ", "<p>", "<title", "&amp;", "</p><p>"] {
            let text =
                Self.excerpt(Array(String(repeating: page, count: 100_000).utf8), type: "text/html") ?? ""
            #expect(text.unicodeScalars.count <= 200)
        }
    }

    @Test(
        arguments: [
            (#"{"type":"about:blank","title":"Bad","detail":"the name is taken"}"#, "the name is taken"),
            (#"{"message":"no"}"#, "no"), (#"{"error":"no","code":1}"#, "no"), (#"{"error":{"a":1}}"#, nil),
            (#"["x"]"#, nil), ("{", nil), ("", nil),
        ] as [(String, String?)])
    func `a JSON response shows its sentence for people, or else its whole text`(body: String, said: String?)
    {
        let shown = Self.excerpt(Array(body.utf8), type: "application/problem+json")
        #expect(shown == (said ?? (body.isEmpty ? nil : body)))
    }

    @Test func `words without a type are shown, a page without one is not`() {
        #expect(Self.excerpt(Array("the name is taken".utf8), type: nil) == "the name is taken")
        #expect(Self.excerpt(Array("<!doctype html>".utf8), type: nil) == nil)
        #expect(Self.excerpt([0xFF, 0x61], type: nil) == nil)
    }

    @Test(
        arguments: [("identity", "said"), ("Identity", "said"), ("gzip", nil), ("br, gzip", nil), ("", nil)]
            as [(String, String?)])
    func `P18 a compressed response is not shown`(encoding: String, shown: String?) {
        let answer = ExchangeOutcome.Response(
            status: 400, fields: [.contentType: "text/plain", .contentEncoding: encoding],
            body: Array("said".utf8))
        #expect(ServerText.excerpt(of: answer) == shown)
    }

    @Test(arguments: ["", " \r\n\t ", "\u{1B}"])
    func `a response that says nothing is not quoted`(text: String) {
        #expect(Self.excerpt(Array(text.utf8)) == nil)
    }
}
