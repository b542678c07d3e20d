import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// Tests the bytes of forms.
struct MultipartFormDataTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    // LeftOut.md, item 1
    @Test func `a new form names its own boundary, and no two forms have the same`() async throws {
        let (first, second) = (MultipartFormData(), MultipartFormData())
        #expect(first.contentType == "multipart/form-data; boundary=\(first.boundary.text)")
        #expect(first.contentType != second.contentType)
    }

    // LeftOut.md, item 2
    @Test func `a boundary that was agreed on is used in the header and in the body`() async throws {
        var form = try MultipartFormData(boundary: "custom-test-boundary")
        form.append("v", name: "k")
        #expect(form.contentType == "multipart/form-data; boundary=custom-test-boundary")
        #expect(
            try await form.text()
                == "--custom-test-boundary\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n"
                + "--custom-test-boundary--\r\n")
    }

    // LeftOut.md, item 3
    @Test func `the content's length counts the contents alone`() async throws {
        var form = MultipartFormData()
        form.append(Array(repeating: 1, count: 27), name: "a")
        form.append(Data(repeating: 2, count: 23), name: "b", fileName: "b.bin")
        #expect(try await form.contentLength() == 50)
        #expect(try await form.length() == ByteCount(try await form.encode().count))
    }

    // LeftOut.md, item 4
    @Test func `one field is laid out as the standard says`() async throws {
        var form = try MultipartFormData(boundary: "B")
        form.append("Lorem ipsum dolor sit amet.", name: "data")
        #expect(
            try await form.text()
                == "--B\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\nLorem ipsum dolor sit amet."
                + "\r\n--B--\r\n")
    }

    // LeftOut.md, item 5
    @Test func `text is UTF-8, and a type is written only where one was given`() async throws {
        var form = try MultipartFormData(boundary: "B")
        form.append("français", name: "french")
        form.append("日本語", name: "japanese", contentType: "text/plain")
        form.append("😃👍🏻🍻🎉", name: "emoji", contentType: "text/plain")
        #expect(
            try await form.text()
                == "--B\r\nContent-Disposition: form-data; name=\"french\"\r\n\r\nfrançais\r\n--B\r\n"
                + "Content-Disposition: form-data; name=\"japanese\"\r\nContent-Type: text/plain\r\n\r\n"
                + "日本語\r\n--B\r\nContent-Disposition: form-data; name=\"emoji\"\r\n"
                + "Content-Type: text/plain\r\n\r\n😃👍🏻🍻🎉\r\n--B--\r\n")
    }

    // LeftOut.md, item 6
    @Test func `two fields and a boundary of 35 characters are 241 bytes`() async throws {
        var form = try MultipartFormData(boundary: "alamofire.boundary.0123456789abcdef")
        form.append("français", name: "french")
        form.append("日本語", name: "japanese")
        #expect(try await form.length() == 241)
        for body in try await form.encodings() { #expect(body.count == 241) }
    }

    // LeftOut.md, item 7
    @Test(arguments: [("unicorn.png", "image/png"), ("rainbow.jpg", "image/jpeg")])
    func `a file brings its name and the type of its extension`(name: String, type: String) async throws {
        try directory.write("pixels".utf8, to: name)
        var form = try MultipartFormData(boundary: "B")
        form.append(file: directory.path(name), name: "unicorn")
        #expect(
            try await form.text()
                == "--B\r\nContent-Disposition: form-data; name=\"unicorn\"; filename=\"\(name)\"\r\n"
                + "Content-Type: \(type)\r\n\r\npixels\r\n--B--\r\n")
    }

    // LeftOut.md, item 13
    @Test(arguments: ["Makefile", "LICENSE", ".hidden", "a.", "ünï", " "])
    func `a file without an extension is bytes of an unknown type`(name: String) async throws {
        try directory.write([1, 2, 3], to: name)
        var form = MultipartFormData()
        form.append(file: LocalPath(directory.path(name)), name: "f")
        let read = try ReadForm(try await form.encode(), contentType: form.contentType)
        #expect(read.parts == [.init(name: "f", filename: name, contentType: "application/octet-stream")])
        #expect(read.contents == [[1, 2, 3]])
    }

    @Test func `a file name that is not UTF-8 is sent with a replacement character`() async throws {
        let path = LocalPath(bytes: Array(directory.path("a").utf8) + [0xFF] + Array(".png".utf8))
        let file = try await NewFile.create(path)
        try await file.close()
        var form = MultipartFormData()
        form.append(file: path, name: "f")
        let read = try ReadForm(try await form.encode(), contentType: form.contentType)
        #expect(read.parts == [.init(name: "f", filename: "a\u{FFFD}.png", contentType: "image/png")])
    }

    @Test func `a name and a type that are given win over the file's own`() async throws {
        try directory.write([1], to: "a.png")
        var form = MultipartFormData()
        form.append(file: directory.path("a.png"), name: "f", fileName: "b.pdf")
        form.append(file: directory.path("a.png"), name: "f", fileName: "b", contentType: "text/x-own")
        form.append([1], name: "f", fileName: "c.csv")
        let read = try ReadForm(try await form.encode(), contentType: form.contentType)
        #expect(read.parts.map(\.filename) == ["b.pdf", "b", "c.csv"])
        #expect(read.parts.map(\.contentType) == ["application/pdf", "text/x-own", "text/csv"])
    }

    /// Returns a form with bytes, two files and two streams. One of the files is larger than a single read.
    private func mixedForm(lengthIsKnown: Bool = true) throws -> MultipartFormData {
        _ = try PatternFile(at: directory.path("large.bin"), count: 3 << 20 | 17)
        try directory.write([], to: "empty.bin")
        var form = MultipartFormData()
        form.append([0, 13, 10, 255], name: "data", fileName: "d")
        form.append(file: directory.path("large.bin"), name: "file")
        let chunks = [Array("stre".utf8), [], Array("am".utf8)]
        form.append(stream: .of(chunks, length: lengthIsKnown ? 6 : nil), name: "stream", fileName: "s.txt")
        form.append(file: directory.path("empty.bin"), name: "file")
        form.append(stream: .of([], length: 0), name: "nothing")
        form.append(Array(repeating: 7, count: 3 << 20), name: "more", fileName: "m")
        return form
    }

    // LeftOut.md, item 8
    @Test func `parts are sent in the order they were appended`() async throws {
        let form = try mixedForm()
        let read = try ReadForm(try await form.encode(), contentType: form.contentType)
        #expect(read.parts.map(\.name) == ["data", "file", "stream", "file", "nothing", "more"])
        #expect(read.contents.map(\.count) == [4, 3 << 20 | 17, 6, 0, 0, 3 << 20])
    }

    // LeftOut.md, item 9
    @Test func `a stream is sent as the file with the same bytes`() async throws {
        try directory.write("content".utf8, to: "a.txt")
        var (first, second) = (try MultipartFormData(boundary: "B"), try MultipartFormData(boundary: "B"))
        first.append(file: directory.path("a.txt"), name: "f")
        second.append(
            stream: .of([Array("con".utf8), Array("tent".utf8)], length: 7), name: "f", fileName: "a.txt")
        #expect(try await first.encode() == second.encode())
        #expect(try await first.length() == second.length())
    }

    // LeftOut.md, items 10 and 18
    @Test(arguments: [true, false])
    func `memory, stream and file give the same bytes, however often`(lengthIsKnown: Bool) async throws {
        let form = try mixedForm(lengthIsKnown: lengthIsKnown)
        let bodies = try await form.encodings() + form.encodings()
        for body in bodies.dropFirst() { #expect(body == bodies[0]) }
        let length = try await form.length()
        #expect(length == (lengthIsKnown ? ByteCount(bodies[0].count) : nil))
        #expect(try await form.contentLength() == (lengthIsKnown ? 4 + (3 << 20 | 17) + 6 + 3 << 20 : nil))
    }

    // LeftOut.md, item 20
    @Test func `an empty form is its closing delimiter`() async throws {
        let form = try MultipartFormData(boundary: "B")
        for body in try await form.encodings() { #expect(body == Array("--B--\r\n".utf8)) }
        #expect(try await form.length() == 7)
        #expect(try await form.contentLength() == 0)
        #expect(try ReadForm(try await form.encode(), contentType: form.contentType).parts.isEmpty)
    }

    // LeftOut.md, item 21
    @Test(arguments: ["a\"b", "a\\b", "a\r\nX-Evil: 1\r\n\r\nb", "\r\n", "\"; filename=\"evil"])
    func `no name adds a header or ends its own`(name: String) async throws {
        var form = MultipartFormData()
        form.append("v", name: name, fileName: name)
        let body = try await form.encode()
        let read = try ReadForm(body, contentType: form.contentType)
        #expect(read.parts == [.init(name: name, filename: name, contentType: MediaType.unknown)])
        #expect(!String(decoding: body, as: UTF8.self).contains("\r\nX-Evil"))
    }

    // LeftOut.md, items 22 and 23
    @Test func `a form with fewer bytes than the threshold is sent from memory`() async throws {
        var form = MultipartFormData()
        form.append(Array(repeating: 1, count: 18), name: "a")
        let length = try #require(try await form.length())
        for (threshold, isInMemory) in [(0, false), (length, false), (length + 1, true), (.max, true)] {
            switch try await form.body(memoryThreshold: threshold) {
            case .bytes(let bytes):
                #expect(isInMemory)
                #expect(bytes == (try await form.encode()))
            case .streamed(let body):
                #expect(!isInMemory)
                #expect(body.length == length)
            case .none:
                Issue.record("no body")
            }
            #expect(form.contentType.hasSuffix(form.boundary.text))
        }
    }

    // LeftOut.md, item 22
    @Test func `18 MB are sent from memory where that is allowed`() async throws {
        var form = MultipartFormData()
        form.append(Array(repeating: 1, count: 18_000_000), name: "a", fileName: "a")
        guard case .bytes(let bytes) = try await form.body(memoryThreshold: .max) else {
            return #expect(Bool(false), "streamed")
        }
        #expect(bytes.count > 18_000_000)
    }

    @Test func `a form without a length is streamed, whatever the threshold`() async throws {
        var form = MultipartFormData()
        form.append(stream: .of([[1]]), name: "s")
        guard case .streamed(let body) = try await form.body(memoryThreshold: .max) else {
            return #expect(Bool(false), "in memory")
        }
        #expect(body.length == nil)
    }

    // LeftOut.md, item 24
    @Test func `parts appended before it is opened are in, those of a copy are not`() async throws {
        var form = MultipartFormData()
        form.append("1", name: "a")
        var copy = form
        copy.append("2", name: "b")
        form.append("3", name: "c")
        let read = try ReadForm(try await form.encode(), contentType: form.contentType)
        #expect(read.parts.map(\.name) == ["a", "c"])
    }

    // One part for each element. The name stays as it is.
    @Test func `the values of an array are fields of the same name`() async throws {
        var form = MultipartFormData()
        form.append(values: ["raw", "ünsorted"], name: "tags[]")
        form.append(values: [1, 2], name: "n")
        form.append(values: [] as [Int], name: "none")
        form.append(values: [true], name: "b")
        let read = try ReadForm(try await form.encode(), contentType: form.contentType)
        #expect(read.parts.map(\.name) == ["tags[]", "tags[]", "n", "n", "b"])
        #expect(read.contents == ["raw", "ünsorted", "1", "2", "true"].map { Array($0.utf8) })
        #expect(read.parts.allSatisfy { $0.contentType == nil && $0.filename == nil })
    }

    @Test func `a value is a field of JSON, the same bytes each time`() async throws {
        var form = MultipartFormData()
        let value = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key \($0)", $0) })
        form.append(json: value, name: "params")
        let read = try ReadForm(try await form.encode(), contentType: form.contentType)
        #expect(read.parts == [.init(name: "params", contentType: "application/json")])
        #expect(try JSONDecoder().decode([String: Int].self, from: Data(read.contents[0])) == value)
        #expect(try await form.encode() == form.encode())
    }

    @Test func `several files may have one name`() async throws {
        var form = MultipartFormData()
        for number in 1...3 {
            try directory.write([UInt8(number)], to: "\(number).png")
            form.append(file: directory.path("\(number).png"), name: "images")
        }
        let read = try ReadForm(try await form.encode(), contentType: form.contentType)
        #expect(read.parts.map(\.name) == ["images", "images", "images"])
        #expect(read.parts.map(\.filename) == ["1.png", "2.png", "3.png"])
        #expect(read.contents == [[1], [2], [3]])
    }

    @Test func `a part's own headers follow its type`() async throws {
        var form = try MultipartFormData(boundary: "B")
        form.append("v", name: "k", contentType: "text/plain", headers: [.contentLanguage: "de"])
        #expect(
            try await form.text()
                == "--B\r\nContent-Disposition: form-data; name=\"k\"\r\nContent-Type: text/plain\r\n"
                + "Content-Language: de\r\n\r\nv\r\n--B--\r\n")
    }

    @Test func `a form that is opened holds files, not their bytes`() async throws {
        _ = try PatternFile(at: directory.path("huge"), count: 1 << 34, isSparse: true)
        var form = MultipartFormData()
        form.append(file: directory.path("huge"), name: "f")
        let body = try await form.open()
        #expect(body.length.map { $0 > 1 << 34 } == true)
        #expect(body.segments.count == 3)
    }
}
