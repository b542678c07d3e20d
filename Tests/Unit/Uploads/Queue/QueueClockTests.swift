import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import FerryUploads

/// A wall clock that a user can set, independently of the monotonic clock.
private final class WallClock: Sendable {
    private let offset = Mutex(0.0)

    func set(by seconds: Double) { offset.withLock { $0 += seconds } }

    func clock(_ manual: ManualClock) -> QueueClock {
        var clock = QueueClock.manual(manual)
        let date = clock.date
        clock.date = { [self] in date().addingTimeInterval(offset.withLock { $0 }) }
        return clock
    }
}

struct QueueClockTests {
    private static let day = 86_400.0
    private static let jumps = [day, -day, 3653 * day, -3653 * day]

    private let manual = ManualClock()
    private let wall = WallClock()
    private let runner = ScriptedRunner()

    private func queue(_ uploads: [Upload]) -> (UploadQueue, MemoryJournal) {
        let journal = MemoryJournal(uploads)
        let queue = UploadQueue(
            configuration: .init(concurrency: 1), journal: journal, runner: runner,
            clock: wall.clock(manual), probe: { _ in .reachable })
        return (queue, journal)
    }

    private func state(_ queue: UploadQueue, _ accepts: (Upload.State) -> Bool) async throws -> Upload {
        for await update in await queue.updates() {
            for upload in update.changed where accepts(upload.state) { return upload }
        }
        throw CancellationError()
    }

    @Test(arguments: [QueueCommand.pause(.all), .remove(.all)])
    func `S17 a command that the disk refuses leaves a wait as it was, though the wall clock was set`(
        order: QueueCommand
    ) async throws {
        let (queue, journal) = queue([.make(1)])
        try await queue.start(monitor: nil)
        try await runner.next().fail(.server, retryAfter: 90)
        _ = try await state(queue) { $0.isWaiting }
        let instant = await queue.core.schedule.waits.instant(of: 1)
        wall.set(by: Self.day)
        journal.refusal = .diskFull(path: "journal.1.jsonl", isQuota: false)
        guard case .refused = await queue.perform(order) else {
            Issue.record("the disk's refusal was not passed on")
            return
        }
        #expect(await queue.core.schedule.waits.instant(of: 1) == instant)
    }

    @Test(arguments: jumps)
    func `S17 a wait ends when it was to end, whatever the wall clock says and however often it is stored`(
        jump: Double
    ) async throws {
        let (queue, _) = queue([.make(1), .make(2, state: .paused(.user))])
        try await queue.start(monitor: nil)
        try await runner.next().fail(.server, retryAfter: 90)
        _ = try await state(queue) { $0.isWaiting }
        manual.advance(by: .seconds(30))
        wall.set(by: jump)
        // The rank changes, so the upload is stored again. Its wait stays the same.
        guard case .changed(let moved) = await queue.perform(.move(.ids([1]), .down)) else {
            Issue.record("it was not moved")
            return
        }
        #expect(moved == [1])
        try await manual.waitForSleepers()
        #expect(manual.deadlines.first?.offset == .seconds(90))
        manual.advance(by: .seconds(59))
        #expect(await queue.core.uploads[1]?.state.isWaiting == true)
        manual.advance(by: .seconds(1))
        #expect(try await runner.next().upload.id == 1)
        await queue.stop()
    }

    @Test(arguments: jumps)
    func `S17 the displayed wait is the time that is left of it`(jump: Double) async throws {
        let (queue, _) = queue([.make(1)])
        try await queue.start(monitor: nil)
        try await runner.next().fail(.server, retryAfter: 90)
        _ = try await state(queue) { $0.isWaiting }
        manual.advance(by: .seconds(30))
        wall.set(by: jump)
        let now = wall.clock(manual).date()
        for upload in [await queue.all.first, try await state(queue) { $0.isWaiting }] {
            guard case .waiting(let until, _) = upload?.state else {
                Issue.record("it does not wait")
                return
            }
            #expect(abs(until.timeIntervalSince(now) - 60) < 0.001)
        }
        await queue.stop()
    }

    @Test(arguments: jumps)
    func `S17 the duration of an upload is measured by the clock that cannot be set`(jump: Double)
        async throws
    {
        let (queue, _) = queue([.make(1)])
        try await queue.start(monitor: nil)
        let attempt = try await runner.next()
        manual.advance(by: .seconds(7))
        wall.set(by: jump)
        attempt.complete()
        let done = try await state(queue) { $0.isDone }
        guard case .done(let receipt, _) = done.state else { return }
        #expect(receipt.duration == 7)
        await queue.stop()
    }

    @Test(
        arguments: [
            // The drawn length of the wait, its end in seconds from now, and the expected remaining time.
            (30.0, 10.0, 10.0), (30, -400 * day, 0), (30, 2 * day, 30), (30, 3653 * day, 30), (0, 60, 0),
            (1e300, 60, 60), (1e300, 1e12, 86_400), (.infinity, 1e300, 120), (.nan, 60, 60),
            (.nan, .nan, 120),
            (30, .infinity, 30), (30, .nan, 30), (-5, 60, 0),
        ] as [(Double, Double, Double)])
    func `S17 the rest of a wait never exceeds its drawn length or the longest wait`(
        delay: Double, ahead: Double, left: Double
    ) {
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let until = Date(timeIntervalSinceReferenceDate: 800_000_000 + ahead)
        #expect(QueueRetryPolicy().remaining(of: delay, until: until, now: now) == left)
    }

    @Test func `S17 a queue written by hand with times beyond all bounds starts and waits a day at most`()
        async throws
    {
        let failure = UploadFailure(.server, "busy", status: 503)
        let untils = [
            Date.distantFuture, .distantPast, Date(timeIntervalSinceReferenceDate: 1e300),
            Date(timeIntervalSinceReferenceDate: -.infinity), Date(timeIntervalSinceReferenceDate: .nan),
        ]
        let uploads = untils.enumerated().flatMap { index, until in
            [0, 30, 1e300, -.infinity, .nan].enumerated().map { place, delay in
                var upload = Upload.make(
                    1 + index * 5 + place, state: .waiting(until: until, failure: failure))
                upload.tries.delay = delay
                return upload
            }
        }
        let (queue, _) = queue(uploads)
        try await queue.start(monitor: nil)
        for upload in await queue.all {
            guard case .waiting(let until, _) = upload.state else { continue }
            #expect((0...86_400).contains(until.timeIntervalSince(wall.clock(manual).date())))
        }
        await queue.stop()
    }
}
