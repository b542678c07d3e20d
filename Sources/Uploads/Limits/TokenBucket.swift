import FerryFiles
import FerryProtocols

/// A limit in bytes per second. After a pause, the bytes of a tenth of a second can be sent at once. The caller passes
/// the time.
struct TokenBucket {
    private static let burst = Duration.milliseconds(100)
    private static let longestScatter = 0.025

    let rate: ByteCount
    /// The moment at which the last booked byte is sent if the bytes are sent at `rate`. No further chunk is sent
    /// before this moment.
    private(set) var paidUntil: ContinuousClock.Instant

    init(rate: ByteCount, at now: ContinuousClock.Instant) {
        self.rate = max(1, rate)
        paidUntil = now
    }

    /// The maximum size of a chunk in bytes: the bytes of a hundredth of a second, and at least 1 KiB. Small chunks
    /// keep the rate even.
    var chunkLimit: ByteCount { max(1 << 10, rate / 100) }

    mutating func book(_ bytes: ByteCount, at now: ContinuousClock.Instant) {
        // Time in which nothing was sent cannot be used later, except for the length of one burst.
        paidUntil = max(paidUntil, now - Self.burst) + .seconds(seconds(for: bytes))
    }

    /// Returns a random time to wait beyond `paidUntil` before the next call of `delay(beforeSending:)`.
    ///
    /// All waiting senders wake at `paidUntil`, in the sequence in which they called. The sender that has just sent a
    /// chunk calls first. Without a random delay it would also wake first each time, and the others would never send.
    /// The delay has an exponential distribution, and its mean is proportional to the size of the chunk. So a sender
    /// with chunks of half the size sends twice as many chunks, and all send equally many bytes.
    func scatter(of bytes: ByteCount) -> Duration {
        let mean = min(seconds(for: bytes) / 10, Self.longestScatter)
        return .seconds(-Double.random(in: Double.leastNormalMagnitude...1).logarithm * mean)
    }

    private func seconds(for bytes: ByteCount) -> Double { Double(bytes) / Double(rate) }
}
