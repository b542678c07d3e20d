import HTTPTypes
import Testing

@testable import FerryProtocols

struct S3ChecksumTests {
    private struct Vectors: Decodable {
        struct Input: Decodable { var crc32c, crc64nvme: String }

        struct Multipart: Decodable {
            var etag, compositeSHA256, fullObjectCRC64NVME: String
            var partMD5hex, partCRC64NVME, partSHA256: [String]
        }

        var inputs: [String: Input]
        var s3Multipart: Multipart
    }

    /// The pattern as the vectors define it.
    private static let pattern = (0..<1_048_576).map {
        UInt8(truncatingIfNeeded: $0 * 31 + ($0 >> 8) * 17)
    }
    private static let chunks = [pattern[..<400_000], pattern[400_000..<800_000], pattern[800_000...]]

    private func parts(_ algorithm: DigestAlgorithm) -> [(digest: [UInt8], length: ByteCount)] {
        Self.chunks.map { (RunningDigest.of(Array($0), algorithm), ByteCount($0.count)) }
    }

    @Test func `an object's checksum comes from those of its parts`() throws {
        let vectors = try vectors("checksums", as: Vectors.self)
        #expect(parts(.crc64nvme).map { S3Checksum.base64($0.digest) } == vectors.s3Multipart.partCRC64NVME)
        #expect(S3Checksum.whole(parts(.crc64nvme), .crc64nvme) == vectors.s3Multipart.fullObjectCRC64NVME)
        #expect(S3Checksum.whole(parts(.crc32c), .crc32c) == vectors.inputs["P"]?.crc32c)
    }

    @Test func `digests of parts make a digest of digests`() throws {
        let vectors = try vectors("checksums", as: Vectors.self).s3Multipart
        #expect(parts(.sha256).map { S3Checksum.base64($0.digest) } == vectors.partSHA256)
        #expect(S3Checksum.whole(parts(.sha256), .sha256) == vectors.compositeSHA256)
    }

    @Test func `MD5s of parts make the entity tag`() throws {
        let vectors = try vectors("checksums", as: Vectors.self).s3Multipart
        #expect(parts(.md5).map { DigestRequest.Form.hex.text($0.digest) } == vectors.partMD5hex)
        #expect(S3Checksum.whole(parts(.md5), .md5).map { "\"\($0)\"" } == vectors.etag)
        #expect(S3EntityTag(S3Checksum.whole(parts(.md5), .md5)) == S3EntityTag(vectors.etag))
    }

    @Test func `checksums of random ranges join to that of the whole`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let bytes = (0..<Int.random(in: 0...2000)).map { _ in UInt8.random(in: 0...255, using: &generator)
            }
            let cuts = [0] + (0..<4).map { _ in Int.random(in: 0...bytes.count) }.sorted() + [bytes.count]
            let chunks = zip(cuts, cuts.dropFirst()).map { Array(bytes[$0..<$1]) }
            for algorithm in [DigestAlgorithm.crc32c, .crc64nvme] {
                let parts = chunks.map { (RunningDigest.of($0, algorithm), ByteCount($0.count)) }
                #expect(
                    S3Checksum.whole(parts, algorithm)
                        == S3Checksum.base64(RunningDigest.of(bytes, algorithm)))
            }
        }
    }

    @Test func `a checksum of the wrong length is none`() {
        #expect(S3Checksum.whole([([1, 2, 3], 5)], .crc32c) == nil)
        #expect(S3Checksum.whole([([], 5)], .crc64nvme) == nil)
    }

    @Test(arguments: [
        "", "\"\"", "abc", "\"d41d8cd98f00b204e9800998ecf8427\"", "d41d8cd98f00b204e9800998ecf8427e-",
        "d41d8cd98f00b204e9800998ecf8427e-1-2", "d41d8cd98f00b204e9800998ecf8427e-99999999999999999999",
        "xyzd8cd98f00b204e9800998ecf8427e",
    ])
    func `a tag of another form is no MD5`(tag: String) {
        #expect(S3EntityTag(tag) == nil)
    }

    @Test func `the tag of an object with a key of its own is no MD5`() {
        let tag = "\"d41d8cd98f00b204e9800998ecf8427e\""
        #expect(S3EntityTag(tag) != nil)
        #expect(S3EntityTag(tag, in: [.init("x-amz-server-side-encryption")!: "AES256"]) != nil)
        #expect(S3EntityTag(tag, in: [.init("x-amz-server-side-encryption")!: "aws:kms"]) == nil)
        #expect(
            S3EntityTag(
                tag, in: [.init("x-amz-server-side-encryption-customer-algorithm")!: "AES256"]) == nil)
    }
}
