import Foundation
import Testing

@testable import UploadProtocols

struct MultipartFormTests {
    private struct Vectors: Decodable {
        struct Case: Decodable {
            var input: String
            var name: String
            var filename: String
        }

        var cases: [Case]
    }

    private static func form(
        parameters: [UploadItem.Parameter] = [], fileField: String = "file", fileName: String = "a.txt"
    ) -> MultipartForm {
        MultipartForm(
            boundary: "B", parameters: parameters, fileField: fileField, fileName: fileName,
            fileType: "text/plain")
    }

    @Test func `the bytes are those of the standard`() {
        let form = Self.form(parameters: [.init(name: "k", value: "v"), .init(name: "k", value: "")])
        let expected =
            "--B\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\n\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
            + "Content-Type: text/plain\r\n\r\n"
        #expect(String(decoding: form.prefix, as: UTF8.self) == expected)
        #expect(String(decoding: form.suffix, as: UTF8.self) == "\r\n--B--\r\n")
        #expect(form.contentType == "multipart/form-data; boundary=B")
    }

    @Test func `names are escaped as the vectors say`() throws {
        let cases = try vectors("multipart-escape", as: Vectors.self).cases
        #expect(cases.count == 19)
        for vector in cases {
            #expect(Array(MultipartForm.escaped(fieldName: vector.input).utf8) == Array(vector.name.utf8))
            #expect(Array(MultipartForm.escaped(fileName: vector.input).utf8) == Array(vector.filename.utf8))
        }
    }

    @Test func `two random boundaries differ and are valid`() throws {
        let boundaries = Set((0..<100).map { _ in MultipartForm.randomBoundary() })
        #expect(boundaries.count == 100)
        for boundary in boundaries { _ = try MultipartParser(boundary: boundary) }
    }

    @Test(arguments: [ByteCount(0), 1, 4097])
    func `the length told is the length of the bytes`(size: ByteCount) throws {
        var upload = FormUpload(
            item: .make(name: "ü.txt", size: size, parameters: [.init(name: "日本", value: "😀")]),
            options: .init())
        let exchange = try #require(upload.start(resource: nil, capabilities: nil).exchange)
        guard case .file(let range, let prefix, let suffix) = exchange.body else {
            throw UploadFailure(.permanent, "no file")
        }
        #expect(exchange.contentLength == ByteCount(prefix.count + range.count + suffix.count))
        #expect(range == 0..<size)
    }

    @Test func `a parser reads back every field, its order and the file`() throws {
        let names = ["plain", "ünï", "semi;colon=\"x\"", "two\r\nlines"]
        let form = Self.form(
            parameters: names.map { .init(name: $0, value: "--B\r\nof \($0)") }, fileName: "q\"u\r\n.txt")
        let content = Array("\r\n--B-\r\n".utf8)
        var parser = try MultipartParser(contentType: form.contentType + "2")
        let again = MultipartForm(
            boundary: "B2", parameters: names.map { .init(name: $0, value: "--B\r\nof \($0)") },
            fileField: "file", fileName: "q\"u\r\n.txt", fileType: "text/plain")
        var parts: [MultipartParser.Part] = []
        var contents: [[UInt8]] = []
        for event in try parser.parse(again.prefix + content + again.suffix) {
            switch event {
            case .partBegan(let part):
                parts.append(part)
                contents.append([])
            case .content(let bytes): contents[contents.count - 1] += bytes
            case .partEnded: break
            }
        }
        try parser.finish()
        #expect(parts.map(\.name) == names + ["file"])
        #expect(contents == names.map { Array("--B\r\nof \($0)".utf8) } + [content])
        #expect(parts.last?.filename == "q\"u\r\n.txt")
        #expect(parts.last?.contentType == "text/plain")
    }
}
