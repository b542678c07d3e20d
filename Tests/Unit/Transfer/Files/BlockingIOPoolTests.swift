import FerryTestSupport
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests the threads on which files are read, with a clock that the test advances.
@Suite(.timeLimit(.minutes(10)))
struct BlockingIOPoolTests {
    private static let path = LocalPath("/medium/file")

    private let clock = ManualClock()

    private func readers(limit: Int = 4) -> BlockingIOPool {
        BlockingIOPool(limit: limit, timeout: .seconds(30), clock: clock)
    }

    /// Starts a call that blocks until `gate` opens. Returns when the call occupies its thread.
    private func block(
        _ readers: BlockingIOPool, medium: UInt64, until gate: Gate
    ) async throws -> Task<Result<Int, UploadFailure>, Never> {
        let started = Gate()
        let task = Task {
            await Self.outcome(readers, medium: medium) {
                started.open()
                gate.block()
                return 1
            }
        }
        try await started.wait()
        return task
    }

    private static func outcome(
        _ readers: BlockingIOPool, medium: UInt64, _ work: @escaping @Sendable () -> Int
    ) async -> Result<Int, UploadFailure> {
        do throws(UploadFailure) {
            return .success(try await readers.run(path, on: medium) { () throws(UploadFailure) in work() })
        } catch {
            return .failure(error)
        }
    }

    /// Advances the clock by more than 30 s, in the steps in which the pool checks its calls.
    private func passTimeout() async throws {
        for _ in 0..<5 {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(7.5))
        }
    }

    private func isTrueSoon(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<100_000 {
            if condition() { return true }
            await Task.yield()
        }
        return false
    }

    @Test func `F13 a call that does not come back is given up in time and keeps its thread`() async throws {
        let (readers, gate) = (readers(), Gate())
        defer { gate.open() }
        let stuck = try await block(readers, medium: 1, until: gate)
        try await passTimeout()
        guard case .failure(let failure) = await stuck.value else {
            Issue.record("it was waited for")
            return
        }
        #expect(failure.category == .sourceAway)
        #expect(failure.summary == "/medium/file: has not been read for 30 s")
        #expect(failure.hint != nil)
        #expect(readers.load.abandoned == 1)
        #expect(await Self.outcome(readers, medium: 1) { 2 } == .success(2))
        gate.open()
        #expect(await isTrueSoon { readers.load.abandoned == 0 })
    }

    @Test func `F13 a call that gets on slowly is waited for`() async throws {
        let readers = readers()
        let (goOn, beaten) = ((0..<12).map { _ in Gate() }, (0..<12).map { _ in Gate() })
        let slow = Task {
            await Self.outcome(readers, medium: 1) {
                for (goOn, beaten) in zip(goOn, beaten) {
                    goOn.block()
                    BlockingIOPool.beat()
                    beaten.open()
                }
                return 3
            }
        }
        for (goOn, beaten) in zip(goOn, beaten) {
            try await clock.waitForSleepers()
            goOn.open()
            try await beaten.wait()
            clock.advance(by: .seconds(7.5))
        }
        #expect(await slow.value == .success(3))
    }

    @Test func `F13 a medium that hangs leaves half of the threads to the others`() async throws {
        let (readers, gate) = (readers(), Gate())
        defer { gate.open() }
        var stuck = [try await block(readers, medium: 1, until: gate)]
        stuck.append(try await block(readers, medium: 1, until: gate))
        let third = Task { await Self.outcome(readers, medium: 1) { 3 } }
        #expect(await Self.outcome(readers, medium: 2) { 2 } == .success(2))
        #expect(readers.load.threads <= 4)
        gate.open()
        #expect(await third.value == .success(3))
        for task in stuck { #expect(await task.value == .success(1)) }
    }

    @Test func `F13 a read behind a medium that hangs fails after the same time`() async throws {
        let (readers, gate) = (readers(), Gate())
        defer { gate.open() }
        let stuck = [
            try await block(readers, medium: 1, until: gate),
            try await block(readers, medium: 1, until: gate),
        ]
        let third = Task { await Self.outcome(readers, medium: 1) { 3 } }
        try #require(await isTrueSoon { readers.awaited == 3 })
        for _ in 0..<5 {
            try await clock.waitForSleepers()
            // Progress on another medium does not extend the timeout.
            #expect(await Self.outcome(readers, medium: 2) { 2 } == .success(2))
            clock.advance(by: .seconds(7.5))
        }
        for task in stuck + [third] {
            #expect(await task.value.failure?.summary == "/medium/file: has not been read for 30 s")
        }
    }

    @Test func `F13 with every thread stuck, new calls fail after the same time`() async throws {
        let (readers, gate) = (readers(limit: 2), Gate())
        defer { gate.open() }
        let stuck = [
            try await block(readers, medium: 1, until: gate),
            try await block(readers, medium: 2, until: gate),
        ]
        try await passTimeout()
        for task in stuck { #expect(await task.value.failure?.category == .sourceAway) }
        #expect(readers.load == (threads: 2, abandoned: 2))
        let late = Task { await Self.outcome(readers, medium: 3) { 3 } }
        try await passTimeout()
        #expect(await late.value.failure?.summary == "/medium/file: has not been read for 30 s")
        #expect(readers.load.threads == 2)
        gate.open()
        #expect(await Self.outcome(readers, medium: 3) { 4 } == .success(4))
    }

    @Test func `F13 a cancelled read does not wait for a call that hangs`() async throws {
        let (readers, gate) = (readers(), Gate())
        defer { gate.open() }
        let stuck = try await block(readers, medium: 1, until: gate)
        stuck.cancel()
        #expect(await stuck.value.failure?.summary == "stopped")
    }

    @Test func `F13 a file stays open until the kernel ends a call, and no longer`() async throws {
        let (readers, gate, started) = (readers(), Gate(), Gate())
        defer { gate.open() }
        let file = try TestFile(count: 100)
        let source = try await SourceFile.open(LocalPath(file.path), readers: readers)
        let reading = Task { [source] in
            try? await readers.run(source.path, on: source.identity.device) { () throws(UploadFailure) in
                started.open()
                gate.block()
                return try source.check(source.identity)
            }
        }
        _ = consume source
        try await started.wait()
        try await passTimeout()
        _ = await reading.value
        #expect(file.openDescriptors == 1)
        gate.open()
        #expect(await file.isClosedSoon())
    }
}

extension Result where Failure == UploadFailure {
    var failure: UploadFailure? { if case .failure(let failure) = self { failure } else { nil } }
}
