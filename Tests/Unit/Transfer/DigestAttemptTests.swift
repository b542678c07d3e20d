import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests the digests that a protocol requests with an exchange.
struct DigestAttemptTests {
    private static let field = HTTPField.Name.named("X-Sum")
    private static let ok = Result<TransportResponse, TransportError>.success(TransportResponse(status: 200))

    private static func exchange(_ orders: [DigestRequest]) -> Exchange {
        var exchange = Exchange(
            .put, "http://server.example/f", body: .file(range: 0..<10))
        exchange.digests = orders
        return exchange
    }

    private static func one(
        _ orders: [DigestRequest], _ take: @escaping @Sendable (ExchangeOutcome) -> Void = { _ in }
    )
        -> ScriptedProtocol<Void>
    {
        ScriptedProtocol(.send(exchange(orders))) { reply in
            take(reply)
            return .done(Receipt())
        }
    }

    @Test func `a digest of a range stands in its field when the request is made`() async throws {
        let file = try TestFile(count: 200_000)
        let seen = Mutex<String?>(nil)
        let order = DigestRequest(
            .sha256, of: 70_000..<140_001, in: .init(Self.field, .base64, prefix: "sha-256=:", suffix: ":"))
        _ = try await AttemptLog().run(Self.one([order]), of: file) { request in
            seen.withLock { $0 = request.fields[Self.field] }
            return Self.ok
        }
        let expected = RunningDigest.of(file.pattern.bytes(70_000..<140_001), .sha256)
        #expect(seen.withLock { $0 } == "sha-256=:\(Data(expected).base64EncodedString()):")
    }

    @Test func `a digest that is computed ahead is that of its request, and others are computed then`()
        async throws
    {
        let file = try TestFile(count: 100_000)
        let ranges: [Range<ByteCount>] = [0..<40_000, 40_000..<70_000, 70_000..<100_000]
        let exchanges = ranges.map { range in
            Self.exchange([DigestRequest(.sha256, of: range, in: .init(Self.field, .hex))])
        }
        let attempt = ScriptedProtocol(.send(exchanges[0].followed(by: exchanges[1])), state: 0) {
            count, _, _ in
            count += 1
            guard count < 3 else { return .done(Receipt()) }
            // The last request is another one than the second one expected.
            return .send(exchanges[count].followed(by: exchanges[0]))
        }
        let seen = Mutex<[String?]>([])
        _ = try await AttemptLog().run(attempt, of: file) { request in
            seen.withLock { $0.append(request.fields[Self.field]) }
            return Self.ok
        }
        let expected = ranges.map { range in
            DigestRequest.Form.hex.text(
                RunningDigest.of(
                    file.pattern.bytes(Int(range.lowerBound)..<Int(range.upperBound)), .sha256))
        }
        #expect(seen.withLock { $0 } == expected)
    }

    @Test func `a digest that was begun for the next request is taken once, and only by that one`()
        async throws
    {
        let file = try TestFile(count: 1000)
        let (first, second) = (DigestRequest(.md5, of: 0..<500), DigestRequest(.md5, of: 500..<1000))
        let ahead = DigestsAhead()
        ahead.begin([first], part: 1, of: try file.open())
        ahead.begin([second], part: 2, of: try file.open())
        #expect(await ahead.take([first], part: 1)?.first?.range == 0..<500)
        #expect(await ahead.take([first], part: 1) == nil)
        #expect(await ahead.take([first], part: 2) == nil)
        #expect(await ahead.take([second], part: 2) == nil)
        ahead.begin([second], part: 2, of: try file.open())
        ahead.cancel()
        #expect(await ahead.take([second], part: 2) == nil)
    }

    @Test func `a file that could not be read ahead is read when its digest is needed`() async throws {
        let file = try TestFile(count: 1000)
        let ahead = DigestsAhead()
        let beyond = DigestRequest(.md5, of: 0..<2000)
        ahead.begin([beyond], part: 0, of: try file.open())
        #expect(await ahead.take([beyond], part: 0) == nil)
    }

    @Test func `computed digests come back in the order of the requests, also with a refusal`() async throws {
        let file = try TestFile(count: 1000)
        let digests = Mutex<[ComputedDigest]>([])
        let orders = [
            DigestRequest(.md5, of: 0..<1000), DigestRequest(.crc32c, of: 5..<10),
            DigestRequest(.sha1, of: 0..<1000), DigestRequest(.sha256, of: 7..<7),
        ]
        let attempt = Self.one(orders) { reply in
            digests.withLock { $0 = reply.answer?.digests ?? [] }
        }
        _ = try await AttemptLog().run(attempt, of: file) { _ in
            .success(TransportResponse(status: 401))
        }
        let expected = orders.map {
            ComputedDigest(
                $0.algorithm, of: $0.range,
                bytes: RunningDigest.of(
                    file.pattern.bytes(Int($0.range.lowerBound)..<Int($0.range.upperBound)), $0.algorithm))
        }
        #expect(digests.withLock { $0 } == expected)
    }

    @Test func `the file is said to be read before anything is sent, and only for a digest`() async throws {
        let (file, log) = (try TestFile(count: 10), AttemptLog())
        let attempt = ScriptedProtocol(
            .send(Self.exchange([DigestRequest(.md5, of: 0..<10)])), state: 0
        ) { count, _, _ in
            count += 1
            return count == 2 ? .done(Receipt()) : .send(Self.exchange([]))
        }
        _ = try await log.run(attempt, of: file) { _ in Self.ok }
        #expect(
            log.all == [.reading, .request("http://server.example/f"), .request("http://server.example/f")])
    }

    @Test(arguments: SourceChangeTests.Change.allCases)
    func `a file that changes while it is read for a digest is not sent`(change: SourceChangeTests.Change)
        async throws
    {
        let file = try TestFile(count: 21 << 20)
        let log = AttemptLog { [path = file.path] in try? change.make(at: path) }
        let attempt = Self.one([DigestRequest(.crc32c, of: 0..<(21 << 20))])
        let outcome = try await log.run(attempt, of: file) { _ in Self.ok }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(log.requests.isEmpty)
    }

    @Test func `an attempt that is cancelled while the file is read sends nothing`() async throws {
        let (file, reads, goesOn) = (try TestFile(count: 1000), Gate(), Gate())
        let log = AttemptLog {
            reads.open()
            goesOn.block()
        }
        let running = Task {
            try await log.run(Self.one([DigestRequest(.md5, of: 0..<1000)]), of: file) { _ in Self.ok }
        }
        try await reads.wait()
        running.cancel()
        goesOn.open()
        #expect(try await running.value.isCancelled)
        #expect(log.requests.isEmpty)
    }
}

extension Exchange {
    fileprivate func followed(by next: Exchange) -> Exchange {
        var exchange = self
        exchange.nextDigests = next.digests
        return exchange
    }
}
