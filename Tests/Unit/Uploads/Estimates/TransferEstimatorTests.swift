import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import Testing

@testable import FerryUploads

/// A simulated link in virtual time. Uploads share its rate, and bytes leave in bursts.
private struct SimulatedLink {
    private static let step = 0.01

    private(set) var estimator = TransferEstimator()
    private(set) var now = 0.0
    private(set) var left: [Upload.ID: Double]
    private var waiting: [Upload.ID: Double] = [:]
    /// The number of bytes of one write.
    var burst = 65_536.0
    var limits: [LimitScope: ByteCount] = [:]

    /// - Parameter buffered: The number of bytes that the socket accepts at once, before the link transfers any.
    init(_ sizes: [Upload.ID: Double], buffered: Double = 0) {
        left = sizes
        for id in sizes.keys {
            estimator.start(id, at: 0)
            if buffered > 0 { send(buffered, of: id) }
        }
    }

    private mutating func send(_ bytes: Double, of id: Upload.ID) {
        let bytes = min(bytes, left[id] ?? 0)
        left[id, default: 0] -= bytes
        estimator.move(id, by: bytes, at: now)
    }

    /// Lets the uploads send for `seconds`.
    ///
    /// - Parameter rate: Returns the rate of an upload in bytes per second.
    mutating func run(for seconds: Double, rate: (Upload.ID) -> Double) {
        let end = now + seconds
        while now < end - Self.step / 2 {
            now += Self.step
            for id in left.keys.sorted() {
                waiting[id, default: 0] += rate(id) * Self.step
                guard let bytes = waiting[id], bytes >= burst else { continue }
                waiting[id] = 0
                send(bytes, of: id)
            }
        }
    }

    mutating func end(_ id: Upload.ID) {
        left[id] = nil
        estimator.end(id, at: now)
    }

    mutating func run(for seconds: Double, rate: Double) { run(for: seconds) { _ in rate } }

    var estimates: TransferEstimates {
        var remaining = RemainingBytes()
        for (id, left) in left { remaining.add(Int128(left), of: .make(id)) }
        return estimator.estimates(
            of: left.map { .init(id: $0, size: ByteCount($1), sent: 0, scopes: Upload.make($0).limitScopes) },
            left: remaining, limits: limits, at: now)
    }

    /// The number of remaining bytes of all uploads.
    var sum: Double { left.values.reduce(0, +) }
}

/// Returns the relative difference of `value` from `truth`.
private func error(_ value: Double?, _ truth: Double) -> Double {
    value.map { abs($0 - truth) / truth } ?? .infinity
}

@Suite struct TransferEstimatorTests {
    @Test func `the upload that is left has the whole limit as soon as the other ends`() {
        var link = SimulatedLink([1: 1e9, 2: 1e9])
        link.limits = [.total: 2_000_000]
        link.run(for: 20, rate: 1e6)
        link.end(1)
        link.run(for: 1, rate: 2e6)
        #expect(error(link.estimates.total.remaining, link.sum / 2e6) < 0.15)
        #expect(error(link.estimates.uploads[2]?.remaining, link.sum / 2e6) < 0.15)
    }

    @Test func `uploads that share a limit end when all that is left has passed through it`() {
        var link = SimulatedLink([1: 2e7, 2: 8e7])
        link.limits = [.total: 1_000_000]
        link.run(for: 10, rate: 0.5e6)
        #expect(error(link.estimates.total.remaining, link.sum / 1e6) < 0.01)
        #expect(error(link.estimates.uploads[2]?.remaining, link.sum / 1e6) < 0.01)
        #expect(error(link.estimates.uploads[1]?.remaining, (link.left[1] ?? 0) / 0.5e6) < 0.01)
    }

    @Test func `an upload that the link holds back gets no share of a limit that does not bind`() {
        var link = SimulatedLink([1: 1e9, 2: 1e9])
        link.limits = [.total: 20_000_000]
        link.run(for: 20, rate: 1e6)
        link.end(1)
        link.run(for: 1, rate: 1e6)
        #expect(error(link.estimates.uploads[2]?.remaining, link.sum / 1e6) < 0.15)
    }

    @Test(arguments: [(10e6, 1e6), (1e6, 10e6), (5e6, 4e6), (4e6, 5e6), (20e6, 0.3e6), (0.3e6, 20e6)])
    func `five seconds after a change of the rate the remaining time is right within 15 %`(
        before: Double, after: Double
    ) {
        var link = SimulatedLink([1: 2e9, 2: 2e9])
        link.run(for: 60, rate: before / 2)
        #expect(error(link.estimates.total.remaining, link.sum / before) < 0.15)
        link.run(for: 5, rate: after / 2)
        #expect(error(link.estimates.total.remaining, link.sum / after) < 0.15)
        #expect(error(link.estimates.total.rate, after) < 0.15)
        #expect(error(link.estimates.uploads[1]?.remaining, (link.left[1] ?? 0) / (after / 2)) < 0.15)
    }

    @Test func `a remaining time is there within five seconds, whatever a socket took at first`() {
        for buffered in [0, 200e3, 4e6] {
            var link = SimulatedLink([1: 1e9], buffered: buffered)
            link.run(for: 2.5, rate: 1e6)
            #expect(link.estimates.total.remaining != nil)
            link.run(for: 2.5, rate: 1e6)
            #expect(error(link.estimates.total.remaining, link.sum / 1e6) < 0.15, "\(buffered)")
        }
    }

    @Test func `a limit that is set holds at once`() {
        var link = SimulatedLink([1: 1e9, 2: 1e9])
        link.run(for: 30, rate: 4e6)
        link.limits[.total] = 1_000_000
        #expect(error(link.estimates.total.remaining, link.sum / 1e6) < 0.001)
    }

    @Test func `five seconds after a limit is lifted the remaining time is right within 15 %`() {
        var link = SimulatedLink([1: 1e9, 2: 1e9])
        link.limits[.total] = 1_000_000
        link.run(for: 92, rate: 0.5e6)
        #expect(error(link.estimates.total.remaining, link.sum / 1e6) < 0.15)
        link.limits = [:]
        link.run(for: 5, rate: 6e6)
        #expect(error(link.estimates.total.remaining, link.sum / 12e6) < 0.15)
    }

    @Test func `a limit of one destination holds for what goes there`() {
        var link = SimulatedLink([1: 1e9])
        link.run(for: 10, rate: 4e6)
        link.limits[.destination("photos")] = 2_000_000
        #expect(error(link.estimates.total.remaining, link.sum / 2e6) < 0.001)
        #expect(error(link.estimates.uploads[1]?.remaining, link.sum / 2e6) < 0.001)
        link.limits = [.destination("films"): 1000]
        #expect(error(link.estimates.total.remaining, link.sum / 4e6) < 0.15)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the total is never under the remaining time of one upload`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = 1...Int.random(in: 1...6, using: &random)
        var link = SimulatedLink(
            Dictionary(uniqueKeysWithValues: ids.map { ($0, .random(in: 1e6...1e10, using: &random)) }))
        for _ in 0..<30 {
            let rates = ids.map { _ in Double.random(in: 0...1e7, using: &random) }
            if random.isOne(in: 3) { link.limits[.total] = .random(in: 1000...10_000_000, using: &random) }
            if random.isOne(in: 4) { link.limits = [:] }
            link.run(for: .random(in: 0.1...6, using: &random)) { rates[$0 - 1] }
            let estimates = link.estimates
            guard let total = estimates.total.remaining else { continue }
            for upload in estimates.uploads.values {
                #expect(upload.remaining ?? 0 <= total)
            }
        }
    }

    @Test(arguments: [(16_384.0, 30e3), (65_536, 2e6), (300e3, 1e6), (4e6, 20e6)])
    func `a steady link that carries bursts has a steady time`(burst: Double, rate: Double) {
        var link = SimulatedLink([1: 1e10])
        link.burst = burst
        link.run(for: 20, rate: rate)
        for _ in 0..<40 {
            link.run(for: 0.25, rate: rate)
            #expect(error(link.estimates.total.remaining, link.sum / rate) < 0.15)
        }
    }

    @Test func `nothing is promised once nothing moves`() {
        var link = SimulatedLink([1: 1e9])
        link.run(for: 30, rate: 1e6)
        link.run(for: 5, rate: 0)
        #expect(link.estimates.total.remaining == nil)
        #expect(link.estimates.total.rate == 0)
        #expect(link.estimates.uploads[1]?.remaining == nil)
    }

    @Test func `small uploads one after the other have one rate`() {
        var estimator = TransferEstimator()
        for second in 0..<10 {
            estimator.start(second, at: Double(second))
            estimator.move(second, by: 5e5, at: Double(second) + 0.5)
            estimator.move(second, by: 5e5, at: Double(second) + 0.9)
            estimator.end(second, at: Double(second) + 0.9)
        }
        var left = RemainingBytes()
        left.add(10_000_000, of: .make(99))
        let total = estimator.estimates(of: [], left: left, limits: [:], at: 10).total
        #expect(error(total.rate, 1e6) < 0.15)
        #expect(error(total.remaining, 10) < 0.15)
    }

    @Test func `a rate from before a long pause does not count`() {
        var link = SimulatedLink([1: 1e9])
        link.run(for: 30, rate: 1e6)
        var estimator = link.estimator
        estimator.end(1, at: 30)
        estimator.start(2, at: 60)
        #expect(estimator.estimates(of: [], left: RemainingBytes(), limits: [:], at: 60).total.rate == nil)
    }

    @Test func `absurd numbers do not trap`() {
        var estimator = TransferEstimator()
        estimator.start(1, at: 5)
        for (bytes, now) in [(-1, 6), (.infinity, 7), (.nan, 8), (1e300, 4), (1, .infinity), (1, 9)] {
            estimator.move(1, by: bytes, at: now)
        }
        var left = RemainingBytes()
        left.add(-5, of: .make(1))
        let estimates = estimator.estimates(
            of: [.init(id: 1, size: .max, sent: .min, scopes: [.total])], left: left, limits: [.total: 1],
            at: 9)
        #expect(estimates.total.remaining.map { $0 >= 0 } ?? true)
    }
}
