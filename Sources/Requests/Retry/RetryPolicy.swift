import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// Retries a request after a failure that is probably temporary: of the connection, or with one of `statuses`.
///
/// The delay before retry n (from 0) is `scale · base^n`, at most `cap`, and with full `jitter` a random part of this.
/// A longer `Retry-After` replaces it, up to `timeout`. The default numbers are Alamofire's.
///
/// The server possibly receives a retried request twice, so only `methods`, or an `Idempotency-Key`, allow it.
public struct RetryPolicy: RequestInterceptor {
    /// The random part of a delay.
    public enum Jitter: Hashable, Sendable {
        case none
        /// A random delay from 0, so that requests that failed together do not repeat together.
        case full
    }

    /// The maximum number of retries, without those with new credentials.
    public var limit = 2
    /// The factor between one delay and the next, at least 1.
    public var base = 2.0
    /// The delay before the first retry, without jitter.
    public var scale = Duration.milliseconds(500)
    /// The longest delay without a `Retry-After`.
    public var cap = Duration.seconds(120)
    /// The jitter; `none` for known delays.
    public var jitter = Jitter.full
    /// The longest accepted `Retry-After`. A request is not retried if the server asks for more.
    public var timeout = Duration.seconds(600)
    /// The methods that the policy retries: by default the idempotent ones (RFC 9110 §9.2.2).
    public var methods: Set<HTTPRequest.Method> = [.delete, .get, .head, .options, .put, .trace]
    /// The response statuses after which the policy retries a request (RFC 9110 §15.5.9, §15.6; RFC 6585 §4).
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The network failures after which the policy retries; by default not after a rejected certificate.
    public var reasons: Set<TransportError.Reason> = [.notConnected, .unsent, .staleConnection, .broken]

    private let random: @Sendable (ClosedRange<Double>) -> Double
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - random: Returns a random number of seconds in the given range.
    ///   - now: The wall clock, for a `Retry-After` that is a date.
    public init(
        random: @escaping @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.random = random
        self.now = now
    }

    /// A policy that retries only after an established connection broke.
    public static var connectionLost: RetryPolicy {
        var policy = RetryPolicy()
        policy.statuses = []
        policy.reasons = [.staleConnection, .broken]
        return policy
    }

    public func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        let count = context.retries.withoutAuthentication
        guard count < limit, mayRepeat(request), isTransient(failure) else { return .doNotRetry }
        let own = wait(before: count)
        guard let asked = failure.response.flatMap({ RetryAfter.seconds(in: $0.fields, now: now()) }) else {
            return .retryAfter(own)
        }
        let asking = Duration.seconds(asked)
        return asking > timeout ? .doNotRetry : .retryAfter(max(own, asking))
    }

    private func mayRepeat(_ request: TransportRequest) -> Bool {
        methods.contains(request.method) || request.fields.contains(.idempotencyKey)
    }

    private func isTransient(_ failure: RequestFailure) -> Bool {
        if let status = failure.response?.status, statuses.contains(status) { return true }
        guard case .transport(let error) = failure else { return false }
        return reasons.contains(error.reason) && error.failure.category.isOfNetwork
    }

    private func wait(before count: Int) -> Duration {
        let seconds = (scale / .seconds(1)) * max(1, base).raised(to: Double(count))
        let ceiling = max(0, min(seconds, cap / .seconds(1)))
        return .seconds(jitter == .full ? random(0...ceiling) : ceiling)
    }
}
