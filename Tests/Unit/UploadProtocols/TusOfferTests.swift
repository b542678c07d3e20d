import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests how responses to OPTIONS are read, also those of servers without tus.
struct TusOfferTests {
    private func asked(_ answer: ExchangeOutcome, size: ByteCount = 10) -> (tus: TusUpload, step: Step) {
        var tus = TusUpload(item: .make(size: size), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        let step = tus.receive(answer)
        return (tus, step)
    }

    @Test func `the digests that a server checks are kept`() {
        let fields: HTTPFields = [.tusExtension: "checksum", .tusChecksumAlgorithm: "md5,sha1"]
        let found = ServerCapabilities(extensions: ["checksum"], facts: ["checksums": "md5,sha1"])
        #expect(asked(.answer(204, fields)).step.notes == [.capabilities(found)])
    }

    @Test(arguments: [200, 204, 412])
    func `a server of another version is recognized before anything is made`(status: Int) {
        let failure = asked(.answer(status, [.tusVersion: "0.2.2,2.0.0"])).step.failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains("0.2.2, 2.0.0") == true)
    }

    @Test func `a server that also speaks other versions is fine`() {
        #expect(asked(.answer(204, [.tusVersion: "2.0.0, 1.0.0"])).step.exchange?.method == .post)
    }

    @Test(arguments: [200, 404, 405])
    func `an address that nowhere speaks of tus is named when it refuses`(status: Int) {
        var (tus, step) = asked(.answer(status))
        #expect(step.exchange?.method == .post)
        step = tus.receive(.answer(405))
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.status == 405)
        #expect(step.failure?.summary.contains("does not answer as a tus server") == true)
        #expect(step.failure?.hint?.contains("url") == true)
    }

    @Test func `the reason of a refusal is shown where nothing speaks of tus, too`() {
        var (tus, _) = asked(.answer(404))
        let reason = ExchangeOutcome.Response(
            status: 400, fields: [.contentType: "text/plain"], body: Array("album is closed".utf8))
        #expect(tus.receive(.responded(reason)).failure?.summary.hasSuffix("album is closed") == true)
    }

    @Test func `an address that nowhere speaks of tus gets no bytes`() {
        var (tus, _) = asked(.answer(200))
        #expect(tus.receive(.answer(201, [.location: "7"])).failure?.category == .permanent)
    }

    @Test func `a server that is silent on OPTIONS and speaks at creation is one`() {
        var (tus, _) = asked(.answer(200))
        let step = tus.receive(.answer(201, [.location: "7", .tusResumable: "1.0.0"]))
        #expect(step.exchange?.method == .patch)
    }

    @Test func `the next upload to a silent address is as careful`() {
        let silent = ServerCapabilities(extensions: ["creation"], facts: ["saysNothing": "yes"])
        var tus = TusUpload(item: .make(), options: .init())
        #expect(tus.start(resource: nil, capabilities: silent).exchange?.method == .post)
        #expect(tus.receive(.answer(201, [.location: "7"])).failure?.category == .permanent)
    }

    @Test func `trouble at a silent address is the server's, not the address's`() {
        var (tus, _) = asked(.answer(404))
        #expect(tus.receive(.answer(503)).failure?.category == .server)
    }

    @Test func `P7 a refusal of the version names what the server speaks`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: .tusCore)
        let failure = tus.receive(.answer(412, [.tusVersion: "0.2.2"])).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary == "the server does not take tus 1.0.0: it speaks 0.2.2")
    }

    @Test(arguments: [(1 << 40, true), ((1 << 40) + 1, false)] as [(ByteCount, Bool)])
    func `F9 a file over the limit that the server announced is not even created`(size: ByteCount, fits: Bool)
    {
        var tus = TusUpload(item: .make(size: size), options: .init())
        let known = ServerCapabilities(extensions: ["creation"], maximumSize: 1 << 40)
        var step = tus.start(resource: nil, capabilities: known)
        if step.exchange?.method == .options {
            step = tus.receive(
                .answer(204, [.tusExtension: "creation", .tusMaxSize: "\(1 << 40 as ByteCount)"]))
        }
        #expect((step.exchange != nil) == fits)
        #expect((step.failure?.category == .permanent) == !fits)
    }

    @Test func `P1 a refusal of the size names the limit`() {
        var tus = TusUpload(item: .make(size: 3 << 20), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        _ = tus.receive(.answer(204, [.tusVersion: "1.0.0"]))
        let failure = tus.receive(.answer(413, [.tusMaxSize: "2097152"])).failure
        #expect(
            failure?.summary == "the server answered 413 (too large); it takes 2 MiB; the file has 3 MiB")
    }

    @Test(arguments: ["2026-11-21T23:27:31.861058", "soon", ""])
    func `a date of expiry that cannot be read is not known`(date: String) throws {
        var (tus, _) = try TusUpload.appending(options: .init(chunkSize: 4))
        let step = tus.receive(.answer(204, [.uploadOffset: "4", .uploadExpires: date]))
        #expect(step.notedResource == UploadResource(url: UploadResource.tus.url, confirmed: 4))
    }

    @Test(arguments: [404, 410])
    func `an expired upload is asked for all the same, and made anew if it is gone`(status: Int) {
        var over = UploadResource.tus
        over.expires = .distantPast
        var tus = TusUpload(item: .make(), options: .init())
        #expect(tus.start(resource: over, capabilities: .tusCore).exchange?.method == .head)
        #expect(tus.receive(.answer(status)).exchange?.method == .post)
    }
}

struct TusCheckTests {
    @Test func `tus has a check, resumes after a break, works in parallel and verifies`() throws {
        let entry = try #require(ProtocolCatalog.entry(named: "tus"))
        #expect(entry.check("http://server.example/files/", .init()) is TusCheck)
        let checksums: Set<DigestAlgorithm> = [.md5, .sha1, .sha256, .crc32c]
        #expect(entry.traits == ProtocolTraits(resumes: true, isParallel: true, checksums: checksums))
    }

    private func report(_ reply: ExchangeOutcome) -> CheckReport? {
        var check = TusCheck(url: "http://server.example/files/")
        guard case .send(let exchange) = check.start(), exchange.method == .options,
            case .send(let creation) = check.receive(reply), creation.method == .post,
            case .send(let deletion) = check.receive(.answer(201, [.location: "7"])),
            deletion.method == .delete, case .finished(let report) = check.receive(.answer(204))
        else { return nil }
        return report
    }

    @Test func `a check says in words what the server offers`() throws {
        let fields: HTTPFields = [
            .tusVersion: "1.0.0", .tusExtension: "creation,concatenation,checksum,termination",
            .tusMaxSize: "1073741824", .tusChecksumAlgorithm: "sha1,crc32,md5",
        ]
        let reported = report(.answer(204, fields))
        let report = try #require(reported)
        #expect(
            report.findings == [
                "it speaks tus 1.0.0", "it offers checksum, concatenation, creation, termination",
                "it takes files of up to 1 GiB", "it can check what arrives by SHA-1, MD5",
                "it takes a large file in several parts at once (parallel)", "it takes new uploads",
            ])
        #expect(
            report.capabilities?.extensions == ["creation", "concatenation", "checksum", "termination"])
        #expect(report.capabilities?.tusChecksums == [.sha1, .md5])
        #expect(report.leftovers.isEmpty)
    }

    @Test func `a server that names no extensions is one all the same`() {
        #expect(
            report(.answer(200, [.tusVersion: "1.0.0"]))?.findings.contains("it names no extensions") == true)
    }

    @Test func `a server's version text cannot steer a terminal`() {
        let findings =
            report(.answer(200, [.tusVersion: "1.0.0, \u{7f}x", .tusExtension: "a\u{7f}b,termination"]))?
            .findings ?? []
        #expect(!findings.isEmpty)
        #expect(!findings.joined().contains("\u{7f}"))
    }

    @Test(arguments: [(401, UploadFailure.Category.authentication), (503, .server)])
    func `a check that is refused for now fails`(status: Int, category: UploadFailure.Category) {
        var check = TusCheck(url: "http://server.example/files/")
        _ = check.start()
        guard case .failed(let failure) = check.receive(.answer(status)) else {
            Issue.record("it did not fail")
            return
        }
        #expect(failure.category == category)
    }
}
