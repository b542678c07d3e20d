// Example: retrier
import Ferry

/// Waits while a server is asleep, as it says with a status of its own.
struct StubbornRetrier: RequestRetrier {
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        guard failure.response?.status == 529, context.retries.response < 3 else { return .doNotRetry }
        return .retryAfter(.seconds(1 << context.retries.response))
    }
}
// end
