import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests what a tus server is asked once it has confirmed the whole file.
struct TusFinishingTests {
    private static let place = "http://server.example/kept/a.bin"

    /// Returns an upload that took several requests, after the response to its last bytes, and its next step.
    private func finished(
        _ fields: HTTPFields = [:], capabilities: ServerCapabilities = .tusCore
    ) throws -> (tus: TusUpload, step: Step) {
        var (tus, _) = try TusUpload.appending(from: 4, capabilities: capabilities)
        var answered: HTTPFields = [.uploadOffset: "10"]
        for field in fields { answered[field.name] = field.value }
        let step = tus.receive(.answer(204, answered))
        return (tus, step)
    }

    @Test func `one request with the whole file is done at once`() throws {
        var (tus, _) = try TusUpload.appending()
        #expect(tus.receive(.answer(204, [.uploadOffset: "10"])).receipt != nil)
    }

    @Test func `a file that went in several requests is asked for before it is done`() throws {
        var (tus, step) = try finished()
        #expect(step.exchange?.method == .head)
        #expect(step.exchange?.url == UploadResource.tus.url)
        #expect(tus.receive(.answer(200, [.uploadOffset: "10", .uploadLength: "10"])).receipt != nil)
    }

    @Test(arguments: [404, 410, 403, 405, 400, 500, 501])
    func `a server that forgets finished uploads is taken at its word`(status: Int) throws {
        var (tus, _) = try finished()
        #expect(tus.receive(.answer(status)).receipt?.location == UploadResource.tus.url)
    }

    @Test(arguments: [423, 429, 502, 503, 504])
    func `a server that is busy is asked later, and what it said is remembered`(status: Int) throws {
        var (tus, step) = try finished()
        let noted = try #require(step.notedResource ?? nil)
        #expect(tus.receive(.answer(status)).failure?.isTransient == true)
        var next = TusUpload(item: .make(), options: .init())
        step = next.start(resource: noted, capabilities: .tusCore)
        #expect(step.exchange?.method == .head)
        // The server has forgotten the finished upload.
        #expect(next.receive(.answer(404)).receipt?.location == UploadResource.tus.url)
    }

    @Test(arguments: ["0", "4", "9"])
    func `a server that lost what it confirmed gets the file anew, in one request`(offset: String) throws {
        var (tus, _) = try finished()
        var step = tus.receive(.answer(200, [.uploadOffset: offset, .uploadLength: "10"]))
        #expect(step.exchanges.map(\.method) == [.delete])
        #expect(step.notes.contains { if case .serverLost = $0 { true } else { false } })
        #expect(step.notes.contains(.capabilities(.forgettingTus)))
        step = tus.receive(.answer(204))
        #expect(step.exchange?.method == .post)
        step = tus.receive(.answer(201, [.location: "8"]))
        #expect(step.exchange?.body == .file(range: 0..<10))
        #expect(tus.receive(.answer(204, [.uploadOffset: "10"])).receipt != nil)
    }

    @Test func `a server that loses it a second time ends in a failure that says so`() throws {
        var (tus, _) = try finished()
        _ = tus.receive(.answer(200, [.uploadOffset: "4"]))
        _ = tus.receive(.answer(204))
        let created = tus.receive(.answer(201, [.location: "8"]))
        var next = TusUpload(item: .make(), options: .init())
        _ = next.start(resource: created.notedResource ?? nil, capabilities: .tusCore)
        _ = next.receive(.answer(200, [.uploadOffset: "4"]))
        _ = next.receive(.answer(204, [.uploadOffset: "10"]))
        let failure = next.receive(.answer(200, [.uploadOffset: "4"])).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains("lost what it had confirmed") == true)
    }

    @Test(arguments: ["10", nil] as [String?])
    func `the file is asked for at the location that the server names`(length: String?) throws {
        var (tus, _) = try finished([.contentLocation: "/kept/a.bin"])
        let step = tus.receive(.answer(200, [.uploadOffset: "10"]))
        #expect(step.exchange?.method == .head)
        #expect(step.exchange?.url == Self.place)
        var fields: HTTPFields = [.eTag: "\"1\""]
        fields[.contentLength] = length
        let receipt = tus.receive(.answer(200, fields)).receipt
        #expect(receipt?.location == Self.place)
        #expect(receipt?.entityTag == "\"1\"")
    }

    @Test(arguments: [404, 405, 401, 403])
    func `a location that may not be read is taken at the server's word`(status: Int) throws {
        var (tus, _) = try finished([.contentLocation: "/kept/a.bin"])
        _ = tus.receive(.answer(200, [.uploadOffset: "10"]))
        #expect(tus.receive(.answer(status)).receipt?.location == Self.place)
    }

    @Test func `a file of another size at its location is never done`() throws {
        var (tus, _) = try finished([.contentLocation: "/kept/a.bin"])
        _ = tus.receive(.answer(200, [.uploadOffset: "10"]))
        let step = tus.receive(.answer(200, [.contentLength: "6"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary == "the server has 6 B, the file has 10 B")
        #expect(step.notes.contains(.capabilities(.forgettingTus)))
    }
}

/// Tests servers that lost bytes which they had confirmed.
struct ForgettingTusServerTests {
    @Test
    func `an upload of which the server forgot everything is begun anew, and that is noted of the server`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(
            resource: UploadResource(url: UploadResource.tus.url, confirmed: 6), capabilities: .tusCore)
        let step = tus.receive(.answer(200, [.uploadOffset: "0"]))
        #expect(step.exchanges.map(\.method) == [.delete])
        #expect(step.notes.contains(.serverLost(6)))
        #expect(step.notes.contains(.capabilities(.forgettingTus)))
    }

    @Test func `such a server gets a file in one request, whatever the destination's chunks and parts are`()
        throws
    {
        var known = ServerCapabilities.forgettingTus
        known.extensions.insert("concatenation")
        let size = 4 * TusConcatenation.smallestPart
        var tus = TusUpload(item: .make(size: size), options: .init(chunkSize: 1000, parallelRequests: 4))
        let creation = try #require(tus.start(resource: nil, capabilities: known).exchange)
        #expect(creation.fields[.uploadConcat] == nil)
        #expect(tus.receive(.answer(201, [.location: "7"])).exchange?.body == .file(range: 0..<size))
    }

    @Test func `an upload that broke there is deleted and begun anew`() {
        var tus = TusUpload(item: .make(), options: .init())
        let broken = UploadResource(url: UploadResource.tus.url, confirmed: 4)
        #expect(
            tus.start(resource: broken, capabilities: .forgettingTus).exchanges.map(\.method) == [.delete])
        #expect(tus.receive(.answer(404)).exchange?.method == .post)
    }

    @Test func `an upload that may be complete there is asked for`() {
        var tus = TusUpload(item: .make(), options: .init())
        let whole = UploadResource.tus.withWholeBodySent(true)
        #expect(tus.start(resource: whole, capabilities: .forgettingTus).exchange?.method == .head)
        #expect(tus.receive(.answer(200, [.uploadOffset: "10"])).receipt != nil)
    }
}

extension ServerCapabilities {
    static let forgettingTus = ServerCapabilities(extensions: ["creation"], facts: ["forgets": "yes"])
}
