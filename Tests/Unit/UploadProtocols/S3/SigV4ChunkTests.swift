import Foundation
import Testing

@testable import FerryProtocols

struct SigV4ChunkTests {
    private struct Vectors: Decodable {
        struct Keys: Decodable { var accessKeyId: String, secretAccessKey: String }
        struct Chunk: Decodable { var length: Int, chunkHeader: String, signature: String }
        struct Trailer: Decodable { var line: String, signature: String }
        struct Example: Decodable {
            var headers: [String: String]
            var canonicalRequest: String
            var stringToSign: String
            var seedSignature: String
            var chunks: [Chunk]
            var trailer: Trailer?
            var encodedBodyLength: Int
        }
        var credentials: Keys
        var signed: Example
        var signedWithTrailer: Example
    }

    private let vectors: Vectors

    init() throws { vectors = try UploadProtocolsTests.vectors("sigv4-streaming", as: Vectors.self) }

    private func seed(_ example: Vectors.Example) throws -> SigV4Signer.Signature {
        var signer = SigV4Signer()
        let request = SigV4Request(
            method: "PUT", path: "/examplebucket/chunkObject.txt", query: nil,
            fields: example.headers.map { ($0.key, $0.value) },
            payload: try #require(example.headers["x-amz-content-sha256"]))
        return signer.sign(
            request,
            with: S3Credentials(
                accessKey: vectors.credentials.accessKeyId, secretKey: vectors.credentials.secretAccessKey),
            in: SigV4Scope(Date(timeIntervalSince1970: 1_369_353_600), region: "us-east-1"))
    }

    private static func hash(_ length: Int) -> String {
        SigV4Encoding.hash([UInt8](repeating: UInt8(ascii: "a"), count: length))
    }

    @Test(arguments: [false, true])
    func `the chunks of the published examples have their signatures`(hasTrailer: Bool) throws {
        let example = hasTrailer ? vectors.signedWithTrailer : vectors.signed
        let seed = try seed(example)
        #expect(seed.canonicalRequest == example.canonicalRequest)
        #expect(seed.stringToSign == example.stringToSign)
        #expect(seed.text == example.seedSignature)
        var signer = seed.chunks
        for chunk in example.chunks {
            #expect(signer.sign(chunk: Self.hash(chunk.length)) == chunk.signature)
        }
        if let trailer = example.trailer { #expect(signer.sign(trailer: trailer.line) == trailer.signature) }
    }

    /// Frames only the second chunk of the example's content. The form and the length of the frame are the same.
    @Test func `a frame is written as the example writes it`() throws {
        let seed = try seed(vectors.signedWithTrailer)
        let frame = AWSChunk(
            length: 1024, trailer: .init(name: "x-amz-checksum-crc32c", value: "sOO8/Q=="),
            signing: (Self.hash(1024), seed.chunks))
        var signer = seed.chunks
        let (first, last) = (signer.sign(chunk: Self.hash(1024)), signer.signEnd())
        let trailer = signer.sign(trailer: "x-amz-checksum-crc32c:sOO8/Q==\n")
        #expect(String(decoding: frame.prefix, as: UTF8.self) == "400;chunk-signature=\(first)\r\n")
        #expect(
            String(decoding: frame.suffix, as: UTF8.self)
                == "\r\n0;chunk-signature=\(last)\r\nx-amz-checksum-crc32c:sOO8/Q==\r\n"
                + "x-amz-trailer-signature:\(trailer)\r\n\r\n")
        // The example has another chunk, of 65,536 bytes.
        let length =
            frame.prefix.count + 1024 + frame.suffix.count + "10000;chunk-signature=\r\n\r\n".utf8.count + 64
        #expect(length + 65_536 == vectors.signedWithTrailer.encodedBodyLength)
    }

    @Test func `a frame without signatures holds the checksum`() {
        let frame = AWSChunk(length: 10, trailer: .init(name: "x-amz-checksum-crc32c", value: "AAAAAA=="))
        #expect(String(decoding: frame.prefix, as: UTF8.self) == "a\r\n")
        #expect(
            String(decoding: frame.suffix, as: UTF8.self) == "\r\n0\r\nx-amz-checksum-crc32c:AAAAAA==\r\n\r\n"
        )
    }

    @Test func `an empty body is the last chunk alone`() {
        let frame = AWSChunk(length: 0, trailer: nil)
        #expect(frame.prefix.isEmpty)
        #expect(String(decoding: frame.suffix, as: UTF8.self) == "0\r\n\r\n")
    }
}
