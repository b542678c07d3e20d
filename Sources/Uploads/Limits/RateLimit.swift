public import FerryProtocols
public import FerryTransfer
import Synchronization

/// Limits the bytes per second of all uploads, destinations and batches, by a token bucket for each limit.
public final class RateLimit: RateLimiter {
    /// The longest delay until the sender asks again, so that it soon notices a changed limit.
    private static let longestWait = Duration.milliseconds(250)

    private let buckets = Mutex<[LimitScope: TokenBucket]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a rate limit for all uploads together.
    ///
    /// - Parameter rate: The limit in bytes per second; nil for no limit.
    public init(_ rate: ByteCount? = nil, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        self.rate = rate
    }

    /// The limit on all uploads together, in bytes per second. A new limit applies from the next chunk on.
    public var rate: ByteCount? {
        get { self[.total] }
        set { self[.total] = newValue }
    }

    /// The limit of a scope in bytes per second. A new limit applies from the next chunk on.
    public subscript(scope: LimitScope) -> ByteCount? {
        get { buckets.withLock { $0[scope]?.rate } }
        set { buckets.withLock { $0[scope] = newValue.map { TokenBucket(rate: $0, at: now()) } } }
    }

    var rates: [LimitScope: ByteCount] { buckets.withLock { $0.mapValues(\.rate) } }

    /// Replaces all limits. Unchanged ones keep their token buckets.
    func set(_ rates: [LimitScope: ByteCount]) {
        buckets.withLock { buckets in
            let now = now()
            buckets = Dictionary(
                uniqueKeysWithValues: rates.map { scope, rate in
                    let known = buckets[scope].flatMap { $0.rate == rate ? $0 : nil }
                    return (scope, known ?? TokenBucket(rate: rate, at: now))
                })
        }
    }

    /// Returns a rate limiter that applies the limits of all uploads, and of the upload's destination and batch.
    public func limiter(of upload: Upload) -> any RateLimiter {
        ScopedRateLimiter(limit: self, scopes: upload.limitScopes)
    }

    public var chunkLimit: ByteCount? { chunkLimit(in: [.total]) }

    public func delay(beforeSending bytes: ByteCount) -> Duration {
        delay(beforeSending: bytes, in: [.total])
    }

    fileprivate func chunkLimit(in scopes: [LimitScope]) -> ByteCount? {
        buckets.withLock { buckets in
            buckets.isEmpty ? nil : scopes.compactMap { buckets[$0]?.chunkLimit }.min()
        }
    }

    /// Returns zero, and counts the bytes in all of `scopes`, if a chunk can be sent now. Otherwise returns the time to
    /// wait before the next call.
    fileprivate func delay(beforeSending bytes: ByteCount, in scopes: [LimitScope]) -> Duration {
        buckets.withLock { buckets in
            guard !buckets.isEmpty else { return .zero }
            let now = now()
            if let last = scopes.compactMap({ buckets[$0] }).max(by: { $0.paidUntil < $1.paidUntil }),
                last.paidUntil > now
            {
                return min(last.paidUntil - now + last.scatter(of: bytes), Self.longestWait)
            }
            for scope in scopes { buckets[scope]?.book(bytes, at: now) }
            return .zero
        }
    }
}

private struct ScopedRateLimiter: RateLimiter {
    let limit: RateLimit
    let scopes: [LimitScope]

    var chunkLimit: ByteCount? { limit.chunkLimit(in: scopes) }

    func delay(beforeSending bytes: ByteCount) -> Duration { limit.delay(beforeSending: bytes, in: scopes) }
}

extension Upload {
    /// The groups of uploads whose limits all apply to this upload.
    package var limitScopes: [LimitScope] {
        [.total] + (target.destination.isEmpty ? [] : [.destination(target.destination)])
            + (batch.map { [.batch($0)] } ?? [])
    }
}
