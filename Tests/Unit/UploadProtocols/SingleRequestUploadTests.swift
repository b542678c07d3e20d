import HTTPTypes
import Testing

@testable import FerryProtocols

struct SingleRequestUploadTests {
    @Test func `put sends the whole file to the folder's address and the file's name`() throws {
        var put = PutUpload(item: .make(name: "a b.txt", contentType: "text/plain"), options: .init())
        let exchange = try #require(put.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.method == .put)
        #expect(exchange.url == "http://server.example/files/a%20b.txt")
        #expect(exchange.fields[.contentType] == "text/plain")
        #expect(exchange.body == .file(range: 0..<10))
        #expect(exchange.traits.contains(.idempotent) && exchange.traits.contains(.completes))
    }

    @Test(arguments: ["put", "post"])
    func `F10 an empty file is one request without content`(name: String) throws {
        let entry = try #require(ProtocolCatalog.entry(named: name))
        var upload = entry.make(.make(size: 0), .init())
        let exchange = try #require(upload.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.body == .none)
        #expect(upload.receive(.answer(201), to: exchange).receipt?.bytes == 0)
    }

    @Test func `a success names the location, resolved, and the entity tag`() {
        var put = PutUpload(item: .make(), options: .init())
        _ = put.start(resource: nil, capabilities: nil)
        let receipt = put.receive(.answer(201, [.location: "/kept/7", .eTag: "\"x\""])).receipt
        #expect(
            receipt == Receipt(location: "http://server.example/kept/7", entityTag: "\"x\"", bytes: 10))
    }

    @Test func `P12 a location at another server is not reported as ours`() {
        var put = PutUpload(item: .make(), options: .init())
        _ = put.start(resource: nil, capabilities: nil)
        let receipt = put.receive(.answer(201, [.location: "http://evil.example/x"])).receipt
        #expect(receipt?.location == "http://server.example/files/a.bin")
    }

    @Test(arguments: ["put", "post", "form", "tus", "resumable"])
    func `P1 a file that is too large is refused with its size`(name: String) throws {
        let entry = try #require(ProtocolCatalog.entry(named: name))
        var upload = entry.make(.make(size: 5_000_000), .init())
        var step = upload.start(resource: nil, capabilities: nil)
        if step.exchange?.method == .options {
            step = upload.receive(.answer(204, [.tusVersion: "1.0.0"]), to: try #require(step.exchange))
        }
        let failure = upload.receive(.answer(413), to: try #require(step.exchange)).failure
        #expect(failure?.summary == "the server answered 413 (too large); the file has 4.8 MiB")
        #expect(failure?.category == .permanent)
    }

    @Test(arguments: [100, 102, 199, 300, 304, 307, 400, 500])
    func `only 2xx is a success`(status: Int) {
        var put = PutUpload(item: .make(), options: .init())
        _ = put.start(resource: nil, capabilities: nil)
        #expect(put.receive(.answer(status)).failure?.status == status)
    }

    @Test(arguments: ["put", "post", "form"])
    func `the configured method wins`(name: String) throws {
        let entry = try #require(ProtocolCatalog.entry(named: name))
        var upload = entry.make(.make(), .init(method: "PATCH"))
        #expect(upload.start(resource: nil, capabilities: nil).exchange?.method == .patch)
    }

    @Test func `a put that broke after its last byte may be sent again`() {
        var put = PutUpload(item: .make(), options: .init())
        _ = put.start(resource: nil, capabilities: nil)
        #expect(put.receive(.broke(afterSending: 10)).failure?.category == .network)
    }

    @Test(arguments: [("post", 10), ("form", nil)] as [(String, ByteCount?)])
    func `P10 without a response the outcome of a post is unknown only if the whole body was sent`(
        name: String, length: ByteCount?
    ) throws {
        let entry = try #require(ProtocolCatalog.entry(named: name))
        for (missing, category) in [(ByteCount(0), UploadFailure.Category.outcomeUnknown), (1, .network)] {
            var upload = entry.make(.make(), .init())
            let exchange = try #require(upload.start(resource: nil, capabilities: nil).exchange)
            let step = upload.receive(
                .broke(afterSending: exchange.contentLength - missing), to: exchange)
            #expect(step.failure?.category == category)
        }
    }

    @Test func `an empty post that never left is a network failure`() {
        var post = PostUpload(item: .make(size: 0), options: .init())
        _ = post.start(resource: nil, capabilities: nil)
        #expect(post.receive(.broke(afterSending: nil)).failure?.category == .network)
    }

    @Test func `a broken certificate is no unknown outcome`() {
        var post = PostUpload(item: .make(size: 0), options: .init())
        _ = post.start(resource: nil, capabilities: nil)
        let step = post.receive(.broken(UploadFailure(.permanent, "certificate"), bodySent: 0))
        #expect(step.failure?.category == .permanent)
    }

    @Test func `I10 an attempt that finds the mark of a sent body does not send it again`() throws {
        var first = PostUpload(item: .make(), options: .init())
        let exchange = try #require(first.start(resource: nil, capabilities: nil).exchange)
        let mark = try #require(exchange.markBeforeLastBytes)
        var second = PostUpload(item: .make(), options: .init())
        #expect(second.start(resource: mark, capabilities: nil).failure?.category == .outcomeUnknown)
    }

    @Test(arguments: [401, 413, 503])
    func `a definite response takes the mark away`(status: Int) {
        var post = PostUpload(item: .make(), options: .init())
        _ = post.start(resource: nil, capabilities: nil)
        #expect(post.receive(.answer(status)).notedResource == .some(nil))
    }

    @Test func `an unknown outcome keeps the mark`() {
        var post = PostUpload(item: .make(), options: .init())
        _ = post.start(resource: nil, capabilities: nil)
        #expect(post.receive(.broke(afterSending: 10)).notedResource == nil)
    }

    @Test(arguments: ["post", "form"])
    func `P10 an idempotency key makes a post repeatable and is the upload's own`(name: String) throws {
        let entry = try #require(ProtocolCatalog.entry(named: name))
        var upload = entry.make(.make(), .init(sendsIdempotencyKey: true))
        let exchange = try #require(upload.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.traits.contains(.idempotent))
        #expect(exchange.markBeforeLastBytes == nil)
        #expect(exchange.fields[.idempotencyKey] == "\"key-1\"")
        let step = upload.receive(.broke(afterSending: exchange.contentLength), to: exchange)
        #expect(step.failure?.category == .network)
    }

    @Test(arguments: [502, 504])
    func `a proxy's status for a POST leaves the outcome unknown`(status: Int) {
        var post = PostUpload(item: .make(), options: .init())
        _ = post.start(resource: nil, capabilities: nil)
        #expect(post.receive(.answer(status)).failure?.category == .outcomeUnknown)
    }

    @Test func `a post without a location has none in its receipt`() {
        var post = PostUpload(item: .make(), options: .init())
        _ = post.start(resource: nil, capabilities: nil)
        #expect(post.receive(.answer(200)).receipt?.location == nil)
    }

    @Test func `no name can end the header or the line it stands in`() throws {
        let name = "a\r\nX-Evil: 1\"\u{1B}[2J\u{7F}\u{0}.txt"
        var post = PostUpload(item: .make(name: name), options: .init())
        let exchange = try #require(post.start(resource: nil, capabilities: nil).exchange)
        let value = try #require(exchange.fields[.contentDisposition])
        #expect(
            value == "attachment; filename=\"a%0D%0AX-Evil: 1%22%1B[2J%7F%00.txt\"; "
                + "filename*=UTF-8''a%0D%0AX-Evil%3A%201%22%1B%5B2J%7F%00.txt")
    }

    @Test func `progress in the body is bytes of the file`() {
        let exchange = Exchange(
            .post, "http://h/", body: .file(range: 100..<110, prefix: [1, 2, 3], suffix: [4]))
        let bytes = [0, 3, 4, 13, 14, .max, .min].map { exchange.fileBytes(afterSending: $0) }
        #expect(bytes == [0, 0, 1, 10, 10, 10, 0])
    }

    @Test func `a length too large for a number is the largest number`() {
        let exchange = Exchange(
            .post, "http://h/", body: .file(range: 0..<ByteCount.max, prefix: [1], suffix: [2]))
        #expect(exchange.contentLength == .max)
    }
}
