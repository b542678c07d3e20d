import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests lengths that are sent late (creation-defer-length), and requests that a proxy refuses.
struct TusLengthTests {
    private static let deferring = ServerCapabilities(extensions: ["creation", "creation-defer-length"])

    @Test func `a length that is deferred is sent with the first bytes, once`() throws {
        var tus = TusUpload(item: .make(), options: .init(chunkSize: 4, defersLength: true))
        let creation = try #require(tus.start(resource: nil, capabilities: Self.deferring).exchange)
        #expect(creation.fields[.uploadDeferLength] == "1")
        #expect(creation.fields[.uploadLength] == nil)
        let first = try #require(tus.receive(.answer(201, [.location: "7"])).exchange)
        #expect(first.fields[.uploadLength] == "10")
        let second = try #require(tus.receive(.answer(204, [.uploadOffset: "4"])).exchange)
        #expect(second.fields[.uploadLength] == nil)
    }

    @Test func `a length is not deferred where that is not offered`() {
        var tus = TusUpload(item: .make(), options: .init(defersLength: true))
        #expect(tus.start(resource: nil, capabilities: .tusCore).exchange?.fields[.uploadLength] == "10")
    }

    @Test func `the length of an empty file is sent with its creation`() {
        var tus = TusUpload(item: .make(size: 0), options: .init(defersLength: true))
        #expect(tus.start(resource: nil, capabilities: Self.deferring).exchange?.fields[.uploadLength] == "0")
    }

    @Test(arguments: [[.uploadOffset: "4", .uploadDeferLength: "1"], [.uploadOffset: "4"]] as [HTTPFields])
    func `the length is sent to an upload with a length that the server does not know`(fields: HTTPFields) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: .tus, capabilities: .tusCore)
        #expect(tus.receive(.answer(200, fields)).exchange?.fields[.uploadLength] == "10")
    }

    @Test func `the length is not sent to an upload with a length that the server knows`() throws {
        #expect(try TusUpload.appending().exchange.fields[.uploadLength] == nil)
    }

    @Test func `a server that refuses the length is not sent it again`() throws {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: .tus, capabilities: .tusCore)
        _ = tus.receive(.answer(200, [.uploadOffset: "0"]))
        #expect(tus.receive(.answer(400)).exchange?.method == .head)
        let again = try #require(tus.receive(.answer(200, [.uploadOffset: "0"])).exchange)
        #expect(again.fields[.uploadLength] == nil)
        #expect(tus.receive(.answer(400)).failure?.status == 400)
    }

    @Test(arguments: [405, 501])
    func `POST replaces a refused PATCH, and that is remembered`(status: Int) throws {
        var (tus, _) = try TusUpload.appending()
        #expect(tus.receive(.answer(status)).exchange?.method == .head)
        let step = tus.receive(.answer(200, [.uploadOffset: "3", .uploadLength: "10"]))
        let exchange = try #require(step.exchange)
        #expect(exchange.method == .post)
        #expect(exchange.fields[.methodOverride] == "PATCH")
        #expect(exchange.body == .file(range: 3..<10))
        let noted = try #require(step.notedResource ?? nil)
        #expect(TusUpload(item: .make(), options: .init()).removal(of: noted).first?.method == .post)
        #expect(tus.receive(.answer(status)).failure?.status == status)
    }

    @Test func `another upload to a server without PATCH begins with POST`() throws {
        var (tus, _) = try TusUpload.appending()
        let step = tus.receive(.answer(405))
        let reported = step.notes.compactMap { note -> ServerCapabilities? in
            if case .capabilities(let capabilities) = note { capabilities } else { nil }
        }
        let last = try #require(reported.last) as ServerCapabilities
        var other = TusUpload(item: .make(), options: .init())
        _ = other.start(resource: nil, capabilities: last)
        let append = try #require(other.receive(.answer(201, [.location: "8"])).exchange)
        #expect(append.method == .post)
        #expect(append.fields[.methodOverride] == "PATCH")
    }

    @Test func `P17 a request that is too large is halved until it fits, after asking each time`() throws {
        var (tus, exchange) = try TusUpload.appending(size: 64 << 20)
        var sizes = [exchange.contentLength]
        for _ in 0..<3 {
            #expect(tus.receive(.answer(413)).exchange?.method == .head)
            let step = tus.receive(.answer(200, [.uploadOffset: "0", .uploadLength: "\(64 << 20)"]))
            exchange = try #require(step.exchange)
            sizes.append(exchange.contentLength)
        }
        #expect(sizes == [64 << 20, 8 << 20, 4 << 20, 2 << 20])
        let next = tus.receive(.answer(204, [.uploadOffset: "\(2 << 20)"])).exchange
        #expect(next?.contentLength == 2 << 20)
    }

    @Test func `a request that is too large however small is a failure`() throws {
        var (tus, _) = try TusUpload.appending(size: 64 << 20)
        var failure: UploadFailure?
        for _ in 0..<10 where failure == nil {
            failure = tus.receive(.answer(413)).failure
            if failure == nil { _ = tus.receive(.answer(200, [.uploadOffset: "0"])) }
        }
        #expect(failure?.status == 413)
    }

    @Test func `a size that is refused for now is tried later`() throws {
        var (tus, _) = try TusUpload.appending(size: 64 << 20)
        #expect(tus.receive(.answer(413, [.retryAfter: "5"])).failure?.category == .server)
    }
}
