import HTTPTypes
import Testing

@testable import FerryProtocols

private let asked = ProtocolOptions(createsWithContent: true)
private let whole = Exchange.Body.file(range: 0..<10)

/// Tests uploads by tus whose creation contains the file.
struct TusContentTests {
    /// Returns an upload that has just sent the creation, and this request.
    private func creating(
        _ options: ProtocolOptions = asked, size: ByteCount = 10,
        at capabilities: ServerCapabilities = .tusWithUpload
    ) throws -> (tus: TusUpload, exchange: Exchange) {
        var tus = TusUpload(item: .make(size: size), options: options)
        let step = tus.start(resource: nil, capabilities: capabilities)
        return (tus, try #require(step.exchange))
    }

    @Test func `a small file goes with the creation if the options ask for it`() throws {
        var (tus, exchange) = try creating()
        #expect(exchange.method == .post)
        #expect(exchange.body == whole)
        #expect(exchange.fields[.contentType] == "application/offset+octet-stream")
        #expect(exchange.traits == .completes)
        let receipt = tus.receive(.answer(201, [.location: "7", .uploadOffset: "10"])).receipt
        #expect(receipt?.location == UploadResource.tus.url)
    }

    @Test(arguments: [
        (ProtocolOptions(), ByteCount(10), ServerCapabilities.tusWithUpload), (asked, 10, .tusCore),
        (asked, 0, .tusWithUpload), (asked, (64 << 10) + 1, .tusWithUpload),
        (ProtocolOptions(chunkSize: 9, createsWithContent: true), 10, .tusWithUpload),
    ])
    func `without the option or the extension, and with another size, the creation has no content`(
        options: ProtocolOptions, size: ByteCount, capabilities: ServerCapabilities
    ) throws {
        #expect(try creating(options, size: size, at: capabilities).exchange.body == Exchange.Body.none)
    }

    @Test func `a checksum that is required goes with the bytes, not with the creation`() throws {
        var capabilities = ServerCapabilities.tusChecking
        capabilities.extensions.insert("creation-with-upload")
        let options = ProtocolOptions(checksum: .sha256, createsWithContent: true)
        #expect(try creating(options, at: capabilities).exchange.body == Exchange.Body.none)
        #expect(try creating(at: capabilities).exchange.body == whole)
    }

    @Test(arguments: [0, 4])
    func `a server that took a part or nothing gets the rest`(offset: ByteCount) throws {
        var tus = try creating().tus
        let reply = ExchangeOutcome.answer(201, [.location: "7", .uploadOffset: "\(offset)"])
        let next = try #require(tus.receive(reply).exchange)
        #expect(next.method == .patch)
        #expect(next.body == .file(range: offset..<10))
    }

    @Test(arguments: [nil, "11", "x"])
    func `a server that states no usable offset is asked, and its loss is an unknown outcome`(offset: String?)
        throws
    {
        var tus = try creating().tus
        var fields: HTTPFields = [.location: "7"]
        fields[.uploadOffset] = offset
        let step = tus.receive(.answer(201, fields))
        #expect(step.exchange?.method == .head)
        #expect(step.notes == [.resource(UploadResource.tus.withWholeBodySent(true))])
        var other = tus
        #expect(other.receive(.answer(404)).failure?.category == .outcomeUnknown)
        let whole = tus.receive(.answer(200, [.uploadOffset: "10", .uploadLength: "10"]))
        #expect(whole.receipt?.location == UploadResource.tus.url)
    }

    @Test func `P10 a creation without a usable location has an unknown outcome`() throws {
        var tus = try creating().tus
        #expect(tus.receive(.answer(201, [.uploadOffset: "10"])).failure?.category == .outcomeUnknown)
    }

    @Test(arguments: [400, 413, 415, 501])
    func `a server that refuses the content gets a creation without it, also for the next file`(status: Int)
        throws
    {
        var tus = try creating().tus
        let step = tus.receive(.answer(status))
        #expect(step.exchange?.method == .post)
        #expect(step.exchange?.body == Exchange.Body.none)
        #expect(step.notes == [.resource(nil)] + (status == 400 ? [] : [.capabilities(.tusCore)]))
        #expect(tus.receive(.answer(201, [.location: "7"])).exchange?.body == whole)
    }

    @Test(arguments: [ExchangeOutcome.broke(afterSending: 10), .answer(502), .answer(504)])
    func `P10 the outcome of a creation with the file is unknown if the response is lost`(
        reply: ExchangeOutcome
    ) throws {
        var (tus, exchange) = try creating()
        #expect(exchange.markBeforeLastBytes?.wholeBodySent == true)
        let step = tus.receive(reply)
        #expect(step.failure?.category == .outcomeUnknown)
        #expect(step.notes.isEmpty)
    }

    @Test func `P10 a later attempt sends nothing, and a removal deletes nothing`() throws {
        let mark = try #require(try creating().exchange.markBeforeLastBytes)
        var tus = TusUpload(item: .make(), options: ProtocolOptions())
        let step = tus.start(resource: mark, capabilities: .tusWithUpload)
        #expect(step.failure?.category == .outcomeUnknown)
        #expect(tus.removal(of: mark).isEmpty)
    }

    @Test(arguments: [ExchangeOutcome.broke(afterSending: 4), .answer(503), .answer(401)])
    func `a creation that did not make the file can be sent again`(reply: ExchangeOutcome) throws {
        var tus = try creating().tus
        let step = tus.receive(reply)
        #expect(step.failure != nil)
        #expect(step.failure?.category != .outcomeUnknown)
        #expect(step.notes == [.resource(nil)])
    }
}
