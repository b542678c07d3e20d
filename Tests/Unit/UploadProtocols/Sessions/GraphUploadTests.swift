import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

private let folder = "https://graph.microsoft.com/v1.0/me/drive/root:/in/{name}:/createUploadSession"
private let session = "https://sn3302.up.1drv.com/up/fe6987415ace7X4e1eF866337"

private func graph(
    url: String = folder, name: String = "a b.bin", size: ByteCount = 30_000_000, chunkSize: ByteCount? = nil,
    checksum: DigestAlgorithm? = nil, existing: ExistingFilePolicy? = nil
) -> GraphUpload {
    GraphUpload(
        item: .make(url: url, name: name, size: size),
        options: .init(chunkSize: chunkSize, checksum: checksum, existing: existing))
}

extension GraphUpload {
    /// Runs the upload up to its first bytes.
    fileprivate mutating func begun(at place: String = session) -> Step {
        _ = start(resource: nil, capabilities: nil)
        return receive(.made(place))
    }
}

extension ExchangeOutcome {
    fileprivate static func made(_ place: String) -> ExchangeOutcome {
        .answer(
            200,
            body:
                #"{"uploadUrl":"\#(place)","expirationDateTime":"2015-01-29T09:21:55.523Z","nextExpectedRanges":["0-"]}"#
        )
    }

    fileprivate static func expects(_ status: Int, _ ranges: String) -> ExchangeOutcome {
        .answer(
            status, body: #"{"expirationDateTime":"2015-01-29T09:21:55Z","nextExpectedRanges":[\#(ranges)]}"#)
    }
}

struct GraphCreationTests {
    @Test func `a session is made for the name, with the size`() throws {
        var graph = graph()
        let exchange = try #require(graph.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.method == .post)
        #expect(
            exchange.url
                == "https://graph.microsoft.com/v1.0/me/drive/root:/in/a%20b.bin:/createUploadSession")
        #expect(!exchange.traits.contains(.withoutCredentials))
        #expect(exchange.body == .bytes(Array(#"{"item":{"fileSize":30000000}}"#.utf8)))
    }

    @Test(arguments: [ExistingFilePolicy.replace, .rename, .fail])
    func `the policy for an existing file is left to the drive`(existing: ExistingFilePolicy) throws {
        var graph = graph(existing: existing)
        let body = try #require(graph.start(resource: nil, capabilities: nil).exchange?.body)
        let text =
            #"{"item":{"@microsoft.graph.conflictBehavior":"\#(existing.rawValue)","fileSize":30000000}}"#
        #expect(body == .bytes(Array(text.utf8)))
    }

    @Test func `P12 the session is on another host, is noted first, and gets no credentials`() throws {
        var graph = graph()
        let step = graph.begun()
        let noted = try #require(step.notedResource ?? nil)
        #expect(noted.url == session)
        #expect(noted.expires == Date(timeIntervalSince1970: 1_422_523_315.523))
        let exchange = try #require(step.exchange)
        #expect(exchange.url == session)
        #expect(exchange.traits.contains(.withoutCredentials))
        #expect(exchange.fields[.contentRange] == "bytes 0-10485759/30000000")
    }

    @Test(arguments: ["http://sn3302.up.1drv.com/up/1", "ftp://x/", "https://user@host/", "", "http://["])
    func `P12 a session without https gets nothing`(place: String) {
        var graph = graph()
        #expect(graph.begun(at: place).failure?.category == .permanent)
    }

    @Test(arguments: [
        "https://10.0.0.1/up/1", "https://169.254.169.254/", "https://localhost/up", "https://[::1]/up",
    ])
    func `a session in a private network gets nothing from outside`(place: String) {
        var graph = graph()
        let failure = graph.begun(at: place).failure
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains("private network") == true)
    }

    @Test func `a destination in a private network may hand out sessions there`() {
        var graph = graph(url: "https://10.0.0.9/drive/root:/{name}:/createUploadSession")
        #expect(graph.begun(at: "https://10.0.0.1/up/1").exchange?.url == "https://10.0.0.1/up/1")
    }

    @Test func `a session at the destination itself may be as the destination is`() {
        var graph = graph(url: "http://127.0.0.1:80/drive/root:/{name}:/createUploadSession")
        #expect(graph.begun(at: "http://127.0.0.1/up/1").exchange != nil)
    }

    @Test func `a name that is taken is reported in words`() {
        var graph = graph(existing: .fail)
        _ = graph.start(resource: nil, capabilities: nil)
        let step = graph.receive(.answer(409, body: #"{"error":{"code":"nameAlreadyExists","message":"x"}}"#))
        #expect(step.failure?.summary == "a b.bin is already at the server")
    }

    @Test func `a response without a session says so`() {
        var graph = graph()
        _ = graph.start(resource: nil, capabilities: nil)
        #expect(graph.receive(.answer(200, body: "{}")).failure?.hint?.contains("uploadUrl") == true)
    }

    @Test func `F10 an empty file goes whole, with credentials`() throws {
        var graph = graph(size: 0, existing: .replace)
        let exchange = try #require(graph.start(resource: nil, capabilities: nil).exchange)
        #expect(exchange.method == .put)
        #expect(
            exchange.url == "https://graph.microsoft.com/v1.0/me/drive/root:/in/a%20b.bin:/content"
                + "?%40microsoft.graph.conflictBehavior=replace")
        #expect(!exchange.traits.contains(.withoutCredentials))
        #expect(
            graph.receive(.answer(201, body: #"{"webUrl":"https://x/y"}"#)).receipt?.location == "https://x/y"
        )
    }

    @Test func `after a lost response an empty file has an unknown outcome if it may have been renamed`() {
        var graph = graph(size: 0, existing: .rename)
        let sent = graph.start(resource: nil, capabilities: nil).exchange?.markBeforeLastBytes
        #expect(sent != nil)
        var next = UploadProtocolsTests.graph(size: 0, existing: .rename)
        #expect(next.start(resource: sent, capabilities: nil).failure?.category == .outcomeUnknown)
    }
}

struct GraphSendingTests {
    private static let sizes: [(ByteCount?, ByteCount)] = [
        (nil, 10_485_760), (1, 327_680), (327_681, 327_680), (983_040, 983_040), (1 << 30, 62_586_880),
    ]

    @Test(arguments: sizes)
    func `ranges are multiples of 320 KiB below 60 MiB`(chunkSize: ByteCount?, expected: ByteCount) {
        var graph = graph(size: 1 << 31, chunkSize: chunkSize)
        #expect(graph.begun().exchange?.body == .file(range: 0..<expected))
        #expect(expected < 60 << 20)
    }

    @Test func `the next range begins where the server expects it`() {
        var graph = graph()
        _ = graph.begun()
        let step = graph.receive(.expects(202, #""10485760-""#))
        #expect(step.notedResource??.confirmed == 10_485_760)
        #expect(step.exchange?.body == .file(range: 10_485_760..<20_971_520))
    }

    @Test(arguments: [10_485_760, 30_000_000] as [ByteCount])
    func `a success before the last byte was sent is not taken for the end`(size: ByteCount) {
        var graph = graph()
        _ = graph.begun()
        let failure = graph.receive(.answer(200, body: #"{"size":\#(size)}"#)).failure
        #expect(failure?.category == .server)
    }

    @Test func `the first of several gaps counts`() {
        var graph = graph()
        _ = graph.begun()
        let step = graph.receive(.expects(202, #""10485760-10485761","20000000-""#))
        #expect(step.exchange?.body == .file(range: 10_485_760..<20_971_520))
    }

    @Test func `a session is asked by GET, without credentials`() throws {
        var graph = graph()
        let noted = UploadResource(url: session, confirmed: 10_485_760)
        let exchange = try #require(graph.start(resource: noted, capabilities: nil).exchange)
        #expect(exchange.method == .get)
        #expect(exchange.url == session)
        #expect(exchange.traits.contains(.withoutCredentials))
        #expect(
            graph.receive(.expects(200, #""20971520-""#)).exchange?.body
                == .file(range: 20_971_520..<30_000_000))
    }

    @Test func `a range that is held already has the session asked`() {
        var graph = graph()
        _ = graph.begun()
        #expect(graph.receive(.answer(416)).exchange?.method == .get)
    }

    @Test func `a response that names nothing has the session asked, and then fails`() {
        var graph = graph()
        _ = graph.begun()
        var step = graph.receive(.expects(202, ""))
        #expect(step.exchange?.method == .get)
        for _ in 0..<5 where step.failure == nil { step = graph.receive(.expects(200, "")) }
        #expect(step.failure?.category == .server)
    }

    @Test func `the response to the last range is the file`() {
        var graph = graph(size: 3, checksum: .sha256)
        let sending = graph.begun()
        #expect(sending.exchange?.digests == [DigestRequest(.sha256, of: 0..<3)])
        let sum = [UInt8](repeating: 0xAB, count: 32)
        let hash = String(repeating: "AB", count: 32)
        let body =
            #"{"id":"1","eTag":"t","webUrl":"https://x/y","file":{"hashes":{"sha256Hash":"\#(hash)"}}}"#
        let receipt = graph.receive(
            .responded(
                .init(status: 201, body: Array(body.utf8), digests: [.init(.sha256, of: 0..<3, bytes: sum)]))
        ).receipt
        #expect(receipt == Receipt(location: "https://x/y", entityTag: "t", bytes: 3, verified: .sha256))
    }

    @Test func `a digest that the drive reports by itself verifies the upload`() {
        var graph = graph(size: 3)
        let last = graph.begun().exchange
        #expect(last?.digests == [])
        #expect(last?.reportedIn == .graphItem)
        #expect(
            last?.digestsIfReported == [DigestRequest(.sha256, of: 0..<3), DigestRequest(.sha1, of: 0..<3)])
        let body = Array(#"{"file":{"hashes":{"sha1Hash":"ABAB"}}}"#.utf8)
        let response = ExchangeOutcome.Response(
            status: 200, body: body, digests: [.init(.sha1, of: 0..<3, bytes: [0xAB, 0xAB])])
        #expect(ServerDigest.algorithms(in: response, .graphItem) == [.sha1])
        #expect(graph.receive(.responded(response)).receipt?.verified == .sha1)
    }

    @Test func `another sum is a failure`() {
        var graph = graph(size: 3, checksum: .sha1)
        _ = graph.begun()
        let body = #"{"file":{"hashes":{"sha1Hash":"ABAB"}}}"#
        let answer = ExchangeOutcome.Response(
            status: 200, body: Array(body.utf8), digests: [.init(.sha1, of: 0..<3, bytes: [1])])
        #expect(graph.receive(.responded(answer)).notes == [.resource(nil)])
    }

    @Test func `a drive that reports another kind of sum confirms nothing`() {
        var graph = graph(size: 3, checksum: .sha256)
        _ = graph.begun()
        let body = #"{"file":{"hashes":{"quickXorHash":"AAAA"}}}"#
        let answer = ExchangeOutcome.Response(
            status: 200, body: Array(body.utf8), digests: [.init(.sha256, of: 0..<3, bytes: [1])])
        #expect(graph.receive(.responded(answer)).receipt.map { $0.verified == nil } == true)
    }

    @Test(arguments: [401, 404, 410])
    func `P8 an expired session is replaced once`(status: Int) {
        var graph = graph()
        _ = graph.start(resource: UploadResource(url: session, confirmed: 10_485_760), capabilities: nil)
        #expect(graph.receive(.answer(status)).exchange?.method == .post)
        _ = graph.receive(.made(session))
        #expect(graph.receive(.answer(status)).failure?.category == .permanent)
    }

    /// Runs an upload whose whole body may have been sent, and whose session is gone. Returns the request that looks
    /// for the file.
    private func recovering(_ existing: ExistingFilePolicy?) throws -> (
        graph: GraphUpload, exchange: Exchange
    ) {
        var graph = graph(existing: existing)
        _ = graph.start(resource: UploadResource(url: session).withWholeBodySent(true), capabilities: nil)
        let exchange = try #require(graph.receive(.answer(404)).exchange)
        return (graph, exchange)
    }

    @Test func `a session that is gone after all was sent has the file looked for`() throws {
        var (graph, look) = try recovering(nil)
        #expect(look.method == .get)
        #expect(look.url == "https://graph.microsoft.com/v1.0/me/drive/root:/in/a%20b.bin")
        #expect(!look.traits.contains(.withoutCredentials))
        let body = #"{"size":30000000,"webUrl":"https://x/y","file":{"hashes":{"sha1Hash":"ABAB"}}}"#
        #expect(graph.receive(.answer(200, body: body)).exchange?.digests.map(\.algorithm) == [.sha1])
        let ours = ComputedDigest(.sha1, of: 0..<30_000_000, bytes: [0xAB, 0xAB])
        let receipt = graph.receive(
            .responded(.init(status: 200, body: Array(body.utf8), digests: [ours]))
        ).receipt
        #expect(receipt?.verified == .sha1)
    }

    @Test(arguments: [(ExistingFilePolicy?.none, true), (.replace, true), (.fail, true), (.rename, false)])
    func `a file that is not there is sent again, unless it may be there by another name`(
        existing: ExistingFilePolicy?, again: Bool
    ) throws {
        var (graph, _) = try recovering(existing)
        let step = graph.receive(.answer(404))
        #expect((step.exchange?.method == .post) == again)
        #expect((step.failure?.category == .outcomeUnknown) == !again)
    }

    @Test(arguments: [(ExistingFilePolicy?.none, false), (.replace, true), (.fail, false), (.rename, false)])
    func `a file without a comparable sum is sent again only where that is harmless`(
        existing: ExistingFilePolicy?, again: Bool
    ) throws {
        var (graph, _) = try recovering(existing)
        let step = graph.receive(
            .answer(200, body: #"{"size":30000000,"file":{"hashes":{"quickXorHash":"A"}}}"#))
        #expect((step.exchange?.method == .post) == again)
        #expect((step.failure?.category == .outcomeUnknown) == !again)
    }

    @Test func `a refusal of the last range takes back that all was sent`() throws {
        var graph = graph(size: 3, existing: .fail)
        _ = graph.begun()
        let step = graph.receive(.answer(409, body: #"{"error":{"code":"nameAlreadyExists"}}"#))
        #expect(step.failure?.category == .permanent)
        #expect(step.notedResource??.wholeBodySent == false)
    }

    @Test(arguments: [(507, UploadFailure.Category.server), (429, .server), (403, .permanent)])
    func `other refusals are failures`(status: Int, category: UploadFailure.Category) {
        var graph = graph()
        _ = graph.begun()
        #expect(graph.receive(.answer(status)).failure?.category == category)
    }

    @Test func `removal deletes the session, without credentials`() {
        let exchanges = graph().removal(of: UploadResource(url: session))
        #expect(exchanges.map(\.method) == [.delete])
        #expect(exchanges.map { $0.traits.contains(.withoutCredentials) } == [true])
    }
}

struct GraphGivenSessionTests {
    @Test func `a given session is asked first, and its permission is not noted`() throws {
        var graph = graph(url: session + "?tempauth=secret")
        let step = graph.start(resource: nil, capabilities: nil)
        #expect(step.exchange?.method == .get)
        #expect(step.exchange?.url == session + "?tempauth=secret")
        #expect(step.exchange?.traits.contains(.withoutCredentials) == true)
        #expect(step.notedResource??.url == session)
    }

    @Test func `a given session that is over needs a person`() {
        var graph = graph(url: session)
        _ = graph.start(resource: nil, capabilities: nil)
        #expect(graph.receive(.answer(404)).failure?.hint?.contains("new session") == true)
    }

    @Test func `a given session takes no empty file`() {
        var graph = graph(url: session, size: 0)
        #expect(graph.start(resource: nil, capabilities: nil).failure?.category == .permanent)
    }
}

struct GraphCheckTests {
    @Test(arguments: [
        (folder, "https://graph.microsoft.com/v1.0/me/drive/root"),
        (
            "https://graph.microsoft.com/v1.0/drives/b!1/items/2:/{name}:/createUploadSession",
            "https://graph.microsoft.com/v1.0/drives/b!1/root"
        ),
    ])
    func `the drive is asked`(url: String, asked: String) {
        guard case .send(let exchange) = GraphCheck(url: url).start() else {
            Issue.record("nothing is asked")
            return
        }
        #expect(exchange.method == .get)
        #expect(exchange.url == asked)
    }

    @Test(arguments: [session, "https://graph.microsoft.com/v1.0/x/createUploadSession"])
    func `a check that cannot ask says that it asked nothing`(url: String) {
        guard case .finished(let report) = GraphCheck(url: url).start() else {
            Issue.record("something is asked")
            return
        }
        #expect(report.findings.first?.contains("nothing was asked") == true)
    }
}
