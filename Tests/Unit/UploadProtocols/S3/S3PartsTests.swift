import HTTPTypes
import Testing

@testable import FerryProtocols

private let size = 12 * 5 * megabyte + 1
private let options = ProtocolOptions(chunkSize: 5 * megabyte)

struct S3PartsTests {
    /// Runs an upload until it is created at the server and about to send its first parts.
    private func sending(
        _ options: ProtocolOptions = options, facts: [String: String] = [:]
    ) throws -> (upload: S3Upload, step: Step, server: FakeS3) {
        var server = FakeS3()
        var upload = S3Upload(item: .object(size), options: options)
        let start = upload.start(resource: nil, capabilities: .init(facts: facts))
        let (step, _) = upload.run(start, on: &server) { $0.part > 0 }
        return (upload, step, server)
    }

    @Test func `the upload is noted before its parts, with its address and part size`() throws {
        let (_, step, _) = try sending()
        let resource = try #require(step.notes.lastResource)
        #expect(resource.url == objectURL + "?uploadId=U%2F1")
        #expect(resource.memory == ["uploadId": "U/1", "partSize": "5242880"])
        #expect(resource.parts == .init(stored: 0, planned: 13))
        #expect(step.exchanges.map(\.url).first == objectURL + "?partNumber=1&uploadId=U%2F1")
    }

    @Test func `the parts under way are as many as the settings allow`() throws {
        #expect(try sending().step.exchanges.map(\.part) == [1, 2, 3, 4])
        var seven = options
        seven.parallelRequests = 7
        #expect(try sending(seven).step.exchanges.map(\.part) == Array(1...7))
    }

    @Test func `each part that arrives is noted and followed by the next`() throws {
        var (upload, step, server) = try sending()
        let third = step.exchanges[2]
        step = upload.receive(server.reply(to: third), to: third)
        #expect(step.exchanges.map(\.part) == [5])
        let resource = step.notes.lastResource
        #expect(resource?.confirmed == 5 * megabyte)
        #expect(resource?.parts == .init(stored: 1, planned: 13))
    }

    @Test func `an upload resumes with what the server lists, at its own part size`() throws {
        var (upload, step, server) = try sending()
        server.pageSize = 2
        for part in step.exchanges { _ = server.reply(to: part) }
        let resource = try #require(step.notes.lastResource)
        var larger = options
        larger.chunkSize = 64 * megabyte
        upload = S3Upload(item: .object(size), options: larger)
        let resumed = upload.run(upload.start(resource: resource, capabilities: nil), on: &server) {
            $0.part > 0
        }
        #expect(resumed.step.exchanges.map(\.part) == [5])
        #expect(resumed.notes.lastResource?.confirmed == 20 * megabyte)
        let done = upload.run(resumed.step, on: &server).step
        #expect(done.receipt?.bytes == size)
        #expect(server.received == Array(1...13))
        #expect(server.completions == [Array(1...13)])
    }

    @Test func `a listed part of another size is sent again`() throws {
        var (upload, step, server) = try sending()
        for part in step.exchanges { _ = server.reply(to: part) }
        server.uploads["U/1"]?[2]?.range = 0..<5
        server.uploads["U/1"]?[77] = .init(range: 0..<5, tag: "\"t\"")
        let resource = try #require(step.notes.lastResource)
        upload = S3Upload(item: .object(size), options: options)
        step =
            upload.run(upload.start(resource: resource, capabilities: nil), on: &server) { $0.part > 0 }.step
        #expect(step.exchanges.first?.part == 2)
    }

    @Test func `parts that the server has lost are reported`() throws {
        var (upload, step, server) = try sending()
        var resource = try #require(step.notes.lastResource)
        resource.confirmed = 10 * megabyte
        upload = S3Upload(item: .object(size), options: options)
        let notes = upload.run(upload.start(resource: resource, capabilities: nil), on: &server) {
            $0.part > 0
        }.notes
        #expect(notes.contains(.serverLost(10 * megabyte)))
        step = .wait()
    }

    @Test func `after a broken part the others may still arrive, and nothing new is begun`() throws {
        var (upload, step, server) = try sending()
        let parts = step.exchanges
        step = upload.receive(.broke(afterSending: 5), to: parts[0])
        #expect(step.exchanges.isEmpty && step.failure == nil)
        step = upload.receive(server.reply(to: parts[1]), to: parts[1])
        #expect(step.notes.lastResource?.confirmed == 5 * megabyte)
        #expect(step.failure == nil)
        step = upload.receive(.broke(afterSending: 5), to: parts[2])
        step = upload.receive(server.reply(to: parts[3]), to: parts[3])
        #expect(step.failure?.category == .network)
        #expect(step.notes.lastResource?.parts?.stored == 2)
    }

    @Test func `P13 a server that is overloaded is asked for half as much, also by the next attempt`() throws
    {
        var (upload, step, server) = try sending()
        let parts = step.exchanges
        for part in parts[..<3] { step = upload.receive(FakeS3.error(503, "SlowDown"), to: part) }
        let resource = try #require(upload.receive(FakeS3.error(503, "SlowDown"), to: parts[3]).failure)
            .category
        #expect(resource == .server)
        var noted = UploadResource(url: objectURL + "?uploadId=U%2F1")
        noted.memory = ["uploadId": "U/1", "partSize": "5242880", "parallel": "2"]
        upload = S3Upload(item: .object(size), options: options)
        step = upload.run(upload.start(resource: noted, capabilities: nil), on: &server) { $0.part > 0 }.step
        #expect(step.exchanges.map(\.part) == [1])
        var begun: [[Int]] = []
        for _ in 0..<8 {
            let first = try #require(step.exchanges.first)
            step = upload.receive(server.reply(to: first), to: first)
            begun.append(step.exchanges.map(\.part))
        }
        #expect(begun == [[2], [3, 4], [5], [6], [7], [8], [9], [10]])
    }

    @Test func `half as many requests are noted with the server's wish to wait`() throws {
        var (upload, step, _) = try sending()
        let parts = step.exchanges
        step = upload.receive(.answer(503, [.retryAfter: "7"]), to: parts[0])
        #expect(step.notes.lastResource?.memory["parallel"] == "2")
        for part in parts[1...] { step = upload.receive(.broke(afterSending: 0), to: part) }
        #expect(step.failure?.retryAfter == 7)
    }

    @Test func `the longest of the pauses that the parts receive is kept`() throws {
        var (upload, step, _) = try sending()
        for (part, seconds) in zip(step.exchanges, [7, 90, 30, 8]) {
            step = upload.receive(.answer(503, [.retryAfter: "\(seconds)"]), to: part)
        }
        #expect(step.failure?.retryAfter == 90)
    }

    @Test func `a damaged part is sent once more, and named when it is damaged again`() throws {
        var (upload, step, _) = try sending()
        let part = step.exchanges[1]
        step = upload.receive(FakeS3.error(400, "BadDigest"), to: part)
        #expect(step.exchange == part)
        step = upload.receive(FakeS3.error(400, "BadDigest"), to: part)
        #expect(step.failure?.summary.hasPrefix("part 2 was refused") == true)
    }

    @Test func `P13 a part with another digest than was sent is sent once more, and named then`() throws {
        var checked = options
        checked.checksum = .crc32c
        var (upload, step, server) = try sending(checked)
        let part = step.exchanges[0]
        guard case .responded(var answer) = server.reply(to: part) else { return }
        answer.fields[S3Checksum.field(.crc32c)] = "AAAAAA=="
        step = upload.receive(.responded(answer), to: part)
        #expect(step.exchange == part)
        step = upload.receive(.responded(answer), to: part)
        #expect(step.failure?.summary.hasPrefix("part 1 at the server is not what was sent") == true)
    }

    @Test(arguments: ["", String(repeating: "t", count: 1025)])
    func `a part without a tag of any use is sent once more, and named then`(tag: String) throws {
        var (upload, step, _) = try sending()
        let part = step.exchanges[0]
        step = upload.receive(.answer(200, [.eTag: tag]), to: part)
        #expect(step.exchange == part)
        #expect(
            upload.receive(.answer(200, [.eTag: tag]), to: part).failure?.summary.contains("no usable tag")
                == true)
    }

    @Test(arguments: ["", String(repeating: "u", count: 2049)])
    func `an upload without a usable id is not continued`(uploadID: String) throws {
        var upload = S3Upload(item: .object(size), options: options)
        let step = upload.start(resource: nil, capabilities: nil)
        let body = "<R><UploadId>\(uploadID)</UploadId></R>"
        let failure = upload.receive(.answer(200, body: body), to: try #require(step.exchange)).failure
        #expect(failure?.category == .permanent)
    }

    @Test func `P13 an upload that the server forgot is begun anew`() throws {
        var (upload, step, server) = try sending()
        server.uploads = [:]
        let done = upload.run(step, on: &server).step
        #expect(done.receipt?.bytes == size)
        let resource = try #require(step.notes.lastResource)
        upload = S3Upload(item: .object(size), options: options)
        #expect(
            upload.run(upload.start(resource: resource, capabilities: nil), on: &server).step.receipt != nil)
    }

    @Test func `an upload that is forgotten again and again fails`() throws {
        var (upload, step, server) = try sending()
        for _ in 0..<5 where step.failure == nil {
            server.uploads = [:]
            var underWay = step.exchanges
            while !underWay.isEmpty {
                let exchange = underWay.removeFirst()
                step = upload.receive(server.reply(to: exchange), to: exchange)
                underWay += step.exchanges
                if step.exchanges.contains(where: { $0.part > 0 }) { break }
            }
        }
        #expect(step.failure?.category == .permanent)
    }

    @Test func `a server of fewer parts is found out by the last one, and gets larger ones`() throws {
        let large = 3000 * 5 * megabyte
        var server = FakeS3()
        var upload = S3Upload(item: .object(large), options: options)
        var (step, _) = upload.run(upload.start(resource: nil, capabilities: nil), on: &server) {
            $0.part > 0
        }
        let parts = step.exchanges
        #expect(parts.map(\.part) == [3000, 1, 2, 3])
        let refusal = ExchangeOutcome.answer(
            400,
            body:
                "<Error><Code>InvalidArgument</Code><Message>Part number must be an integer between 1 and 1000, "
                + "inclusive</Message><ArgumentName>partNumber</ArgumentName></Error>")
        step = upload.receive(refusal, to: parts[0])
        #expect(step.notes.lastFacts == ["s3.parts": "1000"])
        // These requests were under way when the refusal came.
        for part in parts[1...] { step = upload.receive(server.reply(to: part), to: part) }
        #expect(step.exchange?.kind == "DELETE uploadId")
        step = upload.run(step, on: &server) { $0.part > 0 }.step
        #expect(step.notes.lastResource?.parts?.planned == 750)
        #expect(server.uploads.count == 1)
    }

    @Test func `a known limit on parts is planned for`() throws {
        var server = FakeS3()
        var upload = S3Upload(item: .object(3000 * 5 * megabyte), options: options)
        let start = upload.start(resource: nil, capabilities: .init(facts: ["s3.parts": "1000"]))
        let step = upload.run(start, on: &server) { $0.part > 0 }.step
        #expect(step.notes.lastResource?.memory["partSize"] == "20971520")
        #expect(step.exchanges.first?.part == 1)
    }

    @Test func `a checksum is declared when the upload is begun`() throws {
        var upload = S3Upload(
            item: .object(size), options: .init(chunkSize: 5 * megabyte, checksum: .crc64nvme))
        let create = try #require(upload.start(resource: nil, capabilities: nil).exchange)
        #expect(create.kind == "POST uploads")
        #expect(create.traits.contains(.idempotent) == false)
        #expect(create.field("x-amz-checksum-algorithm") == "CRC64NVME")
        #expect(create.field("x-amz-checksum-type") == "FULL_OBJECT")
        let step = upload.receive(FakeS3.error(501, "NotImplemented"), to: create)
        #expect(step.exchange?.field("x-amz-checksum-algorithm") == nil)
        #expect(step.notes.lastFacts == ["s3.checksum": "no"])
    }

    @Test func `keys of encryption go with each request about the object`() throws {
        let name = "x-amz-server-side-encryption-customer-key"
        var keyed = options
        keyed.s3.fields = [name: "k", "x-amz-meta-a": "b"]
        let part = try #require(try sending(keyed).step.exchanges.first)
        #expect(part.field(name) == "k")
        #expect(part.field("x-amz-meta-a") == nil)
    }

    @Test func `an unfinished upload is deleted by two requests, and a finished object never`() throws {
        let upload = S3Upload(item: .object(size), options: options)
        let resource = try #require(try sending().step.notes.lastResource)
        #expect(upload.removal(of: resource).map(\.kind) == ["DELETE uploadId", "DELETE uploadId"])
        #expect(upload.removal(of: UploadResource(url: objectURL).withWholeBodySent(true)).isEmpty)
    }

    @Test func `the requests that delete an unfinished upload name who pays, and send no key`() throws {
        let fields = ["x-amz-request-payer": "requester", "x-amz-server-side-encryption-customer-key": "k"]
        let upload = S3Upload(item: .object(size), options: ProtocolOptions(s3: .init(fields: fields)))
        let resource = try #require(try sending().step.notes.lastResource)
        for exchange in upload.removal(of: resource) {
            #expect(exchange.fields[.named("x-amz-request-payer")] == "requester")
            #expect(exchange.fields[.named("x-amz-server-side-encryption-customer-key")] == nil)
        }
    }

    @Test(arguments: [
        ["uploadId": "U"], ["uploadId": "U", "partSize": "0"], ["uploadId": "", "partSize": "5242880"],
        ["uploadId": "U", "partSize": "99999999999999999999"], ["partSize": "5242880"],
        ["uploadId": "U", "partSize": "1"],
    ])
    func `a note that is no upload of this file begins a new one`(fields: [String: String]) {
        var upload = S3Upload(item: .object(size), options: options)
        let step = upload.start(
            resource: .init(url: objectURL, memory: ResumeMemory(fields)), capabilities: nil)
        #expect(step.exchange?.kind == "POST uploads")
    }

    @Test(arguments: [
        "", "<Error><Code>InternalError</Code></Error>", "<a/>", "<ListPartsResult>",
        "<L><UploadId>U</UploadId><IsTruncated>true</IsTruncated></L>",
        "<L><UploadId>U</UploadId><IsTruncated>true</IsTruncated><NextPartNumberMarker>0</NextPartNumberMarker></L>",
        "<L><UploadId>U</UploadId><IsTruncated>true</IsTruncated><NextPartNumberMarker>9223372036854775807</NextPartNumberMarker></L>",
    ])
    func `a list that cannot be read is the server's trouble`(body: String) throws {
        let resource = try #require(try sending().step.notes.lastResource)
        var upload = S3Upload(item: .object(size), options: options)
        let step = upload.start(resource: resource, capabilities: nil)
        #expect(
            upload.receive(.answer(200, body: body), to: try #require(step.exchange)).failure?.category
                == .server)
    }

    @Test(arguments: ["-1", "0", "9223372036854775807", "99999999999999999999", "1.5", ""])
    func `hostile numbers in a list are no parts`(number: String) throws {
        let resource = try #require(try sending().step.notes.lastResource)
        var upload = S3Upload(item: .object(size), options: options)
        let step = upload.start(resource: resource, capabilities: nil)
        let body =
            "<L><UploadId>U</UploadId><Part><PartNumber>\(number)</PartNumber><Size>5242880</Size><ETag>t</ETag></Part>"
            + "<Part><PartNumber>1</PartNumber><Size>\(number)</Size><ETag>t</ETag></Part></L>"
        let next = upload.receive(.answer(200, body: body), to: try #require(step.exchange))
        #expect(next.exchanges.map(\.part) == [1])
    }

    @Test func `after a break parts go alone at first, so that a short life of the link is enough for one`()
        throws
    {
        var (upload, _, server) = try sending()
        upload = S3Upload(item: .object(size), options: options)
        let resource = try #require(try sending().step.notes.lastResource)
        var step = upload.run(upload.start(resource: resource, capabilities: nil), on: &server) {
            $0.part > 0
        }
        .step
        var begun = [step.exchanges.map(\.part)]
        while let first = step.exchanges.first, begun.count < 5 {
            step = upload.receive(server.reply(to: first), to: first)
            begun.append(step.exchanges.map(\.part))
        }
        #expect(begun == [[1], [2], [3, 4], [5], [6]])
    }
}
