import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests files that are sent in one request.
struct S3WholeTests {
    private func started(
        _ size: ByteCount = 10, _ options: ProtocolOptions = .init(), url: String = bucketURL,
        parameters: [UploadItem.Parameter] = [], resource: UploadResource? = nil,
        facts: [String: String] = [:]
    ) -> (upload: S3Upload, step: Step) {
        var upload = S3Upload(item: .object(size, url: url, parameters: parameters), options: options)
        let step = upload.start(resource: resource, capabilities: .init(facts: facts))
        return (upload, step)
    }

    @Test func `a file up to the part size is one request`() throws {
        var (upload, step) = started(8 * megabyte)
        let put = try #require(step.exchange)
        #expect(put.kind == "PUT")
        #expect(put.url == objectURL)
        #expect(put.body == .file(range: 0..<8 * megabyte))
        #expect(put.fields[.contentType] == "application/octet-stream")
        #expect(put.traits.contains(.completes) && put.traits.contains(.idempotent))
        step = upload.receive(.answer(200, [.eTag: "\"x\""]), to: put)
        #expect(step.receipt == Receipt(location: objectURL, entityTag: "\"x\"", bytes: 8 * megabyte))
    }

    @Test func `F10 an empty file is one request without content`() throws {
        let put = try #require(started(0).step.exchange)
        #expect(put.kind == "PUT")
        #expect(put.body == .none)
        #expect(put.digests.isEmpty)
        #expect(put.field("x-amz-content-sha256") == nil)
    }

    @Test func `content is hashed for the signature where the link is open, and not where it is encrypted`()
        throws
    {
        let open = try #require(started().step.exchange)
        #expect(
            open.digests == [
                DigestRequest(.sha256, of: 0..<10, in: .init(.init("x-amz-content-sha256")!, .hex))
            ])
        let encrypted = try #require(started(url: "https://server.example/b/").step.exchange)
        #expect(encrypted.digests.isEmpty)
        #expect(encrypted.field("x-amz-content-sha256") == "UNSIGNED-PAYLOAD")
    }

    @Test func `the object is described as configured`() throws {
        let options = ProtocolOptions(
            s3: .init(storageClass: "STANDARD_IA", fields: ["x-amz-server-side-encryption": "AES256"]))
        let put = try #require(
            started(
                options,
                parameters: [.init(name: "owner", value: "me"), .init(name: "title", value: "Größe")]
            ).step.exchange)
        #expect(put.field("x-amz-storage-class") == "STANDARD_IA")
        #expect(put.field("x-amz-server-side-encryption") == "AES256")
        #expect(put.field("x-amz-meta-owner") == "me")
        #expect(put.field("x-amz-meta-title") == "=?UTF-8?B?R3LDtsOfZQ==?=")
    }

    private func started(
        _ options: ProtocolOptions, parameters: [UploadItem.Parameter]
    ) -> (upload: S3Upload, step: Step) { started(10, options, parameters: parameters) }

    @Test func `metadata that no field can carry is refused`() {
        let step = started(.init(), parameters: [.init(name: "a b", value: "1")]).step
        #expect(step.failure?.category == .permanent)
    }

    @Test(arguments: [DigestAlgorithm.crc64nvme, .crc32c, .sha1, .sha256])
    func `a digest is sent with the content, and the same one in the response confirms it`(
        algorithm: DigestAlgorithm
    ) throws {
        var (upload, step) = started(10, .init(checksum: algorithm))
        let put = try #require(step.exchange)
        let place = DigestRequest.Carrier(S3Checksum.field(algorithm), .base64)
        #expect(put.digests.first == DigestRequest(algorithm, of: 0..<10, in: place))
        let digest = ComputedDigest(algorithm, of: 0..<10, bytes: [1, 2, 3])
        var answer = ExchangeOutcome.Response(status: 200, digests: [digest])
        answer.fields[place.field] = S3Checksum.base64([1, 2, 3])
        step = upload.receive(.responded(answer), to: put)
        #expect(step.receipt?.verified == algorithm)
    }

    @Test func `MD5 goes in its own field, and the tag confirms it`() throws {
        var (upload, step) = started(10, .init(checksum: .md5))
        let put = try #require(step.exchange)
        #expect(put.digests.first?.carrier?.field.canonicalName == "content-md5")
        let digest = Array(repeating: UInt8(7), count: 16)
        let answer = ExchangeOutcome.Response(
            status: 200, fields: [.eTag: "\"\(DigestRequest.Form.hex.text(digest))\""],
            digests: [.init(.md5, of: 0..<10, bytes: digest)])
        step = upload.receive(.responded(answer), to: put)
        #expect(step.receipt?.verified == .md5)
    }

    @Test func `another digest than the content's has it sent once more, and fails then`() throws {
        var (upload, step) = started(10, .init(checksum: .crc32c))
        for attempt in 0..<2 {
            let put = try #require(step.exchange, "\(attempt)")
            var answer = ExchangeOutcome.Response(
                status: 200, digests: [.init(.crc32c, of: 0..<10, bytes: [1, 2, 3, 4])])
            answer.fields[S3Checksum.field(.crc32c)] = S3Checksum.base64([4, 3, 2, 1])
            step = upload.receive(.responded(answer), to: put)
        }
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary.contains("CRC-32C is BAMCAQ==, and that of the file AQIDBA==") == true)
    }

    @Test func `a server that reports no digest is asked once, and its silence is not a confirmation`() throws
    {
        var (upload, step) = started(10, .init(checksum: .crc64nvme))
        let answer = ExchangeOutcome.Response(
            status: 200, digests: [.init(.crc64nvme, of: 0..<10, bytes: [1, 2, 3])])
        step = upload.receive(.responded(answer), to: try #require(step.exchange))
        let head = try #require(step.exchange)
        #expect(head.kind == "HEAD")
        #expect(head.field("x-amz-checksum-mode") == "ENABLED")
        var copy = upload
        step = upload.receive(.answer(200, [.contentLength: "10"]), to: head)
        #expect(step.receipt?.bytes == 10)
        #expect(step.receipt?.verified == nil)
        step = copy.receive(
            .answer(200, [.contentLength: "10", S3Checksum.field(.crc64nvme): "AQID"]), to: head)
        #expect(step.receipt?.verified == .crc64nvme)
    }

    @Test func `P16 an object of another size is a failure that says so`() throws {
        var (upload, step) = started(10, .init(checksum: .crc64nvme))
        let answer = ExchangeOutcome.Response(
            status: 200, digests: [.init(.crc64nvme, of: 0..<10, bytes: [1, 2, 3])])
        step = upload.receive(.responded(answer), to: try #require(step.exchange))
        step = upload.receive(.answer(200, [.contentLength: "9"]), to: try #require(step.exchange))
        #expect(step.failure?.summary == "the server has 9 B, the file has 10 B")
    }

    @Test(arguments: [
        (501, "NotImplemented", ""), (400, "InvalidRequest", "<Header>x-amz-checksum-crc32c</Header>"),
    ])
    func `a server that does not know a digest is asked without, and that is kept`(
        status: Int, code: String, more: String
    ) throws {
        var (upload, step) = started(10, .init(checksum: .crc32c))
        step = upload.receive(FakeS3.error(status, code, more), to: try #require(step.exchange))
        #expect(step.notes.lastFacts == ["s3.checksum": "no"])
        #expect(step.exchange?.digests.map(\.algorithm) == [.sha256])
        #expect(
            started(10, .init(checksum: .crc32c), facts: ["s3.checksum": "no"]).step.exchange?.digests.count
                == 1)
    }

    @Test func `damaged content is sent once more`() throws {
        var (upload, step) = started()
        step = upload.receive(FakeS3.error(400, "BadDigest"), to: try #require(step.exchange))
        step = upload.receive(FakeS3.error(400, "BadDigest"), to: try #require(step.exchange))
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.hint?.contains("damaged twice") == true)
    }
}

/// Tests the policies for an existing object.
struct S3ExistingTests {
    @Test func `nothing is asked where nothing that was there matters`() {
        var upload = S3Upload(item: .object(10), options: .init(existing: .replace))
        #expect(upload.start(resource: nil, capabilities: nil).exchange?.kind == "PUT")
    }

    @Test func `a name that is taken ends the upload, or gets a number`() throws {
        var server = FakeS3()
        server.objects[objectURL] = .init(parts: [], tag: "\"t\"")
        var upload = S3Upload(item: .object(10), options: .init(existing: .fail))
        var step = upload.run(upload.start(resource: nil, capabilities: nil), on: &server).step
        #expect(step.failure?.status == 412)
        upload = S3Upload(item: .object(10), options: .init(existing: .rename))
        step = upload.run(upload.start(resource: nil, capabilities: nil), on: &server).step
        #expect(step.receipt?.location == "http://server.example/b/a%20%282%29.bin")
    }

    @Test func `a name that is taken between the question and the upload gets a number too`() throws {
        var server = FakeS3()
        var upload = S3Upload(item: .object(10), options: .init(existing: .rename))
        let (put, _) = upload.run(upload.start(resource: nil, capabilities: nil), on: &server) {
            $0.method == .put
        }
        #expect(put.exchange?.fields[.ifNoneMatch] == "*")
        server.objects[objectURL] = .init(parts: [], tag: "\"t\"")
        let step = upload.run(put, on: &server).step
        #expect(step.receipt?.location == "http://server.example/b/a%20%282%29.bin")
    }

    @Test func `a server without conditions gets none, and that is kept`() throws {
        var upload = S3Upload(item: .object(10), options: .init(existing: .fail))
        var step = upload.start(resource: nil, capabilities: nil)
        step = upload.receive(.answer(404), to: try #require(step.exchange))
        step = upload.receive(FakeS3.error(501, "NotImplemented"), to: try #require(step.exchange))
        #expect(step.exchange?.kind == "PUT")
        #expect(step.exchange?.fields[.ifNoneMatch] == nil)
        #expect(step.notes.lastFacts == ["s3.ifNoneMatch": "no"])
    }

    @Test func `an existing object with the same content is not sent again`() throws {
        var upload = S3Upload(item: .object(10), options: .init(existing: .skip))
        var step = upload.start(resource: nil, capabilities: nil)
        let digest = Array(repeating: UInt8(7), count: 16)
        let fields: HTTPFields = [
            .contentLength: "10", .eTag: "\"\(DigestRequest.Form.hex.text(digest))\"",
        ]
        step = upload.receive(.answer(200, fields), to: try #require(step.exchange))
        let again = try #require(step.exchange)
        #expect(again.digests.map(\.algorithm) == [.md5])
        step = upload.receive(
            .responded(
                .init(status: 200, fields: fields, digests: [.init(.md5, of: 0..<10, bytes: digest)])),
            to: again)
        #expect(step.receipt?.wasThere == true)
        #expect(step.receipt?.verified == .md5)
    }

    @Test func `a new object with a lost response is known again, and not taken for another client's`() throws
    {
        var server = FakeS3(file: Array(0..<10))
        var upload = S3Upload(item: .object(10), options: .init(existing: .rename))
        let (step, _) = upload.run(upload.start(resource: nil, capabilities: nil), on: &server) {
            $0.method == .put
        }
        let put = try #require(step.exchange)
        let mark = try #require(put.markBeforeLastBytes)
        _ = server.reply(to: put)
        #expect(upload.receive(.broke(afterSending: 10), to: put).failure?.category == .network)
        upload = S3Upload(item: .object(10), options: .init(existing: .rename))
        let done = upload.run(upload.start(resource: mark, capabilities: nil), on: &server).step
        #expect(done.receipt?.location == objectURL)
        #expect(done.receipt?.verified == .md5)
        #expect(server.objects.count == 1)
        // The object of another client is not replaced.
        server = FakeS3(file: Array(10..<20))
        _ = server.reply(to: put)
        server.file = Array(0..<10)
        upload = S3Upload(item: .object(10), options: .init(existing: .rename))
        let other = upload.run(upload.start(resource: mark, capabilities: nil), on: &server).step
        #expect(other.receipt?.location == "http://server.example/b/a%20%282%29.bin")
    }

    @Test func `a forbidden lookup names the missing right`() throws {
        var upload = S3Upload(item: .object(10), options: .init(existing: .fail))
        let step = upload.start(resource: nil, capabilities: nil)
        let failure = upload.receive(.answer(403), to: try #require(step.exchange)).failure
        #expect(failure?.hint?.contains("s3:ListBucket") == true)
    }
}
