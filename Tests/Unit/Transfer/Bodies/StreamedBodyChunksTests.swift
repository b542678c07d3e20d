import FerryProtocols
import FerryTestSupport
import Foundation
import Synchronization
import Testing

@testable import FerryTransfer

/// Tests bodies as a custom transport reads them.
struct StreamedBodyChunksTests {
    private func collected(_ chunks: some AsyncSequence<[UInt8], any Error>) async throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        for try await chunk in chunks { all.append(chunk) }
        return all
    }

    @Test func `bytes, a range of a file and bytes come in order`() async throws {
        let file = try TestFile(count: 3 << 20)
        let source = try file.open()
        let body = StreamedBody([
            .bytes([1, 2]), .file(source, identity: source.identity, range: 10..<(2 << 20)), .bytes([3]),
        ])
        let bytes = try await collected(body.chunks).flatMap { $0 }
        let content = try Data(contentsOf: URL(fileURLWithPath: file.path))
        #expect(bytes == [1, 2] + Array(content[10..<(2 << 20)]) + [3])
    }

    @Test func `the check runs once, when all but the last chunk is out`() async throws {
        let order = Mutex<[String]>([])
        let body = StreamedBody(
            [.bytes([1]), .bytes([2]), .bytes([3])],
            beforeLastBytes: { order.withLock { $0.append("check") } })
        for try await chunk in body.chunks { order.withLock { $0.append("\(chunk)") } }
        #expect(order.withLock { $0 } == ["[1]", "[2]", "check", "[3]"])
    }

    @Test func `a check that objects withholds the last chunk`() async throws {
        let seen = Mutex<[[UInt8]]>([])
        let body = TransportRequest.Body.streamed(
            StreamedBody(
                [.bytes([1]), .bytes([2])],
                beforeLastBytes: { () throws(UploadFailure) in throw UploadFailure(.sourceChanged, "changed")
                }))
        await #expect(throws: UploadFailure(.sourceChanged, "changed")) {
            for try await chunk in body.chunks { seen.withLock { $0.append(chunk) } }
        }
        #expect(seen.withLock { $0 } == [[1]])
        await #expect(throws: TransportError(.source, UploadFailure(.sourceChanged, "changed"))) {
            try await body.bytes()
        }
    }

    @Test func `each chunk waits for the rate limiter`() async throws {
        let limiter = CountingLimiter()
        let body = StreamedBody([.bytes([1]), .bytes([2, 2])], rateLimiter: limiter)
        #expect(try await collected(body.chunks) == [[1], [2, 2]])
        #expect(limiter.booked == [1, 2])
    }

    @Test func `a body without bytes has none, and its check runs`() async throws {
        let count = Mutex(0)
        let body = StreamedBody([], beforeLastBytes: { count.withLock { $0 += 1 } })
        #expect(try await collected(body.chunks).isEmpty)
        #expect(count.withLock { $0 } == 1)
        #expect(try await TransportRequest.Body.none.bytes() == [])
        #expect(try await TransportRequest.Body.bytes([7]).bytes() == [7])
    }

    @Test func `a body that is larger than wanted is not held`() async throws {
        await #expect(throws: TransportError.self) {
            try await TransportRequest.Body.bytes([1, 2]).bytes(limit: 1)
        }
    }
}

/// A limiter that delays each chunk once.
private final class CountingLimiter: RateLimiter {
    let chunkLimit: ByteCount? = nil
    private let state = Mutex<(asked: Int, booked: [ByteCount])>((0, []))

    var booked: [ByteCount] { state.withLock { $0.booked } }

    func delay(beforeSending bytes: ByteCount) -> Duration {
        state.withLock { state in
            state.asked += 1
            guard state.asked % 2 == 0 else { return .microseconds(1) }
            state.booked.append(bytes)
            return .zero
        }
    }
}
