import HTTPTypes
import Testing

@testable import FerryProtocols

private let core = ServerCapabilities.tusCore
private let resource = UploadResource.tus

private func appending(
    size: ByteCount = 10, from offset: ByteCount = 0, chunkSize: ByteCount? = nil
) throws -> (tus: TusUpload, exchange: Exchange) {
    try TusUpload.appending(size: size, from: offset, options: .init(chunkSize: chunkSize))
}

struct TusResumeTests {
    @Test func `a known upload is asked for its offset and resumes there`() throws {
        var tus = TusUpload(item: .make(), options: .init())
        #expect(tus.start(resource: resource, capabilities: nil).exchange?.method == .head)
        let step = tus.receive(.answer(200, [.uploadOffset: "4", .uploadLength: "10"]))
        let exchange = try #require(step.exchange)
        #expect(exchange.method == .patch)
        #expect(exchange.fields[.uploadOffset] == "4")
        #expect(exchange.fields[.contentType] == "application/offset+octet-stream")
        #expect(exchange.body == .file(range: 4..<10))
        #expect(step.notes == [.resource(UploadResource(url: resource.url, confirmed: 4))])
    }

    @Test func `an upload that is complete at the server is done`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: core)
        #expect(tus.receive(.answer(200, [.uploadOffset: "10"])).receipt?.location == resource.url)
    }

    @Test func `P9 the server's offset wins over ours, and what it lost is noted`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: UploadResource(url: resource.url, confirmed: 8), capabilities: core)
        let step = tus.receive(.answer(200, [.uploadOffset: "3"]))
        #expect(step.notes.first == .serverLost(5))
        #expect(step.exchange?.body == .file(range: 3..<10))
    }

    @Test func `chunks follow each other until the last, which alone may complete`() throws {
        var (tus, exchange) = try appending(chunkSize: 4)
        var ranges: [Exchange.Body] = []
        var completes: [Bool] = []
        for offset in [4, 8] {
            ranges.append(exchange.body)
            completes.append(exchange.traits.contains(.completes))
            exchange = try #require(tus.receive(.answer(204, [.uploadOffset: "\(offset)"])).exchange)
        }
        #expect(ranges + [exchange.body] == [.file(range: 0..<4), .file(range: 4..<8), .file(range: 8..<10)])
        #expect(completes + [exchange.traits.contains(.completes)] == [false, false, true])
        #expect(try tus.receiveLast() != nil)
    }

    @Test(arguments: [ByteCount.max, .min, 0, -1])
    func `an absurd chunk size does no harm`(chunkSize: ByteCount) throws {
        let (_, exchange) = try appending(from: 4, chunkSize: chunkSize)
        #expect(exchange.body == .file(range: 4..<(chunkSize > 0 ? 10 : 5)))
    }

    @Test
    func `many chunks with responses that name no offset are no failure while the server's offset rises`()
        throws
    {
        var (tus, exchange) = try appending(size: 100, chunkSize: 5)
        for offset in stride(from: 5, to: 100, by: 5) {
            #expect(exchange.method == .patch)
            #expect(tus.receive(.answer(204)).exchange?.method == .head)
            let step = tus.receive(.answer(200, [.uploadOffset: "\(offset)"]))
            exchange = try #require(step.exchange)
        }
    }

    @Test(arguments: [nil, "x", "", "-1", "+4", "4.0", "0x4", "99999999999999999999", "4, 4"] as [String?])
    func `P6 an offset that cannot be read is asked for again, and then the upload fails`(
        value: String?
    ) throws {
        var (tus, _) = try appending()
        let answer = ExchangeOutcome.answer(200, value.map { [.uploadOffset: $0] } ?? [:])
        #expect(tus.receive(answer).exchange?.method == .head)
        #expect(tus.receive(answer).exchange?.method == .head)
        // The response may come from another server, such as a proxy. The queue tries again, with a limit.
        #expect(tus.receive(answer).failure?.category == .server)
    }

    @Test(arguments: [[.uploadOffset: "11"], [.uploadOffset: "4", .uploadLength: "11"]] as [HTTPFields])
    func `P6 an upload that does not fit the file is given up for a new one, once`(fields: HTTPFields) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: core)
        let step = tus.receive(.answer(200, fields))
        #expect(step.exchange?.method == .post)
        #expect(step.notedResource == nil)
        _ = tus.receive(.answer(201, [.location: "8"]))
        _ = tus.receive(.answer(409))
        #expect(tus.receive(.answer(200, fields)).failure?.category == .permanent)
    }

    @Test func `P6 a server that claims more than was sent has another upload`() throws {
        var (tus, _) = try appending(chunkSize: 4)
        #expect(tus.receive(.answer(204, [.uploadOffset: "9"])).exchange?.method == .post)
    }

    @Test func `P9 an offset that keeps going back ends in a failure`() throws {
        var (tus, _) = try appending(chunkSize: 4)
        var failure: UploadFailure?
        for _ in 0..<3 where failure == nil {
            failure = tus.receive(.answer(204, [.uploadOffset: "4"])).failure
            if failure == nil { failure = tus.receive(.answer(204, [.uploadOffset: "0"])).failure }
        }
        #expect(failure?.category == .server)
    }

    @Test func `P16 a server that takes bytes and stores none ends in a failure`() throws {
        var (tus, _) = try appending()
        #expect(tus.receive(.answer(204, [.uploadOffset: "0"])).exchange?.method == .patch)
        #expect(tus.receive(.answer(204, [.uploadOffset: "0"])).exchange?.method == .patch)
        #expect(tus.receive(.answer(204, [.uploadOffset: "0"])).failure?.category == .server)
    }

    @Test(arguments: [409, 460])
    func `P7 a conflict asks for the offset and resumes there`(status: Int) throws {
        var (tus, _) = try appending()
        #expect(tus.receive(.answer(status)).exchange?.method == .head)
        #expect(tus.receive(.answer(200, [.uploadOffset: "6"])).exchange?.body == .file(range: 6..<10))
    }

    @Test(arguments: [409, 460])
    func `P7 a conflict without end ends in a failure`(status: Int) throws {
        var (tus, _) = try appending()
        for _ in 0..<2 {
            _ = tus.receive(.answer(status))
            _ = tus.receive(.answer(200, [.uploadOffset: "0"]))
        }
        #expect(tus.receive(.answer(status)).failure?.category == .server)
    }

    @Test func `P7 a locked upload is retried soon`() throws {
        var (tus, _) = try appending()
        let failure = tus.receive(.answer(423)).failure
        #expect(failure?.category == .uploadLocked)
        #expect(failure?.retryAfter == LockedUpload.pause)
    }

    @Test func `P7 a locked upload waits as long as the server says`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: core)
        #expect(tus.receive(.answer(423, [.retryAfter: "9"])).failure?.retryAfter == 9)
    }

    @Test(arguments: [404, 410, 403])
    func `P8 an upload the server dropped starts again, once`(status: Int) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: UploadResource(url: resource.url, confirmed: 4), capabilities: core)
        let step = tus.receive(.answer(status))
        #expect(step.exchange?.method == .post)
        #expect(step.notes == [.serverLost(4)])
        _ = tus.receive(.answer(201, [.location: "8"]))
        #expect(tus.receive(.answer(404)).failure?.category == .permanent)
    }

    @Test func `P17 before an upload is made anew the server is asked what it offers, if that is not known`()
    {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: nil)
        #expect(tus.receive(.answer(404)).exchange?.method == .options)
        #expect(tus.receive(.answer(204, [.tusVersion: "1.0.0"])).exchange?.method == .post)
    }

    @Test func `P8 403 with an offset is about rights`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: core)
        #expect(tus.receive(.answer(403, [.uploadOffset: "4"])).failure?.status == 403)
    }

    @Test(arguments: [403, 413, 415, 422, 400])
    func `P1 an append that is refused is not retried`(status: Int) throws {
        var (tus, _) = try appending()
        #expect(tus.receive(.answer(status)).failure?.category == .permanent)
    }

    @Test(arguments: [500, 502, 503, 504])
    func `P2 an append that meets a server in trouble keeps its resource`(status: Int) throws {
        var (tus, _) = try appending()
        let step = tus.receive(.answer(status, [.retryAfter: "5"]))
        #expect(step.failure?.category == .server)
        #expect(step.failure?.retryAfter == 5)
        #expect(step.notedResource == nil)
    }

    @Test func `a broken append keeps its resource`() throws {
        var (tus, _) = try appending()
        let step = tus.receive(.broke(afterSending: 10))
        #expect(step.failure?.category == .network)
        #expect(step.notedResource == nil)
    }
}

struct TusOutcomeTests {
    private let marked = UploadResource(url: "http://server.example/files/7").withWholeBodySent(true)

    @Test func `the last append is marked before its last bytes, the others are not`() throws {
        #expect(try appending().exchange.markBeforeLastBytes == marked)
        #expect(try appending(chunkSize: 4).exchange.markBeforeLastBytes == nil)
    }

    @Test(arguments: [404, 410, 403])
    func `everything sent and then gone is an unknown outcome`(status: Int) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: marked, capabilities: core)
        #expect(tus.receive(.answer(status)).failure?.category == .outcomeUnknown)
    }

    @Test func `everything acknowledged and then gone is an unknown outcome`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: UploadResource(url: resource.url, confirmed: 10), capabilities: core)
        #expect(tus.receive(.answer(404)).failure?.category == .outcomeUnknown)
    }

    @Test func `a success without an offset and then gone is an unknown outcome`() throws {
        var (tus, _) = try appending()
        _ = tus.receive(.answer(204))
        #expect(tus.receive(.answer(404)).failure?.category == .outcomeUnknown)
    }

    @Test func `P8 an append to an upload that is gone starts again`() throws {
        var (tus, _) = try appending()
        #expect(tus.receive(.answer(404)).exchange?.method == .post)
    }

    @Test func `a server that holds less than everything takes the mark away`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: marked, capabilities: core)
        let step = tus.receive(.answer(200, [.uploadOffset: "4"]))
        #expect(step.notedResource == UploadResource(url: resource.url, confirmed: 4))
    }

    @Test(
        arguments: [
            ("/kept/a.bin", "http://server.example/kept/a.bin"), ("http://evil.example/a", resource.url),
            ("http://[", resource.url), (nil, resource.url),
        ] as [(String?, String)])
    func `the receipt has the location that the final response names, if it is at the same server`(
        location: String?, expected: String
    ) throws {
        var (tus, _) = try appending()
        var fields: HTTPFields = [.uploadOffset: "10", .eTag: "\"t\""]
        fields[.contentLocation] = location
        let receipt = tus.receive(.answer(204, fields)).receipt
        #expect(receipt == Receipt(location: expected, entityTag: "\"t\"", bytes: 10))
    }
}
