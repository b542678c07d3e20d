import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

struct ResumableCreationTests {
    @Test func `an unknown server is asked first, and its limits are noted`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        #expect(upload.start(resource: nil, capabilities: nil).exchange?.method == .options)
        let step = upload.receive(.answer(204, [.uploadLimit: "max-size=100, max-age=60"]))
        let found = ServerCapabilities(
            maximumSize: 100, facts: ["resumable-limit": "min-size=0, max-size=100"])
        #expect(step.notes == [.capabilities(found)])
        #expect(step.exchange?.method == .post)
    }

    @Test func `creation is without content and sends length, name and type`() throws {
        var upload = ResumableUpload(item: .make(name: "ü.bin"), options: .init())
        let exchange = try #require(upload.start(resource: nil, capabilities: .newestResumable).exchange)
        #expect(exchange.body == .none)
        #expect(exchange.fields[.uploadDraftInteropVersion] == "8")
        #expect(exchange.fields[.uploadComplete] == "?0")
        #expect(exchange.fields[.uploadLength] == "10")
        #expect(exchange.fields[.contentType] == "application/octet-stream")
        #expect(exchange.fields[.contentDisposition]?.contains("filename*=UTF-8''%C3%BC.bin") == true)
    }

    @Test func `PUT puts the name into the address`() {
        var upload = ResumableUpload(item: .make(), options: .init(method: "PUT"))
        let exchange = upload.start(resource: nil, capabilities: .newestResumable).exchange
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
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        let step = upload.receive(.answer(400, [.uploadDraftInteropVersion: "5"]))
        #expect(step.exchange?.fields[.uploadDraftInteropVersion] == "5")
    }

    @Test func `a server that speaks no version is a failure that says so`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        var step = upload.start(resource: nil, capabilities: .newestResumable)
        for _ in 1...4 { step = upload.receive(.answer(400, [.uploadDraftInteropVersion: "9"])) }
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary.contains("no version") == true)
    }

    @Test(arguments: ["the name is too long", ""])
    func `a refusal of every version for another reason is reported with that reason`(said: String) {
        var upload = ResumableUpload(item: .make(), options: .init())
        var step = upload.start(resource: nil, capabilities: .newestResumable)
        for _ in 1...4 { step = upload.receive(.answer(400, [.contentType: "text/plain"], body: said)) }
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary.contains("version") == false)
        #expect(step.failure?.summary.hasSuffix(said) == true)
        #expect(step.failure?.hint?.contains("protocol") == true)
    }

    @Test func `a refusal in the version that was asked in is no matter of versions`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        var step = upload.start(resource: nil, capabilities: .newestResumable)
        for _ in 1...4 {
            guard let asked = step.exchange?.fields[.uploadDraftInteropVersion] else { break }
            step = upload.receive(
                .answer(
                    400, [.uploadDraftInteropVersion: asked, .contentType: "text/plain"],
                    body: "no such folder"))
        }
        #expect(step.failure?.summary.hasSuffix(": no such folder") == true)
        #expect(step.failure?.summary.contains("no version") == false)
    }

    @Test func `a server that does not say how much it holds is asked later, and not for ever`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: .resumable(.eight), capabilities: .newestResumable)
        for _ in 1...2 { #expect(upload.receive(.answer(200)).exchange?.method == .head) }
        let step = upload.receive(.answer(200))
        #expect(step.failure?.category == .server)
        #expect(step.notedResource == nil)
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
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        #expect(upload.receive(.answer(201, [.location: "7"])).exchange?.method == .patch)
    }

    @Test(arguments: ["http://other.example/7", "https://server.example/7", "http://["])
    func `P12 an address elsewhere gets nothing`(location: String) {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        #expect(upload.receive(.answer(201, [.location: location])).failure?.category == .permanent)
    }

    @Test func `a created upload is noted before its bytes go there, with when it goes away`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        let step = upload.receive(
            .answer(201, [.location: "7", .uploadLimit: "max-age=3600, max-append-size=4"]))
        let noted = try #require(step.notedResource ?? nil)
        #expect(noted.url == UploadResource.resumable(.eight).url)
        let lifetime = try #require(noted.expires).timeIntervalSinceNow
        #expect(lifetime > 3500 && lifetime <= 3600)
        #expect(step.exchange?.body == .file(range: 0..<4))
    }

    @Test func `a lifetime without end is no trap`() throws {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: .newestResumable)
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

    @Test func `a limit that only the response to the creation has is one`() {
        var upload = ResumableUpload(item: .make(size: 10), options: .init())
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        let step = upload.receive(.answer(201, [.location: "7", .uploadLimit: "min-size=11"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.notedResource??.url == UploadResource.resumable(.eight).url)
    }

    @Test func `F10 an empty file is made, then called complete`() throws {
        var upload = ResumableUpload(item: .make(size: 0), options: .init())
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        let exchange = try #require(upload.receive(.answer(201, [.location: "7"])).exchange)
        #expect(exchange.body == .none)
        #expect(exchange.fields[.uploadComplete] == "?1")
        #expect(upload.receive(.answer(200, [.uploadComplete: "?1"])).receipt?.bytes == 0)
    }

    @Test func `another protocol's resource is not resumed`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        let step = upload.start(
            resource: UploadResource(url: "http://server.example/tus/1"), capabilities: .newestResumable)
        #expect(step.exchange?.method == .post)
    }

    @Test func `a problem with the length at creation is put into words`() {
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: nil, capabilities: .newestResumable)
        let step = upload.receive(
            .answer(
                400, [.contentType: "application/problem+json"],
                body: ResumableUpload.problem("inconsistent-upload-length")))
        #expect(step.failure?.summary == "the server has another length of the file from before")
    }
}
