import FerryFiles
import FerryProtocols

/// A rate in bytes per second, with a tenth of a second in advance. Pure.
struct TokenBucket {
    private static let burst = Duration.milliseconds(100)
    private static let longestScatter = 0.025

    let rate: ByteCount
    /// The moment at which all booked bytes are paid for.
    private(set) var paidUntil: ContinuousClock.Instant

    init(rate: ByteCount, at now: ContinuousClock.Instant) {
        self.rate = max(1, rate)
        paidUntil = now
    }

    /// The maximum number of bytes to send at once so that the rate is even within a tenth of a second.
    var chunkLimit: ByteCount { max(1 << 10, rate / 100) }

    mutating func book(_ bytes: ByteCount, at now: ContinuousClock.Instant) {
        // Unused time is lost, except for one burst.
        paidUntil = max(paidUntil, now - Self.burst) + .seconds(seconds(for: bytes))
    }

    /// Returns the random delay of the next request after `paidUntil`.
    ///
    /// Waiters for one moment wake in the sequence of their requests, and the sender of the last chunk requests first.
    /// Without a random delay the others would never send. The delay is exponential with a mean in proportion to the
    /// chunk. A sender of chunks of half the size, under another limit, is first twice as often, so shares are equal in
    /// bytes.
    func scatter(of bytes: ByteCount) -> Duration {
        let mean = min(seconds(for: bytes) / 10, Self.longestScatter)
        return .seconds(-Double.random(in: Double.leastNormalMagnitude...1).logarithm * mean)
    }

    private func seconds(for bytes: ByteCount) -> Double { Double(bytes) / Double(rate) }
}
