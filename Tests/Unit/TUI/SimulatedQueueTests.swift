import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import FerryTUI
@testable import FerryUploads

/// Simulates a queue in virtual time. Uploads share a link whose rate changes; they are paused, limited and broken, and
/// the engine freezes. The numbers of the screen, and those of `list`, `status` and `--json`, are compared with the
/// bytes at the server.
@Suite struct SimulatedQueueTests {
    @Test(arguments: 1...(LongTests.areWanted ? 8 : 3) as ClosedRange<UInt64>)
    func `header, rows, details and the engine's numbers show the true state at each moment`(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<(120 * 4) {
            world.step()
            world.compare()
        }
        #expect(world.comparisons > 20, "hardly anything was steady enough to be compared")
    }

    @Test func `an engine that stands still leaves no rate and no remaining time on the screen`() {
        var world = World(seed: 1, isSteady: true)
        for _ in 0..<80 { world.step() }
        #expect(world.model.live.estimates.total.remaining != nil)
        world.isFrozen = true
        for _ in 0..<24 { world.step() }
        #expect(world.model.live.estimates.total.remaining == nil)
        #expect(world.model.live.estimates.total.rate == 0)
        for id in world.items.keys { #expect(world.model.live.estimates[id].remaining == nil) }
    }
}

private struct World {
    struct Item {
        var upload: Upload
        /// The number of bytes at the server. It has all sent bytes until a connection breaks.
        var sent: ByteCount = 0
        var startsAgain: Double?
        /// The percentage that the screen showed last, and the attempt to which it belongs.
        var shown: (percent: Int, attempt: Int) = (0, 0)

        var isRunning: Bool { if case .running = upload.state { true } else { false } }
        var left: Double { Double(upload.size - sent) }
    }

    private static let step = 0.25
    /// The time after which estimates must be right: five seconds, and one until the screen shows them.
    private static let settling = 6.0

    var model: Model
    var items: [Upload.ID: Item] = [:]
    var isFrozen = false
    private(set) var comparisons = 0
    private let isSteady: Bool
    private let progressStore: ProgressStore
    private let time: VirtualTime
    private var random: SeededGenerator
    private var link = 8e6
    private var limit: ByteCount?
    private var changed = 0.0
    private var next = 12.0

    init(seed: UInt64, isSteady: Bool = false) {
        let time = VirtualTime()
        self.time = time
        self.isSteady = isSteady
        random = SeededGenerator(seed: seed)
        progressStore = ProgressStore(clock: { time.instant })
        let uploads = (1...3).map { Upload.make($0, size: ByteCount($0) * 4_000_000_000, confirmed: 0) }
        model = .make(uploads, rows: 40, columns: 120)
        for upload in uploads {
            items[upload.id] = Item(upload: upload)
            run(upload.id)
        }
    }

    private var now: Double { time.seconds }
    private var running: [Upload.ID] { items.values.filter(\.isRunning).map(\.upload.id).sorted() }
    /// The rate of one upload in bytes per second.
    private var rate: Double {
        min(link, limit.map(Double.init) ?? link) / Double(max(1, running.count))
    }

    mutating func step() {
        time.pass(Self.step)
        _ = model.pass(to: now)
        if !isFrozen { move() }
        _ = model.update(.progress(progressStore.samples(limits)))
        guard !isSteady, now >= next else { return }
        next = now + .random(in: 9...16, using: &random)
        if isFrozen { thaw() } else { disturb() }
    }

    private mutating func move() {
        for (id, item) in items {
            if let again = item.startsAgain, now >= again { run(id) }
        }
        let bytes = ByteCount(rate * Self.step)
        for id in running {
            items[id]?.sent += bytes
            progressStore.update(id) { $0.sent += bytes }
        }
    }

    private mutating func thaw() {
        isFrozen = false
        changed = now
    }

    private mutating func disturb() {
        changed = now
        let id = Int.random(in: 1...items.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: link = .random(in: 5e5...2e7, using: &random)
        case 1:
            limit = limit == nil ? .random(in: 200_000...8_000_000, using: &random) : nil
            let limits = limit.map { [BandwidthLimit(.total, .atMost($0), origin: .command)] } ?? []
            _ = model.change(status: EngineStatus(limits: limits))
        case 2, 3:
            guard let item = items[id] else { return }
            if item.isRunning {
                stop(id, as: .paused(.user))
            } else if item.upload.state == .paused(.user) {
                run(id)
            }
        case 4:
            guard let item = items[id], item.isRunning else { return }
            // The break loses the bytes in the socket's buffer.
            items[id]?.sent -= min(item.sent, 300_000)
            stop(id, as: .waiting(2))
            let again = now + 2
            items[id]?.startsAgain = again
        default: isFrozen = true
        }
    }

    private mutating func stop(_ id: Upload.ID, as state: Upload.State) {
        _ = progressStore.end(id)
        items[id]?.upload.state = state
        items[id]?.startsAgain = nil
        publish(id)
    }

    private mutating func run(_ id: Upload.ID) {
        guard var item = items[id] else { return }
        item.upload.tries.attempts += 1
        item.upload.state = .running(attempt: item.upload.tries.attempts, since: .distantPast)
        item.upload.resource?.confirmed = item.sent
        item.startsAgain = nil
        items[id] = item
        progressStore.begin(item.upload, confirmed: item.sent)
        progressStore.update(id) { $0.phase = .sending }
        changed = now
        publish(id)
    }

    private mutating func publish(_ id: Upload.ID) {
        if let upload = items[id]?.upload { _ = model.change(upload) }
    }

    // MARK: comparisons

    private var limits: [LimitScope: ByteCount] { limit.map { [.total: $0] } ?? [:] }

    mutating func compare() {
        compareRows()
        let sampled = SampledProgress(progressStore.samples(limits))
        for item in items.values where item.isRunning { #expect(sampled.of(item.upload) == item.sent) }
        for id in running {
            let remaining = model.live.estimates[id].remaining ?? 0
            #expect(remaining <= model.live.estimates.total.remaining ?? .infinity, "upload \(id) at \(now)")
        }
        guard !isFrozen, now - changed > Self.settling, !running.isEmpty else { return }
        comparisons += 1
        let left = items.values.filter { $0.upload.isDue }.reduce(0) { $0 + $1.left }
        let together = left / (rate * Double(running.count))
        let longest = running.compactMap { items[$0] }.map { $0.left / rate }.max() ?? 0
        // If uploads share a limit, those that remain get the whole of it when others end.
        let isShared = limit.map { rate * Double(running.count) >= 0.9 * Double($0) } ?? false
        let truth = isShared ? together : max(together, longest)
        let remaining = RemainingBytes(QueueTable(items.values.map(\.upload)), sent: sampled)
        expect(model.live.estimates.total.remaining, truth, "the header")
        expect(progressStore.total(left: remaining, limits).remaining, truth, "the engine")
        for id in running {
            guard let item = items[id] else { continue }
            let end = min(item.left / rate, isShared ? together : .infinity)
            expect(model.live.estimates[id].remaining, end, "row \(id)")
            expect(sampled.estimate(of: item.upload).remaining, item.left / rate, "list \(id)")
            expect(sampled.estimate(of: item.upload).rate, rate, "rate \(id)")
        }
        #expect(remaining.total == Int128(left), "left at \(now)")
        compareDetails()
    }

    private func expect(_ shown: Double?, _ truth: Double, _ what: String) {
        let difference = shown.map { abs($0 - truth) / truth } ?? .infinity
        #expect(difference < 0.15, "\(what) says \(shown ?? -1), it is \(truth), at \(now)")
    }

    /// Checks that a percentage is at most 100 and does not fall within an attempt.
    private mutating func compareRows() {
        let frame = model.frame()
        for row in model.layout.list {
            let text = frame.text(row)
            guard let name = text.firstMatch(of: /file-(\d+)\.bin/), let id = Int(name.1),
                let shown = text.firstMatch(of: /(\d+)%/), let percent = Int(shown.1), let item = items[id]
            else { continue }
            #expect(percent <= 100)
            #expect(
                percent == Strings.percent(item.sent, of: item.upload.size)
                    || !item.isRunning || model.live.progress[id] == nil, "\(text)")
            let attempt = item.upload.tries.attempts
            if item.isRunning, item.shown.attempt == attempt { #expect(percent >= item.shown.percent) }
            items[id]?.shown = (percent, attempt)
        }
    }

    private func compareDetails() {
        guard let id = model.list.cursor?.id, let item = items[id], item.isRunning else { return }
        let facts = DetailsView(model: model).facts(item.upload)
        let percent = Strings.percent(item.sent, of: item.upload.size)
        if let sent = facts.first(where: { $0.label == "sent" }) {
            #expect(sent.text.hasSuffix("(\(percent)%)"), "\(sent.text)")
        }
        let left = "\(Strings.remaining(model.live.estimates[id].remaining)) left"
        #expect(facts.first { $0.label == "speed" }?.text.contains(left) == true)
    }
}

/// A clock that only the simulation advances.
private final class VirtualTime: Sendable {
    private let start = ContinuousClock.now
    private let passed = Mutex(0.0)

    var seconds: Double { passed.withLock { $0 } }
    var instant: ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    func pass(_ seconds: Double) { passed.withLock { $0 += seconds } }
}
