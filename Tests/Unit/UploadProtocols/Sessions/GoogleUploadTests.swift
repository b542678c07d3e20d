import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

private let bucket = GoogleExample.bucket
private let drive = GoogleExample.drive
private let session = GoogleExample.session

struct GoogleCreationTests {
    @Test func `a session is made with the name, the type and the size`() throws {
        var google = google(parameters: [.init(name: "album", value: "May")])
        let exchange = try #require(google.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.method == .post)
        #expect(exchange.url == bucket)
        #expect(!exchange.traits.contains(.withoutCredentials))
        #expect(exchange.fields[.xUploadContentType] == "application/octet-stream")
        #expect(exchange.fields[.xUploadContentLength] == "1000000")
        let members = try members(exchange)
        #expect(members["name"] as? String == "a b.bin")
        #expect(members["contentType"] as? String == "application/octet-stream")
        #expect(members["metadata"] as? [String: String] == ["album": "May"])
    }

    @Test func `the address may say where the name goes`() throws {
        var google = google(url: bucket + "&name=in/{name}")
        let exchange = try #require(google.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.url == bucket + "&name=in/a%20b.bin")
        #expect(try members(exchange)["name"] == nil)
    }

    @Test func `the parameter that makes the upload resumable is added if it is missing`() throws {
        var google = google(url: "https://storage.googleapis.com/upload/storage/v1/b/bkt/o")
        #expect(google.start(resource: nil, capabilities: nil).exchange?.url == bucket)
    }

    @Test func `Drive gets its own members, and parents are a list`() throws {
        var google = google(
            url: drive,
            parameters: [.init(name: "parents", value: "f1"), .init(name: "description", value: "x")])
        let members = try members(try #require(google.start(resource: nil, capabilities: nil).exchange))
        #expect(members["name"] as? String == "a b.bin")
        #expect(members["mimeType"] as? String == "application/octet-stream")
        #expect(members["parents"] as? [String] == ["f1"])
        #expect(members["description"] as? String == "x")
    }

    @Test func `the session is noted before its bytes go there, with the time it has`() throws {
        var google = google()
        _ = google.start(resource: nil, capabilities: nil)
        let step = google.receive(
            .answer(200, [.location: session, .date: "Sun, 22 Nov 2026 01:00:00 GMT"]))
        let noted = try #require(step.notedResource ?? nil)
        #expect(noted.url == session)
        #expect(noted.expires == Date(timeIntervalSince1970: 1_795_914_000))
        #expect(step.exchange?.url == session)
        #expect(step.exchange?.body == .file(range: 0..<1_000_000))
        #expect(step.exchange?.fields[.contentRange] == "bytes 0-999999/1000000")
        #expect(step.exchange?.traits.contains(.completes) == true)
    }

    @Test func `a session of Cloud Storage gets no credentials, one of Drive does`() {
        var storage = google()
        #expect(storage.begun().exchange?.traits.contains(.withoutCredentials) == true)
        var other = google(url: drive)
        #expect(
            other.begun(at: drive + "&upload_id=u").exchange?.traits.contains(.withoutCredentials) == false)
    }

    @Test(arguments: ["https://other.example/x?upload_id=1", "http://storage.googleapis.com/x", "http://["])
    func `P12 a session elsewhere gets nothing`(location: String) {
        var google = google()
        #expect(google.begun(at: location).failure?.category == .permanent)
    }

    @Test func `a response without a session says so`() {
        var google = google()
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(200)).failure?.hint?.contains("Location") == true)
    }

    @Test(arguments: [
        (400, UploadFailure.Category.permanent), (401, .authentication), (429, .server), (503, .server),
    ])
    func `a refused creation is a failure`(status: Int, category: UploadFailure.Category) {
        var google = google()
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(status)).failure?.category == category)
    }

    @Test func `F10 an empty file is complete by the question`() throws {
        var google = google(size: 0)
        let exchange = try #require(google.begun().exchange)
        #expect(exchange.fields[.contentRange] == "bytes */0")
        #expect(exchange.body == .none)
        #expect(google.receive(.answer(200, body: #"{"size":"0"}"#)).receipt?.bytes == 0)
    }
}

struct GoogleSendingTests {
    @Test(arguments: [(1, 262_144), (262_143, 262_144), (262_144, 262_144), (600_000, 524_288)])
    func `requests but the last are multiples of 256 KiB`(chunkSize: ByteCount, expected: ByteCount) {
        var google = google(chunkSize: chunkSize)
        #expect(google.begun().exchange?.body == .file(range: 0..<expected))
    }

    @Test func `the server's range is where the next request begins, even if more was sent`() {
        var google = google(chunkSize: 524_288)
        _ = google.begun()
        let step = google.receive(.answer(308, [.range: "bytes=0-262143"]))
        #expect(step.notedResource??.confirmed == 262_144)
        #expect(step.exchange?.fields[.contentRange] == "bytes 262144-786431/1000000")
    }

    @Test func `the last request may be shorter`() {
        var google = google(chunkSize: 786_432)
        _ = google.begun()
        let step = google.receive(.answer(308, [.range: "bytes=0-786431"]))
        #expect(step.exchange?.fields[.contentRange] == "bytes 786432-999999/1000000")
        #expect(step.exchange?.traits.contains(.completes) == true)
    }

    @Test func `a success before the last byte was sent is not taken for the end`() {
        var google = google(chunkSize: 262_144)
        _ = google.begun()
        let failure = google.receive(.answer(200, body: "ok")).failure
        #expect(failure?.category == .server)
        #expect(failure?.summary.contains("ended the upload at") == true)
    }

    @Test(arguments: [false, true])
    func `a session that is whole before its last bytes were sent is not taken for the end`(isSent: Bool) {
        var google = google(chunkSize: 262_144)
        let noted = UploadResource(url: session, confirmed: 262_144).withWholeBodySent(isSent)
        _ = google.start(resource: noted, capabilities: nil)
        let step = google.receive(.answer(200, body: "{}"))
        #expect((step.receipt != nil) == isSent)
        #expect((step.failure?.category == .server) == !isSent)
    }

    @Test func `a server may hold the whole file first, and call it complete when asked again`() {
        var google = google()
        _ = google.begun()
        let ask = google.receive(.answer(308, [.range: "bytes=0-999999"])).exchange
        #expect(ask?.fields[.contentRange] == "bytes */1000000")
        #expect(google.receive(.answer(200, body: "{}")).receipt != nil)
    }

    @Test func `only the last range is never sent again unasked`() {
        var google = google(chunkSize: 786_432)
        #expect(google.begun().exchange?.traits.contains(.idempotent) == true)
        let last = google.receive(.answer(308, [.range: "bytes=0-786431"])).exchange
        #expect(last?.traits.contains(.idempotent) == false)
    }

    @Test func `a session is asked what it holds, and a broken request says nothing`() throws {
        var google = google()
        let noted = UploadResource(url: session, confirmed: 262_144)
        let exchange = try #require(google.start(resource: noted, capabilities: nil).exchange)
        #expect(exchange.method == .put)
        #expect(exchange.fields[.contentRange] == "bytes */1000000")
        #expect(exchange.body == .none)
        #expect(google.receive(.broke(afterSending: 0)).failure?.category == .network)
    }

    @Test(arguments: [nil, "bytes=0-0"])
    func `a session that holds nothing is sent everything`(range: String?) {
        var google = google()
        _ = google.start(resource: UploadResource(url: session), capabilities: nil)
        var fields = HTTPFields()
        fields[.range] = range
        #expect(google.receive(.answer(308, fields)).exchange?.body == .file(range: 0..<1_000_000))
    }

    @Test func `P9 bytes that the server lost are reported and sent again`() {
        var google = google()
        _ = google.start(resource: UploadResource(url: session, confirmed: 524_288), capabilities: nil)
        let step = google.receive(.answer(308, [.range: "bytes=0-262143"]))
        #expect(step.notes.first == .serverLost(262_144))
        #expect(step.exchange?.body == .file(range: 262_144..<1_000_000))
    }

    @Test func `a server that takes and never keeps is a failure in the end`() {
        var google = google()
        var step = google.begun()
        for _ in 0..<5 where step.failure == nil { step = google.receive(.answer(308)) }
        #expect(step.failure?.category == .server)
    }

    @Test func `a server that holds all and does not end is asked, and then a failure`() {
        var google = google()
        var step = google.begun()
        step = google.receive(.answer(308, [.range: "bytes=0-999999"]))
        #expect(step.exchange?.fields[.contentRange] == "bytes */1000000")
        for _ in 0..<5 where step.failure == nil {
            step = google.receive(.answer(308, [.range: "bytes=0-999999"]))
        }
        #expect(step.failure?.category == .server)
    }

    @Test func `a range that is not where the server is has it asked again`() {
        var google = google()
        _ = google.begun()
        #expect(google.receive(.answer(400)).exchange?.fields[.contentRange] == "bytes */1000000")
    }

    @Test func `a range that cannot be is asked again, and then a failure`() {
        var google = google()
        var step = google.begun()
        for _ in 0..<5 where step.failure == nil {
            step = google.receive(.answer(308, [.range: "bytes=5-9"]))
        }
        #expect(step.failure?.summary.contains("bytes=5-9") == true)
    }

    @Test func `more than the file has is another file's, and the upload begins anew`() {
        var google = google()
        _ = google.start(resource: UploadResource(url: session), capabilities: nil)
        #expect(google.receive(.answer(308, [.range: "bytes=0-1000000"])).exchange?.method == .post)
    }

    @Test(arguments: [404, 410])
    func `P8 a session that is gone is replaced once`(status: Int) {
        var google = google()
        _ = google.start(resource: UploadResource(url: session, confirmed: 262_144), capabilities: nil)
        let step = google.receive(.answer(status))
        #expect(step.exchange?.method == .post)
        #expect(step.notes == [.serverLost(262_144)])
        _ = google.receive(.answer(200, [.location: session]))
        #expect(google.receive(.answer(status)).failure?.category == .permanent)
    }

    @Test(arguments: [500, 502, 503, 429])
    func `a server that cannot now is asked by the next attempt`(status: Int) {
        var google = google()
        _ = google.begun()
        let step = google.receive(.answer(status))
        #expect(step.failure?.category == .server)
        #expect(step.notes.isEmpty)
    }

    @Test func `removal deletes the session, without credentials`() {
        let exchanges = google().removal(of: UploadResource(url: session))
        #expect(exchanges.map(\.method) == [.delete])
        #expect(exchanges.map(\.url) == [session])
        #expect(exchanges.map { $0.traits.contains(.withoutCredentials) } == [true])
    }
}
