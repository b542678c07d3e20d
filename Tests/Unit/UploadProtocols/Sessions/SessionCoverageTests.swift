import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Uploads whole files to models of services. A service may keep a part of a request, break the connection, lose its
/// response and forget the session. In the end each byte of the file must be at its offset.
struct SessionCoverageTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `Google gets the file, whatever it keeps of a request`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = ByteCount.random(in: 0...3_000_000, using: &random)
        let chunkSize = Bool.random(using: &random) ? nil : ByteCount.random(in: 1...900_000, using: &random)
        let item = UploadItem.make(
            url: "https://storage.googleapis.com/upload/storage/v1/b/b/o?uploadType=resumable", size: size)
        var server = AppendServer(size: size, kind: .google, random: random)
        try run(&server) { GoogleUpload(item: item, options: .init(chunkSize: chunkSize)) }
        #expect(server.finished == size)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `Graph gets the file, whatever breaks`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = ByteCount.random(in: 1...3_000_000, using: &random)
        let chunkSize = Bool.random(using: &random) ? nil : ByteCount.random(in: 1...900_000, using: &random)
        let item = UploadItem.make(
            url: "https://graph.example/drive/root:/{name}:/createUploadSession", size: size)
        var server = AppendServer(size: size, kind: .graph, random: random)
        try run(&server) { GraphUpload(item: item, options: .init(chunkSize: chunkSize, existing: .replace)) }
        #expect(server.finished == size)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `Azure gets every block once the blob is made, whatever breaks`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = ByteCount.random(in: 1...2000, using: &random)
        let item = UploadItem.make(url: "https://acct.example/c/?sig=s", size: size)
        let options = ProtocolOptions(
            chunkSize: ByteCount.random(in: 20...300, using: &random),
            parallelRequests: Int.random(in: 1...6, using: &random))
        var server = BlockServer(random: random)
        try run(&server) { AzureUpload(item: item, options: options) }
        #expect(server.blob.reduce(0) { $0 + $1.upperBound - $1.lowerBound } == size)
        #expect(zip(server.blob, server.blob.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(server.blob.first?.lowerBound == 0)
    }

    /// Runs one attempt after another, as the queue does. The last recorded resource goes to the next attempt.
    private func run<Kind: UploadProtocol>(_ server: inout some Server, _ make: () -> Kind) throws {
        var resource: UploadResource?
        for _ in 0..<400 {
            var upload = make()
            var step = upload.start(resource: resource, capabilities: nil)
            var underWay: [Exchange] = []
            attempt: while true {
                for case .resource(let noted) in step.notes { resource = noted }
                switch step {
                case .done(let receipt, _):
                    #expect(receipt.bytes == server.size || server.size == nil)
                    return
                case .failed(let failure, _):
                    // A session that is lost twice within an hour holds the upload for a decision of the user, who
                    // retries here.
                    let isForgotten = failure.summary.hasSuffix("for the second time within an hour")
                    try #require(failure.isTransient || isForgotten, "\(failure.summary)")
                    break attempt
                case .send(let exchange, _): underWay.append(exchange)
                case .sendAll(let exchanges, _): underWay += exchanges
                case .wait: break
                }
                let exchange = underWay.remove(at: server.pick(underWay.count))
                if let mark = exchange.markBeforeLastBytes { resource = mark }
                step = upload.receive(server.answer(exchange), to: exchange)
            }
        }
        Issue.record("the upload does not end")
    }
}

private protocol Server {
    var size: ByteCount? { get }
    mutating func pick(_ count: Int) -> Int
    mutating func answer(_ exchange: Exchange) -> ExchangeOutcome
}

/// A session to which ranges are appended in order.
private struct AppendServer: Server {
    enum Kind {
        case google
        case graph
    }

    var size: ByteCount?
    let kind: Kind
    var random: SeededGenerator
    /// The number of bytes in the session; nil if there is no session.
    var held: ByteCount?
    /// The size of the finished file; nil until it is finished.
    var finished: ByteCount?
    /// True once the server has forgotten a session. It does so once, because a second loss in an attempt is a failure.
    private var hasForgotten = false

    init(size: ByteCount, kind: Kind, random: SeededGenerator) {
        (self.size, self.kind, self.random) = (size, kind, random)
    }

    private var total: ByteCount { size ?? 0 }

    mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func answer(_ exchange: Exchange) -> ExchangeOutcome {
        if random.happens(5) { return .answer(503) }
        if !hasForgotten, random.happens(10) {
            hasForgotten = true
            held = nil
        }
        switch (exchange.method, exchange.body) {
        case (.post, _): return create()
        case (_, .file(let range, _, _)): return take(range)
        case (.get, _) where !exchange.url.contains("/session/"): return lookUp()
        default: return status()
        }
    }

    private mutating func create() -> ExchangeOutcome {
        held = 0
        guard kind == .google else {
            return .answer(
                200, body: #"{"uploadUrl":"https://other.example/session/1","nextExpectedRanges":["0-"]}"#)
        }
        return .answer(200, [.location: "https://storage.googleapis.com/session/1"])
    }

    private mutating func take(_ range: Range<ByteCount>) -> ExchangeOutcome {
        guard let held else { return .answer(404) }
        guard range.lowerBound == held else { return .answer(kind == .google ? 400 : 416) }
        let isBroken = random.happens(30)
        var end = range.upperBound
        if kind == .google, isBroken || random.happens(20) {
            end = ByteCount.random(in: range.lowerBound...range.upperBound, using: &random)
            end -= end == total ? 0 : end % GoogleSession.quantum
            end = max(held, end)
        }
        if kind == .graph, isBroken, random.happens(50) { end = range.lowerBound }
        self.held = end
        if end == total { finish() }
        if isBroken { return .broke(afterSending: end - range.lowerBound) }
        return end == total ? done : status()
    }

    private mutating func finish() {
        finished = total
        held = nil
        hasForgotten = true
    }

    private mutating func status() -> ExchangeOutcome {
        if kind == .google, held == total { finish() }
        guard let held else { return finished == nil || random.happens(50) ? .answer(404) : done }
        guard kind == .google else { return .answer(200, body: #"{"nextExpectedRanges":["\#(held)-"]}"#) }
        return held == 0 ? .answer(308) : .answer(308, [.range: "bytes=0-\(held - 1)"])
    }

    private func lookUp() -> ExchangeOutcome { finished == nil ? .answer(404) : done }

    private var done: ExchangeOutcome {
        .answer(200, body: #"{"size":\#(kind == .google ? "\"\(total)\"" : "\(total)")}"#)
    }
}

/// A blob and its blocks, as Azure has them.
private struct BlockServer: Server {
    let size: ByteCount? = nil
    var random: SeededGenerator
    var blocks: [String: Range<ByteCount>] = [:]
    /// The ranges of the file that the blob consists of.
    var blob: [Range<ByteCount>] = []
    private var names: [String] = []
    private var hasForgotten = false

    init(random: SeededGenerator) { self.random = random }

    mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func answer(_ exchange: Exchange) -> ExchangeOutcome {
        if random.happens(3) { return .answer(503) }
        if !hasForgotten, random.happens(2) {
            hasForgotten = true
            blocks = [:]
        }
        let isBroken = random.happens(10)
        if isBroken, random.happens(50) { return .broke(afterSending: 0) }
        let reply = carryOut(exchange)
        return isBroken ? .broke(afterSending: exchange.contentLength) : reply
    }

    private mutating func carryOut(_ exchange: Exchange) -> ExchangeOutcome {
        switch (AddressQuery.value("comp", in: exchange.url), exchange.body) {
        case ("block", .file(let range, _, _)):
            blocks[AddressQuery.value("blockid", in: exchange.url) ?? ""] = range
            return .answer(201)
        case ("blocklist", .bytes(let body)): return commit(body)
        case ("blocklist", _): return list(AddressQuery.value("blocklisttype", in: exchange.url) ?? "")
        case (_, .file(let range, _, _)):
            blob = [range]
            return .answer(201)
        default: return .answer(400)
        }
    }

    private mutating func commit(_ body: [UInt8]) -> ExchangeOutcome {
        let ids = XMLDocument.parse(body)?.children(named: "Latest").map(\.text) ?? []
        if ids == names, !ids.isEmpty { return .answer(201) }
        guard ids.allSatisfy({ blocks[$0] != nil }) else {
            return .answer(400, body: "<Error><Code>InvalidBlockList</Code></Error>")
        }
        (names, blob) = (ids, ids.compactMap { blocks[$0] })
        blocks = [:]
        return .answer(201)
    }

    private func list(_ kind: String) -> ExchangeOutcome {
        let shown =
            kind == "committed"
            ? names.enumerated().map { ($1, blob[$0]) } : blocks.map { ($0.key, $0.value) }
        if names.isEmpty, blocks.isEmpty { return .answer(404) }
        let entries = shown.map {
            "<Block><Name>\($0.0)</Name><Size>\($0.1.upperBound - $0.1.lowerBound)</Size></Block>"
        }
        let tag = kind == "committed" ? "CommittedBlocks" : "UncommittedBlocks"
        return .answer(200, body: "<BlockList><\(tag)>\(entries.joined())</\(tag)></BlockList>")
    }
}
