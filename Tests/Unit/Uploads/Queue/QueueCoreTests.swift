import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests the queue as a value, without actors, tasks and clocks.
struct QueueCoreTests {
    static let start = ContinuousClock.now
    static let full = JournalError.diskFull(path: "/state", isQuota: false)
    static func lookups(fewestInRanges: Int = 1000) -> QueueLookups {
        QueueLookups(
            host: { UploadHost(name: $0.target.destination, port: 80, isLocal: false) },
            resumes: { _ in true }, progress: { _ in nil }, random: { $0.upperBound },
            fewestInRanges: fewestInRanges)
    }

    static func moment(_ seconds: Double) -> Moment {
        Moment(instant: start.advanced(by: .seconds(seconds)), date: Date(timeIntervalSince1970: seconds))
    }

    @Test func `engines that start at different times number their commands differently`() {
        var numbers: [Int] = []
        for seconds in [1_800_000_000.0, 1_800_000_000.001] {
            var core = QueueCore(
                configuration: .init(concurrency: 1), lookups: Self.lookups(),
                limits: LimitSchedule(zone: .local), now: Self.moment(seconds))
            for id in 1...2 { _ = core.undo.record(.putBack(.init(joining: [id])), at: core.now.date) }
            numbers += core.undo.entries[.undo, default: []].map(\.number)
        }
        #expect(Set(numbers).count == 4)
        #expect(numbers.allSatisfy { $0 < 1 << 53 })
    }

    @Test func `queued uploads start with the engine, in the order of the queue`() {
        let queue = Driven([.make(1), .make(2)])
        #expect(queue.started == [1, 2])
    }

    @Test func `a pause takes effect once the disk has it`() {
        var queue = Driven([.make(1)])
        queue.handle(.transaction(.change([1], .pause), 1))
        #expect(queue.cancelled.isEmpty)
        #expect(queue.responded == nil)
        queue.answer()
        #expect(queue.cancelled == [1])
        #expect(queue.responded == [1])
    }

    @Test func `a pause that the disk refuses has not happened`() {
        var queue = Driven([.make(1)])
        queue.handle(.transaction(.change([1], .pause), 1))
        queue.answer(.failure(Self.full))
        #expect(queue.isRefused)
        #expect(queue.cancelled.isEmpty)
        #expect(queue.state(1)?.isRunning == true)
    }

    @Test func `a second pause of all waits for a first one that may yet be refused`() throws {
        var queue = Driven([.make(1), .make(2, state: .paused(.user))])
        queue.handle(.transaction(.change([1], .pause), 1))
        let again = try queue.core.ids(.all) { $0.state.pausedByUser != nil }
        #expect(again == [1])
        queue.handle(.transaction(.change(again, .pause), 2))
        #expect(queue.responded == nil)
    }

    @Test func `a pause of all includes what a command that waits will queue`() throws {
        var queue = Driven([.make(5, state: .failed), .make(6)], concurrency: 1)
        queue.handle(.transaction(.change([6], .pause), 1))
        queue.handle(.transaction(.change([5, 6], .retry(identities: [:], startsEarly: true)), 2))
        #expect(try queue.core.ids(.all) { $0.state.pausedByUser != nil }.contains(5))
    }

    @Test func `a pause of many uploads is written as one state with their numbers`() {
        var queue = Driven((1...5).map { .make($0) }, concurrency: 1, fewestInRanges: 3)
        queue.handle(.transaction(.change(Array(1...5), .pause), 1))
        // The first one runs, and its attempt changes more than its state.
        #expect(queue.changes.count == 2)
        guard case .set(let first) = queue.changes.first else { return #expect(Bool(false)) }
        #expect((first.id, first.state) == (1, .paused(.user)))
        #expect(queue.changes.last == .setState([2, 3, 4, 5], .paused(.user)))
        queue.answer()
        #expect(queue.responded == [1, 2, 3, 4, 5])
        #expect(queue.cancelled == [1])
    }

    @Test func `a pause of many uploads that the disk refuses has not happened`() {
        var queue = Driven((1...4).map { .make($0) }, concurrency: 1, fewestInRanges: 3)
        let before = (1...4).map { queue.state($0) }
        queue.handle(.transaction(.change(Array(1...4), .pause), 1))
        queue.answer(.failure(Self.full))
        #expect(queue.isRefused)
        #expect((1...4).map { queue.state($0) } == before)
    }

    @Test func `an upload that is not on disk is written whole when many are paused`() {
        var queue = Driven((1...3).map { .make($0) }, concurrency: 1, fewestInRanges: 2)
        queue.end(1, .failed(UploadFailure(.network, "gone")))
        queue.answer(.failure(Self.full))
        queue.seconds = 3600
        queue.handle(.timer)
        queue.handle(.transaction(.change([1, 2, 3], .pause), 1))
        let whole = queue.changes.compactMap { if case .set(let upload) = $0 { upload.id } else { nil } }
        #expect(whole == [1])
        #expect(queue.changes.contains(.setState([2, 3], .paused(.user))))
    }

    @Test func `a removal of many uploads is written by their numbers`() {
        var queue = Driven((1...3).map { .make($0, state: .paused(.user)) }, fewestInRanges: 3)
        queue.handle(.transaction(.remove([1, 2, 3]), 1))
        #expect(queue.changes == [.removeAll([1, 2, 3])])
        queue.answer()
        #expect(queue.responded == [1, 2, 3])
        queue.handle(.transaction(.putBack([1, 2, 3], orphaned: [:]), 2))
        #expect(queue.changes.count == 3)
    }

    @Test func `neither of two limits that the disk refuses holds`() {
        var queue = Driven([.make(1)])
        queue.handle(.transaction(.limitBandwidth(.atMost(1000), .total), 1))
        let first = queue.appends.map(\.ticket)
        queue.handle(.transaction(.limitBandwidth(.atMost(2000), .total), 2))
        for ticket in first {
            queue.handle(.journaled([(ticket, .failure(Self.full))]))
        }
        queue.answer(.failure(Self.full))
        #expect(queue.core.settings.limits[.total] == nil)
    }

    /// Tests a link that returns while the pause is being written. The disk then refuses the pause.
    @Test func `a refused pause of an upload without a link does not hold once the link is back`() {
        var queue = Driven([.make(1)])
        queue.handle(.link(.down(reason: "no route"), isForbidden: false))
        queue.answer()
        queue.end(1, .cancelled)
        queue.handle(.transaction(.change([1], .pause), 1))
        let pause = queue.appends.map(\.ticket)
        queue.handle(.link(.up(generation: 0), isForbidden: false))
        for ticket in pause {
            queue.handle(.journaled([(ticket, .failure(Self.full))]))
        }
        #expect(queue.isRefused)
        #expect(queue.state(1) == .queued)
    }

    @Test func `a refused resumption of an upload without a link leaves it paused once the link is back`() {
        var queue = Driven([.make(1)])
        queue.handle(.link(.down(reason: "no route"), isForbidden: false))
        queue.answer()
        queue.end(1, .cancelled)
        queue.handle(.transaction(.change([1], .pause), 1))
        queue.answer()
        queue.handle(.transaction(.change([1], .resume), 2))
        let resumption = queue.appends.map(\.ticket)
        queue.handle(.link(.up(generation: 0), isForbidden: false))
        for ticket in resumption {
            queue.handle(.journaled([(ticket, .failure(Self.full))]))
        }
        #expect(queue.isRefused)
        #expect(queue.state(1) == .paused(.user))
    }

    @Test func `a host that asks for a pause gets it, even from an upload that is just being paused`() {
        var queue = Driven([.make(1), .make(2)], concurrency: 1)
        #expect(queue.started == [1])
        queue.handle(.transaction(.change([1], .pause), 1))
        queue.end(1, .failed(UploadFailure(.server, "busy", status: 503, retryAfter: 60)))
        #expect(queue.started.isEmpty)
        queue.seconds = 61
        queue.handle(.timer)
        #expect(queue.started == [2])
    }

    @Test func `a second command waits until the first is on disk`() {
        var queue = Driven([.make(1)])
        queue.handle(.transaction(.change([1], .pause), 1))
        let first = queue
        queue.handle(.transaction(.change([1], .resume), 2))
        #expect(queue.appends.isEmpty)
        queue.effects = first.effects
        queue.answer()
        #expect(queue.appends.count == 1)
    }

    @Test func `an upload is shown as done once the disk has it`() {
        var queue = Driven([.make(1)])
        queue.end(1, .done(Receipt(bytes: 1)))
        #expect(queue.appends.map(\.durability) == [.finding])
        #expect(queue.state(1)?.isRunning == true)
        queue.answer()
        #expect(queue.state(1)?.isDone == true)
    }

    @Test func `an upload is counted as retired the moment it leaves the queue`() {
        var queue = Driven([.make(1)])
        queue.end(1, .done(Receipt(bytes: 1)))
        queue.answer()
        queue.handle(.transaction(.retire([1]), 1))
        #expect(queue.core.archive.retired.count == 0)
        queue.answer()
        #expect(queue.state(1) == nil)
        #expect(queue.core.archive.retired.count == 1)
    }

    @Test func `an end that an earlier record contains survives a power cut before it is shown`() {
        var queue = Driven([.make(1), .make(2)])
        queue.handle(.transaction(.setRanks([1: 9]), 1))
        let command = queue.appends.map(\.ticket)
        queue.handle(.sent(1, run: 1, 1))
        queue.end(1, .done(Receipt(bytes: 1)), sent: 1)
        for ticket in command {
            queue.handle(.journaled([(ticket, .success(()))]))
        }
        #expect(queue.appends.map(\.durability) == [.finding, .finding])
    }

    @Test func `an outcome that the disk refuses stays true, and nothing new starts`() {
        var queue = Driven([.make(1)])
        queue.end(1, .done(Receipt(bytes: 1)))
        queue.answer(.failure(Self.full))
        #expect(queue.state(1)?.isDone == true)
        queue.handle(.transaction(.change([1], .resume), 1))
        #expect(queue.core.health.isRefused)
        #expect(queue.started.isEmpty)
    }

    @Test func `sockets are cancelled before the loss of the link is written down`() throws {
        var queue = Driven([.make(1)])
        queue.handle(.link(.down(reason: "no route"), isForbidden: false))
        let cancel = try #require(queue.effects.firstIndex { if case .cancel = $0 { true } else { false } })
        let append = try #require(queue.effects.firstIndex { if case .append = $0 { true } else { false } })
        #expect(cancel < append)
    }

    @Test func `uploads that the link's loss paused start again with its return`() {
        var queue = Driven([.make(1)])
        queue.handle(.link(.down(reason: "no route"), isForbidden: false))
        queue.answer()
        queue.end(1, .cancelled)
        queue.handle(.link(.up(generation: 0), isForbidden: false))
        queue.answer()
        #expect(queue.started == [1])
    }

    @Test func `a wait for another try ends with the timer`() {
        var queue = Driven([.make(1)])
        queue.end(1, .failed(UploadFailure(.server, "busy")))
        queue.answer()
        #expect(queue.state(1)?.isWaiting == true)
        queue.seconds = 3600
        queue.handle(.timer)
        #expect(queue.started == [1])
    }

    @Test(arguments: [(0, 0), (1 << 30, 3)] as [(ByteCount, Int)])
    func `confirmed bytes renew the tries, unless the server loses them again and again`(
        resent: ByteCount, tries: Int
    ) {
        var upload = Upload.make(1)
        upload.tries.server = 3
        upload.tries.resent = resent
        var queue = Driven([upload])
        let resource = UploadResource(url: "http://h/1", confirmed: 1)
        queue.handle(.attempt(1, run: 1, .recorded(Redacted(resource), durably: false), 99))
        #expect(queue.core.uploads[1]?.resource?.confirmed == 1)
        #expect(queue.core.uploads[1]?.tries.server == tries)
    }

    @Test func `an upload that runs is put back only after its attempt has ended`() {
        var queue = Driven([.make(1)])
        queue.handle(.transaction(.remove([1]), 1))
        queue.answer()
        queue.handle(.transaction(.putBack([1], orphaned: [:]), 2))
        #expect(queue.appends.isEmpty)
        queue.end(1, .cancelled)
        #expect(queue.appends.count == 1)
        queue.answer()
        #expect(queue.started == [1])
    }

    @Test func `an upload that is put back while the one before it is removed is held`() throws {
        var after = Upload.make(2)
        after.start = Upload.StartCondition(after: [1...1])
        var queue = Driven([.make(1, state: .paused(.user)), after])
        queue.handle(.transaction(.remove([2]), 1))
        queue.answer()
        queue.handle(.transaction(.remove([1]), 2))
        let removal = try #require(queue.appends.first?.ticket)
        queue.handle(.transaction(.putBack([2], orphaned: [:]), 3))
        #expect(queue.appends.isEmpty)
        queue.handle(.journaled([(removal, .success(()))]))
        queue.answer()
        #expect(queue.started.isEmpty)
        #expect(queue.state(2)?.isHeld == true)
    }

    @Test func `an upload that is queued again while another one before it is removed is held again`() throws
    {
        var after = Upload.make(3)
        after.start = Upload.StartCondition(after: [1...2])
        var queue = Driven([.make(1, state: .paused(.user)), .make(2, state: .paused(.user)), after])
        queue.handle(.transaction(.remove([1]), 1))
        queue.answer()
        #expect(queue.state(3)?.isHeld == true)
        queue.handle(.transaction(.remove([2]), 2))
        let removal = try #require(queue.appends.first?.ticket)
        queue.handle(.transaction(.putBack([1], orphaned: [3: .queued]), 3))
        #expect(queue.appends.isEmpty)
        queue.handle(.journaled([(removal, .success(()))]))
        queue.answer()
        #expect(queue.core.uploads[1] != nil)
        #expect(queue.state(3)?.isHeld == true)
    }

    @Test func `an upload is removed only once those are on disk that are queued again after it`() {
        var after = Upload.make(3)
        after.start = Upload.StartCondition(after: [1...2])
        var queue = Driven([.make(1, state: .paused(.user)), .make(2, state: .paused(.user)), after])
        queue.handle(.transaction(.remove([1]), 1))
        queue.answer()
        queue.handle(.transaction(.putBack([1], orphaned: [3: .queued]), 2))
        let putBack = queue.appends.map(\.ticket)
        queue.handle(.transaction(.remove([2]), 3))
        #expect(queue.appends.isEmpty)
        queue.handle(.journaled(putBack.map { ($0, .success(())) }))
        queue.answer()
        #expect(queue.core.uploads[2] == nil)
        #expect(queue.state(3)?.isHeld == true)
    }

    @Test func `a disk that refuses to put an upload back leaves its bytes at the server for another undo`() {
        var queue = Driven([.make(1, state: .paused(.user))])
        queue.handle(.transaction(.remove([1]), 1))
        queue.answer()
        queue.seconds = 5
        queue.handle(.transaction(.putBack([1], orphaned: [:]), 2))
        queue.answer(.failure(Self.full))
        let since = queue.effects.compactMap { effect in
            if case .abandon(_, let since) = effect { since } else { nil }
        }
        #expect(since == [Self.moment(15).date])
    }

    @Test func `the sent bytes of an upload that was removed and put back count as sent again`() {
        var queue = Driven([.make(1)])
        queue.handle(.transaction(.remove([1]), 1))
        queue.answer()
        queue.end(1, .cancelled, sent: 5)
        queue.handle(.transaction(.putBack([1], orphaned: [:]), 2))
        queue.answer()
        #expect(queue.core.uploads[1]?.tries.resent == 5)
    }

    @Test func `with a disk that refuses, an upload that waits for a slot sets no timer in the past`() {
        var elsewhere = Upload.make(3)
        elsewhere.target.destination = "elsewhere"
        var queue = Driven([.make(1), .make(2), elsewhere], concurrency: 2)
        #expect(queue.started == [1, 2])
        queue.end(1, .done(Receipt(bytes: 1)))
        queue.answer(.failure(Self.full))
        #expect(queue.core.health.isRefused)
        queue.seconds = 5
        queue.handle(.timer)
        #expect(queue.wakes.allSatisfy { $0 > Self.moment(5).instant })
    }

    @Test func `the return of a host is published where no upload changes with it`() throws {
        var queue = Driven([.make(1), .make(2)])
        for id in [1, 2] { queue.end(id, .failed(UploadFailure(.network, "connection refused"))) }
        queue.handle(.transaction(.change([1, 2], .pause), 1))
        queue.answer()
        queue.handle(.transaction(.change([1, 2], .resume), 2))
        queue.answer()
        queue.seconds = 1
        queue.handle(.timer)
        let probe = try #require(queue.probes.first)
        queue.handle(.probed(probe.host, number: probe.number, .reachable))
        #expect(queue.started == [1, 2])
        #expect(queue.isPublished)
    }

    @Test func `a copy of the queue goes its own way`() {
        let first = Driven([.make(1)])
        var second = first
        second.end(1, .done(Receipt(bytes: 1)))
        second.answer()
        #expect(first.state(1)?.isRunning == true)
        #expect(second.state(1)?.isDone == true)
    }
}
