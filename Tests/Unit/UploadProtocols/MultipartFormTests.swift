import Foundation
import Testing

@testable import FerryProtocols

struct MultipartFormTests {
    private static func form(
        boundary: String = "B", parameters: [UploadItem.Parameter] = [], fileName: String = "a.txt"
    ) throws -> MultipartForm {
        MultipartForm(
            boundary: try MultipartBoundary(boundary), parameters: parameters, fileField: "file",
            fileName: fileName, fileType: "text/plain")
    }

    @Test func `the bytes are those of the standard`() throws {
        let form = try Self.form(parameters: [.init(name: "k", value: "v"), .init(name: "k", value: "")])
        let expected =
            "--B\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\n\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
            + "Content-Type: text/plain\r\n\r\n"
        #expect(String(decoding: form.prefix, as: UTF8.self) == expected)
        #expect(String(decoding: form.suffix, as: UTF8.self) == "\r\n--B--\r\n")
        #expect(form.contentType == "multipart/form-data; boundary=B")
    }

    @Test(arguments: [ByteCount(0), 1, 4097])
    func `the announced length is the length of the bytes`(size: ByteCount) throws {
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
        let form = try Self.form(
            boundary: "B2", parameters: names.map { .init(name: $0, value: "--B\r\nof \($0)") },
            fileName: "q\"u\r\n.txt")
        let content = Array("\r\n--B-\r\n".utf8)
        var parser = try MultipartParser(contentType: form.contentType)
        var parts: [MultipartParser.Part] = []
        var contents: [[UInt8]] = []
        for event in try parser.parse(form.prefix + content + form.suffix) {
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
