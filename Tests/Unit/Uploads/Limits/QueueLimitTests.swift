import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import FerryUploads

/// Tests limits by the time of day. A user can set the wall clock.
struct QueueLimitTests {
    private static let slow = Bandwidth.atMost(2_000_000)
    private static let hour = 3600.0

    private let manual = ManualClock()
    private let offset = Offset()
    private let rates: RateLimit
    private let journal: MemoryJournal

    private final class Offset: Sendable {
        private let seconds = Mutex(0.0)
        var value: Double {
            get { seconds.withLock { $0 } }
            set { seconds.withLock { $0 = newValue } }
        }
    }

    init() {
        rates = RateLimit(now: { .now })
        var upload = Upload.make(1, state: .paused(.user))
        upload.batch = "nightly"
        journal = MemoryJournal([upload])
    }

    /// 07:00 UTC on Friday, 2027-01-15.
    private static let morning = Date(timeIntervalSince1970: 1_799_996_400)

    private static func at(_ hour: Double) -> Date { morning.addingTimeInterval((hour - 7) * Self.hour) }

    private static func workday() throws -> Timetable {
        let (from, to) = (Timetable.TimeOfDay(hour: 8, minute: 0), Timetable.TimeOfDay(hour: 18, minute: 0))
        return Timetable([.init(from: try #require(from), to: try #require(to), slow)])
    }

    private func queue(_ limits: [LimitScope: Timetable]) throws -> UploadQueue {
        var clock = QueueClock.manual(manual)
        let (manual, offset) = (manual, offset)
        clock.date = { Self.morning.addingTimeInterval(manual.now.offset / .seconds(1) + offset.value) }
        clock.zone = .gmt
        return UploadQueue(
            configuration: .init(limits: limits), journal: journal, runner: ScriptedRunner(),
            rateLimit: rates, clock: clock, probe: { _ in .reachable })
    }

    private func until(_ queue: UploadQueue, _ limit: BandwidthLimit) async throws {
        for await update in await queue.updates() {
            if update.status.totalLimit == limit { return }
        }
        throw CancellationError()
    }

    /// Advances the clock, once the queue's timer waits.
    private func pass(_ hours: Double) async throws {
        try await manual.waitForSleepers()
        manual.advance(by: .seconds(hours * Self.hour))
    }

    @Test func `the rate changes when the timetable says so, and that is reported`() async throws {
        let queue = try queue([.total: try Self.workday()])
        try await queue.start(monitor: nil)
        #expect(rates.rate == nil)
        #expect(await queue.status.totalLimit.until == Self.at(8))
        try await pass(1)
        try await until(queue, BandwidthLimit(.total, Self.slow, origin: .timetable, until: Self.at(18)))
        #expect(rates.rate == 2_000_000)
        try await pass(10)
        try await until(queue, BandwidthLimit(.total, .unlimited, until: Self.at(32)))
        #expect(rates.rate == nil)
        await queue.stop()
    }

    @Test(arguments: [(7, 9), (9, 7), (9, 9619), (19, -9591)] as [(Double, Double)])
    func `a wall clock that is set over a moment of the timetable is noticed within a minute`(
        from: Double, to: Double
    ) async throws {
        offset.value = (from - 7) * Self.hour
        let queue = try queue([.total: try Self.workday()])
        try await queue.start(monitor: nil)
        let isSlow = rates.rate != nil
        offset.value = (to - 7) * Self.hour
        try await pass(1.0 / 60)
        for await update in await queue.updates() {
            if (update.status.totalLimit.bandwidth == Self.slow) != isSlow { break }
        }
        #expect((rates.rate != nil) != isSlow)
        await queue.stop()
    }

    @Test func `a clock that was set is noticed by whatever the queue does next`() async throws {
        let queue = try queue([.total: try Self.workday()])
        try await queue.start(monitor: nil)
        offset.value = 2 * Self.hour
        _ = await queue.perform(.tryNow)
        #expect(rates.rate == 2_000_000)
        await queue.stop()
    }

    @Test func `without a timetable nothing waits for the clock`() async throws {
        let queue = try queue([.total: Timetable(otherwise: Self.slow)])
        try await queue.start(monitor: nil)
        _ = await queue.perform(.limitBandwidth(.atMost(5), .destination("box")))
        #expect(manual.deadlines.isEmpty)
        await queue.stop()
    }

    @Test
    func `a limit that a command set overrides the timetable and survives a restart, until it is reset`()
        async throws
    {
        let limits = [LimitScope.total: try Self.workday()]
        offset.value = 2 * Self.hour
        let first = try queue(limits)
        try await first.start(monitor: nil)
        for (order, scope) in [
            (Bandwidth.unlimited, LimitScope.total), (.atMost(7), .destination("box")),
            (.atMost(5), .batch("nightly")),
        ] {
            #expect(await first.perform(.limitBandwidth(order, scope)) == .changed([]))
        }
        await first.stop()
        let second = try queue(limits)
        try await second.start(monitor: nil)
        #expect(
            await second.perform(.limits)
                == .limits([
                    BandwidthLimit(.total, .unlimited, origin: .command),
                    BandwidthLimit(.destination("box"), .atMost(7), origin: .command),
                    BandwidthLimit(.batch("nightly"), .atMost(5), origin: .command),
                ]))
        #expect([rates.rate, rates[.destination("box")], rates[.batch("nightly")]] == [nil, 7, 5])
        _ = await second.perform(.limitBandwidth(nil, .total))
        _ = await second.perform(.limitBandwidth(nil, .destination("box")))
        #expect([rates.rate, rates[.destination("box")], rates[.batch("nightly")]] == [2_000_000, nil, 5])
        #expect(journal.settings.limits == [.batch("nightly"): .atMost(5)])
        await second.stop()
    }

    @Test func `undo brings back what held before, the timetable too`() async throws {
        offset.value = 2 * Self.hour
        let queue = try queue([.total: try Self.workday()])
        try await queue.start(monitor: nil)
        _ = await queue.perform(.limitBandwidth(.atMost(5), .total))
        _ = await queue.perform(.limitBandwidth(.atMost(6), .destination("box")))
        let none = BandwidthLimit(.destination("box"), .unlimited)
        #expect(await queue.perform(.undo) == .reversed(.limited(.bandwidth(none)), []))
        #expect(rates[.destination("box")] == nil)
        #expect(rates.rate == 5)
        let reply = await queue.perform(.undo)
        #expect(await reply == .reversed(.limited(.bandwidth(queue.status.totalLimit)), []))
        #expect(await queue.status.totalLimit.origin == .timetable)
        #expect(rates.rate == 2_000_000)
        await queue.stop()
    }

    @Test func `a limit that the disk refuses does not hold`() async throws {
        let queue = try queue([:])
        try await queue.start(monitor: nil)
        journal.refusal = .diskFull(path: "journal.1.jsonl", isQuota: false)
        guard case .refused = await queue.perform(.limitBandwidth(.atMost(5), .destination("box"))) else {
            Issue.record("the disk's refusal was not passed on")
            return
        }
        #expect(rates[.destination("box")] == nil)
        await queue.stop()
    }

    @Test func `a batch that no upload is of is named, and may only be set free`() async throws {
        let queue = try queue([:])
        try await queue.start(monitor: nil)
        guard case .refused(let failure) = await queue.perform(.limitBandwidth(.atMost(5), .batch("nightl")))
        else {
            Issue.record("the limit was taken")
            return
        }
        #expect(failure.summary == "there is no batch 'nightl'")
        #expect(failure.hint == "there are nightly")
        #expect(await queue.perform(.limitBandwidth(nil, .batch("nightl"))) == .changed([]))
        await queue.stop()
    }

    @Test(arguments: [0, -5]) func `a rate that is none is refused`(rate: ByteCount) async throws {
        let queue = try queue([:])
        try await queue.start(monitor: nil)
        guard case .refused = await queue.perform(.limitBandwidth(.atMost(rate), .total)) else {
            Issue.record("the limit was taken")
            return
        }
        await queue.stop()
    }
}
