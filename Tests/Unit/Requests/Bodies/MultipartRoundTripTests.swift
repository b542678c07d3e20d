import FerryTestSupport
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// Encodes random forms and reads them back with the receiver's parser.
struct MultipartRoundTripTests {
    /// Knuth's MMIX generator, with a seed, so that a failure can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            var result: UInt64 = 0
            for _ in 0..<2 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                result = result << 32 | state >> 32
            }
            return result
        }
    }

    private struct Part {
        var name: String
        var fileName: String?
        var content: [UInt8]
    }

    /// The difficult parts of names. `%` and two backslashes in a row are missing, because their encoding in a form is
    /// ambiguous (see `MultipartHeader`).
    private static let fragments = [
        "a", "Z", "0", " ", ".", "/", ";", "=", ":", "'", "\"", "\t", "ü", "日本", "😀", "e\u{301}", "\\n",
        "\r\n", "filename", "--", "\u{85}", "\u{2028}",
    ]

    private static func name(_ generator: inout Generator) -> String {
        (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            fragments[Int.random(in: 0..<fragments.count, using: &generator)]
        }.joined()
    }

    /// Returns random bytes that contain beginnings of delimiters, but never the whole boundary.
    private static func content(_ boundary: String, _ generator: inout Generator) -> [UInt8] {
        let words = ["\r\n", "\r", "\n", "--", "\r\n--", "\r\n--" + boundary.dropLast(), "--\r\n", "!", "\0"]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            bytes += words[Int.random(in: 0..<words.count, using: &generator)].utf8
            // A byte that would complete the boundary is replaced by 0.
            let byte = UInt8.random(in: 0...255, using: &generator)
            bytes.append(byte == boundary.utf8.last ? 0 : byte)
            if Bool.random(using: &generator) { bytes.removeLast() }
        }
        return bytes
    }

    @Test(arguments: 1...200)
    func `appended parts are read back`(seed: Int) async throws {
        var generator = Generator(state: UInt64(seed))
        var form = MultipartFormData()
        let directory = try TemporaryDirectory()
        let parts = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            let fileName: String? = Bool.random(using: &generator) ? Self.name(&generator) : nil
            return Part(
                name: Self.name(&generator), fileName: fileName,
                content: Self.content(form.boundary.text, &generator))
        }
        for (index, part) in parts.enumerated() {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: form.append(part.content, name: part.name, fileName: part.fileName)
            case 1:
                let chunks = part.content.map { [$0] }
                let length = Bool.random(using: &generator) ? ByteCount(part.content.count) : nil
                form.append(
                    stream: .of(chunks, length: length), name: part.name, fileName: part.fileName)
            default:
                let path = try directory.write(part.content, to: "\(index)")
                form.append(file: path, name: part.name, fileName: part.fileName ?? "")
            }
        }
        let body = try await form.encode()
        if let length = try await form.length() { #expect(length == ByteCount(body.count)) }
        let read = try ReadForm(
            body, contentType: form.contentType, cutAt: Int.random(in: 1...200, using: &generator))
        #expect(read.parts.map(\.name) == parts.map(\.name))
        #expect(zip(read.parts, parts).allSatisfy { $0.filename ?? "" == $1.fileName ?? "" })
        #expect(read.contents == parts.map(\.content))
    }
}
