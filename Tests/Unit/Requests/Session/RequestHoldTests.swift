import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let url = "http://server.example/f"

/// A holder for the request's task, for closures that are made before the task.
private final class Slot: Sendable {
    private let state = Mutex<RequestTask?>(nil)
    var task: RequestTask? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Returns the result of `body`; nil if it takes longer than 30 seconds.
func soon<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
    let done = Gate()
    let value = Mutex<Value?>(nil)
    let task = Task {
        let result = await body()
        value.withLock { $0 = result }
        done.open()
    }
    try? await done.wait()
    task.cancel()
    return value.withLock { $0 }
}

/// Suspends, resumes and cancels requests, also between two attempts and between two requests.
struct RequestHoldTests {
    @Test func `a request that is held again while it is being resumed stays held`() async throws {
        let (slot, transport) = (Slot(), HeldTransport())
        transport.answer.open()
        let log = EventLog { event in if event == .resumed { slot.task?.suspend() } }
        var configuration = Session.Configuration(monitors: [log])
        configuration.startsRequestsImmediately = false
        let session = Session(configuration, transport: transport)
        let task = session.upload(.data([1]), to: url)
        slot.task = task
        task.suspend()
        // Reading the status starts the request, which stays suspended.
        let reader = Task { await outcome { () throws(RequestFailure) in try await task.status() } }
        while session.running.count == 0 { await Task.yield() }
        task.resume()
        #expect(task.state == .suspended)
        // In the time of 20 requests the suspended one would have been sent, too, if it were not suspended.
        for _ in 0..<20 { _ = try await session.upload(.data([1]), to: url).resume().status() }
        #expect(transport.count.value == 20)
        slot.task = nil
        task.resume()
        #expect(try await reader.value.get() == 200)
        #expect(transport.count.value == 21)
    }

    @Test func `a request held after its last byte does not follow a redirect`() async throws {
        let attempts = Counter()
        let (sent, answer, redirected) = (Gate(), Gate(), Gate())
        let log = EventLog { event in
            switch event {
            case .waiting: sent.open()
            case .redirected: redirected.open()
            default: break
            }
        }
        let transport = WaitingTransport(
            begin: { attempts.add() },
            answer: {
                try? await answer.wait()
                return attempts.value == 1
                    ? TransportResponse(status: 307, fields: [.location: "/g"])
                    : TransportResponse(status: 200)
            })
        let task = Session.making(transport, validation: .automatic, monitors: [log])
            .upload(.data([1]), to: url)
        try await sent.wait()
        task.suspend()
        answer.open()
        try await redirected.wait()
        for _ in 0..<100 { await Task.yield() }
        #expect(attempts.value == 1)
        #expect(task.state == .suspended)
        task.resume()
        #expect(try await task.status() == 200)
        #expect(attempts.value == 2)
    }

    @Test func `a request that the kernel has accepted is suspended without another attempt`() async throws {
        let attempts = Counter()
        let (written, answer) = (Gate(), Gate())
        let transport = WaitingTransport(
            isAcknowledged: false, begin: { attempts.add() },
            answer: {
                written.open()
                try? await answer.wait()
                return TransportResponse(status: 200)
            })
        let task = Session.making(transport).upload(.data([1]), to: url)
        try await written.wait()
        task.suspend()
        answer.open()
        task.resume()
        #expect(try await task.status() == 200)
        #expect(attempts.value == 1)
    }

    @Test func `a wait between two attempts continues while the request is suspended, and counts`()
        async throws
    {
        let (clock, log, attempts) = (ManualClock(), EventLog(), Counter())
        let transport = ScriptedTransport { _ in
            attempts.add() == 1
                ? .failure(TransportError(.notConnected, UploadFailure(.network, "refused")))
                : .success(TransportResponse(status: 200))
        }
        let retrier = ScriptedRetrier([.retryAfter(.seconds(60)), .retryAfter(.seconds(60))])
        let task = Session.making(transport, retriers: [retrier], monitors: [log], clock: clock)
            .upload(.data([1]), to: url)
        try await clock.waitForSleepers()
        task.suspend()
        task.resume()
        clock.advance(by: .seconds(60))
        #expect(try await task.status() == 200)
        #expect(log.entries.last?.context.attempt == 2)
        #expect(log.entries.last?.context.retries.network == 1)
    }

    @Test func `a request is cancelled while its retrier waits because of a response that cannot be decoded`()
        async throws
    {
        let (clock, log) = (ManualClock(), EventLog())
        let session = Session.making(
            ScriptedTransport { _ in .success(TransportResponse(status: 200, body: Array("x".utf8))) },
            retriers: [ScriptedRetrier([.retryAfter(.seconds(60))])], monitors: [log], clock: clock)
        let task = session.request(url)
        let reader = Task {
            await outcome { () throws(RequestFailure) in try await task.decoding(Int.self) }
        }
        try await clock.waitForSleepers()
        task.cancel()
        let result = await soon { await reader.value }
        #expect(result?.failure?.isCancelled == true)
        #expect(task.state == .cancelled)
        #expect(log.count("cancelled") == 1)
        reader.cancel()
    }

    @Test func `a session is shut down while a retrier waits because of a response that cannot be decoded`()
        async throws
    {
        let clock = ManualClock()
        let session = Session.making(
            ScriptedTransport { _ in .success(TransportResponse(status: 200, body: Array("x".utf8))) },
            retriers: [ScriptedRetrier([.retryAfter(.seconds(60))])], clock: clock)
        let task = session.request(url)
        let reader = Task {
            await outcome { () throws(RequestFailure) in try await task.decoding(Int.self) }
        }
        try await clock.waitForSleepers()
        await session.shutdown()
        let result = await soon { await reader.value }
        guard case .sessionClosed? = result?.failure else {
            Issue.record("\(String(describing: result))")
            return reader.cancel()
        }
        #expect(session.running.count == 0)
    }

    @Test func `a request is suspended while its retrier waits because of a response that cannot be decoded`()
        async throws
    {
        let (clock, attempts) = (ManualClock(), Counter())
        let session = Session.making(
            ScriptedTransport { _ in
                .success(
                    TransportResponse(status: 200, body: Array((attempts.add() == 1 ? "x" : "1").utf8)))
            },
            retriers: [ScriptedRetrier([.retryAfter(.seconds(60))])], clock: clock)
        let task = session.request(url)
        let reader = Task { try await task.decoding(Int.self) }
        try await clock.waitForSleepers()
        task.suspend()
        #expect(task.state == .suspended)
        clock.advance(by: .seconds(60))
        for _ in 0..<100 { await Task.yield() }
        #expect(attempts.value == 1)
        task.resume()
        #expect(try await reader.value == 1)
        #expect(attempts.value == 2)
    }

    @Test func `a request that was suspended until its response came can be made again`() async throws {
        let attempts = Counter()
        let (sent, answer) = (Gate(), Gate())
        let transport = WaitingTransport(
            begin: { attempts.add() },
            answer: {
                try? await answer.wait()
                return TransportResponse(status: 200, body: Array((attempts.value == 1 ? "x" : "1").utf8))
            })
        let log = EventLog { event in if event == .waiting { sent.open() } }
        let session = Session.making(transport, retriers: [ScriptedRetrier([.retry])], monitors: [log])
        let task = session.upload(.data([1]), to: url)
        try await sent.wait()
        task.suspend()
        answer.open()
        #expect(await soon { try? await task.decoding(Int.self) } == 1)
        #expect(task.state == .finished)
        task.cancel()
    }

    @Test func `readers of a response that cannot be decoded share one retry`() async throws {
        let (clock, attempts, log) = (ManualClock(), Counter(), EventLog())
        let retrier = ScriptedRetrier([.retryAfter(.seconds(60)), .retryAfter(.seconds(60))])
        let session = Session.making(
            ScriptedTransport { _ in
                .success(
                    TransportResponse(status: 200, body: Array((attempts.add() == 1 ? "x" : "1").utf8)))
            }, retriers: [retrier], monitors: [log], clock: clock)
        let task = session.request(url)
        let first = Task { try await task.decoding(Int.self) }
        try await clock.waitForSleepers()
        let others = (0..<3).map { _ in Task { try await task.decoding(Int.self) } }
        for _ in 0..<100 { await Task.yield() }
        clock.advance(by: .seconds(60))
        for reader in others + [first] { #expect(try await reader.value == 1) }
        #expect(attempts.value == 2)
        #expect(retrier.asked.count == 1)
        #expect(log.count("retrying") == 1)
    }

    @Test func `a response that one reader cannot decode stays for those who can`() async throws {
        let attempts = Counter()
        let session = Session.making(
            ScriptedTransport { _ in
                attempts.add()
                return .success(TransportResponse(status: 200, body: Array("hello".utf8)))
            }, retriers: [ScriptedRetrier([])])
        let task = session.request(url)
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    if number.isMultiple(of: 2) { return (try? await task.string()) == "hello" }
                    let result = await outcome { () throws(RequestFailure) in
                        try await task.decoding(Int.self)
                    }
                    if case .undecodable? = result.failure { return true }
                    return false
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: true, count: 40))
        #expect(attempts.value == 1)
        #expect(task.state == .finished)
        #expect(session.running.count == 0)
    }

    @Test func `a request that is released before it began is reported as cancelled`() {
        let log = EventLog()
        var configuration = Session.Configuration(monitors: [log])
        configuration.startsRequestsImmediately = false
        let session = Session(configuration, transport: HeldTransport())
        _ = session.upload(.data([1]), to: url).suspend()
        #expect(log.names == ["created", "suspended", "cancelled"])
    }

    @Test func `suspending, resuming and cancelling in any order ends each request once`() async {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let (log, attempts) = (EventLog(), Counter())
            let transport = ScriptedTransport { _ in
                let number = attempts.add()
                for _ in 0..<Int.random(in: 0..<5) { await Task.yield() }
                if Task.isCancelled {
                    return .failure(TransportError(.cancelled, UploadFailure(.network, "stopped")))
                }
                return .success(TransportResponse(status: number.isMultiple(of: 2) ? 503 : 200, body: [0x31]))
            }
            let session = Session.making(
                transport, retriers: [AlwaysRetry()], validation: .automatic, monitors: [log])
            let task = session.upload(.data([1]), to: url)
            let isCancelled = Bool.random(using: &random)
            let ended = await soon {
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<12 {
                        group.addTask {
                            for _ in 0..<Int.random(in: 0..<8) { await Task.yield() }
                            switch number % 4 {
                            case 0: task.suspend()
                            case 1: task.resume()
                            case 2: _ = try? await task.decoding(Int.self)
                            default:
                                if isCancelled, number == 3 { task.cancel() } else { task.suspend() }
                                task.resume()
                            }
                        }
                    }
                    // The last call may have been `suspend`, so this task resumes the request.
                    group.addTask {
                        while ![.cancelled, .finished].contains(task.state) {
                            task.resume()
                            await Task.yield()
                        }
                    }
                    await group.waitForAll()
                }
                return true
            }
            #expect(ended == true, "\(task.state) \(log.names)")
            guard ended == true else { return }
            #expect(log.count("finished") + log.count("cancelled") == 1, "\(log.names)")
            #expect(log.count("resumed") <= log.count("suspended"))
            while session.running.count > 0 { await Task.yield() }
        }
    }
}
