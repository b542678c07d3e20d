import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests digests that are not configured and that a server offers.
@Suite struct OfferedDigestTests {
    private static let digest: [UInt8] = [1, 2, 3]
    private static let reported: HTTPFields = [.reprDigest: "sha-256=:AQID:"]
    private static let other: HTTPFields = [.reprDigest: "sha-256=:BAUG:"]
    private static let off: ProtocolOptions = {
        var options = ProtocolOptions()
        options.checksumChoice = .none
        return options
    }()

    private static func answer(
        _ status: Int, _ fields: HTTPFields, body: [UInt8] = [], ours: [UInt8] = digest
    ) -> ExchangeOutcome {
        .responded(
            .init(
                status: status, fields: fields, body: body,
                // The digest is computed only if the server did not report one.
                digests: fields[.reprDigest] == nil
                    ? [] : [ComputedDigest(.sha256, of: 0..<10, bytes: ours)]))
    }

    private static func exchange(_ options: ProtocolOptions = .init(), size: ByteCount = 10) -> Exchange? {
        var put = PutUpload(item: .make(size: size), options: options)
        return put.start(resource: nil, capabilities: nil).exchange
    }

    private static func end(of fields: HTTPFields, body: [UInt8] = []) -> Step {
        var put = PutUpload(item: .make(), options: .init())
        _ = put.start(resource: nil, capabilities: nil)
        return put.receive(answer(201, fields, body: body))
    }

    @Test func `a server is asked for the digest, and nothing is computed before the file is sent`() {
        let exchange = Self.exchange()
        #expect(exchange?.fields[.wantReprDigest] == "sha-256=10")
        #expect(exchange?.digests == [])
        #expect(exchange?.digestsIfReported == [DigestRequest(.sha256, of: 0..<10)])
    }

    @Test func `none turns it off, and so does a file that takes a server too long to read`() {
        for exchange in [Self.exchange(Self.off), Self.exchange(size: 1 << 40), Self.exchange(size: 0)] {
            #expect(exchange?.fields[.wantReprDigest] == nil)
            #expect(exchange?.digestsIfReported == [])
        }
    }

    @Test func `the file's digest verifies the upload`() {
        #expect(Self.end(of: Self.reported).receipt?.verified == .sha256)
    }

    @Test func `a server that reports none is no failure`() {
        #expect(Self.end(of: [:]).receipt?.verified == nil)
        #expect(Self.end(of: [:]).receipt != nil)
    }

    @Test func `after another digest a server of put is asked what is there`() {
        let exchange = Self.end(of: Self.other).exchange
        #expect(exchange?.method == .head)
        #expect(exchange?.fields[.wantReprDigest] == "sha-256=10")
    }

    @Test func `the digest of the response's own text is not the file's`() throws {
        let body = Array("created".utf8)
        let own = ServerDigest(.sha256, RunningDigest.of(body, .sha256))
        let field = DigestRequest.Form.base64.text(own.bytes)
        let answer = ExchangeOutcome.Response(
            status: 200, fields: [.reprDigest: "sha-256=:\(field):"], body: body,
            digests: [ComputedDigest(.sha256, of: 0..<10, bytes: Self.digest)])
        #expect(try OfferedDigest.verified(by: answer) == nil)
    }

    // MARK: tus

    private static func tus(
        _ options: ProtocolOptions = .init(), size: ByteCount, offers: ServerCapabilities
    ) -> (TusUpload, Exchange?) {
        var tus = TusUpload(item: .make(size: size), options: options)
        _ = tus.start(resource: nil, capabilities: offers)
        let exchange = tus.receive(.answer(201, [.location: "7"])).exchange
        return (tus, exchange)
    }

    @Test func `a small file is checked by the extension, as a whole`() {
        let (_, exchange) = Self.tus(size: 1000, offers: .tusChecking)
        #expect(exchange?.digests.count == 1)
        #expect(exchange?.body == .file(range: 0..<1000))
    }

    @Test func `a large one is sent as ever, and the server is asked for its digest`() {
        let (_, exchange) = Self.tus(size: 20 << 20, offers: .tusChecking)
        #expect(exchange?.digests == [])
        #expect(exchange?.body == .file(range: 0..<(20 << 20)))
        #expect(exchange?.traits.contains(.kept) == true)
        #expect(exchange?.fields[.wantReprDigest] == "sha-256=10")
    }

    @Test(arguments: [true, false])
    func `a tus server's digest verifies the upload, and another one is a failure`(isSame: Bool) {
        var (tus, _) = Self.tus(size: 10, offers: TusOffer.core)
        var fields = isSame ? Self.reported : Self.other
        fields[.uploadOffset] = "10"
        let step = tus.receive(Self.answer(204, fields))
        #expect(step.receipt?.verified == (isSame ? .sha256 : nil))
        #expect((step.receipt == nil) == !isSame)
    }

    @Test func `none turns it off with tus too`() {
        for size in [1000, 20 << 20] as [ByteCount] {
            let (_, exchange) = Self.tus(Self.off, size: size, offers: .tusChecking)
            #expect(exchange?.digests == [])
            #expect(exchange?.fields[.wantReprDigest] == nil)
        }
    }
}
