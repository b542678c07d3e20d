import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// The digests of the vectors in Base64, by input.
private struct Checksums: Decodable {
    struct Digests: Decodable {
        var crc32c: String
        var crc64nvme: String
        var sha1: String
        var sha256: String
        var md5: String
        var contentDigest: String

        subscript(algorithm: DigestAlgorithm) -> String {
            switch algorithm {
            case .md5: md5
            case .sha1: sha1
            case .sha256: sha256
            case .crc32c: crc32c
            case .crc64nvme: crc64nvme
            }
        }
    }

    var inputs: [String: Digests]

    static func bytes(of input: String) -> [UInt8] {
        // The input "P" stands for a pattern, which the vectors' file defines.
        guard input == "P" else { return Array(input.utf8) }
        return (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 * 31 + ($0 >> 8) * 17) }
    }
}

struct DigestTests {
    @Test(arguments: DigestAlgorithm.allCases)
    func `a digest is that of the vectors, in one chunk and in many`(algorithm: DigestAlgorithm) throws {
        for (input, digests) in try vectors("checksums", as: Checksums.self).inputs {
            let bytes = Checksums.bytes(of: input)
            let expected = Array(try #require(Data(base64Encoded: digests[algorithm])))
            #expect(RunningDigest.of(bytes, algorithm) == expected, "\(input)")
            var running = RunningDigest(algorithm)
            var rest = bytes[...]
            // These lengths are not multiples of the eight bytes that checksums process at a time.
            for length in [1, 7, 13, 65_537] {
                let chunk = Array(rest.prefix(length))
                chunk.withUnsafeBytes { running.update($0) }
                rest = rest.dropFirst(length)
            }
            Array(rest).withUnsafeBytes { running.update($0) }
            #expect(running.bytes == expected, "\(input)")
        }
    }

    @Test func `a digest is written in a field as its carrier says`() throws {
        let digests = try #require(try vectors("checksums", as: Checksums.self).inputs["hello"])
        let place = DigestRequest.Carrier(.reprDigest, .base64, prefix: "sha-256=:", suffix: ":")
        #expect(place.value(RunningDigest.of(Array("hello".utf8), .sha256)) == digests.contentDigest)
        #expect(DigestRequest.Form.hex.text([0, 10, 255]) == "000aff")
    }

    @Test func `Repr-Digest is read, the strongest first, without what is unknown or broken`() {
        let fields: HTTPFields = [
            .reprDigest:
                "md5=:XUFAKrxLKna5cZ2REBfFkg==:, sha-512=:AAAA:, sha=:?:, sha-256=:AQID:;q=1, crc32c=AAAA"
        ]
        #expect(
            ServerDigest.in(fields) == [
                ServerDigest(.sha256, [1, 2, 3]),
                ServerDigest(.md5, RunningDigest.of(Array("hello".utf8), .md5)),
            ])
    }

    @Test func `OC-Checksum is read in either case, and several of it`() {
        let fields: HTTPFields = [.ocChecksum: "sha1:0aFF MD5:00 ADLER32:12345678 SHA256:0 x"]
        #expect(ServerDigest.in(fields) == [ServerDigest(.sha1, [0x0A, 0xFF]), ServerDigest(.md5, [0])])
    }

    @Test func `a sum of an object's parts is not taken for that of the file`() throws {
        let name = try #require(HTTPField.Name("x-amz-checksum-sha256"))
        #expect(ServerDigest.in([name: "AQID"]) == [ServerDigest(.sha256, [1, 2, 3])])
        #expect(ServerDigest.in([name: "AQID-2"]).isEmpty)
    }

    @Test(arguments: ["", ",", "=", "sha-256", "sha-256=", "sha-256=:", "sha-256=::::", "=:AQID:", ":::,==="])
    func `no field is too odd to be read`(field: String) {
        #expect(ServerDigest.dictionary(field).allSatisfy { $0.bytes.isEmpty })
    }

    @Test func `only what the server reports of the same algorithm is compared`() {
        let ours = [ComputedDigest(.sha256, of: 0..<1, bytes: [1])]
        #expect(FoundFile(reported: [.init(.sha256, [1])]).agrees(with: ours) == .same(.sha256))
        #expect(FoundFile(reported: [.init(.sha256, [2])]).agrees(with: ours) == .different(.sha256))
        #expect(FoundFile(reported: [.init(.md5, [1])]).agrees(with: ours) == nil)
    }
}
