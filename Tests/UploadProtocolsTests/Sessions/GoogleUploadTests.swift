import Foundation
import HTTPTypes
import Testing

@testable import UploadProtocols

private let bucket = "https://storage.googleapis.com/upload/storage/v1/b/bkt/o?uploadType=resumable"
private let drive = "https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable"
private let session = bucket + "&upload_id=u1"

private func google(
    url: String = bucket, name: String = "a b.bin", size: ByteCount = 1_000_000, chunkSize: ByteCount? = nil,
    checksum: DigestAlgorithm? = nil, existing: ExistingFilePolicy? = nil,
    parameters: [UploadItem.Parameter] = []
) -> GoogleUpload {
    GoogleUpload(
        item: .make(url: url, name: name, size: size, parameters: parameters),
        options: .init(chunkSize: chunkSize, checksum: checksum, existing: existing))
}

extension GoogleUpload {
    /// As far as the first bytes.
    fileprivate mutating func begun(at location: String = session) -> Step {
        _ = start(resource: nil, capabilities: nil)
        return receive(.answer(200, [.location: location]))
    }
}

/// The JSON of a request's body.
private func members(_ exchange: Exchange) throws -> [String: Any] {
    guard case .bytes(let bytes) = exchange.body else { return [:] }
    return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
}

struct GoogleCreationTests {
    @Test func `a session is made with the name, the type and the size`() throws {
        var google = google(parameters: [.init(name: "album", value: "May")])
        let exchange = try #require(google.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.method == .post)
        #expect(exchange.url == bucket)
        #expect(exchange.carriesCredentials)
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

    @Test func `what makes the upload resumable is added if it is missing`() throws {
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
        #expect(step.exchange?.mayComplete == true)
    }

    @Test func `a session of Cloud Storage gets no credentials, one of Drive does`() {
        var storage = google()
        #expect(storage.begun().exchange?.carriesCredentials == false)
        var other = google(url: drive)
        #expect(other.begun(at: drive + "&upload_id=u").exchange?.carriesCredentials == true)
    }

    @Test(arguments: ["https://other.example/x?upload_id=1", "http://storage.googleapis.com/x", "http://["])
    func `a session elsewhere gets nothing`(location: String) {
        var google = google()
        #expect(google.begun(at: location).failure?.category == .permanent)
    }

    @Test func `an answer without a session says so`() {
        var google = google()
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(200)).failure?.summary.contains("Location") == true)
    }

    @Test(arguments: [
        (400, UploadFailure.Category.permanent), (401, .authentication), (429, .server), (503, .server),
    ])
    func `a refused creation is a failure`(status: Int, category: UploadFailure.Category) {
        var google = google()
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(status)).failure?.category == category)
    }

    @Test func `an empty file is complete by the question`() throws {
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
        #expect(step.exchange?.mayComplete == true)
    }

    @Test func `only the last range is never sent again unasked`() {
        var google = google(chunkSize: 786_432)
        #expect(google.begun().exchange?.isIdempotent == true)
        let last = google.receive(.answer(308, [.range: "bytes=0-786431"])).exchange
        #expect(last?.isIdempotent == false)
    }

    @Test func `a session is asked what it holds, and a broken request is no answer`() throws {
        var google = google()
        let noted = Resource(url: session, confirmed: 262_144)
        let exchange = try #require(google.start(resource: noted, capabilities: nil).exchange)
        #expect(exchange.method == .put)
        #expect(exchange.fields[.contentRange] == "bytes */1000000")
        #expect(exchange.body == .none)
        #expect(google.receive(.broke(afterSending: 0)).failure?.category == .network)
    }

    @Test(arguments: [nil, "bytes=0-0"])
    func `a session that holds nothing is sent everything`(range: String?) {
        var google = google()
        _ = google.start(resource: Resource(url: session), capabilities: nil)
        var fields = HTTPFields()
        fields[.range] = range
        #expect(google.receive(.answer(308, fields)).exchange?.body == .file(range: 0..<1_000_000))
    }

    @Test func `bytes that the server lost are told and sent again`() {
        var google = google()
        _ = google.start(resource: Resource(url: session, confirmed: 524_288), capabilities: nil)
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
        _ = google.start(resource: Resource(url: session), capabilities: nil)
        #expect(google.receive(.answer(308, [.range: "bytes=0-1000000"])).exchange?.method == .post)
    }

    @Test(arguments: [404, 410])
    func `a session that is gone is replaced once`(status: Int) {
        var google = google()
        _ = google.start(resource: Resource(url: session, confirmed: 262_144), capabilities: nil)
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
        let exchanges = google().removal(of: Resource(url: session))
        #expect(exchanges.map(\.method) == [.delete])
        #expect(exchanges.map(\.url) == [session])
        #expect(exchanges.map(\.carriesCredentials) == [false])
    }
}

struct GoogleEndTests {
    private static let object =
        #"{"size":"1000000","md5Hash":"AAAAAAAAAAAAAAAAAAAAAA==","crc32c":"AAAAAQ==","etag":"e","#
        + #""selfLink":"https://www.googleapis.com/storage/v1/b/bkt/o/a"}"#

    private func answer(_ digest: ComputedDigest?) -> Reply {
        .answered(.init(status: 200, body: Array(Self.object.utf8), digests: [digest].compactMap { $0 }))
    }

    @Test func `the object is what remains, and never the session`() {
        var google = google()
        _ = google.begun()
        let receipt = google.receive(answer(nil)).receipt
        #expect(receipt?.location == "https://www.googleapis.com/storage/v1/b/bkt/o/a")
        #expect(receipt?.entityTag == "e")
        #expect(receipt?.verified == nil)
    }

    @Test(arguments: [(DigestAlgorithm.md5, "md5="), (.crc32c, "crc32c=")])
    func `the sum goes with the last request, in base64`(algorithm: DigestAlgorithm, prefix: String) {
        var google = google(chunkSize: 786_432, checksum: algorithm)
        #expect(google.begun().exchange?.digests.isEmpty == true)
        let last = google.receive(.answer(308, [.range: "bytes=0-786431"])).exchange
        let place = DigestOrder.Place(.xGoogHash, .base64, prefix: prefix)
        #expect(last?.digests == [DigestOrder(algorithm, of: 0..<1_000_000, in: place)])
    }

    @Test func `the same sum is a verified upload`() {
        var google = google(checksum: .crc32c)
        _ = google.begun()
        let ours = ComputedDigest(.crc32c, of: 0..<1_000_000, bytes: [0, 0, 0, 1])
        #expect(google.receive(answer(ours)).receipt?.verified == .crc32c)
    }

    @Test func `another sum is a failure, and the next attempt begins anew`() {
        var google = google(checksum: .md5)
        _ = google.begun()
        let step = google.receive(
            answer(ComputedDigest(.md5, of: 0..<1_000_000, bytes: [UInt8](repeating: 1, count: 16))))
        #expect(step.failure?.category == .permanent)
        #expect(step.notes == [.resource(nil)])
    }

    @Test func `another size is a failure`() {
        var google = google()
        _ = google.begun()
        #expect(google.receive(.answer(200, body: #"{"size":"7"}"#)).failure?.category == .permanent)
    }

    @Test func `Drive is asked for its sum, which is hexadecimal`() throws {
        var google = google(url: drive, size: 3, checksum: .md5)
        let exchange = try #require(google.start(resource: nil, capabilities: nil).exchange)
        #expect(AddressQuery.value("fields", in: exchange.url)?.contains("md5Checksum") == true)
        let sending = google.receive(.answer(200, [.location: drive + "&upload_id=u"]))
        #expect(sending.exchange?.digests == [DigestOrder(.md5, of: 0..<3)])
        let sum = [UInt8](repeating: 0xAB, count: 16)
        let body = #"{"id":"f 1","md5Checksum":"\#(String(repeating: "ab", count: 16))"}"#
        let receipt = google.receive(
            .answered(
                .init(status: 200, body: Array(body.utf8), digests: [.init(.md5, of: 0..<3, bytes: sum)]))
        ).receipt
        #expect(receipt?.verified == .md5)
        #expect(receipt?.location == "https://drive.google.com/file/d/f%201/view")
    }

    @Test func `a question after the last bytes went out computes the sum`() {
        var google = google(checksum: .md5)
        let sent = Resource(url: session).withWholeBodySent(true)
        #expect(google.start(resource: sent, capabilities: nil).exchange?.digests.count == 1)
    }

    @Test func `a session that is gone after all was sent has the object looked for`() throws {
        var google = google()
        _ = google.start(resource: Resource(url: session).withWholeBodySent(true), capabilities: nil)
        let look = try #require(google.receive(.answer(404)).exchange)
        #expect(look.method == .get)
        #expect(look.url == "https://storage.googleapis.com/storage/v1/b/bkt/o/a%20b.bin")
        #expect(look.carriesCredentials)
        let compare = google.receive(.answer(200, body: Self.object))
        #expect(compare.exchange?.digests.map(\.algorithm) == [.md5])
        let ours = ComputedDigest(.md5, of: 0..<1_000_000, bytes: [UInt8](repeating: 0, count: 16))
        let receipt = google.receive(answer(ours)).receipt
        #expect(receipt?.verified == .md5)
        #expect(receipt?.wasThere == false)
    }

    @Test(arguments: [(ExistingFilePolicy?.none, true), (.fail, false)])
    func `another object there is replaced, unless that is not wanted`(
        existing: ExistingFilePolicy?, again: Bool
    ) {
        var google = google(existing: existing)
        _ = google.start(resource: Resource(url: session).withWholeBodySent(true), capabilities: nil)
        _ = google.receive(.answer(410))
        let step = google.receive(.answer(200, body: #"{"size":"7"}"#))
        #expect((step.exchange?.method == .post) == again)
        #expect((step.failure?.category == .outcomeUnknown) == !again)
    }

    @Test func `Drive cannot be asked, so a person decides`() {
        var google = google(url: drive)
        _ = google.start(
            resource: Resource(url: drive + "&upload_id=u").withWholeBodySent(true), capabilities: nil)
        #expect(google.receive(.answer(404)).failure?.category == .outcomeUnknown)
    }
}

struct GoogleExistingTests {
    @Test func `fail looks first, and has the server refuse what comes meanwhile`() throws {
        var google = google(existing: .fail)
        #expect(google.start(resource: nil, capabilities: nil).exchange?.method == .get)
        let exchange = try #require(google.receive(.answer(404)).exchange)
        #expect(AddressQuery.value("ifGenerationMatch", in: exchange.url) == "0")
        _ = google.receive(.answer(200, [.location: session]))
        #expect(google.receive(.answer(412)).failure?.summary.contains("already") == true)
    }

    @Test func `fail sends nothing if there is one`() {
        var google = google(existing: .fail)
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(200, body: #"{"size":"1000000"}"#)).failure?.status == 412)
    }

    @Test func `who may only create relies on the precondition`() {
        var google = google(existing: .fail)
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(403)).exchange?.method == .post)
    }

    @Test func `rename looks for a name that is free`() throws {
        var google = google(existing: .rename)
        _ = google.start(resource: nil, capabilities: nil)
        let look = try #require(google.receive(.answer(200, body: "{}")).exchange)
        #expect(look.url.hasSuffix("/a%20b%20%282%29.bin"))
        let exchange = try #require(google.receive(.answer(404)).exchange)
        #expect(try members(exchange)["name"] as? String == "a b (2).bin")
    }

    @Test func `skip sends nothing if the same is there`() {
        var google = google(existing: .skip)
        _ = google.start(resource: nil, capabilities: nil)
        let body = #"{"size":"1000000","crc32c":"AAAAAQ=="}"#
        #expect(google.receive(.answer(200, body: body)).exchange?.digests.map(\.algorithm) == [.crc32c])
        let ours = ComputedDigest(.crc32c, of: 0..<1_000_000, bytes: [0, 0, 0, 1])
        let receipt = google.receive(.answered(.init(status: 200, body: Array(body.utf8), digests: [ours])))
            .receipt
        #expect(receipt?.wasThere == true)
        #expect(receipt?.verified == .crc32c)
    }

    @Test func `skip replaces what differs`() {
        var google = google(existing: .skip)
        _ = google.start(resource: nil, capabilities: nil)
        #expect(google.receive(.answer(200, body: #"{"size":"7"}"#)).exchange?.method == .post)
    }

    @Test(arguments: [ExistingFilePolicy.skip, .rename, .fail, .replace])
    func `Drive keeps files of one name side by side`(existing: ExistingFilePolicy) {
        var google = google(url: drive, existing: existing)
        #expect(google.start(resource: nil, capabilities: nil).failure?.hint?.contains("ifExists") == true)
    }
}

struct GoogleGivenSessionTests {
    @Test func `a given session is asked first, without credentials, and its permission is not noted`() throws
    {
        var google = google(url: session)
        let step = google.start(resource: nil, capabilities: nil)
        let exchange = try #require(step.exchange)
        #expect(exchange.url == session)
        #expect(exchange.fields[.contentRange] == "bytes */1000000")
        #expect(!exchange.carriesCredentials)
        let noted = try #require(step.notedResource ?? nil)
        #expect(!noted.url.contains("u1"))
        let next = google.receive(.answer(308, [.range: "bytes=0-262143"]))
        #expect(next.exchange?.url == session)
        #expect(next.exchange?.body == .file(range: 262_144..<1_000_000))
    }

    @Test func `a given session of Drive gets no credentials either`() {
        var google = google(url: drive + "&upload_id=u")
        #expect(google.start(resource: nil, capabilities: nil).exchange?.carriesCredentials == false)
    }

    @Test func `a given session that is over needs a person`() {
        var google = google(url: session)
        _ = google.start(resource: nil, capabilities: nil)
        let step = google.receive(.answer(410))
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.hint?.contains("new session") == true)
    }
}

struct GoogleCheckTests {
    @Test func `the bucket is asked`() throws {
        var check: any DestinationCheck = GoogleCheck(url: bucket)
        guard case .send(let exchange) = check.start() else { throw Missing() }
        #expect(exchange.method == .get)
        #expect(exchange.url == "https://storage.googleapis.com/storage/v1/b/bkt")
        guard case .finished(let report) = check.receive(.answer(200, body: "{}")) else { throw Missing() }
        #expect(report.findings.count == 1)
    }

    @Test(arguments: [drive, session])
    func `what cannot be asked without harm is not`(url: String) throws {
        guard case .finished(let report) = GoogleCheck(url: url).start() else { throw Missing() }
        #expect(report.findings.first?.contains("not") == true)
    }

    private struct Missing: Error {}
}
