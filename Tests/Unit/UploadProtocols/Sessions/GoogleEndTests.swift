import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

private let bucket = GoogleExample.bucket
private let drive = GoogleExample.drive
private let session = GoogleExample.session

struct GoogleEndTests {
    private static let object =
        #"{"size":"1000000","md5Hash":"AAAAAAAAAAAAAAAAAAAAAA==","crc32c":"AAAAAQ==","etag":"e","#
        + #""selfLink":"https://www.googleapis.com/storage/v1/b/bkt/o/a"}"#

    private func answer(_ digest: ComputedDigest?) -> ExchangeOutcome {
        .responded(.init(status: 200, body: Array(Self.object.utf8), digests: [digest].compactMap { $0 }))
    }

    @Test func `the object is what remains, and never the session`() {
        var google = google()
        _ = google.begun()
        let receipt = google.receive(answer(nil)).receipt
        #expect(receipt?.location == "https://www.googleapis.com/storage/v1/b/bkt/o/a")
        #expect(receipt?.entityTag == "e")
        #expect(receipt?.verified == nil)
    }

    @Test(arguments: [(DigestAlgorithm.md5, "md5="), (.crc32c, "crc32c=")])
    func `the sum goes with the last request, in base64`(algorithm: DigestAlgorithm, prefix: String) {
        var google = google(chunkSize: 786_432, checksum: algorithm)
        #expect(google.begun().exchange?.digests.isEmpty == true)
        let last = google.receive(.answer(308, [.range: "bytes=0-786431"])).exchange
        let place = DigestRequest.Carrier(.xGoogHash, .base64, prefix: prefix)
        #expect(last?.digests == [DigestRequest(algorithm, of: 0..<1_000_000, in: place)])
    }

    @Test func `the same sum is a verified upload`() {
        var google = google(checksum: .crc32c)
        _ = google.begun()
        let ours = ComputedDigest(.crc32c, of: 0..<1_000_000, bytes: [0, 0, 0, 1])
        #expect(google.receive(answer(ours)).receipt?.verified == .crc32c)
    }

    @Test func `a sum that the server reports unasked is compared, with the last request only`() throws {
        var google = google(chunkSize: 786_432)
        #expect(google.begun().exchange?.digestsIfReported == [])
        let last = try #require(google.receive(.answer(308, [.range: "bytes=0-786431"])).exchange)
        #expect(last.digests == [])
        #expect(last.digestsIfReported == [DigestRequest(.crc32c, of: 0..<1_000_000)])
        guard case .responded(let response) = answer(nil) else { return }
        #expect(ServerDigest.algorithms(in: response, last.reportedIn) == [.md5, .crc32c])
        let ours = ComputedDigest(.crc32c, of: 0..<1_000_000, bytes: [0, 0, 0, 1])
        #expect(google.receive(answer(ours)).receipt?.verified == .crc32c)
    }

    @Test func `another sum is a failure, and the next attempt begins anew`() {
        var google = google(checksum: .md5)
        _ = google.begun()
        let step = google.receive(
            answer(ComputedDigest(.md5, of: 0..<1_000_000, bytes: [UInt8](repeating: 1, count: 16))))
        #expect(step.failure?.category == .permanent)
        #expect(step.notes == [.resource(nil)])
    }

    @Test func `P16 another size is a failure`() {
        var google = google()
        _ = google.begun()
        #expect(google.receive(.answer(200, body: #"{"size":"7"}"#)).failure?.category == .permanent)
    }

    @Test func `Drive is asked for its sum, which is hexadecimal`() throws {
        var google = google(url: drive, size: 3, checksum: .md5)
        let exchange = try #require(google.start(resource: nil, capabilities: nil).exchange)
        #expect(AddressQuery.value("fields", in: exchange.url)?.contains("md5Checksum") == true)
        let sending = google.receive(.answer(200, [.location: drive + "&upload_id=u"]))
        #expect(sending.exchange?.digests == [DigestRequest(.md5, of: 0..<3)])
        let sum = [UInt8](repeating: 0xAB, count: 16)
        let body = #"{"id":"f 1","md5Checksum":"\#(String(repeating: "ab", count: 16))"}"#
        let receipt = google.receive(
            .responded(
                .init(status: 200, body: Array(body.utf8), digests: [.init(.md5, of: 0..<3, bytes: sum)]))
        ).receipt
        #expect(receipt?.verified == .md5)
        #expect(receipt?.location == "https://drive.google.com/file/d/f%201/view")
    }

    @Test func `a question after the last bytes went out computes the sum`() {
        var google = google(checksum: .md5)
        let sent = UploadResource(url: session).withWholeBodySent(true)
        #expect(google.start(resource: sent, capabilities: nil).exchange?.digests.count == 1)
    }

    @Test func `a session that is gone after all was sent has the object looked for`() throws {
        var google = google()
        _ = google.start(resource: UploadResource(url: session).withWholeBodySent(true), capabilities: nil)
        let look = try #require(google.receive(.answer(404)).exchange)
        #expect(look.method == .get)
        #expect(look.url == "https://storage.googleapis.com/storage/v1/b/bkt/o/a%20b.bin")
        #expect(!look.traits.contains(.withoutCredentials))
        let compare = google.receive(.answer(200, body: Self.object))
        #expect(compare.exchange?.digests.map(\.algorithm) == [.md5])
        let ours = ComputedDigest(.md5, of: 0..<1_000_000, bytes: [UInt8](repeating: 0, count: 16))
        let receipt = google.receive(answer(ours)).receipt
        #expect(receipt?.verified == .md5)
        #expect(receipt?.wasThere == false)
    }

    @Test(arguments: [(ExistingFilePolicy?.none, true), (.fail, false)])
    func `another object there is replaced, unless that is not wanted`(
        existing: ExistingFilePolicy?, again: Bool
    ) {
        var google = google(existing: existing)
        _ = google.start(resource: UploadResource(url: session).withWholeBodySent(true), capabilities: nil)
        _ = google.receive(.answer(410))
        let step = google.receive(.answer(200, body: #"{"size":"7"}"#))
        #expect((step.exchange?.method == .post) == again)
        #expect((step.failure?.category == .outcomeUnknown) == !again)
    }

    @Test func `Drive cannot be asked, so a person decides`() {
        var google = google(url: drive)
        _ = google.start(
            resource: UploadResource(url: drive + "&upload_id=u").withWholeBodySent(true), capabilities: nil)
        #expect(google.receive(.answer(404)).failure?.category == .outcomeUnknown)
    }
}

struct GoogleExistingTests {
    @Test func `fail looks first, and has the server refuse what comes meanwhile`() throws {
        var google = google(existing: .fail)
        #expect(google.start(resource: nil, capabilities: nil).exchange?.method == .get)
        let exchange = try #require(google.receive(.answer(404)).exchange)
        #expect(AddressQuery.value("ifGenerationMatch", in: exchange.url) == "0")
        _ = google.receive(.answer(200, [.location: session]))
        #expect(google.receive(.answer(412)).failure?.summary.contains("already") == true)
    }

    @Test func `fail sends nothing if there is one`() {
        var google = google(existing: .fail)
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(200, body: #"{"size":"1000000"}"#)).failure?.status == 412)
    }

    @Test func `an account that may only create relies on the precondition`() {
        var google = google(existing: .fail)
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(403)).exchange?.method == .post)
    }

    @Test func `rename looks for a name that is free`() throws {
        var google = google(existing: .rename)
        _ = google.start(resource: nil, capabilities: nil)
        let look = try #require(google.receive(.answer(200, body: "{}")).exchange)
        #expect(look.url.hasSuffix("/a%20b%20%282%29.bin"))
        let exchange = try #require(google.receive(.answer(404)).exchange)
        #expect(try members(exchange)["name"] as? String == "a b (2).bin")
    }

    @Test func `skip sends nothing if the same is there`() {
        var google = google(existing: .skip)
        _ = google.start(resource: nil, capabilities: nil)
        let body = #"{"size":"1000000","crc32c":"AAAAAQ=="}"#
        #expect(google.receive(.answer(200, body: body)).exchange?.digests.map(\.algorithm) == [.crc32c])
        let ours = ComputedDigest(.crc32c, of: 0..<1_000_000, bytes: [0, 0, 0, 1])
        let receipt = google.receive(.responded(.init(status: 200, body: Array(body.utf8), digests: [ours])))
            .receipt
        #expect(receipt?.wasThere == true)
        #expect(receipt?.verified == .crc32c)
    }

    @Test func `skip replaces what differs`() {
        var google = google(existing: .skip)
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(200, body: #"{"size":"7"}"#)).exchange?.method == .post)
    }

    @Test(arguments: [ExistingFilePolicy.skip, .rename, .fail, .replace])
    func `Drive keeps files of one name side by side`(existing: ExistingFilePolicy) {
        var google = google(url: drive, existing: existing)
        #expect(google.start(resource: nil, capabilities: nil).failure?.hint?.contains("ifExists") == true)
    }
}

struct GoogleGivenSessionTests {
    @Test func `a given session is asked first, without credentials, and its permission is not noted`() throws
    {
        var google = google(url: session)
        let step = google.start(resource: nil, capabilities: nil)
        let exchange = try #require(step.exchange)
        #expect(exchange.url == session)
        #expect(exchange.fields[.contentRange] == "bytes */1000000")
        #expect(exchange.traits.contains(.withoutCredentials))
        let noted = try #require(step.notedResource ?? nil)
        #expect(!noted.url.contains("u1"))
        let next = google.receive(.answer(308, [.range: "bytes=0-262143"]))
        #expect(next.exchange?.url == session)
        #expect(next.exchange?.body == .file(range: 262_144..<1_000_000))
    }

    @Test func `a given session of Drive gets no credentials either`() {
        var google = google(url: drive + "&upload_id=u")
        #expect(
            google.start(resource: nil, capabilities: nil).exchange?.traits.contains(.withoutCredentials)
                == true)
    }

    @Test func `a given session that is over needs a person`() {
        var google = google(url: session)
        _ = google.start(resource: nil, capabilities: nil)
        let step = google.receive(.answer(410))
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.hint?.contains("new session") == true)
    }
}

struct GoogleCheckTests {
    @Test func `the bucket is asked`() throws {
        var check: any DestinationCheck = GoogleCheck(url: bucket)
        guard case .send(let exchange) = check.start() else { throw Missing() }
        #expect(exchange.method == .get)
        #expect(exchange.url == "https://storage.googleapis.com/storage/v1/b/bkt")
        guard case .finished(let report) = check.receive(.answer(200, body: "{}")) else { throw Missing() }
        #expect(report.findings.count == 1)
    }

    @Test(arguments: [drive, session])
    func `a check that cannot ask without harm asks nothing`(url: String) throws {
        guard case .finished(let report) = GoogleCheck(url: url).start() else { throw Missing() }
        #expect(report.findings.first?.contains("not") == true)
    }

    private struct Missing: Error {}
}
