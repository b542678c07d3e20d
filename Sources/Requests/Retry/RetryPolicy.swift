public import FerryFiles
import FerryProtocols
public import FerryTransfer
public import HTTPTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes a request again after a failure that may pass by itself: a connection that could not be made or broke, an
/// answer that says "not now".
///
/// Waits `scale · base^n` before retry n (from 0), at most `cap`, drawn from 0 to there where `jitter` is full, and
/// never less than the server's `Retry-After`. The numbers are Alamofire's: two retries, after half a second and one
/// second. A request that a server must not get twice is not retried: only the methods below, and any that carries an
/// `Idempotency-Key`.
public struct RetryPolicy: RequestInterceptor {
    /// The part of a wait that is random.
    public enum Jitter: Hashable, Sendable {
        case none
        /// Anything between nothing and the wait: spreads those who failed together.
        case full
    }

    /// Retries, not attempts. Those for credentials do not count.
    public var limit = 2
    /// The factor between two waits, at least 1.
    public var base = 2.0
    /// The wait before the first retry.
    public var scale = Duration.milliseconds(500)
    /// No wait of our own is longer. A server may ask for more, up to `timeout`.
    public var cap = Duration.seconds(120)
    /// Full unless tests, or people, want to know beforehand.
    public var jitter = Jitter.full
    /// A server that asks for a longer wait than this is not waited for.
    public var timeout = Duration.seconds(600)
    /// RFC 9110 §9.2.2.
    public var methods: Set<HTTPRequest.Method> = [.delete, .get, .head, .options, .put, .trace]
    /// Answers that mean "not now" (RFC 9110 §15.5.9, §15.6; RFC 6585 §4).
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The failures that are the network's: a certificate that is not accepted stays so.
    public var reasons: Set<TransportError.Reason> = [.notConnected, .unsent, .staleConnection, .broken]

    private let random: @Sendable (ClosedRange<Double>) -> Double
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - random: Draws from a range, in seconds.
    ///   - now: For a `Retry-After` that is a date.
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
        let seconds = (scale / .seconds(1)) * pow(max(1, base), Double(count))
        let ceiling = max(0, min(seconds, cap / .seconds(1)))
        return .seconds(jitter == .full ? random(0...ceiling) : ceiling)
    }
}
