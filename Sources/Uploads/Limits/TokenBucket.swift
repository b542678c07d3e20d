import FerryProtocols

/// A token bucket. After a pause in sending, the bytes of about 100 milliseconds (`burst`) can be sent at once.
struct TokenBucket {
    private static let burst = Duration.milliseconds(100)
    private static let longestScatter = 0.025

    let rate: ByteCount
    /// The moment from which the next chunk can be sent.
    private(set) var paidUntil: ContinuousClock.Instant

    init(rate: ByteCount, at now: ContinuousClock.Instant) {
        self.rate = max(1, rate)
        paidUntil = now
    }

    /// The maximum size of a chunk, for 10 milliseconds at `rate`. Small chunks keep the transfer rate even.
    var chunkLimit: ByteCount { max(1 << 10, rate / 100) }

    mutating func book(_ bytes: ByteCount, at now: ContinuousClock.Instant) {
        // Time in which nothing was sent cannot be used later, except for the length of one burst.
        paidUntil = max(paidUntil, now - Self.burst) + .seconds(seconds(for: bytes))
    }

    /// Returns a random time that a sender must wait beyond `paidUntil`. Otherwise the sender of the last chunk could
    /// get every turn. The mean grows with the chunk, so that all senders send about equally many bytes.
    func scatter(of bytes: ByteCount) -> Duration {
        let mean = min(seconds(for: bytes) / 10, Self.longestScatter)
        return .seconds(-Double.random(in: Double.leastNormalMagnitude...1).logarithm * mean)
    }

    private func seconds(for bytes: ByteCount) -> Double { Double(bytes) / Double(rate) }
}
