import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

private let size = 2 * 5 * megabyte + 1

struct S3CompletionTests {
    /// Runs an upload until all its parts are at the server and its completion is about to be sent.
    private func completing(
        checksum: DigestAlgorithm? = nil, existing: ExistingFilePolicy? = nil, file: [UInt8]? = nil
    ) throws -> (upload: S3Upload, exchange: Exchange, server: FakeS3) {
        var server = FakeS3(file: file)
        var upload = S3Upload(
            item: .object(size), options: Self.options(checksum, existing))
        let start = upload.start(resource: nil, capabilities: nil)
        var last = start
        _ = upload.run(start, on: &server) {
            last = .send($0)
            return $0.method == .post && $0.kind.contains("uploadId")
        }
        return (upload, try #require(last.exchange), server)
    }

    private static func options(
        _ checksum: DigestAlgorithm? = nil, _ existing: ExistingFilePolicy? = nil
    ) -> ProtocolOptions {
        ProtocolOptions(chunkSize: 5 * megabyte, checksum: checksum, existing: existing)
    }

    @Test func `the completion lists the parts in order, and what is to come of them is noted`() throws {
        let (_, exchange, _) = try completing()
        #expect(exchange.fields[.contentType] == "application/xml")
        #expect(exchange.field("x-amz-mp-object-size") == "\(size)")
        guard case .bytes(let body) = exchange.body else {
            Issue.record("no document")
            return
        }
        let root = try #require(XMLDocument.parse(body))
        #expect(root.children.map { $0.child(named: "PartNumber")?.text } == ["1", "2", "3"])
        #expect(root.children.first?.child(named: "ETag")?.text.hasPrefix("\"") == true)
        let mark = try #require(exchange.markBeforeLastBytes)
        #expect(mark.memory["completing"] == "yes")
        #expect(mark.memory["etag"]?.hasSuffix("-3") == true)
        #expect(mark.confirmed == size)
    }

    @Test(arguments: [
        "", "<?xml version='1.0'?>\n", "<CompleteMultipartUploadResult><ETag>x</ETag>", "<a/>",
        "<Error><Code>InternalError</Code><Message>m</Message></Error>",
        "<Error><Code>SomethingNew</Code></Error>",
    ])
    func `P13 a success that does not say so is none, and is asked about later`(body: String) throws {
        var (upload, exchange, _) = try completing()
        let step = upload.receive(.answer(200, body: body), to: exchange)
        #expect(step.failure?.category == .server)
        // The recorded upload resource stays with its mark.
        #expect(step.notes.isEmpty)
    }

    @Test func `P13 after a lost response the object is found`() throws {
        var (upload, exchange, server) = try completing()
        _ = server.reply(to: exchange)
        #expect(upload.receive(.broke(afterSending: 100), to: exchange).failure != nil)
        upload = S3Upload(item: .object(size), options: Self.options())
        let start = upload.start(resource: exchange.markBeforeLastBytes, capabilities: nil)
        #expect(start.exchange?.kind == "HEAD")
        let done = upload.run(start, on: &server).step
        #expect(done.receipt?.bytes == size)
        #expect(done.receipt?.location == objectURL)
        #expect(server.received == [1, 2, 3])
    }

    @Test func `P13 after a lost response the object is found where the upload is denied by the key`() throws
    {
        var (upload, exchange, server) = try completing()
        _ = server.reply(to: exchange)
        // radosgw 16.2.15 reports the missing upload as a missing key.
        var step = upload.receive(FakeS3.error(404, "NoSuchKey"), to: exchange)
        #expect(step.exchange?.kind == "HEAD")
        step = upload.run(step, on: &server).step
        #expect(step.receipt?.bytes == size)
        #expect(server.received == [1, 2, 3])
    }

    @Test func `P13 an object with a meaningless tag is this upload's if the server denies the upload`()
        throws
    {
        var (upload, exchange, server) = try completing()
        _ = server.reply(to: exchange)
        server.objects[objectURL]?.tag = ""
        upload = S3Upload(item: .object(size), options: Self.options())
        var step = upload.start(resource: exchange.markBeforeLastBytes, capabilities: nil)
        var asked: [String] = []
        while let next = step.exchange {
            asked.append(next.kind)
            step =
                next.method == .get
                ? upload.receive(FakeS3.error(404, "NoSuchKey"), to: next)
                : upload.receive(server.reply(to: next), to: next)
        }
        #expect(asked == ["HEAD", "GET uploadId", "HEAD"])
        #expect(step.receipt?.bytes == size)
    }

    @Test(arguments: [(90, "POST uploads"), (99, nil), (200, nil)])
    func `P13 an object with a meaningless tag is not this upload's if it is older`(
        modified: Int, next: String?
    ) throws {
        let (_, completion, _) = try completing()
        var resource = try #require(completion.markBeforeLastBytes)
        resource[S3Memory.self].created = 100
        var upload = S3Upload(item: .object(size), options: Self.options())
        let found = HTTPFields([
            .init(name: .contentLength, value: "\(size)"),
            .init(name: .lastModified, value: HTTPDate.format(Date(timeIntervalSince1970: Double(modified)))),
        ])
        let head = try #require(upload.start(resource: resource, capabilities: nil).exchange)
        let list = try #require(upload.receive(.answer(200, found), to: head).exchange)
        let again = try #require(upload.receive(FakeS3.error(404, "NoSuchUpload"), to: list).exchange)
        let step = upload.receive(.answer(200, found), to: again)
        #expect(step.exchange?.kind == next)
        #expect((step.receipt == nil) == (next != nil))
    }

    @Test func `the creation's date is remembered`() throws {
        var upload = S3Upload(item: .object(size), options: Self.options())
        let creation = try #require(upload.start(resource: nil, capabilities: nil).exchange)
        let body = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"
        let step = upload.receive(
            .answer(200, [.date: "Thu, 01 Jan 1970 00:01:40 GMT"], body: body), to: creation)
        let resource = try #require(step.notedResource ?? nil)
        #expect(S3Session(resource, size: size)?.created == 100)
    }

    @Test func `P13 an old object of the same size is not taken for the one to be made`() throws {
        var (upload, exchange, server) = try completing()
        server.objects[objectURL] = .init(parts: [.init(range: 0..<size, tag: "")], tag: "\"opaque\"")
        upload = S3Upload(item: .object(size), options: Self.options())
        let start = upload.start(resource: exchange.markBeforeLastBytes, capabilities: nil)
        #expect(upload.run(start, on: &server).step.receipt != nil)
        #expect(server.completions == [[1, 2, 3]])
        #expect(server.received == [1, 2, 3])
    }

    @Test(arguments: ["", "\"made\""])
    func `a completion with an empty tag is a success`(tag: String) throws {
        var (upload, exchange, _) = try completing()
        // radosgw 16.2.15 responds like this.
        let step = upload.receive(
            .answer(
                200, tag.isEmpty ? [:] : [.eTag: tag],
                body:
                    "<CompleteMultipartUploadResult><Location>l</Location><Bucket>b</Bucket><Key>a.bin</Key>"
                    + "<ETag></ETag></CompleteMultipartUploadResult>"),
            to: exchange)
        #expect(step.receipt?.bytes == size)
        #expect(step.receipt?.entityTag == (tag.isEmpty ? nil : tag))
    }

    @Test func `a lost request is found out: the upload is completed now`() throws {
        var (upload, exchange, server) = try completing()
        upload = S3Upload(item: .object(size), options: Self.options())
        let start = upload.start(resource: exchange.markBeforeLastBytes, capabilities: nil)
        #expect(upload.run(start, on: &server).step.receipt != nil)
        #expect(server.received == [1, 2, 3])
        #expect(server.completions == [[1, 2, 3]])
    }

    @Test func `an object of another client at the same key is not taken for this upload's`() throws {
        var (upload, exchange, server) = try completing()
        server.uploads = [:]
        server.objects[objectURL] = .init(
            parts: [.init(range: 0..<size, tag: "")], tag: "\"00000000000000000000000000000000-3\"")
        upload = S3Upload(item: .object(size), options: Self.options())
        let start = upload.start(resource: exchange.markBeforeLastBytes, capabilities: nil)
        #expect(upload.run(start, on: &server).step.receipt != nil)
        #expect(server.received == [1, 2, 3, 1, 2, 3])
    }

    @Test func `an object of another size is not this upload's`() throws {
        var (upload, exchange, server) = try completing()
        server.uploads = [:]
        server.objects[objectURL] = .init(parts: [.init(range: 0..<7, tag: "")], tag: "\"t\"")
        let step = upload.receive(server.reply(to: exchange), to: exchange)
        #expect(step.exchange?.kind == "HEAD")
        #expect(upload.run(step, on: &server).step.receipt != nil)
        #expect(server.received.count == 6)
    }

    @Test func `P13 a part that the server misses is sent again`() throws {
        var (upload, exchange, server) = try completing()
        server.uploads["U/1"]?[2] = nil
        let done = upload.run(.send(exchange), on: &server).step
        #expect(done.receipt != nil)
        #expect(server.received == [1, 2, 3, 2])
    }

    @Test func `P13 a server that always misses a part is asked three times at most`() throws {
        var (upload, exchange, server) = try completing()
        var step = Step.send(exchange)
        var completions = 0
        while let next = step.exchange {
            if next.method == .post {
                completions += 1
                step = upload.receive(FakeS3.error(400, "InvalidPart"), to: next)
            } else {
                step = upload.receive(server.reply(to: next), to: next)
            }
        }
        #expect(completions == 3)
        #expect(step.failure?.summary.contains("InvalidPart") == true)
    }

    @Test func `parts that are too small for the server are planned larger`() throws {
        var (upload, exchange, server) = try completing()
        var step = upload.receive(FakeS3.error(400, "EntityTooSmall"), to: exchange)
        #expect(step.exchange?.kind == "DELETE uploadId")
        step = upload.run(step, on: &server) { $0.part > 0 }.step
        #expect(
            step.exchanges.map(\.body) == [
                .file(range: 0..<10 * megabyte), .file(range: 10 * megabyte..<size),
            ])
    }

    @Test func `a conflict with another upload begins anew`() throws {
        var (upload, exchange, server) = try completing()
        let step = upload.receive(FakeS3.error(409, "ConditionalRequestConflict"), to: exchange)
        #expect(upload.run(step, on: &server).step.receipt != nil)
        #expect(server.uploads.isEmpty)
    }

    @Test func `an object that appeared meanwhile stays, unless it is this upload's own`() throws {
        var (upload, exchange, server) = try completing(existing: .fail)
        #expect(exchange.fields[.ifNoneMatch] == "*")
        var twice = upload
        server.objects[objectURL] = .init(parts: [], tag: "\"t\"")
        #expect(upload.run(.send(exchange), on: &server).step.failure?.status == 412)
        server.objects = [:]
        _ = server.reply(to: exchange)
        server.uploads["U/1"] = [:]
        #expect(twice.run(.send(exchange), on: &server).step.receipt != nil)
    }

    @Test func `a completion without conditions is tried where the server knows none`() throws {
        var (upload, exchange, server) = try completing(existing: .fail)
        let step = upload.receive(FakeS3.error(501, "NotImplemented"), to: exchange)
        #expect(step.notes.lastFacts == ["s3.ifNoneMatch": "no"])
        #expect(step.exchange?.fields[.ifNoneMatch] == nil)
        #expect(upload.run(step, on: &server).step.receipt != nil)
    }

    @Test func `an object with another checksum than the file is a failure`() throws {
        var (upload, exchange, server) = try completing(checksum: .crc64nvme)
        #expect(exchange.field("x-amz-checksum-crc64nvme") != nil)
        #expect(exchange.field("x-amz-checksum-type") == "FULL_OBJECT")
        let step = upload.receive(
            .answer(
                200,
                body: "<R><ETag>\"t\"</ETag><ChecksumCRC64NVME>AAAAAAAAAAA=</ChecksumCRC64NVME></R>"),
            to: exchange)
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary.contains("CRC-64/NVME is AAAAAAAAAAA=") == true)
        #expect(step.notedResource == .some(nil))
        #expect(server.reply(to: exchange).isAnswered)
    }

    private static func reported(_ more: String, _ ours: ComputedDigest? = nil) -> ExchangeOutcome {
        .responded(
            .init(
                status: 200, body: Array("<R><ETag>\"t\"</ETag>\(more)</R>".utf8),
                digests: [ours].compactMap { $0 }))
    }

    @Test(arguments: [(UInt8(0), true), (1, false)])
    func `a checksum that the server reports unasked is compared`(last: UInt8, isSame: Bool) throws {
        var (upload, exchange, _) = try completing()
        #expect(exchange.digestsIfReported.map(\.algorithm) == [.crc64nvme, .crc32c])
        #expect(exchange.reportedIn == .s3Completion)
        let ours = ComputedDigest(.crc64nvme, of: 0..<size, bytes: [0, 0, 0, 0, 0, 0, 0, last])
        let step = upload.receive(
            Self.reported("<ChecksumCRC64NVME>AAAAAAAAAAA=</ChecksumCRC64NVME>", ours), to: exchange)
        #expect(step.receipt?.verified == (isSame ? .crc64nvme : nil))
        #expect((step.failure?.category == .permanent) == !isSame)
    }

    @Test func `a checksum of the parts' checksums says nothing of the file`() throws {
        let composite =
            "<ChecksumCRC32C>AAAAAA==</ChecksumCRC32C><ChecksumType>COMPOSITE</ChecksumType>"
        guard case .responded(let answer) = Self.reported(composite) else { return }
        #expect(ServerDigest.algorithms(in: answer, .s3Completion) == [])
    }

    @Test func `a checksum that was asked for is not compared a second time`() throws {
        let (_, exchange, _) = try completing(checksum: .crc64nvme)
        #expect(exchange.digestsIfReported == [])
    }

    @Test func `P13 a tag that is not made of the parts' MD5s is a failure`() throws {
        var (upload, exchange, _) = try completing(checksum: .md5)
        let step = upload.receive(
            .answer(200, body: "<R><ETag>\"00000000000000000000000000000000-3\"</ETag></R>"), to: exchange)
        #expect(step.failure?.summary.contains("MD5") == true)
    }

    @Test func `a tag of another form confirms nothing and accuses of nothing`() throws {
        var (upload, exchange, _) = try completing(checksum: .md5)
        var step = upload.receive(.answer(200, body: "<R><ETag>\"opaque\"</ETag></R>"), to: exchange)
        step = upload.receive(
            .answer(200, [.eTag: "\"opaque\"", .contentLength: "\(size)"]), to: try #require(step.exchange))
        #expect(step.receipt?.bytes == size)
        #expect(step.receipt?.verified == nil)
    }

    @Test(arguments: [DigestAlgorithm.crc64nvme, .crc32c, .md5])
    func `a resumed upload is confirmed by the listed sums of the parts that it did not send`(
        algorithm: DigestAlgorithm
    ) throws {
        let file = (0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 5) }
        var server = FakeS3(file: file)
        server.uploads["U"] = [:]
        let resource = UploadResource(
            url: objectURL + "?uploadId=U",
            memory: ["uploadId": "U", "partSize": "1000", "checksum": algorithm.rawValue])
        // The configured checksum has changed, but the one from the start of the upload is used.
        for attempt in 0..<2 {
            var upload = S3Upload(item: .object(2500), options: Self.options())
            let start = upload.start(resource: resource, capabilities: nil)
            let step = upload.run(start, on: &server) { attempt == 0 && $0.method == .post }.step
            if attempt == 0 {
                #expect(step.receipt == nil)
                server.uploads["U"]?[2] = nil
            } else {
                #expect(step.receipt?.verified == algorithm)
            }
        }
        #expect(server.received == [1, 2, 3, 2])
    }

    @Test func `a checksum that does not fit ends the upload and removes it`() throws {
        var (upload, exchange, server) = try completing(checksum: .crc64nvme)
        let step = upload.receive(FakeS3.error(400, "BadDigest"), to: exchange)
        let ended = upload.run(step, on: &server)
        #expect(ended.step.failure?.category == .permanent)
        #expect(ended.step.notedResource == .some(nil))
        #expect(server.uploads.isEmpty)
    }
}

extension ExchangeOutcome {
    fileprivate var isAnswered: Bool { if case .responded = self { true } else { false } }
}
