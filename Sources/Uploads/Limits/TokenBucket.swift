import FerryFiles
import FerryProtocols

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Bytes per second, with a tenth of a second in advance. Pure.
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

    /// The most bytes to send at once so that the rate is even within a tenth of a second.
    var chunkLimit: ByteCount { max(1 << 10, rate / 100) }

    mutating func book(_ bytes: ByteCount, at now: ContinuousClock.Instant) {
        // What was not used in time is lost, except for one burst.
        paidUntil = max(paidUntil, now - Self.burst) + .seconds(seconds(for: bytes))
    }

    /// The delay behind `paidUntil` of the next request.
    ///
    /// Those who wait for one moment wake in the order in which they asked, and who got the last piece asks first: without
    /// something that is left to chance the others would stand still. It is drawn so that who comes with a piece of half
    /// the size, as another limit wants it, is twice as often the first: their shares are the same in bytes.
    func scatter(of bytes: ByteCount) -> Duration {
        let mean = min(seconds(for: bytes) / 10, Self.longestScatter)
        return .seconds(-log(Double.random(in: Double.leastNormalMagnitude...1)) * mean)
    }

    private func seconds(for bytes: ByteCount) -> Double { Double(bytes) / Double(rate) }
}
