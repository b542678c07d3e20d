import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

private let sizes = [
    0, 1, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 1_048_577, 1_048_576 + 65_536, 9 << 20,
]

struct BodyTests {
    @Test func `a small body comes in one write with the head of its request`() async throws {
        let bytes = [UInt8](repeating: 7, count: 4096)
        let besidesHead = Mutex<[Int]>([])
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readHead()
                besidesHead.withLock { $0.append(connection.received) }
                _ = try connection.readBody()
                try connection.answer(201)
            }
        }
        defer { server.stop() }
        try await withTransport { transport in
            for _ in 0..<3 {
                let response = try await transport.perform(
                    TransportRequest(
                        method: .put, url: server.url(), body: .streamed(StreamedBody([.bytes(bytes)]))),
                    delegate: nil)
                #expect(response.status == 201)
            }
        }
        #expect(besidesHead.withLock { $0 } == [4096, 4096, 4096])
    }

    @Test(arguments: sizes)
    func `a file arrives byte for byte`(size: Int) async throws {
        let file = try TestFile(count: size)
        let server = try HostileServer(bodyLimit: 16 << 20, [.answer(201)])
        defer { server.stop() }
        let answer = try await withTransport { try await $0.put(file, to: server.url("/f")) }
        #expect(answer.status == 201)
        let request = try #require(server.requests.first)
        #expect(request["Content-Length"] == "\(size)")
        #expect(request.body.count == size)
        #expect(file.pattern.firstDifference(from: request.body) == nil)
    }

    @Test(arguments: sizes)
    func `a head and a tail stand around the file`(size: Int) async throws {
        let file = try TestFile(count: size)
        let server = try HostileServer(bodyLimit: 16 << 20, [.answer(201)])
        defer { server.stop() }
        let (prefix, suffix) = (Array("head".utf8), Array("the tail".utf8))
        let answer = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .post, url: server.url("/f"), body: try file.body(prefix: prefix, suffix: suffix))
            )
        }
        #expect(answer.status == 201)
        let body = try #require(server.requests.first).body
        #expect(body.count == size + 12)
        #expect(body.starts(with: prefix))
        #expect(body.suffix(8) == suffix[...])
        #expect(file.pattern.firstDifference(from: Array(body.dropFirst(4).dropLast(8))) == nil)
    }

    @Test func `a range of the file is what is sent`() async throws {
        let source = try TestFile(count: 3 << 20)
        let server = try HostileServer(bodyLimit: 16 << 20, [.answer(204)])
        defer { server.stop() }
        let file = try source.open()
        let body = StreamedBody([.file(file, identity: file.identity, range: 70_001..<2_999_999)])
        _ = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(method: .patch, url: server.url("/f"), body: .streamed(body)))
        }
        let received = try #require(server.requests.first).body
        #expect(received.count == 2_929_998)
        #expect(source.pattern.firstDifference(from: received, at: 70_001) == nil)
    }

    @Test(arguments: sizes)
    func `progress is exact, never falls and ends once`(size: Int) async throws {
        let file = try TestFile(count: size)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let delegate = RecordingDelegate()
        let answer = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: server.url(), body: try file.body(suffix: [1, 2])),
                delegate: delegate)
        }
        #expect(try answer.get().bodySent == ByteCount(size + 2))
        var total: ByteCount = 0
        for call in delegate.calls.dropLast() {
            guard case .sent(let bytes, let sum, let expected) = call else {
                Issue.record("finished before the end")
                return
            }
            total += bytes
            #expect(bytes > 0 && sum == total && expected == ByteCount(size + 2))
        }
        #expect(total == ByteCount(size + 2))
        #expect(delegate.calls.last == .finished)
    }

    @Test func `the last bytes wait for the check`() async throws {
        let file = try TestFile(count: 3 << 20)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        // Everything before the last buffer of 64 KiB is sent.
        let expected = (3 << 20) - 65_536
        let arrived = Mutex(0)
        let body = try file.body { () async throws(UploadFailure) in
            _ = try? await server.wait { ($0.first?.bodyByteCount ?? 0) >= expected }
            arrived.withLock { $0 = server.requests.first?.bodyByteCount ?? 0 }
        }
        let answer = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: server.url(), body: body))
        }
        #expect(answer.status == 201)
        #expect(arrived.withLock { $0 } == expected)
    }

    @Test func `a check that fails keeps the request from completing`() async throws {
        let file = try TestFile(count: 200_000)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let body = try file.body { () async throws(UploadFailure) in
            throw UploadFailure(.storage, "no room")
        }
        let answer = try await withTransport { transport in
            await transport.outcome(of: TransportRequest(method: .put, url: server.url(), body: body))
        }
        #expect(answer.error?.reason == .source)
        #expect(answer.error?.failure.category == .storage)
        server.stop()
        #expect(server.requests.allSatisfy { !$0.isComplete })
    }

    @Test func `a limit on the rate is asked for every chunk and waited for`() async throws {
        let file = try TestFile(count: 100_000)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let limiter = StepLimiter(chunkLimit: 10_000, delay: .milliseconds(10))
        let began = ContinuousClock.now
        let answer = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .put, url: server.url(), body: try file.body(rateLimiter: limiter)))
        }
        #expect(answer.status == 201)
        #expect(limiter.booked == Array(repeating: 10_000, count: 10))
        #expect(ContinuousClock.now - began >= .milliseconds(100))
    }

    @Test func `a connection is kept for the next request`() async throws {
        let server = try HostileServer(Array(repeating: .answer(200), count: 6))
        defer { server.stop() }
        try await withTransport { transport in
            for _ in 0..<6 {
                let file = try TestFile(count: 100)
                let request = TransportRequest(method: .put, url: server.url(), body: try file.body())
                #expect(await transport.outcome(of: request).status == 200)
            }
        }
        #expect(server.connectionCount == 1)
        #expect(server.requests.allSatisfy { $0["Ferry-Exchange"] == nil })
    }
}

/// A limiter with chunks of 10,000 bytes and a delay before each.
private final class StepLimiter: RateLimiter {
    let chunkLimit: ByteCount?
    private let delay: Duration
    private let state = Mutex<(asked: Bool, booked: [ByteCount])>((false, []))

    init(chunkLimit: ByteCount, delay: Duration) {
        self.chunkLimit = chunkLimit
        self.delay = delay
    }

    var booked: [ByteCount] { state.withLock { $0.booked } }

    func delay(beforeSending bytes: ByteCount) -> Duration {
        state.withLock { state in
            state.asked.toggle()
            if state.asked { return delay }
            state.booked.append(bytes)
            return .zero
        }
    }
}
