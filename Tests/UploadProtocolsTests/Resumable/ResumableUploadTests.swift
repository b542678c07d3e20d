import Foundation
import HTTPTypes
import Testing

@testable import UploadProtocols

private let newest = ServerCapabilities(facts: ["resumable-limit": "min-size=0", "resumable-version": "8"])

private func known(_ version: InteropVersion) -> Resource {
    var resource = Resource(url: "http://server.example/files/7")
    resource.interop = version
    return resource
}

/// An upload that is about to append from `offset`.
private func appending(
    size: ByteCount = 10, from offset: ByteCount = 0, version: InteropVersion = .eight, limit: String? = nil,
    options: ProtocolOptions = .init()
) throws -> (upload: ResumableUpload, exchange: Exchange) {
    var upload = ResumableUpload(item: .make(size: size), options: options)
    _ = upload.start(resource: known(version), capabilities: newest)
    var fields: HTTPFields = [.uploadOffset: "\(offset)", .uploadComplete: "?0"]
    fields[.uploadLimit] = limit
    let step = upload.receive(.answer(204, fields))
    return (upload, try #require(step.exchange))
}

private func problem(_ type: String, more: String = "") -> String {
    #"{"type":"https://iana.org/assignments/http-problem-types#\#(type)"\#(more)}"#
}

struct ResumableCreationTests {
    @Test func `a server nobody knows is asked first, and its limits are noted`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        #expect(upload.start(resource: nil, capabilities: nil).exchange?.method == .options)
        let step = upload.receive(.answer(204, [.uploadLimit: "max-size=100, max-age=60"]))
        let found = ServerCapabilities(
            maximumSize: 100, facts: ["resumable-limit": "min-size=0, max-size=100"])
        #expect(step.notes == [.capabilities(found)])
        #expect(step.exchange?.method == .post)
    }

    @Test func `creation is without content and tells length, name and type`() throws {
        var upload = ResumableUpload(item: .make(name: "ü.bin"), options: .init())
        let exchange = try #require(upload.start(resource: nil, capabilities: newest).exchange)
        #expect(exchange.body == .none)
        #expect(exchange.fields[.uploadDraftInteropVersion] == "8")
        #expect(exchange.fields[.uploadComplete] == "?0")
        #expect(exchange.fields[.uploadLength] == "10")
        #expect(exchange.fields[.contentType] == "application/octet-stream")
        #expect(exchange.fields[.contentDisposition]?.contains("filename*=UTF-8''%C3%BC.bin") == true)
    }

    @Test func `PUT fills the place of the name`() {
        var upload = ResumableUpload(item: .make(), options: .init(method: "PUT"))
        let exchange = upload.start(resource: nil, capabilities: newest).exchange
        #expect(exchange?.method == .put)
        #expect(exchange?.url == "http://server.example/files/a.bin")
    }

    @Test func `versions are tried from the newest on, and what worked is noted`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: nil)
        var step = upload.receive(.answer(404))
        var asked: [String?] = []
        while let exchange = step.exchange, exchange.fields[.uploadIncomplete] == nil {
            asked.append(exchange.fields[.uploadDraftInteropVersion])
            step = upload.receive(.answer(412))
        }
        #expect(asked == ["8", "6", "5"])
        #expect(step.exchange?.fields[.uploadIncomplete] == "?1")
        let created = upload.receive(.answer(201, [.location: "7", .uploadOffset: "0"]))
        #expect(created.notes.first == .capabilities(ServerCapabilities(facts: ["resumable-version": "3"])))
        #expect(created.exchange?.fields[.uploadIncomplete] == "?0")
        #expect(created.exchange?.fields[.contentType] == nil)
    }

    @Test func `a version that the server names is tried next`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: newest)
        let step = upload.receive(.answer(400, [.uploadDraftInteropVersion: "5"]))
        #expect(step.exchange?.fields[.uploadDraftInteropVersion] == "5")
    }

    @Test func `a server that speaks no version is a failure that says so`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        var step = upload.start(resource: nil, capabilities: newest)
        for _ in 1...4 { step = upload.receive(.answer(400)) }
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary.contains("no version") == true)
    }

    @Test(arguments: [[:], [.location: "/files/a.bin"]] as [HTTPFields])
    func `a server that takes the empty request for a file gets no content`(fields: HTTPFields) {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: nil)
        _ = upload.receive(.answer(404))
        let failure = upload.receive(.answer(201, fields)).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains("does not know resumable uploads") == true)
        #expect(failure?.hint != nil)
    }

    @Test func `an address alone is enough from a server that has announced itself`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: newest)
        #expect(upload.receive(.answer(201, [.location: "7"])).exchange?.method == .patch)
    }

    @Test(arguments: ["http://other.example/7", "https://server.example/7", "http://["])
    func `an address elsewhere gets nothing`(location: String) {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: newest)
        #expect(upload.receive(.answer(201, [.location: location])).failure?.category == .permanent)
    }

    @Test func `a created upload is noted before its bytes go there, with when it goes away`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: newest)
        let step = upload.receive(
            .answer(201, [.location: "7", .uploadLimit: "max-age=3600, max-append-size=4"]))
        let noted = try #require(step.notedResource ?? nil)
        #expect(noted.url == known(.eight).url)
        let lifetime = try #require(noted.expires).timeIntervalSinceNow
        #expect(lifetime > 3500 && lifetime <= 3600)
        #expect(step.exchange?.body == .file(range: 0..<4))
    }

    @Test func `a lifetime without end is no trap`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: newest)
        let step = upload.receive(.answer(201, [.location: "7", .uploadLimit: "max-age=999999999999999"]))
        let noted = try #require(step.notedResource ?? nil)
        #expect(try #require(noted.expires).timeIntervalSinceNow < 11 * 366 * 86_400)
    }

    @Test func `a file that is too large is refused before a byte`() {
        var upload = ResumableUpload(item: .make(size: 10), options: .init())
        _ = upload.start(resource: nil, capabilities: nil)
        let step = upload.receive(.answer(200, [.uploadLimit: "max-size=9"]))
        #expect(step.failure?.summary == "the file has 10 B, the server takes 9 B")
    }

    @Test func `a limit that only the creation tells is one`() {
        var upload = ResumableUpload(item: .make(size: 10), options: .init())
        _ = upload.start(resource: nil, capabilities: newest)
        let step = upload.receive(.answer(201, [.location: "7", .uploadLimit: "min-size=11"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.notedResource??.url == known(.eight).url)
    }

    @Test func `an empty file is made, then called complete`() throws {
        var upload = ResumableUpload(item: .make(size: 0), options: .init())
        _ = upload.start(resource: nil, capabilities: newest)
        let exchange = try #require(upload.receive(.answer(201, [.location: "7"])).exchange)
        #expect(exchange.body == .none)
        #expect(exchange.fields[.uploadComplete] == "?1")
        #expect(upload.receive(.answer(200, [.uploadComplete: "?1"])).receipt?.bytes == 0)
    }

    @Test func `another protocol's resource is nothing to go on with`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        let step = upload.start(resource: Resource(url: "http://server.example/tus/1"), capabilities: newest)
        #expect(step.exchange?.method == .post)
    }

    @Test func `a problem with the length at creation is put into words`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: newest)
        let step = upload.receive(
            .answer(
                400, [.contentType: "application/problem+json"], body: problem("inconsistent-upload-length")))
        #expect(step.failure?.summary == "the server was told another length of the file before")
    }
}

struct ResumableAppendTests {
    @Test(arguments: [
        (InteropVersion.three, nil), (.five, nil), (.six, PartialUpload.mediaType),
        (.eight, PartialUpload.mediaType),
    ])
    func `an append says where it begins and whether it is the last`(version: InteropVersion, type: String?)
        throws
    {
        let first = try appending(from: 2, version: version, options: .init(chunkSize: 3)).exchange
        #expect(first.fields[.uploadOffset] == "2")
        #expect(first.fields[.contentType] == type)
        #expect(
            first.fields[version == .three ? .uploadIncomplete : .uploadComplete]
                == (version == .three ? "?1" : "?0"))
        #expect(!first.mayComplete)
        let last = try appending(from: 7, version: version).exchange
        #expect(
            last.fields[version == .three ? .uploadIncomplete : .uploadComplete]
                == (version == .three ? "?0" : "?1"))
        #expect(last.mayComplete && !last.isIdempotent)
        #expect(last.markBeforeLastBytes?.wholeBodySent == true)
    }

    @Test func `success without an offset is taken as all that was sent`() throws {
        var (upload, _) = try appending(options: .init(chunkSize: 4))
        let step = upload.receive(.answer(204, [.uploadComplete: "?0"]))
        #expect(step.exchange?.body == .file(range: 4..<8))
        #expect(step.notedResource??.confirmed == 4)
    }

    @Test(
        arguments: [
            [:], [.uploadComplete: "?1"], [.uploadIncomplete: "?0"], [.uploadOffset: "10"],
        ] as [HTTPFields])
    func `success of the last append is the end`(fields: HTTPFields) throws {
        var (upload, _) = try appending()
        #expect(upload.receive(.answer(201, fields)).receipt?.bytes == 10)
    }

    @Test(
        arguments: [
            [.uploadComplete: "?0", .uploadOffset: "6"], [.uploadOffset: "6"],
            [.uploadIncomplete: "?1", .uploadOffset: "6"],
        ] as [HTTPFields])
    func `a server that took a part of the last append gets the rest`(fields: HTTPFields) throws {
        var (upload, _) = try appending()
        #expect(upload.receive(.answer(201, fields)).exchange?.body == .file(range: 6..<10))
    }

    @Test func `a server that has all and does not call it complete is told so once more`() throws {
        var (upload, _) = try appending()
        #expect(upload.receive(.answer(201, [.uploadComplete: "?0"])).exchange?.method == .head)
        let step = upload.receive(.answer(204, [.uploadOffset: "10", .uploadComplete: "?0"]))
        #expect(step.exchange?.body == Exchange.Body.none)
        #expect(step.exchange?.fields[.uploadComplete] == "?1")
    }

    @Test func `the target's refusal is the end, whatever its status`() throws {
        var (upload, _) = try appending()
        let step = upload.receive(.answer(422, [.uploadComplete: "?1"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary.hasPrefix("the file arrived and was turned down") == true)
        #expect(step.notes == [.resource(nil)])
    }

    @Test func `an upload that ends before its end is a failure`() throws {
        var (upload, _) = try appending(options: .init(chunkSize: 4))
        let step = upload.receive(.answer(201, [.uploadComplete: "?1"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.notes == [.resource(nil)])
    }

    @Test(
        arguments: [
            (409, [:], ""), (409, [.uploadOffset: "4", .uploadComplete: "?0"], ""),
            (409, [.contentType: "application/problem+json"], problem("mismatching-upload-offset")),
            (400, [.contentType: "application/problem+json"], problem("completed-upload")),
        ] as [(Int, HTTPFields, String)])
    func `a conflict is asked about`(status: Int, fields: HTTPFields, body: String) throws {
        var (upload, _) = try appending()
        let step = upload.receive(.answer(status, fields, body: body))
        #expect(step.exchange?.method == .head)
        // Nothing is left of the mark that everything may have arrived.
        #expect(step.notedResource??.wholeBodySent == false)
    }

    @Test func `conflicts without end are a failure`() throws {
        var (upload, _) = try appending()
        var step = upload.receive(.answer(409))
        for _ in 1...10 where step.failure == nil {
            step = upload.receive(
                step.exchange?.method == .head
                    ? .answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]) : .answer(409))
        }
        #expect(step.failure?.category == .server)
    }

    @Test func `another length at the server begins anew`() throws {
        var (upload, _) = try appending()
        let body = problem("inconsistent-upload-length")
        let step = upload.receive(.answer(400, [.contentType: "application/problem+json"], body: body))
        #expect(step.exchange?.method == .post)
    }

    @Test func `a refused size is halved until it is taken, and remembered`() throws {
        var (upload, exchange) = try appending(size: 1 << 20)
        for size: ByteCount in [1 << 19, 1 << 18] {
            let step = upload.receive(.answer(413))
            #expect(step.exchange?.method == .head)
            #expect(step.notedResource??.largestAppend == size)
            let next = upload.receive(.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
            exchange = try #require(next.exchange)
            #expect(exchange.body == .file(range: 0..<size))
        }
    }

    @Test func `a refused size that cannot be halved further is a failure`() throws {
        var (upload, _) = try appending(size: 10)
        #expect(upload.receive(.answer(413)).failure?.status == 413)
    }

    @Test func `a limit that comes with the refusal is kept to`() throws {
        var (upload, _) = try appending(size: 1 << 20)
        _ = upload.receive(.answer(413, [.uploadLimit: "max-append-size=1000"]))
        let step = upload.receive(.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
        #expect(step.exchange?.body == .file(range: 0..<1000))
    }

    @Test(arguments: [500, 502, 503, 504])
    func `a server's failure leaves the question whether everything arrived`(status: Int) throws {
        var (upload, _) = try appending()
        let step = upload.receive(.answer(status))
        #expect(step.failure?.category == .server)
        #expect(step.notes.isEmpty)
    }

    @Test(arguments: [400, 403, 415])
    func `a definite no leaves no question`(status: Int) throws {
        var (upload, _) = try appending()
        let step = upload.receive(.answer(status))
        #expect(step.failure?.category == .permanent)
        #expect(step.notedResource??.wholeBodySent == false)
    }

    @Test func `an upload that is gone in the middle begins anew, once`() throws {
        var (upload, _) = try appending(from: 4)
        let step = upload.receive(.answer(404))
        #expect(step.exchange?.method == .post)
        #expect(step.notes.contains(.serverLost(4)))
        _ = upload.receive(.answer(201, [.location: "8"]))
        #expect(upload.receive(.answer(404)).failure?.category == .permanent)
    }

    @Test func `an upload that is gone after everything was sent is a question for a person`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: known(.six).withWholeBodySent(true), capabilities: nil)
        #expect(upload.receive(.answer(404)).failure?.category == .outcomeUnknown)
    }

    @Test(
        arguments: [
            [.uploadOffset: "11", .uploadComplete: "?0"], [.uploadOffset: "5", .uploadLength: "12"],
            [.uploadComplete: "?1", .uploadOffset: "9"],
        ] as [HTTPFields])
    func `an upload of another file's size begins anew`(fields: HTTPFields) {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: known(.eight), capabilities: newest)
        #expect(upload.receive(.answer(204, fields)).exchange?.method == .post)
    }

    @Test func `a server without an offset is not asked for ever`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        var step = upload.start(resource: known(.eight), capabilities: newest)
        for _ in 1...10 where step.failure == nil {
            step = upload.receive(.answer(200, [.uploadOffset: "-1"]))
        }
        #expect(step.failure?.category == .permanent)
    }

    @Test func `a server that loses bytes is believed, a few times`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        var resource = known(.eight)
        resource.confirmed = 8
        _ = upload.start(resource: resource, capabilities: newest)
        let step = upload.receive(.answer(204, [.uploadOffset: "3", .uploadComplete: "?0"]))
        #expect(step.notes.first == .serverLost(5))
        #expect(step.exchange?.body == .file(range: 3..<10))
    }

    @Test func `removal deletes in the upload's version`() {
        let upload = ResumableUpload(item: .make(), options: .init())
        let exchange = upload.removal(of: known(.six)).first
        #expect(exchange?.method == .delete)
        #expect(exchange?.fields[.uploadDraftInteropVersion] == "6")
    }
}

struct ResumableDigestTests {
    private let options = ProtocolOptions(chunkSize: 4, checksum: .sha256)
    private let sum = RunningDigest.of(Array("whatever".utf8), .sha256)
    private var field: String { "sha-256=:\(Data(sum).base64EncodedString()):" }

    /// Through the creation, with the digest as the driver gives it back.
    private func created(_ upload: inout ResumableUpload) -> Step {
        _ = upload.start(resource: nil, capabilities: newest)
        return upload.receive(
            .answered(
                Reply.Answer(
                    status: 201, fields: [.location: "7"],
                    digests: [ComputedDigest(.sha256, of: 0..<10, bytes: sum)])))
    }

    @Test func `the whole file's digest goes with the creation, an append's with the append`() throws {
        var upload = ResumableUpload(item: .make(), options: options)
        let creation = try #require(upload.start(resource: nil, capabilities: newest).exchange)
        let whole = DigestOrder.Place(.reprDigest, .base64, prefix: "sha-256=:", suffix: ":")
        #expect(creation.digests == [DigestOrder(.sha256, of: 0..<10, in: whole)])
        #expect(creation.fields[.wantReprDigest] == "sha-256=10")
        let step = created(&upload)
        let append = try #require(step.exchange)
        let piece = DigestOrder.Place(.contentDigest, .base64, prefix: "sha-256=:", suffix: ":")
        #expect(append.digests == [DigestOrder(.sha256, of: 0..<4, in: piece)])
    }

    @Test func `the digest is computed once, however many versions are tried`() {
        var upload = ResumableUpload(item: .make(), options: options)
        _ = upload.start(resource: nil, capabilities: newest)
        let step = upload.receive(
            .answered(
                Reply.Answer(
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
        _ = second.start(resource: resource, capabilities: newest)
        let step = second.receive(
            .answer(204, [.uploadComplete: "?1", .uploadOffset: "10", .reprDigest: field]))
        #expect(step.receipt?.verified == .sha256)
    }

    @Test func `a digest that does not match is sent again, a few times`() throws {
        var upload = ResumableUpload(item: .make(), options: options)
        _ = created(&upload)
        let refusal = Reply.answer(
            400, [.contentType: "application/problem+json"], body: problem("digest-mismatching-values"))
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

struct ResumableCheckTests {
    private func checked(_ status: Int, _ fields: HTTPFields) -> CheckReport? {
        var check = ResumableCheck(url: "http://server.example/files/{name}", options: .init())
        guard case .send(let exchange) = check.start(), exchange.method == .options,
            case .finished(let report) = check.receive(.answer(status, fields))
        else { return nil }
        return report
    }

    @Test func `a check tells the limits`() throws {
        let report = try #require(checked(204, [.uploadLimit: "max-size=1048576, max-age=7200"]))
        #expect(report.findings.contains("a file may have up to 1 MB"))
        #expect(report.findings.contains("an unfinished upload is kept for 2 hours"))
        #expect(report.capabilities?.maximumSize == 1 << 20)
    }

    @Test func `a server without the field may still take them`() throws {
        let report = try #require(checked(405, [:]))
        #expect(report.findings.first?.contains("does not say") == true)
        #expect(report.capabilities == nil)
    }

    @Test func `a check that is refused fails`() {
        var check = ResumableCheck(url: "http://server.example/", options: .init())
        _ = check.start()
        guard case .failed(let failure) = check.receive(.answer(401)) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.category == .authentication)
    }
}
