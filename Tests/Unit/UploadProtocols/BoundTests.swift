import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests the limits on what a server can make Ferry keep, with values at the limit and beyond it.
struct BoundTests {
    private static let size = 12 * 5 * megabyte + 1
    private static let options = ProtocolOptions(chunkSize: 5 * megabyte)

    @Test func `a server's words are cut after 200 characters`() {
        let words = String(repeating: "w", count: 200)
        #expect(ServerText.cleaned(words) == words)
        #expect(ServerText.cleaned(words + " \n") == words)
        #expect(ServerText.cleaned(words + "x") == String(words.dropLast()) + "…")
    }

    @Test func `XML of 16 MiB is read, and of a byte more is not`() {
        let limit = 16 << 20
        func document(_ size: Int) -> [UInt8] {
            Array("<a>".utf8) + Array(repeating: 0x78, count: size - 7) + Array("</a>".utf8)
        }
        #expect(XMLDocument.parse(document(limit)) != nil)
        #expect(XMLDocument.parse(document(limit + 1)) == nil)
    }

    @Test(arguments: [(1024, true), (1025, false)])
    func `the tag of a finished upload may have 1 KiB`(length: Int, isTaken: Bool) {
        let tag = String(repeating: "t", count: length)
        var later = Receipt()
        later.entityTag = tag
        #expect(Receipt(entityTag: tag).entityTag == (isTaken ? tag : nil))
        #expect(later == Receipt(entityTag: tag))
    }

    @Test(arguments: [(1024, true), (1025, false)])
    func `S3's tag of a part may have 1 KiB`(length: Int, isTaken: Bool) throws {
        var server = FakeS3()
        var upload = S3Upload(item: .object(Self.size), options: Self.options)
        let start = upload.start(resource: nil, capabilities: .init())
        let part = try #require(upload.run(start, on: &server) { $0.part > 0 }.step.exchanges.first)
        var step = Step.wait(notes: [])
        // A part without a usable entity tag is sent a second time.
        for _ in 0..<2 {
            step = upload.receive(.answer(200, [.eTag: String(repeating: "t", count: length)]), to: part)
            if isTaken { break }
        }
        #expect((step.failure == nil) == isTaken)
    }

    @Test(arguments: [(2048, true), (2049, false)])
    func `S3's id of an upload may have 2 KiB`(length: Int, isTaken: Bool) throws {
        var upload = S3Upload(item: .object(Self.size), options: Self.options)
        let creation = try #require(upload.start(resource: nil, capabilities: .init()).exchanges.first)
        let id = String(repeating: "i", count: length)
        let step = upload.receive(.answer(200, body: "<R><UploadId>\(id)</UploadId></R>"), to: creation)
        #expect((step.failure == nil) == isTaken)
    }

    @Test func `twenty pages of unfinished uploads are listed, and no more`() throws {
        var check = S3Check(url: "https://h.example/b/", options: .init())
        _ = check.start()
        var step = check.receive(.answer(200, body: "<ListBucketResult><Name>b</Name></ListBucketResult>"))
        var pages = 0
        while case .send(let exchange) = step, exchange.url.contains("uploads=") {
            pages += 1
            try #require(pages <= 20)
            step = check.receive(
                .answer(
                    200,
                    body: "<L><IsTruncated>true</IsTruncated><NextKeyMarker>k\(pages)</NextKeyMarker>"
                        + "<NextUploadIdMarker>\(pages)</NextUploadIdMarker></L>"))
        }
        #expect(pages == 20)
    }

    @Test func `a file goes to S3 in 10,000 parts at most`() throws {
        let part = S3PartPlan.smallestPart
        #expect(try S3PartPlan.make(size: 10_000 * part, asked: part).count == 10_000)
        #expect(try S3PartPlan.make(size: 10_000 * part + 1, asked: part).count == 5001)
        #expect(S3PartPlan(size: 10_000 * part, keeping: part)?.count == 10_000)
        #expect(S3PartPlan(size: 10_000 * part + 1, keeping: part) == nil)
    }
}
