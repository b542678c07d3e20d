import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let url = "http://server.example/f"

/// A transport whose work a closure does. The closure also reports the progress.
struct TellingTransport: Transport {
    typealias Perform =
        @Sendable (TransportRequest, any UploadDelegate) async -> Result<TransportResponse, TransportError>

    private let work: Perform

    init(_ work: @escaping Perform) { self.work = work }

    func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        try await work(request, delegate ?? RecordingDelegate()).get()
    }
}

private func broken() -> Result<TransportResponse, TransportError> {
    .failure(TransportError(.broken, UploadFailure(.network, "the connection broke")))
}

extension RequestTask {
    /// Returns all progress values of the request, up to its end.
    fileprivate func heard() async -> [UploadProgress] {
        var heard: [UploadProgress] = []
        for await value in progress { heard.append(value) }
        return heard
    }
}

struct ProgressValueTests {
    private let tracker = ProgressTracker()

    @Test func `nothing comes down within an attempt, and nothing is more than there is`() {
        tracker.didBegin(RequestContext())
        tracker.willSend(10)
        for total: ByteCount in [4, 9, 3, 12] {
            tracker.didSendBodyData(1, totalBytesSent: total, totalBytesExpected: 10)
        }
        #expect(tracker.value.sent == 10)
        tracker.willSend(10)
        tracker.didSendBodyData(1, totalBytesSent: 1, totalBytesExpected: 10)
        #expect(tracker.value.fraction == 1)
        #expect(tracker.value.phase == .sending)
    }

    @Test func `an attempt begins at nothing`() {
        tracker.didSendBodyData(10, totalBytesSent: 10, totalBytesExpected: 10)
        tracker.didBegin(RequestContext(attempt: 2))
        var begun = UploadProgress()
        begun.attempt = 2
        #expect(tracker.value == begun)
    }

    @Test func `a body of unknown length has no fraction before its end`() {
        tracker.didSendBodyData(10, totalBytesSent: 10, totalBytesExpected: nil)
        #expect(tracker.value.fraction == nil)
        tracker.end(isSuccess: true)
        #expect(tracker.value.fraction == 1)
        #expect(tracker.value.expected == 10)
    }

    @Test func `a slow reader gets the newest and the last value, not all between`() async {
        var reader = tracker.stream().makeAsyncIterator()
        _ = await reader.next()
        for total: ByteCount in 1...99 {
            tracker.didSendBodyData(1, totalBytesSent: total, totalBytesExpected: 100)
        }
        #expect(await reader.next()?.sent == 99)
        tracker.didSendBodyData(1, totalBytesSent: 100, totalBytesExpected: 100)
        tracker.end(isSuccess: true)
        #expect(await reader.next()?.phase == .finished)
        #expect(await reader.next() == nil)
    }

    @Test func `readers that write and read at once never get a smaller value than before`() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                let stream = tracker.stream()
                group.addTask {
                    var last: ByteCount = 0
                    for await value in stream {
                        guard value.sent >= last else { return false }
                        last = value.sent
                    }
                    return last == 4000
                }
            }
            await withTaskGroup(of: Void.self) { writers in
                for writer in 0..<4 {
                    writers.addTask {
                        for total in 1...1000 {
                            tracker.didSendBodyData(
                                1, totalBytesSent: ByteCount(total * 4 - writer), totalBytesExpected: 4000)
                        }
                    }
                }
            }
            tracker.end(isSuccess: true)
            for await isInOrder in group { #expect(isInOrder) }
        }
    }

    @Test func `a reader that goes away is forgotten`() async {
        do {
            var reader = tracker.stream().makeAsyncIterator()
            _ = await reader.next()
        }
        #expect(tracker.readerCount == 0)
    }
}

struct ProgressTests {
    @Test func `every reader begins with the present value`() async throws {
        let (sent, answer) = (Gate(), Gate())
        let transport = TellingTransport { _, delegate in
            delegate.didSendBodyData(3, totalBytesSent: 3, totalBytesExpected: 10)
            sent.open()
            try? await answer.wait()
            return .success(TransportResponse(status: 200))
        }
        var configuration = Session.Configuration()
        configuration.startsRequestsImmediately = false
        let task = Session(configuration, transport: transport).upload(.data([1]), to: url)
        var early = task.progress.makeAsyncIterator()
        #expect(await early.next() == UploadProgress())
        task.resume()
        try await sent.wait()
        for _ in 0..<2 {
            var late = task.progress.makeAsyncIterator()
            #expect(await late.next()?.sent == 3)
        }
        answer.open()
        _ = try await task.status()
    }

    @Test func `reading after the end brings the last value, each time`() async throws {
        let transport = HeldTransport()
        transport.answer.open()
        let task = Session.making(transport).upload(.data([1, 2]), to: url)
        _ = try await task.status()
        // `status()` may return a moment before the progress ends.
        _ = await task.heard()
        for _ in 0..<2 {
            let heard = await task.heard()
            #expect(heard.map(\.phase) == [.finished])
            #expect(heard.last?.fraction == 1)
        }
    }

    @Test(arguments: [true, false])
    func `a request that fails or is cancelled with everything sent does not end with the whole`(
        isCancelled: Bool
    ) async throws {
        let sent = Gate()
        let transport = TellingTransport { _, delegate in
            delegate.didSendBodyData(10, totalBytesSent: 10, totalBytesExpected: 10)
            delegate.didFinishSending()
            sent.open()
            if isCancelled { try? await Gate().wait(upTo: .seconds(30)) }
            return broken()
        }
        let task = Session.making(transport).upload(.data([1]), to: url)
        async let heard = task.heard()
        try await sent.wait()
        if isCancelled { task.cancel() }
        _ = await outcome { () throws(RequestFailure) in try await task.response() }
        let last = await heard.last
        #expect(last?.phase == .stopped)
        #expect(last?.fraction == nil)
        #expect(last?.sent == 10)
    }

    @Test func `a request that never began and is cancelled ends its readers`() async {
        var configuration = Session.Configuration()
        configuration.startsRequestsImmediately = false
        let task = Session(configuration, transport: HeldTransport()).upload(.data([1]), to: url)
        var reader = task.progress.makeAsyncIterator()
        #expect(await reader.next()?.phase == .preparing)
        task.cancel()
        #expect(await reader.next()?.phase == .stopped)
        #expect(await reader.next() == nil)
    }

    @Test func `a request that is released before it began ends its readers`() async {
        var configuration = Session.Configuration()
        configuration.startsRequestsImmediately = false
        var reader = Session(configuration, transport: HeldTransport()).upload(.data([1]), to: url).progress
            .makeAsyncIterator()
        #expect(await reader.next() != nil)
        while await reader.next() != nil {}
    }

    @Test func `the progress of a request that is released before it began ends`() async {
        var configuration = Session.Configuration()
        configuration.startsRequestsImmediately = false
        let session = Session(configuration, transport: HeldTransport())
        let progress = session.upload(.data([1]), to: url).progress
        for await _ in progress {}
        await session.shutdown()
    }

    @Test func `between two attempts the next one stands at nothing`() async throws {
        let clock = ManualClock()
        let count = Counter()
        let transport = TellingTransport { _, delegate in
            delegate.didSendBodyData(6, totalBytesSent: 6, totalBytesExpected: 10)
            return count.add() == 1 ? broken() : .success(TransportResponse(status: 200))
        }
        var options = RequestOptions()
        options.interceptor = Interceptor(retriers: [RetryLater()])
        let task = Session.making(transport, clock: clock).upload(.data([1]), to: url, options: options)
        try await clock.waitForSleepers()
        var waiting = UploadProgress()
        waiting.attempt = 2
        var reader = task.progress.makeAsyncIterator()
        #expect(await reader.next() == waiting)
        clock.advance(by: .seconds(5))
        _ = try await task.status()
        let last = try #require(await task.heard().last)
        #expect(last.attempt == 2 && last.phase == .finished && last.fraction == 1)
    }

    @Test func `holding a request during a wait does not cut the wait, and its attempt is counted`()
        async throws
    {
        let clock = ManualClock()
        let count = Counter()
        let log = EventLog()
        let transport = TellingTransport { _, _ in
            count.add() == 1 ? broken() : .success(TransportResponse(status: 200))
        }
        var options = RequestOptions()
        options.interceptor = Interceptor(retriers: [RetryLater()])
        let task = Session.making(transport, monitors: [log], clock: clock)
            .upload(.data([1]), to: url, options: options)
        try await clock.waitForSleepers()
        task.suspend()
        task.resume()
        #expect(clock.deadlines.count == 1)
        clock.advance(by: .seconds(5))
        #expect(try await task.status() == 200)
        #expect(log.entries.last?.context.attempt == 2)
        #expect(log.entries.last?.context.retries.network == 1)
    }

    @Test(arguments: [0, 1])
    func `an empty body is whole at its end`(kind: Int) async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        try await withTransport { transport in
            let body = kind == 0 ? UploadBody.data([UInt8]()) : .stream(BodyStream { Chunks { _ in nil } })
            let task = Session.making(transport).upload(body, to: server.url())
            let last = try #require(await task.heard().last)
            #expect(last.phase == .finished && last.fraction == 1)
            #expect(last.sent == 0 && last.expected == 0)
        }
    }

    @Test func `after the last byte it says that it waits`() async throws {
        let answer = Gate()
        let server = try HostileServer([.answer(200, when: answer)])
        defer { server.stop() }
        try await withTransport { transport in
            let task = Session.making(transport).upload(.data([1, 2, 3]), to: server.url())
            var phases: [UploadProgress.Phase] = []
            for await value in task.progress {
                phases.append(value.phase)
                guard value.phase == .waiting else { continue }
                #expect(value.sent == 3 && value.expected == 3)
                answer.open()
            }
            #expect(phases.suffix(2) == [.waiting, .finished])
        }
    }

    // LeftOut.md, item 29
    @Test(arguments: ["57000 bytes", "form from memory", "form streamed"])
    func `progress only rises, and ends at the whole`(kind: String) async throws {
        let server = try HostileServer(bodyLimit: 2 << 20, [.answer(200)])
        defer { server.stop() }
        var form = MultipartFormData()
        form.append([UInt8](repeating: 1, count: 487_200), name: "first", fileName: "first.bin")
        form.append([UInt8](repeating: 2, count: 497_700), name: "second", fileName: "second.bin")
        let body: UploadBody =
            switch kind {
            case "57000 bytes": .data([UInt8](repeating: 7, count: 57_000))
            case "form from memory": .multipart(form, memoryThreshold: .max)
            default: .multipart(form, memoryThreshold: 0)
            }
        let length = kind == "57000 bytes" ? 57_000 : try #require(await form.length())
        let delegate = RecordingDelegate()
        try await withTransport { transport in
            var options = RequestOptions()
            options.delegate = delegate
            let task = Session.making(transport).upload(body, to: server.url(), options: options)
            let heard = await task.heard()
            #expect(heard.map(\.sent) == heard.map(\.sent).sorted())
            #expect(heard.allSatisfy { ($0.fraction ?? 0) <= 1 })
            #expect(heard.last?.fraction == 1 && heard.last?.phase == .finished)
            #expect(heard.last?.sent == length)
        }
        var total: ByteCount = 0
        for call in delegate.calls.dropLast() {
            guard case .sent(let bytes, let sum, let expected) = call else {
                return #expect(Bool(false), "finished before the end")
            }
            total += bytes
            #expect(sum == total && expected == length)
        }
        #expect(total == length)
        #expect(delegate.calls.last == .finished)
        #expect(server.requests.first?.bodyByteCount == Int(length))
    }

    // LeftOut.md, item 30
    @Test func `a stream of small chunks shows how it moves`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let stream = BodyStream(length: 4275) {
            Chunks { index in
                // Each chunk is made only when the server has read the one before the previous.
                if index > 0, index < 75 {
                    try await server.wait { ($0.first?.bodyByteCount ?? 0) >= (index - 1) * 57 }
                }
                return index < 75 ? [UInt8](repeating: UInt8(index), count: 57) : nil
            }
        }
        let delegate = RecordingDelegate()
        try await withTransport { transport in
            var options = RequestOptions()
            options.delegate = delegate
            let task = Session.making(transport).upload(.stream(stream), to: server.url(), options: options)
            #expect(await task.heard().last?.sent == 4275)
        }
        #expect(delegate.calls.contains { if case .sent(_, 1..<4275, _) = $0 { true } else { false } })
        #expect(server.requests.first?.bodyByteCount == 4275)
    }

    @Test func `a delegate is called for both attempts, each from its first byte`() async throws {
        let server = try HostileServer([.answer(503), .answer(200)])
        defer { server.stop() }
        let delegate = RecordingDelegate()
        try await withTransport { transport in
            var options = RequestOptions()
            options.delegate = delegate
            options.interceptor = Interceptor(retriers: [AlwaysRetry()])
            _ = try await Session.making(transport, validation: .automatic)
                .upload(.data([1, 2, 3]), to: server.url(), options: options).status()
        }
        #expect(
            delegate.calls == [
                .sent(3, total: 3, expected: 3), .finished, .sent(3, total: 3, expected: 3), .finished,
            ])
    }
}

/// Retries every failed request after a second.
struct RetryLater: RequestRetrier {
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision { .retryAfter(.seconds(1)) }
}
