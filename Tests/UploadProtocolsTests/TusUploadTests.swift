import Foundation
import HTTPTypes
import Testing

@testable import UploadProtocols

private let core = ServerCapabilities(extensions: ["creation"])
private let withUpload = ServerCapabilities(extensions: ["creation", "creation-with-upload"])
private let resource = Resource(url: "http://server.example/files/7")

/// An upload that has been created at `resource` and is about to append from there.
private func appending(
    size: ByteCount = 10, from offset: ByteCount = 0, chunkSize: ByteCount? = nil
) throws -> (tus: TusUpload, exchange: Exchange) {
    var tus = TusUpload(item: .make(size: size), options: .init(chunkSize: chunkSize))
    _ = tus.start(resource: resource, capabilities: core)
    let step = tus.receive(.answer(200, [.uploadOffset: "\(offset)", .uploadLength: "\(size)"]))
    return (tus, try #require(step.exchange))
}

struct TusCreationTests {
    @Test func `a server nobody knows is asked first, and what it offers is noted`() throws {
        var tus = TusUpload(item: .make(), options: .init())
        #expect(tus.start(resource: nil, capabilities: nil).exchange?.method == .options)
        let step = tus.receive(
            .answer(204, [.tusExtension: "Creation, creation-with-upload", .tusMaxSize: "1000"]))
        let found = ServerCapabilities(extensions: ["creation", "creation-with-upload"], maximumSize: 1000)
        #expect(step.notes == [.capabilities(found)])
        #expect(step.exchange?.method == .post)
    }

    @Test(arguments: [404, 405, 403, 501])
    func `a server without OPTIONS is taken to have creation`(status: Int) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        #expect(tus.receive(.answer(status)).notes == [.capabilities(core)])
    }

    @Test(arguments: [(401, UploadFailure.Category.authentication), (503, .server)])
    func `a server that says not now to OPTIONS is not asked for more`(
        status: Int, category: UploadFailure.Category
    ) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        #expect(tus.receive(.answer(status)).failure?.category == category)
    }

    @Test func `creation tells the length, the name and the type`() throws {
        var tus = TusUpload(
            item: .make(name: "ü n.bin", parameters: [.init(name: "album", value: "x")]), options: .init())
        let exchange = try #require(tus.start(resource: nil, capabilities: core).exchange)
        #expect(exchange.fields[.uploadLength] == "10")
        #expect(exchange.fields[.tusResumable] == "1.0.0")
        #expect(exchange.body == .none)
        let metadata = try #require(exchange.fields[.uploadMetadata].flatMap { TusMetadata(header: $0) })
        #expect(metadata["filename"] == "ü n.bin")
        #expect(metadata["filetype"] == "application/octet-stream")
        #expect(metadata["album"] == "x")
    }

    @Test(arguments: ["two words", "a,b"])
    func `a field that cannot be metadata is a failure that names it`(name: String) {
        var tus = TusUpload(item: .make(parameters: [.init(name: name, value: "")]), options: .init())
        let failure = tus.start(resource: nil, capabilities: core).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains(name) == true)
    }

    @Test func `a created upload is noted before its bytes go there`() throws {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        let step = tus.receive(
            .answer(201, [.location: "7", .uploadExpires: "Wed, 25 Nov 2026 23:27:30 GMT"]))
        let expires = Date(timeIntervalSince1970: 1_795_649_250)
        #expect(step.notes == [.resource(Resource(url: resource.url, expires: expires))])
        #expect(step.exchange?.url == resource.url)
        #expect(step.exchange?.body == .file(range: 0..<10))
    }

    @Test(arguments: [
        ("7", "http://server.example/files/7"), ("/u/7?k=1", "http://server.example/u/7?k=1"),
        ("//server.example/u", "http://server.example/u"),
        ("http://SERVER.example:80/u", "http://SERVER.example:80/u"),
    ])
    func `a location is resolved`(location: String, url: String) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        #expect(tus.receive(.answer(201, [.location: location])).exchange?.url == url)
    }

    @Test(arguments: [
        "http://other.example/u", "//other.example/u", "https://server.example/u",
        "http://server.example:81/u", "http://user@server.example/u", "http:///u", "mailto:x",
        "http://[", "",
    ])
    func `a location elsewhere gets nothing`(location: String) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        let step = tus.receive(.answer(201, [.location: location]))
        // An empty reference is the address itself (RFC 3986 §4.4): the same place, so nothing leaks.
        if location.isEmpty {
            #expect(step.exchange?.url == "http://server.example/files/" || step.failure != nil)
        } else {
            #expect(step.failure?.category == .permanent)
        }
    }

    @Test func `http is refused where https was asked`() {
        var tus = TusUpload(item: .make(url: "https://server.example/files/"), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        let step = tus.receive(.answer(201, [.location: "http://server.example/files/7"]))
        #expect(step.failure?.category == .permanent)
    }

    @Test func `a creation without a location is a failure that says so`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        #expect(tus.receive(.answer(201)).failure?.summary.contains("Location") == true)
    }

    @Test func `an empty file is complete when it is created`() {
        var tus = TusUpload(item: .make(size: 0), options: .init())
        #expect(tus.start(resource: nil, capabilities: withUpload).exchange?.body == Exchange.Body.none)
        #expect(tus.receive(.answer(201, [.location: "7"])).receipt?.location == resource.url)
    }

    @Test(arguments: [(TusUpload.creationLimit, true), (TusUpload.creationLimit + 1, false)])
    func `a small file travels with its creation where that is offered`(
        size: ByteCount, travels: Bool
    ) throws {
        var tus = TusUpload(item: .make(size: size), options: .init())
        let exchange = try #require(tus.start(resource: nil, capabilities: withUpload).exchange)
        #expect(exchange.body == (travels ? .file(range: 0..<size) : .none))
        #expect(exchange.mayComplete == travels)
        #expect(exchange.fields[.contentType] == (travels ? "application/offset+octet-stream" : nil))
    }

    @Test func `what a creation took of the content is not sent again`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: withUpload)
        let step = tus.receive(.answer(201, [.location: "7", .uploadOffset: "4"]))
        #expect(step.exchange?.body == .file(range: 4..<10))
    }

    @Test func `a creation that took the whole file ends the upload`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: withUpload)
        let step = tus.receive(.answer(201, [.location: "7", .uploadOffset: "10"]))
        #expect(step.receipt?.bytes == 10)
    }

    @Test func `a creation that ignored the content is followed by an append`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: withUpload)
        #expect(tus.receive(.answer(201, [.location: "7"])).exchange?.body == .file(range: 0..<10))
    }

    @Test(arguments: [400, 403, 404, 412, 413, 415])
    func `a creation that is refused is not tried again`(status: Int) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        let failure = tus.receive(.answer(status)).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.status == status)
    }

    @Test func `a file above the server's limit is refused before anything is sent`() {
        var tus = TusUpload(item: .make(size: 1001), options: .init())
        let limited = ServerCapabilities(extensions: ["creation"], maximumSize: 1000)
        #expect(tus.start(resource: nil, capabilities: limited).failure?.category == .permanent)
    }

    @Test(arguments: ["0", "-1", "+7", "x", "99999999999999999999", "1e3"])
    func `a limit that is not a size limits nothing`(value: String) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        #expect(tus.receive(.answer(200, [.tusExtension: "creation", .tusMaxSize: value])).exchange != nil)
    }

    @Test func `removal deletes the resource`() {
        let exchanges = TusUpload(item: .make(), options: .init()).removal(of: resource)
        #expect(exchanges.map(\.method) == [.delete])
        #expect(exchanges.map(\.url) == [resource.url])
    }
}

struct TusResumeTests {
    @Test func `a known upload is asked for its offset and goes on there`() throws {
        var tus = TusUpload(item: .make(), options: .init())
        #expect(tus.start(resource: resource, capabilities: nil).exchange?.method == .head)
        let step = tus.receive(.answer(200, [.uploadOffset: "4", .uploadLength: "10"]))
        let exchange = try #require(step.exchange)
        #expect(exchange.method == .patch)
        #expect(exchange.fields[.uploadOffset] == "4")
        #expect(exchange.fields[.contentType] == "application/offset+octet-stream")
        #expect(exchange.body == .file(range: 4..<10))
        #expect(step.notes == [.resource(Resource(url: resource.url, confirmed: 4))])
    }

    @Test func `an upload that is complete at the server is done`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: core)
        #expect(tus.receive(.answer(200, [.uploadOffset: "10"])).receipt?.location == resource.url)
    }

    @Test func `the server's offset wins over ours, and what it lost is noted`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: Resource(url: resource.url, confirmed: 8), capabilities: core)
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
            completes.append(exchange.mayComplete)
            exchange = try #require(tus.receive(.answer(204, [.uploadOffset: "\(offset)"])).exchange)
        }
        #expect(ranges + [exchange.body] == [.file(range: 0..<4), .file(range: 4..<8), .file(range: 8..<10)])
        #expect(completes + [exchange.mayComplete] == [false, false, true])
        #expect(tus.receive(.answer(204, [.uploadOffset: "10"])).receipt != nil)
    }

    @Test(arguments: [ByteCount.max, .min, 0, -1])
    func `an absurd chunk size does no harm`(chunkSize: ByteCount) throws {
        let (_, exchange) = try appending(from: 4, chunkSize: chunkSize)
        #expect(exchange.body == .file(range: 4..<(chunkSize > 0 ? 10 : 5)))
    }

    @Test func `many chunks whose answers name no offset are no failure while the server moves on`() throws {
        var (tus, exchange) = try appending(size: 100, chunkSize: 5)
        for offset in stride(from: 5, to: 100, by: 5) {
            #expect(exchange.method == .patch)
            #expect(tus.receive(.answer(204)).exchange?.method == .head)
            let step = tus.receive(.answer(200, [.uploadOffset: "\(offset)"]))
            exchange = try #require(step.exchange)
        }
    }

    @Test(arguments: [nil, "x", "", "-1", "+4", "4.0", "0x4", "99999999999999999999", "4, 4"] as [String?])
    func `an offset that cannot be read is asked for again, and then the upload fails`(
        value: String?
    ) throws {
        var (tus, _) = try appending()
        let answer = Reply.answer(200, value.map { [.uploadOffset: $0] } ?? [:])
        #expect(tus.receive(answer).exchange?.method == .head)
        #expect(tus.receive(answer).exchange?.method == .head)
        #expect(tus.receive(answer).failure?.category == .permanent)
    }

    @Test(arguments: [[.uploadOffset: "11"], [.uploadOffset: "4", .uploadLength: "11"]] as [HTTPFields])
    func `an upload that does not fit the file is given up for a new one, once`(fields: HTTPFields) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: core)
        let step = tus.receive(.answer(200, fields))
        #expect(step.exchange?.method == .post)
        #expect(step.notedResource == nil)
        _ = tus.receive(.answer(201, [.location: "8"]))
        _ = tus.receive(.answer(409))
        #expect(tus.receive(.answer(200, fields)).failure?.category == .permanent)
    }

    @Test func `a server that claims more than was sent has another upload`() throws {
        var (tus, _) = try appending(chunkSize: 4)
        #expect(tus.receive(.answer(204, [.uploadOffset: "9"])).exchange?.method == .post)
    }

    @Test func `an offset that keeps going back ends in a failure`() throws {
        var (tus, _) = try appending(chunkSize: 4)
        var failure: UploadFailure?
        for _ in 0..<3 where failure == nil {
            failure = tus.receive(.answer(204, [.uploadOffset: "4"])).failure
            if failure == nil { failure = tus.receive(.answer(204, [.uploadOffset: "0"])).failure }
        }
        #expect(failure?.category == .server)
    }

    @Test func `a server that takes bytes and keeps none ends in a failure`() throws {
        var (tus, _) = try appending()
        #expect(tus.receive(.answer(204, [.uploadOffset: "0"])).exchange?.method == .patch)
        #expect(tus.receive(.answer(204, [.uploadOffset: "0"])).exchange?.method == .patch)
        #expect(tus.receive(.answer(204, [.uploadOffset: "0"])).failure?.category == .server)
    }

    @Test(arguments: [409, 460])
    func `a conflict asks for the offset and goes on there`(status: Int) throws {
        var (tus, _) = try appending()
        #expect(tus.receive(.answer(status)).exchange?.method == .head)
        #expect(tus.receive(.answer(200, [.uploadOffset: "6"])).exchange?.body == .file(range: 6..<10))
    }

    @Test(arguments: [409, 460])
    func `a conflict without end ends in a failure`(status: Int) throws {
        var (tus, _) = try appending()
        for _ in 0..<2 {
            _ = tus.receive(.answer(status))
            _ = tus.receive(.answer(200, [.uploadOffset: "0"]))
        }
        #expect(tus.receive(.answer(status)).failure?.category == .server)
    }

    @Test func `a locked upload is tried again soon`() throws {
        var (tus, _) = try appending()
        let failure = tus.receive(.answer(423)).failure
        #expect(failure?.category == .server)
        #expect(failure?.retryAfter == 3)
    }

    @Test func `a locked upload waits as long as the server says`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: core)
        #expect(tus.receive(.answer(423, [.retryAfter: "9"])).failure?.retryAfter == 9)
    }

    @Test(arguments: [404, 410, 403])
    func `an upload the server dropped starts again, once`(status: Int) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: Resource(url: resource.url, confirmed: 4), capabilities: core)
        let step = tus.receive(.answer(status))
        #expect(step.exchange?.method == .post)
        #expect(step.notes == [.serverLost(4)])
        _ = tus.receive(.answer(201, [.location: "8"]))
        #expect(tus.receive(.answer(404)).failure?.category == .permanent)
    }

    @Test func `403 with an offset is about rights`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: resource, capabilities: core)
        #expect(tus.receive(.answer(403, [.uploadOffset: "4"])).failure?.status == 403)
    }

    @Test(arguments: [403, 413, 415, 400])
    func `an append that is refused is not tried again`(status: Int) throws {
        var (tus, _) = try appending()
        #expect(tus.receive(.answer(status)).failure?.category == .permanent)
    }

    @Test(arguments: [500, 502, 503, 504])
    func `an append that meets a server in trouble keeps its resource`(status: Int) throws {
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
    private let marked = Resource(url: "http://server.example/files/7").withWholeBodySent(true)

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
        _ = tus.start(resource: Resource(url: resource.url, confirmed: 10), capabilities: core)
        #expect(tus.receive(.answer(404)).failure?.category == .outcomeUnknown)
    }

    @Test func `a success without an offset and then gone is an unknown outcome`() throws {
        var (tus, _) = try appending()
        _ = tus.receive(.answer(204))
        #expect(tus.receive(.answer(404)).failure?.category == .outcomeUnknown)
    }

    @Test func `an append to an upload that is gone starts again`() throws {
        var (tus, _) = try appending()
        #expect(tus.receive(.answer(404)).exchange?.method == .post)
    }

    @Test func `a server that holds less than everything takes the mark away`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: marked, capabilities: core)
        let step = tus.receive(.answer(200, [.uploadOffset: "4"]))
        #expect(step.notedResource == Resource(url: resource.url, confirmed: 4))
    }

    @Test(
        arguments: [
            ("/kept/a.bin", "http://server.example/kept/a.bin"), ("http://evil.example/a", resource.url),
            ("http://[", resource.url), (nil, resource.url),
        ] as [(String?, String)])
    func `the receipt names what the final answer is about, if it is at the same place`(
        location: String?, expected: String
    ) throws {
        var (tus, _) = try appending()
        var fields: HTTPFields = [.uploadOffset: "10", .eTag: "\"t\""]
        fields[.contentLocation] = location
        let receipt = tus.receive(.answer(204, fields)).receipt
        #expect(receipt == Receipt(location: expected, entityTag: "\"t\"", bytes: 10))
    }
}
