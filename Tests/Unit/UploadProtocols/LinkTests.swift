import FerryTransfer
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests the members and header fields of responses that contain the URL of the finished upload.
struct LinkTests {
    /// The example document of RFC 6901 §5, with strings instead of its numbers.
    private static let document = """
        { "foo": ["bar", "baz"], "": "0", "a/b": "1", "c%d": "2", "e^f": "3", "g|h": "4", "i\\\\j": "5",
          "k\\"l": "6", " ": "7", "m~n": "8", "~1": "tilde" }
        """

    @Test(arguments: [
        ("/foo/0", "bar"), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"),
        ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"), ("/~01", "tilde"),
    ])
    func `a pointer finds what RFC 6901 says it names`(pointer: String, text: String) throws {
        #expect(try #require(JSONPointer(pointer)).text(in: Array(Self.document.utf8)) == text)
    }

    @Test(arguments: [
        "/foo", "/foo/2", "/foo/-", "/foo/00", "/foo/-1", "/no", "/foo/0/x", "/foo/99999999999999999999",
    ])
    func `a pointer to no text finds nothing`(pointer: String) throws {
        #expect(try #require(JSONPointer(pointer)).text(in: Array(Self.document.utf8)) == nil)
    }

    @Test(arguments: ["", "foo", "/a~", "/a~2", "#/foo"])
    func `an invalid pointer is refused`(text: String) { #expect(JSONPointer(text) == nil) }

    @Test(arguments: ["", "{", "[", "\u{0}", "<html>", String(repeating: "[", count: 100_000)])
    func `a response that is no JSON names nothing`(text: String) throws {
        #expect(try #require(JSONPointer("/a")).text(in: Array(text.utf8)) == nil)
    }

    private func location(
        _ name: String, _ link: LinkSource, body: String, fields: HTTPFields = [:]
    ) throws -> String? {
        var options = ProtocolOptions()
        options.link = link
        var upload = try #require(ProtocolCatalog.entry(named: name)).make(.make(), options)
        let exchange = try #require(upload.start(resource: nil, capabilities: nil).exchange)
        return upload.receive(.answer(201, fields, body: body), to: exchange).receipt?.location
    }

    @Test(arguments: ["post", "form"])
    func `the receipt has the location that the response names`(name: String) throws {
        let pointer = try #require(JSONPointer("/data/link"))
        let body = #"{ "data": { "link": "https://i.example/x.png" } }"#
        #expect(try location(name, .pointer(pointer), body: body) == "https://i.example/x.png")
        let field = try #require(HTTPField.Name("X-Link"))
        #expect(
            try location(name, .header(field), body: "", fields: [field: "/p/7?a=1"])
                == "http://server.example/p/7?a=1")
    }

    @Test(arguments: [
        #"{ "link": "javascript:alert(1)" }"#, #"{ "link": "https://me:secret@h.example/" }"#,
        #"{ "link": 7 }"#, "{}", "",
    ])
    func `a response that names no usable location leaves the one it has`(body: String) throws {
        let pointer = try #require(JSONPointer("/link"))
        let fields: HTTPFields = [.location: "/here"]
        #expect(
            try location("form", .pointer(pointer), body: body, fields: fields)
                == "http://server.example/here")
    }
}
