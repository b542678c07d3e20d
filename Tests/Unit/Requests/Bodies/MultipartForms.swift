import FerryTestSupport
import Foundation
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

extension MultipartFormData {
    /// Returns the body in each way of encoding: in memory, streamed, and written to a file.
    func encodings() async throws -> [[UInt8]] {
        let directory = try TemporaryDirectory()
        let written = try await write(to: directory.path("form"))
        let file = try Data(contentsOf: URL(fileURLWithPath: directory.path("form")))
        #expect(written == ByteCount(file.count))
        return [try await encode(), try await streamed(), Array(file)]
    }

    func streamed() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in try await chunks() {
            #expect(!chunk.isEmpty)
            bytes += chunk
        }
        return bytes
    }

    func text() async throws -> String { String(decoding: try await encode(), as: UTF8.self) }

    /// Returns the failure of each way of encoding, in the same order; nil for one that succeeds.
    func failures() async throws -> [UploadFailure?] {
        let directory = try TemporaryDirectory()
        let destination = directory.path("form")
        let failures = [
            await failure { _ = try await encode() }, await failure { _ = try await streamed() },
            await failure { _ = try await write(to: destination) },
        ]
        // LeftOut.md, item 25: no file is left behind.
        #expect(!FileManager.default.fileExists(atPath: destination))
        return failures
    }
}

/// Returns the failure of `body`; nil if it does not fail.
func failure(_ body: () async throws -> Void) async -> UploadFailure? {
    do {
        try await body()
        return nil
    } catch {
        return error as? UploadFailure
    }
}

extension BodyStream {
    /// Makes a stream of chunks that are in memory. It can be opened repeatedly.
    static func of(_ chunks: [[UInt8]], length: ByteCount? = nil) -> BodyStream {
        BodyStream(length: length) {
            AsyncThrowingStream { stream in
                for chunk in chunks { stream.yield(chunk) }
                stream.finish()
            }
        }
    }
}

/// A form as `MultipartParser` reads it.
struct ReadForm: Equatable {
    var parts: [MultipartParser.Part] = []
    var contents: [[UInt8]] = []

    init(_ body: [UInt8], contentType: String, cutAt size: Int = .max) throws {
        var parser = try MultipartParser(contentType: contentType)
        var start = 0
        while start < body.count {
            let end = size < body.count - start ? start + size : body.count
            for event in try parser.parse(Array(body[start..<end])) {
                switch event {
                case .partBegan(let part):
                    parts.append(part)
                    contents.append([])
                case .content(let bytes): contents[contents.count - 1] += bytes
                case .partEnded: break
                }
            }
            start = end
        }
        try parser.finish()
    }
}
