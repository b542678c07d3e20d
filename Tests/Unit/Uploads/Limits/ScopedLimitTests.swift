import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Testing

@testable import FerryUploads

/// Tests uploads with several limits at once.
struct ScopedLimitTests {
    /// Returns the bytes that each upload sends in a minute. Each one sends the largest chunks it may, and tries again
    /// after the delay.
    private func sent(_ uploads: [Upload], _ rates: [LimitScope: ByteCount]) -> [ByteCount] {
        let start = ContinuousClock.now
        let clock = ManualClock()
        let limit = RateLimit { start.advanced(by: clock.now.offset) }
        limit.set(rates)
        let limiters = uploads.map { limit.limiter(of: $0) }
        var next = limiters.map { _ in Duration.zero }
        var sent = limiters.map { _ in ByteCount(0) }
        while let first = next.indices.min(by: { next[$0] < next[$1] }), next[first] < .seconds(60) {
            clock.advance(by: max(.zero, next[first] - clock.now.offset))
            let chunk = limiters[first].chunkLimit ?? 100_000
            let wait = limiters[first].delay(beforeSending: chunk)
            if wait == .zero { sent[first] += chunk }
            // A chunk that is not delayed takes 1 ms to send.
            next[first] = clock.now.offset + (wait == .zero ? .milliseconds(1) : wait)
        }
        return sent
    }

    private func upload(_ id: Upload.ID, to destination: String, batch: String? = nil) -> Upload {
        var upload = Upload.make(id)
        upload.target.destination = destination
        upload.batch = batch
        return upload
    }

    @Test func `a destination is limited alone, all its uploads together, and others are not`() {
        let uploads = [
            upload(1, to: "slow"), upload(2, to: "slow"), upload(3, to: "fast"), upload(4, to: ""),
        ]
        let sent = sent(uploads, [.destination("slow"): 100_000])
        #expect((5_800_000...6_050_000).contains(sent[0] + sent[1]), "\(sent)")
        #expect(sent[0] > 2_000_000 && sent[1] > 2_000_000, "\(sent)")
        #expect(sent[2] > 1_000_000_000 && sent[3] > 1_000_000_000, "\(sent)")
    }

    @Test func `the strictest of all limits counts`() {
        let uploads = [upload(1, to: "a", batch: "b"), upload(2, to: "a")]
        let sent = sent(uploads, [.total: 1_000_000, .destination("a"): 300_000, .batch("b"): 100_000])
        #expect((5_500_000...6_050_000).contains(sent[0]), "\(sent)")
        #expect((17_000_000...18_100_000).contains(sent[0] + sent[1]), "\(sent)")
    }

    @Test func `an upload with small chunks for another limit has the same share of the total`() {
        // The limit of `a` alone would allow more than half of the total.
        let uploads = [upload(1, to: "a"), upload(2, to: "b")]
        let sent = sent(
            uploads, [.total: 1_000_000, .destination("a"): 600_000, .destination("b"): 5_000_000])
        #expect((57_000_000...60_500_000).contains(sent[0] + sent[1]), "\(sent)")
        #expect(sent[0] > 24_000_000, "\(sent)")
        #expect(sent[1] > 24_000_000, "\(sent)")
    }

    @Test func `chunks are as small as the strictest limit wants them`() {
        let limit = RateLimit(10_000_000)
        limit[.destination("a")] = 100_000
        #expect(limit.limiter(of: upload(1, to: "a")).chunkLimit == 1024)
        #expect(limit.limiter(of: upload(2, to: "b")).chunkLimit == 100_000)
        limit.set([:])
        #expect(limit.limiter(of: upload(1, to: "a")).chunkLimit == nil)
    }

    @Test func `a limited upload sends the same in each tenth of a second, within 5 %`() {
        let start = ContinuousClock.now
        let clock = ManualClock()
        let limit = RateLimit(1_000_000) { start.advanced(by: clock.now.offset) }
        var sent = [ByteCount](repeating: 0, count: 100)
        while clock.now.offset < .seconds(10) {
            let chunk = limit.chunkLimit ?? 0
            let wait = limit.delay(beforeSending: chunk)
            if wait == .zero { sent[Int(clock.now.offset / .milliseconds(100))] += chunk }
            clock.advance(by: wait)
        }
        // The first window is left out, because it contains the burst.
        let mean = Double(sent.dropFirst().reduce(0, +)) / 99
        let squares = sent.dropFirst().map { (Double($0) - mean) * (Double($0) - mean) }
        let deviation = (squares.reduce(0, +) / 99).squareRoot()
        #expect(deviation < mean * 0.05, "\(sent)")
        #expect((9_800_000...10_200_000).contains(sent.reduce(0, +)), "\(sent)")
    }

    @Test func `a send that waits for one limit is not booked in another`() {
        let now = ContinuousClock.now
        let limit = RateLimit(1000) { now }
        limit[.destination("a")] = 1
        let limiter = limit.limiter(of: upload(1, to: "a"))
        #expect(limiter.delay(beforeSending: 1) == .zero)
        for _ in 0..<100 { #expect(limiter.delay(beforeSending: 1000) > .zero) }
        // The total was charged for one byte only.
        #expect(limit.delay(beforeSending: 1) > .zero)
        #expect(limit.delay(beforeSending: 1) < .milliseconds(10))
    }

    @Test func `a limit that stays keeps what is booked when others change`() {
        let now = ContinuousClock.now
        let limit = RateLimit(1) { now }
        _ = limit.delay(beforeSending: 1000)
        limit.set([.total: 1, .batch("b"): 5])
        #expect(limit.delay(beforeSending: 1) > .zero)
        limit.set([.total: 2, .batch("b"): 5])
        #expect(limit.delay(beforeSending: 1) == .zero)
    }
}
