import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

private let container = "https://acct.blob.core.windows.net/c/in/?sv=2021-12-02&sig=a%2Bb%3D"
private let blob = "https://acct.blob.core.windows.net/c/in/a%20b.bin"

private func azure(
    url: String = container, size: ByteCount = 10, chunkSize: ByteCount? = 4, parallel: Int? = nil,
    checksum: DigestAlgorithm? = nil, existing: ExistingFilePolicy? = nil,
    parameters: [UploadItem.Parameter] = []
) -> AzureUpload {
    AzureUpload(
        item: .make(url: url, name: "a b.bin", size: size, parameters: parameters),
        options: .init(
            chunkSize: chunkSize, parallelRequests: parallel, checksum: checksum, existing: existing))
}

private let plan = BlockPlan(size: 10, blockSize: 4, key: "key-1")

extension Step {
    fileprivate var isWaiting: Bool { if case .wait = self { true } else { false } }
}

private func list(_ kind: String, _ blocks: [(String, Int)]) -> String {
    let entries = blocks.map { "<Block><Name>\($0.0)</Name><Size>\($0.1)</Size></Block>" }.joined()
    return
        "\u{FEFF}<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList><\(kind)>\(entries)</\(kind)></BlockList>"
}

private func refusal(_ code: String) -> String { "<Error><Code>\(code)</Code><Message>m</Message></Error>" }

struct AzureSendingTests {
    @Test func `a small file is one request`() throws {
        var azure = azure(size: 4, checksum: .md5, parameters: [.init(name: "album", value: "May")])
        let step = azure.start(resource: nil, capabilities: nil)
        let exchange = try #require(step.exchange)
        #expect(exchange.method == .put)
        #expect(exchange.url == blob + "?sv=2021-12-02&sig=a%2Bb%3D")
        #expect(exchange.fields[.msBlobType] == "BlockBlob")
        #expect(exchange.fields[.msVersion] == AzureBlob.version)
        #expect(exchange.fields[.contentType] == "application/octet-stream")
        #expect(exchange.fields[.named("x-ms-meta-album")] == "May")
        #expect(exchange.digests == [DigestRequest(.md5, of: 0..<4, in: .init(.contentMD5, .base64))])
        #expect(step.notedResource??.url == blob)
        var sent = azure
        let receipt = azure.receive(.answer(201, [.eTag: "\"e\"", .msRequestID: "r"]), to: exchange).receipt
        #expect(receipt == Receipt(location: blob, entityTag: "\"e\"", bytes: 4, verified: .md5))
        // A server other than Azure may have ignored the digest.
        #expect(sent.receive(.answer(201), to: exchange).receipt?.verified == nil)
    }

    @Test func `F10 an empty file is one request without content`() throws {
        var azure = azure(size: 0)
        let exchange = try #require(azure.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.method == .put)
        #expect(exchange.url == blob + "?sv=2021-12-02&sig=a%2Bb%3D")
        #expect(exchange.contentLength == 0)
        #expect(exchange.traits.contains(.completes))
        #expect(azure.receive(.answer(201), to: exchange).receipt?.bytes == 0)
    }

    @Test func `a large file goes in blocks, several at once, and what is noted holds no secret`() throws {
        var azure = azure(parallel: 2, checksum: .md5)
        let step = azure.start(resource: nil, capabilities: nil)
        let noted = try #require(step.notedResource ?? nil)
        #expect(noted.url == blob)
        #expect(noted.parts == UploadResource.Parts(stored: 0, planned: 3))
        #expect(!"\(noted)".contains("sig"))
        #expect(step.exchanges.map(\.body) == [.file(range: 0..<4), .file(range: 4..<8)])
        let plan = try #require(plan)
        #expect(AddressQuery.value("blockid", in: step.exchanges[1].url) == plan.id(of: 1))
        #expect(AddressQuery.value("sig", in: step.exchanges[1].url) == "a+b=")
        #expect(
            step.exchanges[1].digests == [DigestRequest(.md5, of: 4..<8, in: .init(.contentMD5, .base64))])
    }

    @Test func `responses to blocks may come in any order, and the list makes the blob`() throws {
        var azure = azure(parallel: 2)
        let first = azure.start(resource: nil, capabilities: nil).exchanges
        let third = azure.receive(.answer(201, [.date: "Sun, 22 Nov 2026 01:00:00 GMT"]), to: first[1])
        #expect(third.exchanges.map(\.body) == [.file(range: 8..<10)])
        #expect(third.notedResource??.confirmed == 4)
        #expect(third.notedResource??.expires == Date(timeIntervalSince1970: 1_795_914_000))
        #expect(azure.receive(.answer(201), to: first[0]).isWaiting)
        let step = azure.receive(.answer(201), to: third.exchanges[0])
        #expect(step.notedResource??.confirmed == 10)
        let commit = try #require(step.exchange)
        #expect(AddressQuery.value("comp", in: commit.url) == "blocklist")
        #expect(commit.fields[.msBlobContentType] == "application/octet-stream")
        #expect(commit.markBeforeLastBytes?.wholeBodySent == true)
        let plan = try #require(plan)
        #expect(commit.body == .bytes(BlockList.commit(plan)))
        let names = XMLDocument.parse(BlockList.commit(plan))?.children(named: "Latest").map(\.text)
        #expect(names == (0..<3).map(plan.id))
        #expect(azure.receive(.answer(201), to: commit).receipt?.location == blob)
    }

    @Test func `the sum of the whole goes with the list`() throws {
        var azure = azure(size: 5, parallel: 2, checksum: .md5)
        let blocks = azure.start(resource: nil, capabilities: nil).exchanges
        _ = azure.receive(.answer(201), to: blocks[0])
        let commit = try #require(azure.receive(.answer(201), to: blocks[1]).exchange)
        #expect(commit.digests == [DigestRequest(.md5, of: 0..<5, in: .init(.msBlobContentMD5, .base64))])
        var sent = azure
        #expect(azure.receive(.answer(201, [.msRequestID: "r"]), to: commit).receipt?.verified == .md5)
        #expect(sent.receive(.answer(201), to: commit).receipt?.verified == nil)
    }

    private static func response(md5 reported: String?, ours: String = "AQI=") -> ExchangeOutcome {
        var fields: HTTPFields = [:]
        fields[.contentMD5] = reported
        let bytes = Data(base64Encoded: ours).map { Array($0) } ?? []
        let digests = reported == nil ? [] : [ComputedDigest(.md5, of: 0..<4, bytes: bytes)]
        return .responded(.init(status: 201, fields: fields, digests: digests))
    }

    @Test func `the MD5 that Azure reports of a small file verifies it`() throws {
        var azure = azure(size: 4)
        let exchange = try #require(azure.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.digests == [])
        #expect(exchange.digestsIfReported == [.init(.crc64nvme, of: 0..<4), .init(.md5, of: 0..<4)])
        #expect(exchange.reportedIn == .azureFields)
        let response = ExchangeOutcome.Response(status: 201, fields: [.contentMD5: "AQI="])
        #expect(ServerDigest.algorithms(in: response, exchange.reportedIn) == [.md5])
        #expect(azure.receive(Self.response(md5: "AQI="), to: exchange).receipt?.verified == .md5)
    }

    @Test func `the CRC that Azure reports verifies a file, and is preferred to the MD5`() throws {
        var azure = azure(size: 11, chunkSize: nil)
        let exchange = try #require(azure.start(resource: nil, capabilities: nil).exchange)
        // Azure's response to `Hello World`, recorded by Microsoft's SDK for JavaScript with the API version
        // 2019-12-12.
        var response = ExchangeOutcome.Response(
            status: 201,
            fields: [.contentMD5: "sQqNsWTgdUEFt6mb5y4/5Q==", .msContentCRC64: "YeJLfssylmU="])
        #expect(ServerDigest.algorithms(in: response, exchange.reportedIn) == [.crc64nvme])
        let ours = RunningDigest.of(Array("Hello World".utf8), .crc64nvme)
        response.digests = [ComputedDigest(.crc64nvme, of: 0..<11, bytes: ours)]
        #expect(azure.receive(.responded(response), to: exchange).receipt?.verified == .crc64nvme)
    }

    @Test func `a small file is sent again if its reported MD5 differs, then it fails`() throws {
        var azure = azure(size: 4)
        let exchange = try #require(azure.start(resource: nil, capabilities: nil).exchange)
        var step = azure.receive(Self.response(md5: "AwQ="), to: exchange)
        #expect(step.exchange == exchange)
        for _ in 0..<5 where step.failure == nil {
            step = azure.receive(Self.response(md5: "AwQ="), to: exchange)
        }
        #expect(step.failure == DigestComparison.mismatch(.md5))
    }

    @Test(arguments: [("AQI=", DigestAlgorithm.md5), (nil, nil)])
    func `blocks verify the file if Azure reports the MD5 of each`(
        last: String?, verified: DigestAlgorithm?
    ) throws {
        var azure = azure(size: 5, parallel: 2)
        let blocks = azure.start(resource: nil, capabilities: nil).exchanges
        #expect(blocks.map { $0.digestsIfReported.last } == [.init(.md5, of: 0..<4), .init(.md5, of: 4..<5)])
        _ = azure.receive(Self.response(md5: "AQI="), to: blocks[0])
        let commit = try #require(azure.receive(Self.response(md5: last), to: blocks[1]).exchange)
        let receipt = try #require(azure.receive(.answer(201), to: commit).receipt)
        #expect(receipt.verified == verified)
    }

    @Test func `a block is sent again if its reported MD5 differs`() {
        var azure = azure(parallel: 1)
        let block = azure.start(resource: nil, capabilities: nil).exchanges[0]
        #expect(azure.receive(Self.response(md5: "AwQ="), to: block).exchange == block)
    }

    @Test func `a block that was torn is sent again, a few times`() {
        var azure = azure(parallel: 1)
        let block = azure.start(resource: nil, capabilities: nil).exchanges[0]
        var step = azure.receive(.answer(400, body: refusal("Md5Mismatch")), to: block)
        #expect(step.exchange == block)
        for _ in 0..<5 where step.failure == nil {
            step = azure.receive(.answer(400, body: refusal("Md5Mismatch")), to: block)
        }
        #expect(step.failure?.summary.contains("Md5Mismatch") == true)
    }

    @Test(arguments: [
        (403, UploadFailure.Category.permanent), (404, .permanent), (500, .server), (503, .server),
    ])
    func `a refused block is a failure`(status: Int, category: UploadFailure.Category) {
        var azure = azure()
        let block = azure.start(resource: nil, capabilities: nil).exchanges[0]
        #expect(azure.receive(.answer(status), to: block).failure?.category == category)
    }

    @Test func `a parameter that cannot be metadata is named`() {
        var azure = azure(parameters: [.init(name: "two words", value: "")])
        #expect(azure.start(resource: nil, capabilities: nil).failure?.summary.contains("two words") == true)
    }

    @Test func `there is nothing to remove`() {
        #expect(azure().removal(of: UploadResource(url: blob)).isEmpty)
    }
}

struct AzureResumeTests {
    /// Returns the recorded resource of an upload in blocks.
    private func noted(onlyNew: Bool = false) throws -> UploadResource {
        var azure = azure(existing: onlyNew ? .fail : nil)
        var step = azure.start(resource: nil, capabilities: nil)
        if onlyNew { step = azure.receive(.answer(404), to: try #require(step.exchange)) }
        return try #require(step.notedResource ?? nil)
    }

    @Test func `the server is asked for its blocks, and the others are sent`() throws {
        var azure = azure()
        let plan = try #require(plan)
        let ask = try #require(azure.start(resource: try noted(), capabilities: nil).exchange)
        #expect(ask.method == .get)
        #expect(AddressQuery.value("blocklisttype", in: ask.url) == "uncommitted")
        let body = list("UncommittedBlocks", [(plan.id(of: 1), 4), (plan.id(of: 2), 1), ("AAAA", 4)])
        let step = azure.receive(.answer(200, body: body), to: ask)
        #expect(step.exchanges.map(\.body) == [.file(range: 0..<4)])
        #expect(step.notedResource??.confirmed == 4)
        let next = azure.receive(.answer(201), to: try #require(step.exchanges.first))
        #expect(next.exchanges.map(\.body) == [.file(range: 8..<10)])
    }

    @Test func `an upload of which an attempt sent no digests does not count as verified by them`() throws {
        var resource = try noted()
        resource.azure.hasBlockSums = true
        let plan = try #require(plan)
        var azure = azure()
        let ask = try #require(azure.start(resource: resource, capabilities: nil).exchange)
        let body = list("UncommittedBlocks", [(plan.id(of: 1), 4)])
        let step = azure.receive(.answer(200, body: body), to: ask)
        #expect(step.notedResource??.azure.hasBlockSums == false)
    }

    @Test func `the size of blocks is as it was begun with`() throws {
        var azure = azure(chunkSize: 3)
        let ask = try #require(azure.start(resource: try noted(), capabilities: nil).exchange)
        #expect(
            azure.receive(.answer(404, body: refusal("BlobNotFound")), to: ask).exchanges.first?.body
                == .file(range: 0..<4))
    }

    @Test func `blocks that the server dropped after a week are reported and sent again`() throws {
        var azure = azure()
        var resource = try noted()
        resource.confirmed = 8
        let ask = try #require(azure.start(resource: resource, capabilities: nil).exchange)
        let step = azure.receive(.answer(404, body: refusal("BlobNotFound")), to: ask)
        #expect(step.notes.first == .serverLost(8))
        #expect(step.exchanges.map(\.body) == [.file(range: 0..<4)])
    }

    @Test func `a signature that may not read has everything sent again`() throws {
        var azure = azure()
        let ask = try #require(azure.start(resource: try noted(), capabilities: nil).exchange)
        let step = azure.receive(.answer(403, body: refusal("AuthorizationPermissionMismatch")), to: ask)
        #expect(step.exchanges.map(\.body) == [.file(range: 0..<4)])
    }

    @Test func `a container that is gone is a failure`() throws {
        var azure = azure()
        let ask = try #require(azure.start(resource: try noted(), capabilities: nil).exchange)
        #expect(
            azure.receive(.answer(404, body: refusal("ContainerNotFound")), to: ask).failure?.category
                == .permanent)
    }

    @Test(arguments: ["", "<BlockList>", "<x/>"])
    func `a list that cannot be read is no list`(body: String) throws {
        var azure = azure()
        let ask = try #require(azure.start(resource: try noted(), capabilities: nil).exchange)
        #expect(azure.receive(.answer(200, body: body), to: ask).failure?.category == .server)
    }

    @Test func `after a lost response the blob's own blocks show that it is made`() throws {
        var azure = azure()
        let plan = try #require(plan)
        let resource = try noted().withWholeBodySent(true)
        let ask = try #require(azure.start(resource: resource, capabilities: nil).exchange)
        #expect(AddressQuery.value("blocklisttype", in: ask.url) == "committed")
        let blocks = (0..<3).map { (plan.id(of: $0), $0 == 2 ? 2 : 4) }
        let step = azure.receive(
            .answer(200, [.eTag: "\"e\""], body: list("CommittedBlocks", blocks)), to: ask)
        #expect(step.receipt?.entityTag == "\"e\"")
    }

    @Test func `a blob of another client is not taken for this upload's`() throws {
        var azure = azure()
        let resource = try noted().withWholeBodySent(true)
        let ask = try #require(azure.start(resource: resource, capabilities: nil).exchange)
        let step = azure.receive(.answer(200, body: list("CommittedBlocks", [("AAAA", 10)])), to: ask)
        #expect(AddressQuery.value("blocklisttype", in: step.exchange?.url ?? "") == "uncommitted")
    }

    @Test func `without the right to ask, a blob that must be new is a person's to decide`() throws {
        var azure = azure(existing: .fail)
        let resource = try noted(onlyNew: true).withWholeBodySent(true)
        let ask = try #require(azure.start(resource: resource, capabilities: nil).exchange)
        #expect(azure.receive(.answer(403), to: ask).failure?.category == .outcomeUnknown)
    }

    @Test func `a list that names a lost block has the server asked again`() throws {
        var azure = azure(size: 5, parallel: 2)
        let blocks = azure.start(resource: nil, capabilities: nil).exchanges
        _ = azure.receive(.answer(201), to: blocks[0])
        let commit = try #require(azure.receive(.answer(201), to: blocks[1]).exchange)
        let ask = azure.receive(.answer(400, body: refusal("InvalidBlockList")), to: commit).exchange
        #expect(AddressQuery.value("blocklisttype", in: ask?.url ?? "") == "uncommitted")
    }
}

struct AzureExistingTests {
    @Test func `a name that is free is kept free of others`() throws {
        var azure = azure(size: 3, existing: .fail)
        let head = try #require(azure.start(resource: nil, capabilities: nil).exchange)
        #expect(head.method == .head)
        #expect(head.fields[.msVersion] == AzureBlob.version)
        let put = try #require(azure.receive(.answer(404), to: head).exchange)
        #expect(put.fields[.ifNoneMatch] == "*")
        #expect(!put.traits.contains(.idempotent))
        let step = azure.receive(.answer(409, body: refusal("BlobAlreadyExists")), to: put)
        #expect(step.failure?.summary == "a b.bin is already at the server")
    }

    @Test func `the blob's own sum decides what is skipped, and the location has no signature`() throws {
        var azure = azure(existing: .skip)
        let head = try #require(azure.start(resource: nil, capabilities: nil).exchange)
        let sum: HTTPFields = [.contentLength: "10", .contentMD5: "AAAAAAAAAAAAAAAAAAAAAA=="]
        let again = try #require(azure.receive(.answer(200, sum), to: head).exchange)
        let ours = ComputedDigest(.md5, of: 0..<10, bytes: [UInt8](repeating: 0, count: 16))
        let receipt = azure.receive(.responded(.init(status: 200, fields: sum, digests: [ours])), to: again)
            .receipt
        #expect(receipt?.wasThere == true)
        #expect(receipt?.location == blob)
    }

    @Test func `a renamed blob stays renamed in the next attempt`() throws {
        var azure = azure(existing: .rename)
        let head = try #require(azure.start(resource: nil, capabilities: nil).exchange)
        let next = try #require(azure.receive(.answer(200, [.contentLength: "1"]), to: head).exchange)
        let step = azure.receive(.answer(404), to: next)
        let noted = try #require(step.notedResource ?? nil)
        #expect(noted.url.hasSuffix("/a%20b%20%282%29.bin"))
        var later = UploadProtocolsTests.azure(existing: .rename)
        #expect(later.start(resource: noted, capabilities: nil).exchange?.url.contains("%282%29") == true)
    }
}

struct AzureCheckTests {
    @Test func `the container is asked for the shortest list`() {
        guard case .send(let exchange) = AzureCheck(url: container).start() else {
            Issue.record("nothing is asked")
            return
        }
        #expect(
            exchange.url == "https://acct.blob.core.windows.net/c?sv=2021-12-02&sig=a%2Bb%3D"
                + "&restype=container&comp=list&maxresults=1")
    }

    @Test func `a signature that may only write is reported as such`() {
        let check = AzureCheck(url: container)
        guard
            case .finished(let report) = check.receive(
                .answer(403, body: refusal("AuthorizationPermissionMismatch")))
        else {
            Issue.record("no report")
            return
        }
        #expect(report.findings.first?.contains("may not list") == true)
    }
}
