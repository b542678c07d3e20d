import HTTPTypes
import Testing

@testable import FerryProtocols

/// Returns the digests that an attempt would compute for an exchange.
private func computed(_ exchange: Exchange?, _ bytes: [UInt8]) -> [ComputedDigest] {
    (exchange?.digests ?? []).map { ComputedDigest($0.algorithm, of: $0.range, bytes: bytes) }
}

private func answer(
    _ status: Int, _ fields: HTTPFields = [:], to exchange: Exchange?, ours bytes: [UInt8] = [1, 2, 3]
) -> ExchangeOutcome {
    .responded(.init(status: status, fields: fields, digests: computed(exchange, bytes)))
}

struct PutChecksumTests {
    private static let reported = "sha-256=:AQID:"

    private func sent(_ checksum: DigestAlgorithm = .sha256) -> (put: PutUpload, exchange: Exchange?) {
        var put = PutUpload(item: .make(), options: .init(checksum: checksum))
        let exchange = put.start(resource: nil, capabilities: nil).exchange
        return (put, exchange)
    }

    @Test(
        arguments: [
            (.sha256, "sha-256=:AQID:"), (.md5, "md5=:AQID:"), (.sha1, "sha=:AQID:"),
            (.crc32c, "crc32c=:AQID:"),
        ] as [(DigestAlgorithm, String)])
    func `the request carries the digest`(algorithm: DigestAlgorithm, field: String) {
        let order = sent(algorithm).exchange?.digests.first
        #expect(order?.range == 0..<10)
        #expect(order?.carrier?.field == .reprDigest)
        #expect(order?.carrier?.value([1, 2, 3]) == field)
    }

    @Test func `MD5 goes in the field that stores of objects check, too`() {
        let place = sent(.md5).exchange?.digests.last?.carrier
        #expect(place?.field == .contentMD5)
        #expect(place?.value([1, 2, 3]) == "AQID")
    }

    @Test func `a response with the same digest verifies the upload at once`() {
        var (put, exchange) = sent()
        let step = put.receive(answer(201, [.reprDigest: Self.reported], to: exchange))
        #expect(step.receipt?.verified == .sha256)
    }

    @Test(arguments: [nil, "sha-256=:AQIE:"])
    func `a server that sends no digest with its response is asked`(reported: String?) throws {
        var (put, exchange) = sent()
        var fields: HTTPFields = [:]
        fields[.reprDigest] = reported
        let head = try #require(put.receive(answer(201, fields, to: exchange)).exchange)
        #expect(head.method == .head)
        #expect(head.fields[.wantReprDigest] == "sha-256=10")
        let step = put.receive(answer(200, [.reprDigest: Self.reported], to: head))
        #expect(step.receipt?.verified == .sha256)
    }

    @Test func `P16 another digest at the server is a failure that says so`() {
        var (put, exchange) = sent()
        let head = put.receive(answer(201, to: exchange)).exchange
        let step = put.receive(answer(200, [.reprDigest: "sha-256=:AQIE:"], to: head))
        #expect(step.failure?.summary.contains("SHA-256") == true)
        #expect(step.failure?.isTransient == false)
    }

    @Test(arguments: [true, false])
    func `a file that the server stored under another name is looked at there`(isSame: Bool) throws {
        var (put, sent) = sent()
        let exchange = try #require(sent)
        let place = exchange.url + "-2"
        let first = put.receive(answer(201, [.location: place], to: exchange)).exchange
        #expect(first?.url == exchange.url)
        // The file with the original name belongs to another client.
        let second = put.receive(answer(200, [.reprDigest: "sha-256=:AQIE:"], to: first)).exchange
        #expect(second?.url == place)
        let there: HTTPFields = isSame ? [.reprDigest: Self.reported] : [.contentLength: "99"]
        let receipt = put.receive(answer(200, there, to: second)).receipt
        #expect(receipt?.location == place)
        #expect(receipt?.verified == (isSame ? .sha256 : nil))
    }

    @Test func `P16 another size at the server is a failure that says so`() {
        var (put, exchange) = sent()
        let head = put.receive(answer(201, to: exchange)).exchange
        let step = put.receive(answer(200, [.contentLength: "9"], to: head))
        #expect(step.failure?.summary == "the server has 9 B, the file has 10 B")
    }

    @Test(arguments: [200, 403, 404, 405])
    func `P16 a server that reports nothing has the file, unverified`(status: Int) {
        var (put, exchange) = sent()
        let head = put.receive(answer(201, to: exchange)).exchange
        let step = put.receive(answer(status, to: head))
        #expect(step.receipt?.bytes == 10)
        #expect(step.receipt?.verified == nil)
    }

    @Test func `after a lost comparison the next attempt compares and sends nothing`() throws {
        var (put, exchange) = sent()
        let step = put.receive(answer(201, to: exchange))
        let notedResource = try #require(step.notedResource)
        let noted = try #require(notedResource)
        #expect(put.receive(.broke(afterSending: 0)).failure?.category == .network)
        var next = PutUpload(item: .make(), options: .init(checksum: .sha256))
        let head = try #require(next.start(resource: noted, capabilities: nil).exchange)
        #expect(head.method == .head)
        #expect(head.digests.first?.algorithm == .sha256)
        #expect(
            next.receive(answer(200, [.reprDigest: Self.reported], to: head)).receipt?.verified == .sha256)
    }

    @Test func `without a checksum nothing is asked or computed`() {
        var put = PutUpload(item: .make(), options: .init())
        #expect(put.start(resource: nil, capabilities: nil).exchange?.digests.isEmpty == true)
        #expect(put.receive(.answer(201)).receipt != nil)
    }
}

/// Tests what happens after the whole body was sent and no response arrived.
struct PutMissingResponseTests {
    private func make() -> PutUpload { PutUpload(item: .make(), options: .init()) }

    private func recalled() throws -> (put: PutUpload, head: Exchange?) {
        var lost = make()
        let mark = try #require(lost.start(resource: nil, capabilities: nil).exchange?.markBeforeLastBytes)
        #expect(lost.receive(.broke(afterSending: 10)).notedResource == nil)
        var put = make()
        let head = put.start(resource: mark, capabilities: nil).exchange
        #expect(head?.method == .head)
        #expect(head?.digests.isEmpty == true)
        return (put, head)
    }

    @Test(arguments: [true, false])
    func `P10 a digest at the server decides whether a put is sent again`(isSame: Bool) throws {
        var (put, head) = try recalled()
        let fields: HTTPFields = [.contentLength: "10", .reprDigest: "sha-256=:AQID:"]
        let again = put.receive(answer(200, fields, to: head)).exchange
        #expect(again?.method == .head)
        #expect(again?.digests.map(\.algorithm) == [.sha256])
        let step = put.receive(answer(200, fields, to: again, ours: isSame ? [1, 2, 3] : [4]))
        #expect(step.receipt?.verified == (isSame ? .sha256 : nil))
        #expect(step.exchange?.method == (isSame ? nil : .put))
    }

    @Test func `P10 an entity tag that is the content's MD5 decides as well`() throws {
        var (put, head) = try recalled()
        let fields: HTTPFields = [.eTag: "\"000102030405060708090a0b0c0d0e0f\""]
        let again = put.receive(answer(200, fields, to: head)).exchange
        #expect(again?.digests.map(\.algorithm) == [.md5])
        #expect(put.receive(answer(200, fields, to: again, ours: Array(0...15))).receipt?.verified == .md5)
    }

    @Test(arguments: [
        answer(200, [.contentLength: "10"], to: nil), answer(200, [.contentLength: "4"], to: nil),
        answer(200, [.eTag: "\"1700000-1000\""], to: nil), .answer(404), .answer(405), .answer(403),
    ])
    func `P10 a server without a digest gets the same bytes again`(reply: ExchangeOutcome) throws {
        var (put, _) = try recalled()
        let exchange = put.receive(reply).exchange
        #expect(exchange?.method == .put)
        #expect(exchange?.markBeforeLastBytes?.wholeBodySent == true)
    }

    @Test(arguments: [ExchangeOutcome.answer(503), .broke(afterSending: nil)])
    func `P10 a server that is away for the question is asked again later`(reply: ExchangeOutcome) throws {
        var (put, _) = try recalled()
        let step = put.receive(reply)
        #expect(step.failure?.isTransient == true)
        #expect(step.notedResource == nil)
    }

    @Test func `P10 a refusal settles it, a proxy's word does not`() {
        for (status, isSettled) in [(500, true), (403, true), (502, false), (504, false)] {
            var put = make()
            _ = put.start(resource: nil, capabilities: nil)
            #expect((put.receive(.answer(status)).notedResource == .some(nil)) == isSettled, "\(status)")
        }
    }

    @Test func `P10 the marker of an unknown outcome holds no secret of the address`() {
        let item = UploadItem.make(url: "http://server.example/files/?sig=secret")
        for name in ["put", "post", "form"] {
            var upload = ProtocolCatalog.entry(named: name)?.make(item, .init())
            let exchange = upload?.start(resource: nil, capabilities: nil).exchange
            #expect(exchange?.url.contains("sig=secret") == true, "\(name)")
            #expect(exchange?.markBeforeLastBytes?.url.contains("secret") == false, "\(name)")
        }
    }
}

struct PutExistingTests {
    private func make(
        _ policy: ExistingFilePolicy, url: String = "http://server.example/files/"
    ) -> PutUpload { PutUpload(item: .make(url: url), options: .init(existing: policy)) }

    @Test(arguments: [ExistingFilePolicy.skip, .rename, .fail])
    func `the server is first asked for an existing file`(policy: ExistingFilePolicy) {
        var put = make(policy)
        #expect(put.start(resource: nil, capabilities: nil).exchange?.method == .head)
        let exchange = put.receive(.answer(404)).exchange
        #expect(exchange?.method == .put)
        // Skipping and replacing need no protection against a file that another client creates.
        #expect(exchange?.fields[.ifNoneMatch] == (policy == .skip ? nil : "*"))
    }

    @Test func `replace asks nothing`() {
        var put = make(.replace)
        #expect(put.start(resource: nil, capabilities: nil).exchange?.method == .put)
    }

    @Test(arguments: [ExistingFilePolicy.skip, .rename, .fail])
    func `an address that is the same for every file cannot be asked about one`(policy: ExistingFilePolicy) {
        var put = make(policy, url: "http://server.example/file")
        #expect(put.start(resource: nil, capabilities: nil).failure?.hint?.contains("{name}") == true)
    }

    @Test func `fail leaves what is there alone`() {
        var put = make(.fail)
        _ = put.start(resource: nil, capabilities: nil)
        #expect(put.receive(.answer(200)).failure?.status == 412)
    }

    @Test func `skip takes a file of the same size for the file`() {
        var put = make(.skip)
        _ = put.start(resource: nil, capabilities: nil)
        let receipt = put.receive(.answer(200, [.contentLength: "10", .eTag: "\"x\""])).receipt
        #expect(receipt?.wasThere == true)
        #expect(receipt?.entityTag == "\"x\"")
    }

    @Test(arguments: [("sha-256=:AQID:", true), ("sha-256=:AQIE:", false)])
    func `skip compares digests where the server reports one`(reported: String, isSame: Bool) {
        var put = make(.skip)
        _ = put.start(resource: nil, capabilities: nil)
        let fields: HTTPFields = [.contentLength: "10", .reprDigest: reported]
        let again = put.receive(.answer(200, fields)).exchange
        #expect(again?.digests == [DigestRequest(.sha256, of: 0..<10)])
        let step = put.receive(answer(200, fields, to: again))
        #expect(step.receipt?.verified == (isSame ? .sha256 : nil))
        #expect(step.exchange?.method == (isSame ? nil : .put))
    }

    @Test func `skip replaces a file of another size`() {
        var put = make(.skip)
        _ = put.start(resource: nil, capabilities: nil)
        #expect(put.receive(.answer(200, [.contentLength: "9"])).exchange?.method == .put)
    }

    @Test func `rename asks for one name after another`() {
        var put = make(.rename)
        _ = put.start(resource: nil, capabilities: nil)
        #expect(put.receive(.answer(200)).exchange?.url.hasSuffix("/a%20%282%29.bin") == true)
        #expect(put.receive(.answer(200)).exchange?.url.hasSuffix("/a%20%283%29.bin") == true)
        let exchange = put.receive(.answer(404)).exchange
        #expect(exchange?.method == .put)
        #expect(exchange?.url.hasSuffix("/a%20%283%29.bin") == true)
        #expect(put.receive(.answer(201)).receipt?.location == exchange?.url)
    }

    @Test func `rename ends at a hundred names`() {
        var put = make(.rename)
        var step = put.start(resource: nil, capabilities: nil)
        var heads = 0
        while step.exchange?.method == .head {
            heads += 1
            step = put.receive(.answer(200))
        }
        #expect(heads == ExistingChoice.nameLimit)
        #expect(step.failure?.category == .permanent)
    }

    @Test func `a name that was taken while the file was sent gives way to the next`() {
        var put = make(.rename)
        _ = put.start(resource: nil, capabilities: nil)
        _ = put.receive(.answer(404))
        #expect(put.receive(.answer(412)).exchange?.method == .head)
        #expect(put.receive(.answer(200)).exchange?.url.hasSuffix("/a%20%282%29.bin") == true)
    }

    @Test func `a server that contradicts itself about a name is left`() {
        var put = make(.rename)
        var step = put.start(resource: nil, capabilities: nil)
        for _ in 0..<10 where step.exchange != nil {
            step = put.receive(.answer(step.exchange?.method == .head ? 404 : 412))
        }
        #expect(step.failure?.status == 412)
    }

    @Test(arguments: [405, 501])
    func `a server without HEAD cannot say what is there`(status: Int) {
        var put = make(.fail)
        _ = put.start(resource: nil, capabilities: nil)
        #expect(put.receive(.answer(status)).failure?.hint?.contains("ifExists") == true)
    }

    /// Returns the resource that an attempt records if its body was sent and no response arrived.
    private func lost(_ policy: ExistingFilePolicy) throws -> UploadResource {
        var put = make(policy)
        _ = put.start(resource: nil, capabilities: nil)
        let exchange = try #require(put.receive(.answer(404)).exchange)
        #expect(put.receive(.broke(afterSending: 10)).notedResource == nil)
        return try #require(exchange.markBeforeLastBytes)
    }

    @Test(arguments: [ExistingFilePolicy.skip, .rename, .fail])
    func `after a lost response a file of the size is ours, and was not there before`(
        policy: ExistingFilePolicy
    ) throws {
        let noted = try lost(policy)
        var put = make(policy)
        #expect(put.start(resource: noted, capabilities: nil).exchange?.method == .head)
        let receipt = put.receive(.answer(200, [.contentLength: "10"])).receipt
        #expect(receipt?.wasThere == false)
    }

    @Test func `after a lost response a file of another size is another client's`() throws {
        let noted = try lost(.fail)
        var put = make(.fail)
        _ = put.start(resource: noted, capabilities: nil)
        #expect(put.receive(.answer(200, [.contentLength: "4"])).failure?.status == 412)
    }

    @Test func `a definite refusal takes the mark away`() throws {
        var put = make(.fail)
        _ = put.start(resource: nil, capabilities: nil)
        _ = put.receive(.answer(404))
        #expect(put.receive(.answer(403)).notedResource == .some(nil))
    }

    @Test func `numbers go before the last ending`() {
        #expect(FileName.numbered("a/b.tar.gz", 2) == "a/b.tar (2).gz")
        #expect(FileName.numbered("a.b/c", 3) == "a.b/c (3)")
        #expect(FileName.numbered(".profile", 2) == ".profile (2)")
    }
}
