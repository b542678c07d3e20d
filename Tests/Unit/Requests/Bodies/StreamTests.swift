import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// A sequence of chunks that a closure makes when they are requested.
struct Chunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let make: @Sendable (Int) async throws -> [UInt8]?

    init(_ make: @escaping @Sendable (Int) async throws -> [UInt8]?) { self.make = make }

    /// Makes a stream of these chunks.
    init(_ chunks: [[UInt8]]) { self.init { $0 < chunks.count ? chunks[$0] : nil } }

    func makeAsyncIterator() -> Iterator { Iterator(make: make) }

    struct Iterator: AsyncIteratorProtocol {
        let make: @Sendable (Int) async throws -> [UInt8]?
        var index = 0

        mutating func next() async throws -> [UInt8]? {
            defer { index += 1 }
            return try await make(index)
        }
    }
}

private struct Broken: Error {}

extension HTTPClientTransport {
    /// Sends a stream by PUT and returns the response or the error.
    fileprivate func put(_ stream: BodyStream, to url: String) async -> Result<
        TransportResponse, TransportError
    > {
        await outcome(
            of: TransportRequest(method: .put, url: url, body: .streamed(StreamedBody([.stream(stream)]))))
    }
}

struct StreamTests {
    /// Returns the bytes of a stream that a server receives, and the response or the error.
    private func sent(
        _ stream: BodyStream, bodyLimit: Int = 1 << 20
    ) async throws -> (answer: Result<TransportResponse, TransportError>, requests: [RecordedRequest]) {
        let server = try HostileServer(bodyLimit: bodyLimit, [.answer(201)])
        defer { server.stop() }
        let answer = try await withTransport { await $0.put(stream, to: server.url()) }
        server.stop()
        return (answer, server.requests)
    }

    @Test func `a stream of unknown length goes in chunks and says no length`() async throws {
        let (answer, requests) = try await sent(BodyStream { Chunks([[1, 2], [3], [4, 5, 6]]) })
        #expect(answer.status == 201)
        let request = try #require(requests.first)
        #expect(request["Transfer-Encoding"] == "chunked")
        #expect(request["Content-Length"] == nil)
        #expect(request.isComplete && request.body == [1, 2, 3, 4, 5, 6])
    }

    @Test func `a stream of known length says it, and goes as it is`() async throws {
        let (answer, requests) = try await sent(BodyStream(length: 6) { Chunks([[1, 2], [3], [4, 5, 6]]) })
        #expect(answer.status == 201)
        let request = try #require(requests.first)
        #expect(request["Transfer-Encoding"] == nil)
        #expect(request["Content-Length"] == "6")
        #expect(request.isComplete && request.body == [1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [
        ([4], "4"), ([], "0"), ([10, 7], "17"), ([17], "17"), ([9, 1, 1], "11"), ([5, 5, 0, 1], "11"),
    ])
    func `a stream that is not as long as it said names both numbers and is never complete`(
        sizes: [Int], brought: String
    ) async throws {
        let chunks = sizes.map { [UInt8](repeating: 1, count: $0) }
        let (answer, requests) = try await sent(BodyStream(length: 10) { Chunks(chunks) })
        #expect(answer.error?.reason == .source)
        let summary = try #require(answer.error?.failure.summary)
        #expect(summary.contains("\(brought) bytes") && summary.contains("declared 10"))
        #expect(requests.allSatisfy { !$0.isComplete })
    }

    @Test(arguments: [ByteCount?.none, 100])
    func `a stream that throws ends the request and is never complete`(length: ByteCount?) async throws {
        let stream = BodyStream(length: length) {
            Chunks { index in
                guard index < 2 else { throw Broken() }
                return [1, 2, 3]
            }
        }
        let (answer, requests) = try await sent(stream)
        #expect(answer.error?.reason == .source)
        #expect(answer.error?.failure.category == .sourceUnreadable)
        #expect(requests.allSatisfy { !$0.isComplete })
    }

    @Test func `a stream that cannot begin ends the request`() async throws {
        let (answer, requests) = try await sent(BodyStream { () async throws -> Chunks in throw Broken() })
        #expect(answer.error?.failure.summary == "the stream failed: Broken()")
        #expect(requests.allSatisfy { !$0.isComplete })
    }

    @Test
    func `a stream that throws a cancellation of its own has failed, and the request was not cancelled`()
        async throws
    {
        let (answer, _) = try await sent(BodyStream { Chunks { _ in throw CancellationError() } })
        #expect(answer.error?.reason == .source)
    }

    @Test(arguments: [ByteCount?.none, 2])
    func `empty chunks are no end`(length: ByteCount?) async throws {
        let (answer, requests) = try await sent(
            BodyStream(length: length) { Chunks([[], [1], [], [], [2], []]) })
        #expect(answer.status == 201)
        #expect(requests.first?.isComplete == true && requests.first?.body == [1, 2])
    }

    @Test(arguments: [ByteCount?.none, 64 << 20])
    func `a chunk of 64 MiB arrives`(length: ByteCount?) async throws {
        let (answer, requests) = try await sent(
            BodyStream(length: length) { Chunks([[UInt8](repeating: 9, count: 64 << 20)]) }, bodyLimit: 1000)
        #expect(answer.status == 201)
        #expect(requests.first?.isComplete == true && requests.first?.bodyByteCount == 64 << 20)
        #expect(requests.first?.body == [UInt8](repeating: 9, count: 1000))
    }

    @Test func `a slow stream without end stops when it is cancelled`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (waiting, ended) = (Gate(), Gate())
        let stream = BodyStream {
            Chunks { index in
                guard index > 0 else { return [1] }
                defer { ended.open() }
                waiting.open()
                try await Gate().wait(upTo: .seconds(60))
                return [2]
            }
        }
        try await withTransport { transport in
            let task = Task { await transport.put(stream, to: server.url()) }
            try await waiting.wait()
            task.cancel()
            #expect(await task.value.error?.reason == .cancelled)
            try await ended.wait()
        }
        server.stop()
        #expect(server.requests.allSatisfy { !$0.isComplete })
    }

    @Test func `an early refusal ends the pulling`() async throws {
        let server = try HostileServer(
            receiveBuffer: 65_536, [.answerEarly(413, afterBodyBytes: 100_000), .answer(200)])
        defer { server.stop() }
        let pulled = Counter()
        let stream = BodyStream {
            Chunks { _ in
                pulled.add()
                return [UInt8](repeating: 1, count: 65_536)
            }
        }
        try await withTransport { transport in
            #expect(await transport.put(stream, to: server.url()).status == 413)
            // One chunk may be requested at the time of the refusal.
            let count = pulled.value
            let next = TransportRequest(method: .put, url: server.url(), body: .bytes([1]))
            #expect(await transport.outcome(of: next).status == 200)
            #expect(pulled.value <= count + 1)
        }
    }

    @Test func `a stream is not pulled far ahead of what the server reads`() async throws {
        let server = try HostileServer(bodyLimit: 0, receiveBuffer: 65_536, [.answer(201)])
        defer { server.stop() }
        let furthest = Mutex(0)
        let stream = BodyStream {
            Chunks { index in
                let ahead = index * 262_144 - (server.requests.first?.bodyByteCount ?? 0)
                furthest.withLock { $0 = max($0, ahead) }
                return index < 256 ? [UInt8](repeating: 1, count: 262_144) : nil
            }
        }
        let answer = try await withTransport { await $0.put(stream, to: server.url()) }
        #expect(answer.status == 201)
        // The kernel buffers at most 4 MiB on the sending side. Two chunks of the stream and one of the transport come
        // on top.
        #expect(furthest.withLock { $0 } < 16 << 20)
    }

    @Test func `a gigabyte goes through little memory`() async throws {
        let server = try HostileServer(bodyLimit: 0, [.answer(201)])
        defer { server.stop() }
        let chunk = [UInt8](repeating: 1, count: 1 << 20)
        let before = residentBytes()
        let most = Mutex(0)
        let stream = BodyStream(length: 1 << 30) {
            Chunks { index in
                if index.isMultiple(of: 64) {
                    let now = residentBytes()
                    most.withLock { $0 = max($0, now) }
                }
                return index < 1024 ? chunk : nil
            }
        }
        let answer = try await withTransport { await $0.put(stream, to: server.url()) }
        #expect(answer.status == 201)
        #expect(server.requests.first?.bodyByteCount == 1 << 30)
        // Other tests run at the same time, but they do not use this much memory.
        #expect(most.withLock { $0 } - before < 700 << 20)
    }

    @Test(arguments: [(307, false, ByteCount?.none), (307, true, nil), (308, false, 200_000)])
    func `a stream that meets a redirect begins anew`(status: Int, early: Bool, length: ByteCount?)
        async throws
    {
        let server = try HostileServer([.redirect(status, to: "/other", early: early), .answer(201)])
        defer { server.stop() }
        let opened = Counter()
        let stream = BodyStream(length: length) {
            opened.add()
            return Chunks { $0 < 4 ? [UInt8](repeating: UInt8($0), count: 50_000) : nil }
        }
        let status = try await withTransport { transport in
            try await Session.making(transport).upload(.stream(stream), to: server.url()).status()
        }
        #expect(status == 201)
        let last = try #require(server.requests.last)
        #expect(last.target == "/other" && last.isComplete && last.bodyByteCount == 200_000)
        #expect(last.body.last == 3)
        #expect(opened.value == 2)
    }

    @Test func `a stream that can be had once does not follow a redirect with nothing in its hands`()
        async throws
    {
        let server = try HostileServer([.redirect(307, to: "/other"), .answer(201)])
        defer { server.stop() }
        let result = try await withTransport { transport in
            await outcome { () throws(RequestFailure) in
                try await Session.making(transport).upload(
                    .stream(.once(Chunks([[1, 2, 3]]))), to: server.url()
                ).status()
            }
        }
        #expect(result.failure?.failure.summary == "the stream was read already and cannot be sent again")
        #expect(server.requests.count == 1)
    }

    @Test func `a refused connection leaves a stream that can be had once unread`() async throws {
        let gone = try HostileServer([])
        gone.stop()
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let stream = BodyStream.once(Chunks([[1, 2, 3]]))
        try await withTransport { transport in
            #expect(await transport.put(stream, to: gone.url()).error?.reason == .notConnected)
            #expect(stream.canBegin)
            #expect(await transport.put(stream, to: server.url()).status == 201)
        }
    }
}

/// Returns the resident memory of this process in bytes.
private func residentBytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = status.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
}
