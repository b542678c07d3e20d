import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

struct ResumableDigestTests {
    private let options = ProtocolOptions(chunkSize: 4, checksum: .sha256)
    private let sum = RunningDigest.of(Array("whatever".utf8), .sha256)
    private var field: String { "sha-256=:\(Data(sum).base64EncodedString()):" }

    /// Runs the upload through its creation. The response contains the digest that an attempt computes.
    private func created(_ upload: inout ResumableUpload) -> Step {
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        return upload.receive(
            .responded(
                ExchangeOutcome.Response(
                    status: 201, fields: [.location: "7"],
                    digests: [ComputedDigest(.sha256, of: 0..<10, bytes: sum)])))
    }

    @Test func `the whole file's digest goes with the creation, an append's with the append`() throws {
        var upload = ResumableUpload(item: .make(), options: options)
        let creation = try #require(upload.start(resource: nil, capabilities: .newestResumable).exchange)
        let whole = DigestRequest.Carrier(.reprDigest, .base64, prefix: "sha-256=:", suffix: ":")
        #expect(creation.digests == [DigestRequest(.sha256, of: 0..<10, in: whole)])
        #expect(creation.fields[.wantReprDigest] == "sha-256=10")
        let step = created(&upload)
        let append = try #require(step.exchange)
        let carrier = DigestRequest.Carrier(.contentDigest, .base64, prefix: "sha-256=:", suffix: ":")
        #expect(append.digests == [DigestRequest(.sha256, of: 0..<4, in: carrier)])
    }

    @Test func `the digest is computed once, however many versions are tried`() {
        var upload = ResumableUpload(item: .make(), options: options)
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        let step = upload.receive(
            .responded(
                ExchangeOutcome.Response(
                    status: 400, fields: [.uploadDraftInteropVersion: "6"],
                    digests: [ComputedDigest(.sha256, of: 0..<10, bytes: sum)])))
        #expect(step.exchange?.digests == [])
        #expect(step.exchange?.fields[.reprDigest] == field)
    }

    @Test func `only the server's own digest verifies`() throws {
        for (told, verified) in [(field, DigestAlgorithm.sha256), ("md5=:AAAA:", nil), (nil, nil)] {
            var upload = ResumableUpload(item: .make(), options: ProtocolOptions(checksum: .sha256))
            _ = created(&upload)
            var fields: HTTPFields = [.uploadComplete: "?1"]
            fields[.reprDigest] = told
            let receipt = upload.receive(.answer(201, fields)).receipt
            #expect(try #require(receipt).verified == verified)
        }
    }

    @Test func `another digest at the server is a failure`() {
        var upload = ResumableUpload(item: .make(), options: ProtocolOptions(checksum: .sha256))
        _ = created(&upload)
        let other = Data(RunningDigest.of([1], .sha256)).base64EncodedString()
        let step = upload.receive(.answer(201, [.uploadComplete: "?1", .reprDigest: "sha-256=:\(other):"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.notes == [.resource(nil)])
    }

    @Test func `the digest outlives the attempt`() throws {
        var first = ResumableUpload(item: .make(), options: ProtocolOptions(checksum: .sha256))
        let noted = created(&first).notedResource ?? nil
        let resource = try #require(noted)
        var second = ResumableUpload(item: .make(), options: ProtocolOptions(checksum: .sha256))
        _ = second.start(resource: resource, capabilities: .newestResumable)
        let step = second.receive(
            .answer(204, [.uploadComplete: "?1", .uploadOffset: "10", .reprDigest: field]))
        #expect(step.receipt?.verified == .sha256)
    }

    @Test func `a digest that does not match is sent again, a few times`() throws {
        var upload = ResumableUpload(item: .make(), options: options)
        _ = created(&upload)
        let refusal = ExchangeOutcome.answer(
            400, [.contentType: "application/problem+json"],
            body: ResumableUpload.problem("digest-mismatching-values"))
        var step = upload.receive(refusal)
        #expect(step.exchange?.method == .head)
        for _ in 1...10 where step.failure == nil {
            step = upload.receive(
                step.exchange?.method == .head
                    ? .answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]) : refusal)
        }
        #expect(step.failure?.summary.contains("digests differ") == true)
    }
}
