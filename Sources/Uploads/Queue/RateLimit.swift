import Synchronization
public import Transfer
public import UploadProtocols

/// Bytes per second over all uploads together: a token bucket that holds a quarter of a second.
public final class RateLimit: Pace {
    private struct Bucket {
        var rate: ByteCount?
        /// The moment at which all booked bytes are paid for.
        var paidUntil: ContinuousClock.Instant
    }

    private static let burst = Duration.milliseconds(250)
    /// So that a changed limit is noticed soon.
    private static let longestWait = Duration.milliseconds(250)
    /// Those who wait for one moment wake in the order in which they asked, and who got the last piece asks first: without
    /// something that is left to chance the others would stand still.
    private static let scatter = 0...10_000

    private let bucket: Mutex<Bucket>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter rate: Bytes per second; nil for no limit.
    public init(_ rate: ByteCount? = nil, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        bucket = Mutex(Bucket(rate: rate, paidUntil: now()))
    }

    /// Bytes per second; nil for no limit. Takes effect with the next piece.
    public var rate: ByteCount? {
        get { bucket.withLock { $0.rate } }
        set {
            bucket.withLock { bucket in
                bucket.rate = newValue.map { max(1, $0) }
                bucket.paidUntil = now()
            }
        }
    }

    public var pieceLimit: ByteCount? { rate.map { max(4 << 10, $0 / 10) } }

    public func delay(beforeSending bytes: ByteCount) -> Duration {
        bucket.withLock { bucket in
            guard let rate = bucket.rate else { return .zero }
            let now = now()
            guard bucket.paidUntil <= now else {
                let wait = bucket.paidUntil - now + .microseconds(Int.random(in: Self.scatter))
                return min(wait, Self.longestWait)
            }
            // What was not used in time is lost, except for one burst.
            bucket.paidUntil =
                max(bucket.paidUntil, now - Self.burst) + .seconds(Double(bytes) / Double(rate))
            return .zero
        }
    }
}
