public import FerryProtocols
public import FerryTransfer
import Synchronization

/// The limits in bytes per second on all uploads together, and on those of a destination or a batch. Each limited scope
/// has a token bucket.
public final class RateLimit: RateLimiter {
    /// The longest delay that one call returns. The caller then asks again, so that a changed limit takes effect soon.
    private static let longestWait = Duration.milliseconds(250)

    private let buckets = Mutex<[LimitScope: TokenBucket]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter rate: The limit in bytes per second over all uploads; nil for no limit.
    public init(_ rate: ByteCount? = nil, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        self.rate = rate
    }

    /// The limit in bytes per second over all uploads; nil for no limit. A change takes effect with the next chunk.
    public var rate: ByteCount? {
        get { self[.total] }
        set { self[.total] = newValue }
    }

    /// The limit of a scope in bytes per second; nil for no limit. A change takes effect with the next chunk.
    public subscript(scope: LimitScope) -> ByteCount? {
        get { buckets.withLock { $0[scope]?.rate } }
        set { buckets.withLock { $0[scope] = newValue.map { TokenBucket(rate: $0, at: now()) } } }
    }

    /// The limits in bytes per second, by scope.
    var rates: [LimitScope: ByteCount] { buckets.withLock { $0.mapValues(\.rate) } }

    /// Replaces all limits. A scope that is not in `rates` has no limit. A scope with an unchanged rate keeps its token
    /// bucket.
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

    /// Returns the limiter that applies the strictest of the limits on an upload.
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

    /// Returns zero if a chunk can be sent now, and books its bytes in all of the scopes. Otherwise books nothing, and
    /// returns the time to wait before the next call.
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

/// The limiter of one upload, for the scopes to which the upload belongs.
private struct ScopedRateLimiter: RateLimiter {
    let limit: RateLimit
    let scopes: [LimitScope]

    var chunkLimit: ByteCount? { limit.chunkLimit(in: scopes) }

    func delay(beforeSending bytes: ByteCount) -> Duration { limit.delay(beforeSending: bytes, in: scopes) }
}

extension Upload {
    /// The scopes whose limits apply to the upload.
    package var limitScopes: [LimitScope] {
        [.total] + (target.destination.isEmpty ? [] : [.destination(target.destination)])
            + (batch.map { [.batch($0)] } ?? [])
    }
}
