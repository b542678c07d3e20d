import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

private let core = ServerCapabilities.tusCore
private let withUpload = ServerCapabilities.tusWithUpload
private let resource = UploadResource.tus

struct TusCreationTests {
    @Test func `an unknown server is asked first, and what it offers is noted`() throws {
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
        let silent = ServerCapabilities(extensions: ["creation"], facts: ["saysNothing": "yes"])
        #expect(tus.receive(.answer(status)).notes == [.capabilities(silent)])
    }

    @Test(arguments: [(401, UploadFailure.Category.authentication), (503, .server)])
    func `a server that says not now to OPTIONS is not asked for more`(
        status: Int, category: UploadFailure.Category
    ) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        #expect(tus.receive(.answer(status)).failure?.category == category)
    }

    @Test
    func `a server that never responds to OPTIONS is tried by a creation, and remembered if it takes it`()
        throws
    {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        var step = tus.receive(.broke(afterSending: 0))
        #expect(step.exchange?.method == .post)
        #expect(step.notes.isEmpty)
        step = tus.receive(.answer(201, [.location: "7", .tusResumable: "1.0.0"]))
        #expect(step.exchange?.method == .patch)
        let silent = ServerCapabilities(extensions: ["creation"], facts: ["saysNothing": "yes"])
        #expect(step.notes.contains(.capabilities(silent)))
    }

    @Test func `a fault in OPTIONS is no fault of the creation`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        let step = tus.receive(.answer(500))
        #expect(step.exchange?.method == .post)
        #expect(step.notes.isEmpty)
    }

    @Test func `a server that cannot be reached is not asked for more`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        #expect(tus.receive(.broke(afterSending: nil)).failure?.category == .network)
    }

    @Test func `a checksum that the destination demands is not assumed from silence`() {
        var tus = TusUpload(item: .make(), options: .init(checksum: .sha1))
        _ = tus.start(resource: nil, capabilities: nil)
        let failure = tus.receive(.broke(afterSending: 0)).failure
        #expect(failure?.category == .network)
        #expect(failure?.hint?.contains("checksum") == true)
    }

    @Test func `creation sends the length, the name and the type`() throws {
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

    @Test func `folders go beside the name`() throws {
        var tus = TusUpload(
            item: .make(
                name: "day3/data/x.txt", parameters: [.init(name: "relativePath", value: "other")]),
            options: .init())
        let exchange = try #require(tus.start(resource: nil, capabilities: core).exchange)
        let metadata = try #require(exchange.fields[.uploadMetadata].flatMap { TusMetadata(header: $0) })
        #expect(metadata["filename"] == "x.txt")
        #expect(metadata["relativePath"] == "day3/data/x.txt")
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
        #expect(step.notes == [.resource(UploadResource(url: resource.url, expires: expires))])
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
    func `P12 a location elsewhere gets nothing`(location: String) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        let step = tus.receive(.answer(201, [.location: location]))
        // An empty reference is the base URL itself (RFC 3986 §4.4). It leads to the same server, so it leaks nothing.
        if location.isEmpty {
            #expect(step.exchange?.url == "http://server.example/files/" || step.failure != nil)
        } else {
            #expect(step.failure?.category == .permanent)
        }
    }

    @Test func `P12 http is refused where https was asked`() {
        var tus = TusUpload(item: .make(url: "https://server.example/files/"), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        let step = tus.receive(.answer(201, [.location: "http://server.example/files/7"]))
        #expect(step.failure?.category == .permanent)
    }

    @Test func `a creation without a location is a failure that says so`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: core)
        #expect(tus.receive(.answer(201)).failure?.hint?.contains("Location") == true)
    }

    @Test func `F10 an empty file is complete when it is created`() {
        var tus = TusUpload(item: .make(size: 0), options: .init())
        #expect(tus.start(resource: nil, capabilities: withUpload).exchange?.body == Exchange.Body.none)
        #expect(tus.receive(.answer(201, [.location: "7"])).receipt?.location == resource.url)
    }

    @Test func `P10 a creation carries no bytes of the file, as its response may be lost`() throws {
        var tus = TusUpload(item: .make(size: 1), options: .init())
        let exchange = try #require(tus.start(resource: nil, capabilities: withUpload).exchange)
        #expect(exchange.body == Exchange.Body.none)
        #expect(!exchange.traits.contains(.completes))
        #expect(tus.receive(.answer(201, [.location: "7"])).exchange?.body == .file(range: 0..<1))
    }

    @Test(arguments: [400, 403, 404, 412, 413, 415])
    func `a creation that is refused is not retried`(status: Int) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        _ = tus.receive(.answer(204, [.tusVersion: "1.0.0"]))
        let failure = tus.receive(.answer(status)).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.status == status)
    }

    @Test func `a file above the server's limit is refused before anything is sent`() {
        var tus = TusUpload(item: .make(size: 1001), options: .init())
        _ = tus.start(resource: nil, capabilities: nil)
        let step = tus.receive(.answer(204, [.tusExtension: "creation", .tusMaxSize: "1000"]))
        #expect(step.failure?.category == .permanent)
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
