import Testing

@testable import FerryProtocols

struct XMLDocumentTests {
    private func parse(_ text: String) -> XMLElement? { XMLDocument.parse(Array(text.utf8)) }

    @Test func `names, text and order of a document are read`() throws {
        let root = try #require(
            parse("<?xml version='1.0'?>\n<a><b> one\n</b><c/><b>t&lt;w&#111;<![CDATA[<&]]></b></a>"))
        #expect(root.name == "a")
        #expect(root.children.map(\.name) == ["b", "c", "b"])
        #expect(root.child(named: "b")?.text == "one")
        #expect(root.children(named: "b").last?.text == "t<wo<&")
        #expect(root.child(named: "d") == nil)
    }

    @Test func `namespaces are known by their names, whatever their prefixes`() throws {
        let root = try #require(
            parse("<d:a xmlns:d='DAV:' xmlns='other'><d:b>1</d:b><b>2</b><x:c xmlns:x='DAV:'/></d:a>"))
        #expect(root == parse("<a xmlns='DAV:'><b>1</b><b xmlns='other'>2</b><c/></a>"))
        #expect(root.namespace == "DAV:")
        #expect(root.child(named: "b", in: "DAV:")?.text == "1")
        #expect(root.children(named: "b", in: "other").map(\.text) == ["2"])
        #expect(root.child(named: "c")?.namespace == "DAV:")
        #expect(parse("<a/>")?.namespace == "")
    }

    @Test func `a declaration holds in its element and not behind it`() {
        let root = parse("<a xmlns='one'><b xmlns='two'><c xmlns='three'/><d/></b><e/></a>")
        #expect(root?.descendants.map(\.namespace) == ["two", "three", "two", "one"])
        #expect(parse("<a><b xmlns:x='u'/><x:c/></a>") == nil)
    }

    // If each declaration copied all known namespaces, 25,000 of them would take 15 s.
    @Test(.timeLimit(.minutes(10)))
    func `more declarations than a server needs are refused at once`() {
        let declared = (0..<12_500).map { " xmlns:p\($0)='u'" }.joined()
        let began = ContinuousClock.now
        #expect(
            parse("<a\(declared)>" + String(repeating: "<b xmlns:q='u'/>", count: 12_500) + "</a>") == nil)
        #expect(ContinuousClock.now - began < .seconds(5))
    }

    @Test(.timeLimit(.minutes(10)))
    func `many elements with declarations of their own are read, each with its own`() throws {
        let root = try #require(
            parse("<a>" + (0..<25_000).map { "<p:b xmlns:p='u\($0 % 7)'/>" }.joined() + "</a>"))
        #expect(root.children.count == 25_000)
        #expect(root.children.last?.namespace == "u\(24_999 % 7)")
    }

    @Test func `descendants come before their own children's siblings`() {
        #expect(parse("<a><b><c/></b><d/></a>")?.descendants.map(\.name) == ["b", "c", "d"])
    }

    @Test func `white space before the declaration is let pass`() {
        #expect(parse("\n \r\n<?xml version='1.0' encoding='UTF-8'?><a/>")?.name == "a")
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a></b>", "<a/><b/>", "<a>&undefined;</a>", "<a", "<a>\u{1}</a>",
        "<?xml version='1.0'?>",
    ])
    func `an incomplete document is refused`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", "<!DOCTYPE a><a/>",
    ])
    func `a document with a document type is refused`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func `every beginning of a document is refused`() {
        let document = Array("<?xml version='1.0'?><a xmlns='u'><b>é&amp;</b><c><d/></c></a>".utf8)
        #expect(XMLDocument.parse(document) != nil)
        for count in 0..<document.count { #expect(XMLDocument.parse(Array(document.prefix(count))) == nil) }
    }

    @Test func `a document may be as deep as the limit and no deeper`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(parse(nested(XMLReader.depthLimit)) != nil)
        #expect(parse(nested(XMLReader.depthLimit + 1)) == nil)
        #expect(parse(nested(100_000)) == nil)
    }

    @Test(arguments: ["a<b>&\"c'", "]]>", "tab\tline\nreturn\r", "é日🙂", ""])
    func `escaped text is read as it was`(text: String) {
        let read = parse("<a><b>|\(XMLDocument.escaped(text))|</b></a>")?.child(named: "b")?.text
        #expect(read == "|\(text)|")
    }

    @Test func `characters that no document can hold are left out`() {
        #expect(XMLDocument.escaped("a\u{0}b\u{1}c\u{FFFF}d") == "abcd")
    }

    @Test func `random bytes do no harm`() {
        var generator = SystemRandomNumberGenerator()
        let document = Array("<?xml version='1.0'?><a xmlns='u'><b>é&amp;</b><c><d/></c></a>".utf8)
        for _ in 0..<2000 {
            var changed = document
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                changed[Int.random(in: 0..<changed.count, using: &generator)] = .random(
                    in: .min ... .max, using: &generator)
            }
            _ = XMLDocument.parse(changed)
        }
    }
}
