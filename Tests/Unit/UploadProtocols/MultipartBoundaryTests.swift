import HTTPTypes
import Testing

@testable import FerryProtocols

struct MultipartBoundaryTests {
    // LeftOut.md, item 1
    @Test func `boundaries that are made up differ, are long and are valid`() throws {
        let boundaries = (0..<100).map { _ in MultipartBoundary() }
        #expect(Set(boundaries).count == 100)
        for boundary in boundaries {
            #expect(boundary.isUnguessable)
            // A character has log2(62) = 5.95 bits, so 22 characters have 128 bits.
            #expect(boundary.text.count >= 22)
            #expect(try MultipartBoundary(boundary.text).contentType == boundary.contentType)
        }
    }

    // LeftOut.md, item 2
    @Test(arguments: [
        ("custom-test-boundary", "custom-test-boundary"), ("0'+_-.", "0'+_-."), ("a b", "\"a b\""),
        ("a:b", "\"a:b\""), ("(),/:=?", "\"(),/:=?\""),
        (String(repeating: "x", count: 70), String(repeating: "x", count: 70)),
    ])
    func `a boundary is named as it is, in quotes where a token may not hold it`(text: String, named: String)
        throws
    {
        let boundary = try MultipartBoundary(text)
        #expect(boundary.contentType == "multipart/form-data; boundary=\(named)")
        _ = try MultipartParser(contentType: boundary.contentType)
    }

    @Test(arguments: [
        "", "a ", " ", "a\"b", "a\r\nb", "ä", "a;b", "a\\b", "a*b", "a\0",
        String(repeating: "x", count: 71),
    ])
    func `a boundary that RFC 2046 does not allow is refused`(text: String) {
        #expect(throws: MultipartError.boundary) { try MultipartBoundary(text) }
    }

    @Test(arguments: 1...7)
    func `a boundary is found however the content is cut`(size: Int) throws {
        let boundary = try MultipartBoundary("--bound")
        func finds(_ text: String) -> Bool {
            var check = BoundaryCheck(boundary)
            let bytes = Array(text.utf8)
            return stride(from: 0, to: bytes.count, by: size).contains { start in
                check.finds(in: Array(bytes[start..<min(start + size, bytes.count)]))
            }
        }
        #expect(finds("--bound"))
        #expect(finds("text\r\n----bound--\r\n"))
        #expect(finds("in the middle of a line---boundary"))
        #expect(!finds("-bound\r\n--boun\r\n-- -bound"))
        #expect(!finds(""))
    }
}

struct MultipartHeaderTests {
    private struct Vectors: Decodable {
        struct Case: Decodable {
            var input: String
            var name: String
            var filename: String
        }

        var cases: [Case]
    }

    // LeftOut.md, item 21
    @Test func `names are escaped as the vectors say`() throws {
        let cases = try vectors("multipart-escape", as: Vectors.self).cases
        #expect(cases.count == 19)
        for vector in cases {
            let header = MultipartHeader(name: vector.input, fileName: vector.input)
            let line =
                "Content-Disposition: form-data; name=\"\(vector.name)\"; filename=\"\(vector.filename)\""
            #expect(header.bytes == Array("\(line)\r\n\r\n".utf8), "\(vector.input.debugDescription)")
        }
    }

    @Test func `lines are the disposition, the type, then the others`() {
        let header = MultipartHeader(
            name: "a", contentType: "text/plain; charset=utf-8",
            fields: [.contentLanguage: "de", .contentLocation: "/x"])
        #expect(
            String(decoding: header.bytes, as: UTF8.self)
                == "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Language: de\r\nContent-Location: /x\r\n\r\n")
    }

    // LeftOut.md, item 21
    @Test func `no value begins a line of its own, checked or not`() {
        let evil = "a/b\r\nX-Evil: 1\r\n\r\nbody"
        var header = MultipartHeader(name: evil, fileName: evil, contentType: evil)
        header.fields[.contentLanguage] = evil
        let lines = String(decoding: header.bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 3)
        #expect(!lines.contains { $0.hasPrefix("X-Evil") })
    }

    @Test(arguments: ["image/png", "text/plain;charset=utf-8", "text/plain ; a=b", "application/vnd.a+b"])
    func `a media type passes`(type: String) throws {
        try MultipartHeader(name: "a", contentType: type).check()
    }

    @Test(arguments: [
        "", "png", "image/", "/png", "image/png/x", "image/jpeg, image/png", "a/b\r\nX: y", "a/b c", "a b/c",
        "image/ä",
    ])
    func `an invalid media type is refused by name`(type: String) {
        #expect {
            try MultipartHeader(name: "a", contentType: type).check()
        } throws: { error in
            (error as? UploadFailure)?.summary == "\(type.debugDescription) is not a media type"
        }
    }

    @Test func `a part's own headers replace neither its disposition nor its type`() throws {
        for name in ["content-disposition", "CONTENT-TYPE"] {
            var header = MultipartHeader(name: "a")
            header.fields[try #require(HTTPField.Name(name))] = "x/y"
            #expect(throws: UploadFailure.self) { try header.check() }
        }
    }
}
