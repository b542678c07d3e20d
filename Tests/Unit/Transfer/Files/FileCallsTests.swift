import FerryTestSupport
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests calls on files that hang, with a clock that the test advances.
@Suite(.timeLimit(.minutes(10)))
struct FileCallsTests {
    private let clock = ManualClock()

    private func pool(limit: Int) -> BlockingIOPool {
        BlockingIOPool(limit: limit, timeout: .seconds(30), clock: clock)
    }

    private static func outcome(
        of calls: FileCalls, on file: String, _ work: @escaping @Sendable () -> Int = { 1 }
    ) async -> Result<Int, UploadFailure> {
        await calls.outcome(
            on: file, late: { UploadFailure(.sourceAway, "late after \($0)") },
            { () throws(UploadFailure) in work() })
    }

    /// Starts a call that blocks until `gate` opens. Returns when the call occupies its thread.
    private static func block(
        _ calls: FileCalls, on file: String, until gate: Gate
    ) async throws -> Task<Result<Int, UploadFailure>, Never> {
        let started = Gate()
        let task = Task {
            await outcome(of: calls, on: file) {
                started.open()
                gate.block()
                return 0
            }
        }
        try await started.wait()
        return task
    }

    /// Advances the clock by more than 30 s, in the steps in which the pool checks its calls.
    private func passTimeout() async throws {
        for _ in 0..<5 {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(7.5))
        }
    }

    private static func worksSoon(_ calls: FileCalls, on file: String) async -> Bool {
        for _ in 0..<100_000 {
            if await outcome(of: calls, on: file) == .success(1) { return true }
            await Task.yield()
        }
        return false
    }

    @Test func `a file that hangs fails at once for later callers, until the call returns`() async throws {
        let (readers, gate) = (pool(limit: 8), Gate())
        defer { gate.open() }
        let calls = FileCalls(readers)
        let stuck = try await Self.block(calls, on: "a", until: gate)
        try await passTimeout()
        let late = Result<Int, UploadFailure>.failure(UploadFailure(.sourceAway, "late after 30.0 seconds"))
        #expect(await stuck.value == late)
        #expect(await Self.outcome(of: calls, on: "a") == late)
        #expect(readers.load.abandoned == 1)
        #expect(await Self.outcome(of: calls, on: "b") == .success(1))
        gate.open()
        #expect(await Self.worksSoon(calls, on: "a"))
    }

    @Test func `a file is used again after a call on it got no thread in time`() async throws {
        // One of the two threads is for calls on unknown disks.
        let (readers, gate) = (pool(limit: 2), Gate())
        defer { gate.open() }
        let calls = FileCalls(readers)
        let stuck = try await Self.block(calls, on: "a", until: gate)
        let waiting = Task { await Self.outcome(of: calls, on: "b") }
        while readers.awaited < 2 { await Task.yield() }
        try await passTimeout()
        let late = Result<Int, UploadFailure>.failure(UploadFailure(.sourceAway, "late after 30.0 seconds"))
        #expect(await stuck.value == late)
        #expect(await waiting.value == late)
        gate.open()
        #expect(await Self.worksSoon(calls, on: "b"))
    }
}
