import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

struct ResumableAppendTests {
    @Test(arguments: [
        (InteropVersion.three, nil), (.five, nil), (.six, PartialUpload.mediaType),
        (.eight, PartialUpload.mediaType),
    ])
    func `an append says where it begins and whether it is the last`(version: InteropVersion, type: String?)
        throws
    {
        let first = try ResumableUpload.appending(from: 2, version: version, options: .init(chunkSize: 3))
            .exchange
        #expect(first.fields[.uploadOffset] == "2")
        #expect(first.fields[.contentType] == type)
        #expect(
            first.fields[version == .three ? .uploadIncomplete : .uploadComplete]
                == (version == .three ? "?1" : "?0"))
        #expect(!first.traits.contains(.completes))
        let last = try ResumableUpload.appending(from: 7, version: version).exchange
        #expect(
            last.fields[version == .three ? .uploadIncomplete : .uploadComplete]
                == (version == .three ? "?0" : "?1"))
        #expect(last.traits.contains(.completes) && !last.traits.contains(.idempotent))
        #expect(last.markBeforeLastBytes?.wholeBodySent == true)
    }

    @Test func `success without an offset is taken as all that was sent`() throws {
        var (upload, _) = try ResumableUpload.appending(options: .init(chunkSize: 4))
        let step = upload.receive(.answer(204, [.uploadComplete: "?0"]))
        #expect(step.exchange?.body == .file(range: 4..<8))
        #expect(step.notedResource??.confirmed == 4)
    }

    @Test(
        arguments: [
            [:], [.uploadComplete: "?1"], [.uploadIncomplete: "?0"], [.uploadOffset: "10"],
        ] as [HTTPFields])
    func `success of the last append is the end`(fields: HTTPFields) throws {
        var (upload, _) = try ResumableUpload.appending()
        #expect(upload.receive(.answer(201, fields)).receipt?.bytes == 10)
    }

    @Test func `a file that went in several appends is asked for at the location named`() throws {
        var (upload, _) = try ResumableUpload.appending(from: 4)
        let step = upload.receive(.answer(201, [.uploadComplete: "?1", .location: "/kept/a.bin"]))
        #expect(step.exchange?.method == .head)
        #expect(step.exchange?.url == "http://server.example/kept/a.bin")
        let noted = try #require(step.notedResource ?? nil)
        #expect(upload.receive(.answer(200, [.contentLength: "10"])).receipt?.bytes == 10)
        // The process was killed before that response. The server may have removed the upload since.
        var next = ResumableUpload(item: .make(), options: .init())
        _ = next.start(resource: noted, capabilities: .newestResumable)
        #expect(next.receive(.answer(404)).receipt?.bytes == 10)
    }

    @Test func `a file of another size at its location is no success of an append`() throws {
        var (upload, _) = try ResumableUpload.appending(from: 4)
        _ = upload.receive(.answer(201, [.uploadComplete: "?1", .location: "/kept/a.bin"]))
        let step = upload.receive(.answer(200, [.contentLength: "6"]))
        #expect(step.failure?.summary == "the server has 6 B, the file has 10 B")
    }

    @Test(
        arguments: [
            [.uploadComplete: "?0", .uploadOffset: "6"], [.uploadOffset: "6"],
            [.uploadIncomplete: "?1", .uploadOffset: "6"],
        ] as [HTTPFields])
    func `a server that took a part of the last append gets the rest`(fields: HTTPFields) throws {
        var (upload, _) = try ResumableUpload.appending()
        #expect(upload.receive(.answer(201, fields)).exchange?.body == .file(range: 6..<10))
    }

    @Test func `a server that has all and does not call it complete gets one more request that says so`()
        throws
    {
        var (upload, _) = try ResumableUpload.appending()
        #expect(upload.receive(.answer(201, [.uploadComplete: "?0"])).exchange?.method == .head)
        let step = upload.receive(.answer(204, [.uploadOffset: "10", .uploadComplete: "?0"]))
        #expect(step.exchange?.body == Exchange.Body.none)
        #expect(step.exchange?.fields[.uploadComplete] == "?1")
    }

    @Test func `the target's refusal is the end, whatever its status`() throws {
        var (upload, _) = try ResumableUpload.appending()
        let step = upload.receive(.answer(422, [.uploadComplete: "?1"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary.hasPrefix("the file arrived and was turned down") == true)
        #expect(step.notes == [.resource(nil)])
    }

    @Test func `an upload that ends before its end is a failure`() throws {
        var (upload, _) = try ResumableUpload.appending(options: .init(chunkSize: 4))
        let step = upload.receive(.answer(201, [.uploadComplete: "?1"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.notes == [.resource(nil)])
    }

    @Test(
        arguments: [
            (409, [:], ""), (409, [.uploadOffset: "4", .uploadComplete: "?0"], ""),
            (
                409, [.contentType: "application/problem+json"],
                ResumableUpload.problem("mismatching-upload-offset")
            ),
            (400, [.contentType: "application/problem+json"], ResumableUpload.problem("completed-upload")),
        ] as [(Int, HTTPFields, String)])
    func `P7 a conflict is asked about`(status: Int, fields: HTTPFields, body: String) throws {
        var (upload, _) = try ResumableUpload.appending()
        let step = upload.receive(.answer(status, fields, body: body))
        #expect(step.exchange?.method == .head)
        // The mark of a possibly sent body is removed.
        #expect(step.notedResource??.wholeBodySent == false)
    }

    @Test func `P7 conflicts without end are a failure`() throws {
        var (upload, _) = try ResumableUpload.appending()
        var step = upload.receive(.answer(409))
        for _ in 1...10 where step.failure == nil {
            step = upload.receive(
                step.exchange?.method == .head
                    ? .answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]) : .answer(409))
        }
        #expect(step.failure?.category == .server)
    }

    @Test func `another length at the server begins anew`() throws {
        var (upload, _) = try ResumableUpload.appending()
        let body = ResumableUpload.problem("inconsistent-upload-length")
        let step = upload.receive(.answer(400, [.contentType: "application/problem+json"], body: body))
        #expect(step.exchange?.method == .post)
    }

    @Test func `a refused size is halved until it is taken, and remembered`() throws {
        var (upload, exchange) = try ResumableUpload.appending(size: 1 << 20)
        for size: ByteCount in [1 << 19, 1 << 18] {
            let step = upload.receive(.answer(413))
            #expect(step.exchange?.method == .head)
            #expect(step.notedResource??.resumable.largestAppend == size)
            let next = upload.receive(.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
            exchange = try #require(next.exchange)
            #expect(exchange.body == .file(range: 0..<size))
        }
    }

    @Test func `a refused size that cannot be halved further is a failure`() throws {
        var (upload, _) = try ResumableUpload.appending(size: 10)
        #expect(upload.receive(.answer(413)).failure?.status == 413)
    }

    @Test func `a limit that comes with the refusal is kept to`() throws {
        var (upload, _) = try ResumableUpload.appending(size: 1 << 20)
        _ = upload.receive(.answer(413, [.uploadLimit: "max-append-size=1000"]))
        let step = upload.receive(.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
        #expect(step.exchange?.body == .file(range: 0..<1000))
    }

    @Test(arguments: [500, 502, 503, 504])
    func `P2 a server's failure leaves the question whether everything arrived`(status: Int) throws {
        var (upload, _) = try ResumableUpload.appending()
        let step = upload.receive(.answer(status))
        #expect(step.failure?.category == .server)
        #expect(step.notedResource??.wholeBodySent == true)
    }

    @Test(arguments: [400, 403, 415])
    func `a definite no leaves no question`(status: Int) throws {
        var (upload, _) = try ResumableUpload.appending()
        let step = upload.receive(.answer(status))
        #expect(step.failure?.category == .permanent)
        #expect(step.notedResource??.wholeBodySent == false)
    }

    @Test func `P8 an upload that is gone in the middle begins anew, once`() throws {
        var (upload, _) = try ResumableUpload.appending(from: 4)
        let step = upload.receive(.answer(404))
        #expect(step.exchange?.method == .post)
        #expect(step.notes.contains(.serverLost(4)))
        _ = upload.receive(.answer(201, [.location: "8"]))
        #expect(upload.receive(.answer(404)).failure?.category == .permanent)
    }

    @Test func `an upload that is gone after everything was sent is a question for a person`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: UploadResource.resumable(.six).withWholeBodySent(true), capabilities: nil)
        #expect(upload.receive(.answer(404)).failure?.category == .outcomeUnknown)
    }

    @Test(
        arguments: [
            [.uploadOffset: "11", .uploadComplete: "?0"], [.uploadOffset: "5", .uploadLength: "12"],
            [.uploadComplete: "?1", .uploadOffset: "9"],
        ] as [HTTPFields])
    func `P6 an upload of another file's size begins anew`(fields: HTTPFields) {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: UploadResource.resumable(.eight), capabilities: .newestResumable)
        #expect(upload.receive(.answer(204, fields)).exchange?.method == .post)
    }

    @Test func `P6 a server without an offset is not asked for ever`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        var step = upload.start(resource: UploadResource.resumable(.eight), capabilities: .newestResumable)
        for _ in 1...10 where step.failure == nil {
            step = upload.receive(.answer(200, [.uploadOffset: "-1"]))
        }
        // The response may come from another server, such as a proxy. The queue tries again, with a limit.
        #expect(step.failure?.category == .server)
    }

    @Test func `P9 a server that loses bytes is believed, a few times`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        var resource = UploadResource.resumable(.eight)
        resource.confirmed = 8
        _ = upload.start(resource: resource, capabilities: .newestResumable)
        let step = upload.receive(.answer(204, [.uploadOffset: "3", .uploadComplete: "?0"]))
        #expect(step.notes.first == .serverLost(5))
        #expect(step.exchange?.body == .file(range: 3..<10))
    }

    @Test func `P9 a server that keeps losing bytes ends in a failure`() throws {
        var (upload, _) = try ResumableUpload.appending(options: .init(chunkSize: 4))
        var failure: UploadFailure?
        for offset in [4, 0, 4, 1, 4, 2] where failure == nil {
            failure =
                upload.receive(.answer(204, [.uploadOffset: "\(offset)", .uploadComplete: "?0"])).failure
        }
        #expect(failure?.summary == "the server keeps losing what it had")
        #expect(failure?.category == .server)
    }

    @Test(
        arguments: [nil, "x", "", "-1", "+4", "4.0", "0x4", "99999999999999999999", "4, 4", "?1", "\"4\""]
            as [String?])
    func `P6 a response without a usable offset is asked for again, and then the upload fails`(value: String?)
    {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: UploadResource.resumable(.eight), capabilities: .newestResumable)
        let answer = ExchangeOutcome.answer(204, value.map { [.uploadOffset: $0] } ?? [:])
        #expect(upload.receive(answer).exchange?.method == .head)
        #expect(upload.receive(answer).exchange?.method == .head)
        #expect(upload.receive(answer).failure?.category == .server)
    }

    @Test func `P6 a resumable server that claims more than was sent has another upload`() throws {
        var (upload, _) = try ResumableUpload.appending(options: .init(chunkSize: 4))
        let step = upload.receive(.answer(204, [.uploadOffset: "9", .uploadComplete: "?0"]))
        #expect(step.exchange?.method == .post)
    }

    @Test(arguments: [(nil, 0.5), ("9", 9), ("soon", 0.5)] as [(String?, Double)])
    func `P7 a locked resumable upload is retried soon, or when the server says`(
        retryAfter: String?, seconds: Double
    ) throws {
        var (upload, _) = try ResumableUpload.appending()
        var fields: HTTPFields = [:]
        fields[.retryAfter] = retryAfter
        let failure = upload.receive(.answer(423, fields)).failure
        #expect(failure?.category == .uploadLocked)
        #expect(failure?.retryAfter == seconds)
    }

    @Test func `removal deletes in the upload's version`() {
        let upload = ResumableUpload(item: .make(), options: .init())
        let exchange = upload.removal(of: UploadResource.resumable(.six)).first
        #expect(exchange?.method == .delete)
        #expect(exchange?.fields[.uploadDraftInteropVersion] == "6")
    }
}
