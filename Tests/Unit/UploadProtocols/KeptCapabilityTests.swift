import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests that a refusal makes Ferry ask the server again, as stored capabilities may be out of date.
struct KeptCapabilityTests {
    private static let limited = ServerCapabilities(extensions: ["creation"], maximumSize: 1000)

    @Test(arguments: [400, 404, 405, 410, 411, 413, 415, 501])
    func `P17 a refusal of a new upload has the server asked again what it offers, once`(status: Int) {
        var tus = TusUpload(item: .make(), options: .init(defersLength: true))
        let known = ServerCapabilities(extensions: ["creation", "creation-defer-length"])
        let first = tus.start(resource: nil, capabilities: known).exchange
        #expect(first?.fields[.uploadDeferLength] == "1")
        #expect(tus.receive(.answer(status)).exchange?.method == .options)
        let step = tus.receive(.answer(204, [.tusExtension: "creation"]))
        #expect(step.notes == [.capabilities(.tusCore)])
        #expect(step.exchange?.method == .post)
        #expect(step.exchange?.fields[.uploadLength] == "10")
        #expect(tus.receive(.answer(status)).failure?.status == status)
    }

    @Test func `P17 a limit that shrank is found and named`() {
        var tus = TusUpload(item: .make(size: 900), options: .init())
        _ = tus.start(resource: nil, capabilities: Self.limited)
        _ = tus.receive(.answer(413))
        let step = tus.receive(.answer(204, [.tusExtension: "creation", .tusMaxSize: "800"]))
        #expect(step.failure?.summary == "the file has 900 B, the server takes 800 B")
        #expect(step.notes == [.capabilities(ServerCapabilities(extensions: ["creation"], maximumSize: 800))])
    }

    @Test(arguments: [("2000", true), ("1000", false)])
    func `P17 a limit that was kept refuses no file before it is asked for again`(limit: String, fits: Bool) {
        var tus = TusUpload(item: .make(size: 1001), options: .init())
        #expect(tus.start(resource: nil, capabilities: Self.limited).exchange?.method == .options)
        let step = tus.receive(.answer(204, [.tusExtension: "creation", .tusMaxSize: limit]))
        #expect((step.exchange?.method == .post) == fits)
        #expect((step.failure?.category == .permanent) == !fits)
    }

    @Test func `P17 a server that said nothing is asked again before a file with a checksum is refused`() {
        var tus = TusUpload(item: .make(), options: .init(checksum: .sha1))
        let silent = ServerCapabilities(extensions: ["creation"], facts: ["saysNothing": "yes"])
        #expect(tus.start(resource: nil, capabilities: silent).exchange?.method == .options)
        let step = tus.receive(.answer(204, [.tusExtension: "creation, checksum"]))
        #expect(step.exchange?.method == .post)
    }

    @Test func `P17 an address where tus is no more gets no bytes, and no other protocol`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: .tusCore)
        _ = tus.receive(.answer(404))
        let step = tus.receive(.answer(200, [.allow: "GET, PUT"]))
        #expect(step.exchange?.method == .post)
        #expect(step.exchange?.body == Exchange.Body.none)
        let failure = tus.receive(.answer(404)).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.hasPrefix("the address does not answer as a tus server does") == true)
    }

    @Test(arguments: [401, 403, 412, 503])
    func `P17 a status that says nothing of the server's offer leads to no new question`(status: Int) {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: nil, capabilities: .tusCore)
        #expect(tus.receive(.answer(status)).failure?.status == status)
    }

    @Test(arguments: [("max-size=2000", true), ("max-size=999", false)])
    func `P17 a resumable upload asks for a limit again before it refuses a file`(limit: String, fits: Bool) {
        var upload = ResumableUpload(item: .make(size: 1001), options: .init())
        let known = ServerCapabilities(facts: ["resumable-limit": "max-size=1000", "resumable-version": "8"])
        #expect(upload.start(resource: nil, capabilities: known).exchange?.method == .options)
        let step = upload.receive(.answer(204, [.uploadLimit: limit]))
        #expect((step.exchange?.method == .post) == fits)
        #expect((step.failure?.category == .permanent) == !fits)
    }

    @Test(arguments: [404, 405, 413, 415, 501])
    func `P17 a refused resumable upload has the server asked again what it offers, once`(
        status: Int
    ) {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        #expect(upload.receive(.answer(status)).exchange?.method == .options)
        #expect(upload.receive(.answer(200)).exchange?.method == .post)
        #expect(upload.receive(.answer(status)).failure?.status == status)
    }
}
