public import FerryFiles
import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// Retries a request after a failure that may pass by itself: a connection that failed or broke, a response that means
/// "not now".
///
/// Waits `scale · base^n` before retry n (from 0), at most `cap`, drawn from 0 to that value with full `jitter`, and
/// never less than the server's `Retry-After`. The numbers are Alamofire's: two retries, after half a second and one
/// second. A request that a server must not receive twice is not retried: only the methods below, and any request with
/// an `Idempotency-Key`.
public struct RetryPolicy: RequestInterceptor {
    /// The random part of a delay.
    public enum Jitter: Hashable, Sendable {
        case none
        /// A delay between nothing and the full one, which spreads requests that failed together.
        case full
    }

    /// The number of retries, not of attempts. Retries for credentials do not count.
    public var limit = 2
    /// The factor between two delays, at least 1.
    public var base = 2.0
    /// The delay before the first retry.
    public var scale = Duration.milliseconds(500)
    /// The longest delay of the policy. A server may ask for more, up to `timeout`.
    public var cap = Duration.seconds(120)
    /// The jitter; full unless tests or users must know the delays in advance.
    public var jitter = Jitter.full
    /// The longest delay that a server may ask for; a longer one is not waited for.
    public var timeout = Duration.seconds(600)
    /// The methods that may be repeated (RFC 9110 §9.2.2).
    public var methods: Set<HTTPRequest.Method> = [.delete, .get, .head, .options, .put, .trace]
    /// The statuses that mean "not now" (RFC 9110 §15.5.9, §15.6; RFC 6585 §4).
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The network failures to retry. A rejected certificate is not among them, as it stays rejected.
    public var reasons: Set<TransportError.Reason> = [.notConnected, .unsent, .staleConnection, .broken]

    private let random: @Sendable (ClosedRange<Double>) -> Double
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - random: Draws from a range, in seconds.
    ///   - now: The wall clock, for a `Retry-After` that is a date.
    public init(
        random: @escaping @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.random = random
        self.now = now
    }

    /// A policy that retries only connections which broke while they were used.
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
