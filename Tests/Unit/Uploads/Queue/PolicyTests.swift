import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct QueueRetryPolicyTests {
    private let policy = QueueRetryPolicy(base: 1, cap: 60, serverTries: 3)

    private func decide(_ failure: UploadFailure, _ tries: inout Upload.Tries) -> QueueRetryPolicy.Decision {
        policy.decide(after: failure, tries: &tries) { $0.upperBound }
    }

    @Test func `waits double up to the cap`() {
        var tries = Upload.Tries()
        let waits = (0..<8).map { _ in decide(UploadFailure(.network, "x"), &tries) }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60].map { .wait($0) })
    }

    @Test func `N2 a wait is drawn from the whole range below its ceiling`() {
        var tries = Upload.Tries()
        var drawn: ClosedRange<Double>?
        _ = policy.decide(after: UploadFailure(.network, "x"), tries: &tries) { range in
            drawn = range
            return range.lowerBound
        }
        #expect(drawn == 0.1...1)
    }

    @Test func `N2 a network that stays away is tried for ever`() {
        var tries = Upload.Tries()
        tries.network = .max - 1
        #expect(decide(UploadFailure(.network, "x"), &tries) == .wait(60))
    }

    @Test func `N2 after an attempt that moved on the next one follows at once`() {
        var tries = Upload.Tries()
        let decision = policy.decide(
            after: UploadFailure(.network, "x"), tries: &tries, movement: .movedOn, random: { $0.upperBound })
        #expect(decision == .wait(0.125))
    }

    @Test func `N2 a wait after an attempt that moved is no longer than half of its time, a few times`() {
        var tries = Upload.Tries()
        let waits = (0..<18).map { _ in
            policy.decide(
                after: UploadFailure(.network, "x"), tries: &tries, movement: .moved(seconds: 6),
                random: { $0.upperBound })
        }
        #expect(waits == ([1, 2] + Array(repeating: 3, count: 14) + [60, 60]).map { .wait($0) })
    }

    @Test func `N8 a failure on a link that has just come back counts for nothing`() {
        var tries = Upload.Tries()
        for _ in 0..<3 {
            let decision = policy.decide(
                after: UploadFailure(.network, "x"), tries: &tries, movement: .linkIsFresh,
                random: { $0.upperBound })
            #expect(decision == .wait(0.25))
        }
        #expect(tries.network == 0)
    }

    @Test func `P2 waits for a server double up to the cap, each drawn from its whole range`() {
        let policy = QueueRetryPolicy(base: 1, cap: 60, serverTries: 8)
        var (tries, ranges) = (Upload.Tries(), [ClosedRange<Double>]())
        for status in [500, 502, 503, 504, 500, 502, 503, 504] {
            _ = policy.decide(after: UploadFailure(.server, "busy", status: status), tries: &tries) { range in
                ranges.append(range)
                return range.lowerBound
            }
        }
        #expect(ranges == [1, 2, 4, 8, 16, 32, 60, 60].map { $0 / 10...$0 })
        #expect(tries.server == 8)
    }

    @Test func `P2 a server that refuses too often fails the upload and says how often`() {
        var tries = Upload.Tries()
        for _ in 0..<3 { _ = decide(UploadFailure(.server, "busy"), &tries) }
        guard case .fail(let failure) = decide(UploadFailure(.server, "busy"), &tries) else {
            Issue.record("it was tried again")
            return
        }
        #expect(failure.summary.contains("3 tries"))
    }

    @Test func `P2 failures of the network do not use up the server's tries`() {
        var tries = Upload.Tries()
        for _ in 0..<50 { _ = decide(UploadFailure(.network, "x"), &tries) }
        #expect(decide(UploadFailure(.server, "busy"), &tries) == .wait(1))
    }

    @Test func `P7 an upload that another request has is tried for ever, after waits that grow to seconds`() {
        var tries = Upload.Tries()
        let locked = UploadFailure(.uploadLocked, "locked", status: 423, retryAfter: 0.5)
        let waits = (0..<6).map { _ in decide(locked, &tries) }
        #expect(waits == [1, 2, 4, 8, 15, 15].map { .wait($0) })
        for _ in 0..<100 { _ = decide(locked, &tries) }
        #expect(decide(locked, &tries) == .wait(15))
        #expect(tries.server == 0)
    }

    @Test func `P3 the server's wish is what counts, however often it refused before`() {
        var tries = Upload.Tries()
        for seconds in [300, 2, 2, 2, 2, 2, 1] as [Double] {
            #expect(
                decide(UploadFailure(.server, "busy", status: 503, retryAfter: seconds), &tries)
                    == .wait(seconds))
        }
    }

    @Test func `P3 the wish of a server in trouble is a lower bound of waits that grow`() {
        var tries = Upload.Tries()
        let broken = UploadFailure(.server, "broken", status: 500, retryAfter: 2)
        let waits = (0..<3).map { _ in decide(broken, &tries) }
        #expect(waits == [.wait(2), .wait(2), .wait(4)])
    }

    @Test func `P3 a busy server that says when to come again is never given up`() {
        var tries = Upload.Tries()
        let busy = UploadFailure(.server, "busy", status: 503, retryAfter: 5)
        for _ in 0..<100 { #expect(decide(busy, &tries) == .wait(5)) }
        #expect(tries.server == 100)
    }

    @Test(arguments: [nil, 0] as [Double?])
    func `P3 a wish for no wait leaves ours`(asked: Double?) {
        var tries = Upload.Tries()
        #expect(decide(UploadFailure(.server, "busy", retryAfter: asked), &tries) == .wait(1))
    }

    @Test func `P3 a wish to wait for more than a day needs a person`() {
        var tries = Upload.Tries()
        guard case .hold(let failure) = decide(UploadFailure(.server, "busy", retryAfter: 86_400), &tries)
        else {
            Issue.record("it was not held")
            return
        }
        #expect(failure.summary.contains("24 h or more"))
    }

    @Test func `I10 an unknown outcome is held, given up or retried as the policy says, and counted`() {
        let unknown = UploadFailure(.outcomeUnknown, "no answer")
        for (choice, decision) in [
            (.hold, .hold(unknown)), (.fail, .fail(unknown)), (.retry, .again),
        ] as [(QueueRetryPolicy.OnUncertain, QueueRetryPolicy.Decision)] {
            var tries = Upload.Tries()
            #expect(QueueRetryPolicy(onUncertain: choice).decide(after: unknown, tries: &tries) == decision)
            #expect(tries.uncertain == 1)
        }
    }

    @Test func `I10 a server that never responds is given pauses, and then the user is asked`() {
        let policy = QueueRetryPolicy(base: 1, cap: 60, serverTries: 3, onUncertain: .retry)
        var tries = Upload.Tries()
        let decisions = (0..<4).map { _ in
            policy.decide(after: UploadFailure(.outcomeUnknown, "x"), tries: &tries) { $0.upperBound }
        }
        #expect(decisions.dropLast() == [.again, .wait(2), .wait(4)])
        guard case .hold(let failure) = decisions[3] else {
            Issue.record("it was sent again")
            return
        }
        #expect(failure.category == .outcomeUnknown)
        #expect(failure.summary.contains("4 times"))
    }
}

struct RateLimitTests {
    @Test func `bytes are spread over time after a burst`() {
        let clock = ManualClock()
        let start = ContinuousClock.now
        let limit = RateLimit(1000) { start.advanced(by: clock.now.offset) }
        var sent = 0
        for _ in 0..<100 {
            if limit.delay(beforeSending: 100) == .zero { sent += 100 }
            clock.advance(by: .milliseconds(100))
        }
        // Ten seconds at 1000 bytes per second, and a burst of a quarter of a second.
        #expect((10_000...10_400).contains(sent))
    }

    @Test func `a delayed send asks again soon, so that a lifted limit is noticed`() {
        let now = ContinuousClock.now
        let limit = RateLimit(1) { now }
        _ = limit.delay(beforeSending: 1_000_000)
        let wait = limit.delay(beforeSending: 1)
        #expect(wait > .zero && wait <= .milliseconds(250))
    }

    @Test func `two senders that wait for the same moment both get their share`() {
        let start = ContinuousClock.now
        let clock = ManualClock()
        let limit = RateLimit(1000) { start.advanced(by: clock.now.offset) }
        // Each sender tries again after its delay. Of two with the same time, the first in the list goes first, as with
        // timers.
        var next = [Duration.zero, .zero]
        var sent = [0, 0]
        while clock.now.offset < .seconds(60) {
            let first = next[0] <= next[1] ? 0 : 1
            clock.advance(by: max(.zero, next[first] - clock.now.offset))
            let wait = limit.delay(beforeSending: 100)
            if wait == .zero { sent[first] += 100 }
            next[first] = clock.now.offset + wait
        }
        #expect(sent.allSatisfy { $0 > 15_000 }, "\(sent)")
    }

    @Test func `without a rate nothing waits`() {
        #expect(RateLimit().delay(beforeSending: .max) == .zero)
    }

    @Test func `lifting the limit takes effect at once`() {
        let limit = RateLimit(1)
        _ = limit.delay(beforeSending: 1_000_000)
        limit.rate = nil
        #expect(limit.delay(beforeSending: 1_000_000) == .zero)
    }
}

struct SchedulerTests {
    private let host = UploadHost(name: "a", port: 80, isLocal: false)
    private let other = UploadHost(name: "b", port: 80, isLocal: false)
    private let limits = Scheduler.Limits(total: 3, perHost: 2)

    private func next(
        _ scheduler: inout Scheduler, running: [UploadHost: Int] = [:], blocked: Set<UploadHost> = []
    ) -> Upload.ID? {
        scheduler.next(limits: limits, running: running, isBlocked: blocked.contains) { _, _ in true }
    }

    @Test func `the lowest rank goes first, whatever its host`() {
        var scheduler = Scheduler()
        scheduler.enqueue(1, rank: 5, host: host)
        scheduler.enqueue(2, rank: 3, host: other)
        #expect(next(&scheduler) == 2)
    }

    @Test func `N6 a full host lets others go first`() {
        var scheduler = Scheduler()
        scheduler.enqueue(1, rank: 1, host: host)
        scheduler.enqueue(2, rank: 2, host: other)
        #expect(next(&scheduler, running: [host: 2]) == 2)
    }

    @Test func `a blocked host is passed over and kept`() {
        var scheduler = Scheduler()
        scheduler.enqueue(1, rank: 1, host: host)
        #expect(next(&scheduler, blocked: [host]) == nil)
        #expect(next(&scheduler) == 1)
    }

    @Test func `nothing starts beyond the total`() {
        var scheduler = Scheduler()
        scheduler.enqueue(1, rank: 1, host: host)
        #expect(next(&scheduler, running: [other: 3]) == nil)
    }

    @Test func `N6 stuck uploads elsewhere let one upload start at an idle host, and none at a busy one`() {
        var scheduler = Scheduler()
        for id in 1...2 { scheduler.enqueue(id, rank: Int64(id), host: other) }
        func next(_ running: [UploadHost: Int], stuck: [UploadHost: Int]) -> Upload.ID? {
            scheduler.next(
                limits: .init(total: 3, perHost: 3), running: running, stuck: stuck,
                isBlocked: { _ in false }, isCurrent: { _, _ in true })
        }
        #expect(next([host: 3], stuck: [:]) == nil)
        #expect(next([host: 3], stuck: [host: 1]) == 1)
        #expect(next([host: 3, other: 1], stuck: [host: 3]) == nil)
    }

    @Test func `N6 a rest of a slot that is too small for the next upload blocks no idle host`() {
        var scheduler = Scheduler()
        scheduler.enqueue(1, rank: 1, host: host)
        scheduler.enqueue(2, rank: 2, host: other)
        func next(stuck: [UploadHost: Int]) -> Upload.ID? {
            scheduler.next(
                limits: .init(total: 8, perHost: 8, slot: 4), running: [host: 7], stuck: stuck,
                isBlocked: { _ in false }, places: { _, _ in 4 }, isCurrent: { _, _ in true })
        }
        #expect(next(stuck: [:]) == nil)
        #expect(next(stuck: [host: 7]) == 2)
    }

    @Test func `several uploads that take few slots run where one does that takes many`() {
        var scheduler = Scheduler()
        for id in 1...3 { scheduler.enqueue(id, rank: Int64(id), host: host) }
        let places: (Upload.ID, UploadHost) -> Int = { id, _ in id == 2 ? 2 : 1 }
        let limits = Scheduler.Limits(total: 3, perHost: 3)
        var running: [UploadHost: Int] = [other: 1]
        var begun: [Upload.ID] = []
        while let id = scheduler.next(
            limits: limits, running: running, isBlocked: { _ in false }, places: places,
            isCurrent: { _, _ in true })
        {
            begun.append(id)
            running[host, default: 0] += places(id, host)
        }
        // The second upload needs two slots and waits. The third one does not overtake it.
        #expect(begun == [1])
        running = [host: 1]
        #expect(
            scheduler.next(
                limits: limits, running: running, isBlocked: { _ in false }, places: places,
                isCurrent: { _, _ in true }) == 2)
    }

    @Test func `an entry that is no longer current is dropped`() {
        var scheduler = Scheduler()
        scheduler.enqueue(1, rank: 1, host: host)
        scheduler.enqueue(2, rank: 2, host: host)
        let id = scheduler.next(
            limits: limits, running: [:], isBlocked: { _ in false }, isCurrent: { id, _ in id == 2 })
        #expect(id == 2)
    }
}

struct QueueOrderTests {
    private let order: [(id: Upload.ID, rank: Int64)] = [(1, 10), (2, 20), (3, 30), (4, 40)]

    private func ids(after move: QueueMove, of chosen: Set<Upload.ID>) -> [Upload.ID] {
        let ranks = QueueOrder.ranks(after: move, of: chosen, in: order, within: 10...40)
        return order.map { (id: $0.id, rank: ranks[$0.id] ?? $0.rank) }.sorted { $0.rank < $1.rank }.map(\.id)
    }

    @Test(arguments: [
        (QueueMove.up, [3], [1, 3, 2, 4]), (.up, [1], [1, 2, 3, 4]), (.up, [2, 3], [2, 3, 1, 4]),
        (.up, [1, 3], [1, 3, 2, 4]), (.down, [2], [1, 3, 2, 4]), (.down, [3, 4], [1, 2, 3, 4]),
        (.down, [1, 2], [3, 1, 2, 4]), (.top, [4, 2], [2, 4, 1, 3]), (.bottom, [1, 3], [2, 4, 1, 3]),
        (.top, [], [1, 2, 3, 4]),
    ])
    func `the chosen move as a block and keep their order`(
        move: QueueMove, chosen: [Upload.ID], expected: [Upload.ID]
    ) {
        #expect(ids(after: move, of: Set(chosen)) == expected)
    }
}
