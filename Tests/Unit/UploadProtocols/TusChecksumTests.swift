import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests chunks with a digest that the server checks (tus 1.0.0, Checksum).
struct TusChecksumTests {
    private static let sha1 = ProtocolOptions(chunkSize: 4, checksum: .sha1)

    /// Returns a new upload with checked chunks of 4 bytes, and its first chunk.
    private func checked(
        _ options: ProtocolOptions = Self.sha1, size: ByteCount = 10
    ) throws -> (tus: TusUpload, exchange: Exchange, noted: UploadResource) {
        var tus = TusUpload(item: .make(size: size), options: options)
        _ = tus.start(resource: nil, capabilities: .tusChecking)
        let step = tus.receive(.answer(201, [.location: "7"]))
        return (tus, try #require(step.exchange), try #require(step.notedResource ?? nil))
    }

    @Test(arguments: [
        (DigestAlgorithm.md5, "md5 "), (.sha1, "sha1 "), (.sha256, "sha256 "), (.crc32c, "crc32c "),
    ])
    func `each request is a chunk with its digest`(algorithm: DigestAlgorithm, prefix: String) throws {
        let (_, exchange, _) = try checked(.init(chunkSize: 4, checksum: algorithm))
        #expect(exchange.body == .file(range: 0..<4))
        let place = DigestRequest.Carrier(.uploadChecksum, .base64, prefix: prefix)
        #expect(exchange.digests == [DigestRequest(algorithm, of: 0..<4, in: place)])
    }

    @Test func `each chunk but the last names the digest of the next one`() throws {
        var (tus, exchange, _) = try checked()
        for offset in [4, 8] {
            let next = exchange.nextDigests
            exchange = try #require(tus.receive(.answer(204, [.uploadOffset: "\(offset)"])).exchange)
            #expect(exchange.digests == next)
        }
        #expect(exchange.digests.first?.range == 8..<10)
        #expect(exchange.nextDigests.isEmpty)
    }

    private struct Vectors: Decodable { var inputs: [String: [String: String]] }

    @Test func `the field is what others compute`() throws {
        let place = try #require(try checked().exchange.digests.first?.carrier)
        // The input "P" stands for a pattern, which the vectors' file defines.
        for (text, sums) in try vectors("checksums", as: Vectors.self).inputs where text != "P" {
            let digest = RunningDigest.of(Array(text.utf8), .sha1)
            #expect(place.value(digest) == sums["tusSha1"])
        }
    }

    @Test func `a chunk has eight mebibytes where nothing else is said`() throws {
        let (_, exchange, _) = try checked(.init(checksum: .sha256), size: 20 << 20)
        #expect(exchange.body == .file(range: 0..<8 << 20))
    }

    @Test func `the server's name for a digest is used`() throws {
        let server = ServerCapabilities(
            extensions: ["creation", "checksum"], facts: ["checksums": "SHA-256"])
        var tus = TusUpload(item: .make(), options: .init(checksum: .sha256))
        _ = tus.start(resource: nil, capabilities: server)
        let exchange = tus.receive(.answer(201, [.location: "7"])).exchange
        #expect(exchange?.digests.first?.carrier?.prefix == "SHA-256 ")
    }

    @Test func `a server that names no digests checks SHA-1`() {
        let server = ServerCapabilities(extensions: ["creation", "checksum"])
        var tus = TusUpload(item: .make(), options: .init(checksum: .sha1))
        #expect(tus.start(resource: nil, capabilities: server).exchange?.method == .post)
        tus = TusUpload(item: .make(), options: .init(checksum: .md5))
        #expect(tus.start(resource: nil, capabilities: server).failure?.hint?.contains("sha-1") == true)
    }

    @Test(arguments: [
        ServerCapabilities.tusCore, .init(extensions: ["creation"], facts: ["checksums": "sha1"]),
    ])
    func `a checksum that the server does not offer is a failure before anything is made`(
        server: ServerCapabilities
    ) {
        var tus = TusUpload(item: .make(), options: Self.sha1)
        let failure = tus.start(resource: nil, capabilities: server).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains("SHA-1") == true)
        #expect(failure?.hint?.contains("checksum") == true)
    }

    @Test func `an upload that was checked from its first to its last byte is verified`() throws {
        var (tus, _, _) = try checked()
        _ = tus.receive(.answer(204, [.uploadOffset: "4"]))
        _ = tus.receive(.answer(204, [.uploadOffset: "8"]))
        #expect(try tus.receiveLast()?.verified == .sha1)
    }

    @Test func `an upload without a checksum is not verified`() throws {
        var (tus, _) = try TusUpload.appending(capabilities: .tusChecking)
        let receipt = tus.receive(.answer(204, [.uploadOffset: "10"])).receipt
        #expect(receipt != nil)
        #expect(receipt?.verified == nil)
    }

    @Test(arguments: [4, 8])
    func `an attempt that resumes after whole chunks still checks and verifies`(offset: ByteCount) throws {
        let noted = try checked().noted
        var (tus, exchange) = try TusUpload.appending(from: offset, options: Self.sha1, resource: noted)
        #expect(exchange.digests.count == 1)
        for end in stride(from: offset + 4, to: 10, by: 4) {
            _ = tus.receive(.answer(204, [.uploadOffset: "\(end)"]))
        }
        #expect(try tus.receiveLast()?.verified == .sha1)
    }

    @Test func `a server that kept a part of a chunk has not checked it`() throws {
        let noted = try checked().noted
        var (tus, exchange) = try TusUpload.appending(from: 6, options: Self.sha1, resource: noted)
        // The chunk ends at the next boundary, and it is checked as well.
        #expect(exchange.body == .file(range: 6..<8))
        #expect(exchange.digests.count == 1)
        _ = tus.receive(.answer(204, [.uploadOffset: "8"]))
        let receipt = try tus.receiveLast()
        #expect(receipt != nil)
        #expect(receipt?.verified == nil)
    }

    @Test func `an upload that began without checks continues without`() throws {
        let (_, exchange) = try TusUpload.appending(options: Self.sha1, capabilities: .tusChecking)
        #expect(exchange.digests.isEmpty)
    }

    @Test func `P7 a chunk that arrived damaged is sent once more, and then the upload fails and names it`()
        throws
    {
        var (tus, _, _) = try checked()
        _ = tus.receive(.answer(204, [.uploadOffset: "4"]))
        #expect(tus.receive(.answer(460)).exchange?.method == .head)
        let again = tus.receive(.answer(200, [.uploadOffset: "4", .uploadLength: "10"])).exchange
        #expect(again?.body == .file(range: 4..<8))
        let failure = tus.receive(.answer(460)).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains("4 to 8") == true)
        #expect(failure?.hint != nil)
    }

    @Test func `damage now and then is no failure`() throws {
        var (tus, _, _) = try checked()
        for offset in [0, 4, 8] {
            #expect(tus.receive(.answer(460)).exchange?.method == .head)
            _ = tus.receive(.answer(200, [.uploadOffset: "\(offset)", .uploadLength: "10"]))
            let step = tus.receive(.answer(204, [.uploadOffset: "\(min(10, offset + 4))"]))
            #expect(step.failure == nil)
        }
    }

    @Test func `a chunk that is refused for its digest's name says so`() throws {
        var (tus, _, _) = try checked()
        let failure = tus.receive(.answer(400)).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.hint?.contains("sha1") == true)
    }
}
