// Example: retrier
import Ferry

/// Retries up to three times, with growing delays, while the server responds with its own status 529.
struct StubbornRetrier: RequestRetrier {
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        guard failure.response?.status == 529, context.retries.response < 3 else { return .doNotRetry }
        return .retryAfter(.seconds(1 << context.retries.response))
    }
}
// end
