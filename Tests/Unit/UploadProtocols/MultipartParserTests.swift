import Foundation
import Testing

@testable import FerryProtocols

/// The result of parsing a whole body: each part with its content.
private struct ParsedForm: Equatable {
    var parts: [MultipartParser.Part] = []
    var contents: [[UInt8]] = []
    var ended = 0

    /// Parses the chunks one after another.
    init(_ chunks: [[UInt8]], boundary: String = "B", limits: MultipartParser.Limits = .init()) throws {
        var parser = try MultipartParser(boundary: boundary, limits: limits)
        for chunk in chunks {
            for event in try parser.parse(chunk) {
                switch event {
                case .partBegan(let part):
                    parts.append(part)
                    contents.append([])
                case .content(let bytes): contents[contents.count - 1] += bytes
                case .partEnded: ended += 1
                }
            }
        }
        try parser.finish()
    }

    init(_ text: String, limits: MultipartParser.Limits = .init()) throws {
        try self.init([Array(text.utf8)], limits: limits)
    }

    var texts: [String] { contents.map { String(decoding: $0, as: UTF8.self) } }
}

private func part(_ disposition: String, _ content: String = "DATA") -> String {
    "--B\r\nContent-Disposition: form-data; name=\"f\"\(disposition)\r\n\r\n\(content)\r\n--B--\r\n"
}

private func vectors(_ name: String) throws -> Data {
    try Data(contentsOf: #require(Bundle.module.url(forResource: "Vectors/\(name)", withExtension: "json")))
}

struct MultipartParserTests {
    private static let awkward =
        "preamble\r\n--B \t\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--B\r\n"
        + "content-type: text/plain\r\ncontent-disposition: form-data; filename=\"x\"; name=\"b\"\r\n\r\n"
        + "\r\r\n\r\n-\r\n--\r\n-B\r\n--A\n--B--\r\n\r\n--B--epilogue\r\n--B\r\n"

    @Test func `a body gives the same wherever it is cut in two`() throws {
        let bytes = Array(Self.awkward.utf8)
        let whole = try ParsedForm([bytes])
        #expect(whole.texts == ["", "\r\r\n\r\n-\r\n--\r\n-B\r\n--A\n--B--\r\n"])
        for cut in 0...bytes.count {
            #expect(try ParsedForm([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
    }

    @Test func `a body gives the same one byte at a time`() throws {
        let bytes = Array(Self.awkward.utf8)
        #expect(try ParsedForm(bytes.map { [$0] }) == ParsedForm([bytes]))
    }

    @Test func `every proper start of a body is an early end`() {
        let bytes = Array(part("; filename=\"a\"").utf8)
        let needed = bytes.count - "\r\n".utf8.count
        for length in 0..<needed {
            #expect(throws: MultipartError.endedEarly) { try ParsedForm([Array(bytes[..<length])]) }
        }
    }

    @Test func `an empty form has no parts`() throws {
        #expect(try ParsedForm("--B--").parts == [])
    }

    @Test func `a part's name, file name and type are reported`() throws {
        let form = try ParsedForm(Self.awkward)
        #expect(form.parts[0] == MultipartParser.Part(name: "a"))
        #expect(form.parts[1] == MultipartParser.Part(name: "b", filename: "x", contentType: "text/plain"))
        #expect(form.ended == 2)
    }

    @Test func `names escaped by the WHATWG rule are read back`() throws {
        struct Cases: Decodable {
            struct Case: Decodable { var input, name, filename: String }
            var cases: [Case]
        }
        for vector in try JSONDecoder().decode(Cases.self, from: vectors("multipart-escape")).cases {
            let form = try ParsedForm(part("; filename=\"\(vector.filename)\""))
            // The rule does not escape `%`, so `%22` in a name cannot be told from an escaped quote.
            #expect(form.parts[0].filename == vector.input.replacingOccurrences(of: "%22", with: "\""))
        }
    }

    @Test func `each form of file name is read as some other parser reads it`() throws {
        struct Matrix: Decodable { var cases: [String: [String: Value]] }
        enum Value: Decodable {
            case text(String)
            case result([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else {
                    self = .result(try container.decode([String].self))
                }
            }
        }
        let matrix = try JSONDecoder().decode(Matrix.self, from: vectors("multipart-parser-matrix"))
        #expect(matrix.cases.count == 20)
        for (name, results) in matrix.cases {
            guard case .text(let disposition)? = results["disposition"] else { continue }
            let form = try ParsedForm(part(disposition.isEmpty ? "" : "; " + disposition))
            let ours = form.parts[0].filename.map { ["file", $0] } ?? ["field", form.texts[0]]
            let others = results.values.compactMap { value -> [String]? in
                if case .result(let result) = value { result } else { nil }
            }
            #expect(others.contains(ours), "\(name)")
        }
    }

    @Test(arguments: [
        (#"; filename="a%22b.txt""#, "a\"b.txt"), (#"; filename="a\"b.txt""#, "a\"b.txt"),
        (#"; filename="C:\dir\a.txt""#, #"C:\dir\a.txt"#), (#"; filename="a\\b.txt""#, #"a\b.txt"#),
        (#"; filename="a;b=c.txt""#, "a;b=c.txt"), (#"; filename=a.txt"#, "a.txt"), (#"; filename="""#, ""),
        (#"; filename="funf"; filename*=UTF-8''f%C3%BCnf"#, "funf"), (#"; FileName = "a" "#, "a"),
        (#"; filename="a"; filename="b""#, "a"), (#"; filename="100%25""#, "100%25"),
    ])
    func `a file name is unquoted`(disposition: String, filename: String) throws {
        #expect(try ParsedForm(part(disposition)).parts[0].filename == filename)
    }

    @Test func `an extended file name alone does not make a file`() throws {
        #expect(try ParsedForm(part("; filename*=UTF-8''a")).parts[0].filename == nil)
    }

    @Test(arguments: [
        "--B\r\n\r\nx\r\n--B--", "--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--",
        "--B\r\nContent-Disposition: attachment; name=\"f\"\r\n\r\nx\r\n--B--",
        "--B\r\nnonsense\r\n\r\nx\r\n--B--",
        "--Bc\r\n\r\nx\r\n--B--", "--B-\r\n\r\n",
    ])
    func `a malformed part is an error`(body: String) {
        #expect {
            try ParsedForm(body)
        } throws: { error in
            if case MultipartError.malformed = error { true } else { false }
        }
    }

    @Test func `the number of parts is limited`() throws {
        let body =
            String(repeating: "--B\r\nContent-Disposition: form-data; name=f\r\n\r\n\r\n", count: 3) + "--B--"
        #expect(try ParsedForm(body, limits: .init(parts: 3)).parts.count == 3)
        #expect(throws: MultipartError.tooManyParts(limit: 2)) {
            try ParsedForm(body, limits: .init(parts: 2))
        }
    }

    @Test(arguments: [(1000, true), (1001, false)])
    func `a form may have 1,000 parts`(count: Int, isTaken: Bool) {
        let parts = "--B\r\nContent-Disposition: form-data; name=f\r\n\r\n\r\n"
        let form = try? ParsedForm(String(repeating: parts, count: count) + "--B--")
        #expect(form?.parts.count == (isTaken ? 1000 : nil))
    }

    /// - Parameter size: The bytes from the line break of the delimiter to the empty line.
    @Test(arguments: [(8192, true), (8193, false)])
    func `the head of a part may have 8 KiB`(size: Int, isTaken: Bool) throws {
        let (start, end) = ("\r\nContent-Disposition: form-data; name=", "\r\n\r\n")
        let name = String(repeating: "n", count: size - start.utf8.count - end.utf8.count)
        let form = try? ParsedForm("--B\(start)\(name)\(end)\r\n--B--")
        #expect(form?.parts.first?.name == (isTaken ? name : nil))
    }

    @Test(arguments: ["--B\r\nX: ", "", "--B "])
    func `a header without end is refused`(start: String) throws {
        var parser = try MultipartParser(boundary: "B")
        _ = try parser.parse(Array(start.utf8))
        #expect(throws: MultipartError.headerTooLarge) {
            for _ in 0..<100 { _ = try parser.parse([UInt8](repeating: 0x20, count: 1000)) }
        }
    }

    @Test func `content is handed on at once and not gathered`() throws {
        var parser = try MultipartParser(boundary: "B")
        _ = try parser.parse(Array("--B\r\nContent-Disposition: form-data; name=f\r\n\r\n".utf8))
        let chunk = [UInt8](repeating: 0x61, count: 1 << 20)
        #expect(try parser.parse(chunk) == [.content(chunk[...])])
    }

    @Test(arguments: [
        "multipart/form-data; boundary=B", "Multipart/Form-Data; charset=utf-8; boundary=\"B\"",
        "multipart/form-data;boundary=B;x=y",
    ])
    func `the boundary is taken from the content type`(type: String) throws {
        var parser = try MultipartParser(contentType: type)
        #expect(try parser.parse(Array(part("").utf8)).count == 3)
    }

    @Test(arguments: ["", "text/plain; boundary=B", "multipart/form-data; boundary=\"a\r\nb\""])
    func `a content type without a usable boundary is refused`(type: String) {
        #expect(throws: MultipartError.boundary) { try MultipartParser(contentType: type) }
    }

    @Test(arguments: ["", "ü", "end ", String(repeating: "x", count: 71)])
    func `a boundary that is not allowed is refused`(boundary: String) {
        #expect(throws: MultipartError.boundary) { try MultipartParser(boundary: boundary) }
    }

    @Test func `random content comes out as it went in`() throws {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("\r\n-B".utf8)
        for _ in 0..<200 {
            let content = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            guard !(Array("\r\n".utf8) + content).contains(Array("\r\n--B".utf8)) else { continue }
            let head = Array("--B\r\nContent-Disposition: form-data; name=f\r\n\r\n".utf8)
            let body = head + content + Array("\r\n--B--".utf8)
            let cut = Int.random(in: 0...body.count, using: &generator)
            #expect(try ParsedForm([Array(body[..<cut]), Array(body[cut...])]).contents == [content])
        }
    }
}
