/// Completes a request before each attempt: adds credentials or header fields, or changes its URL.
///
/// Adapters run in order, each on the result of the previous one. Each attempt starts from the unadapted request. In a
/// `Session`, the adapters of the session come first, then those of the request. An error ends the attempt, and the
/// retriers decide whether another attempt follows.
///
/// An adapter that waits should end when its task is cancelled: the request and its session's `shutdown()` wait for it.
/// An adapter must not wait for its own request or for `shutdown()`. The same rules apply to a retrier.
public protocol RequestAdapter: Sendable {
    /// - Parameter request: The request, after the previous adapters.
    /// - Returns: The request to send, or to pass to the next adapter.
    /// - Throws: Any error, which becomes `RequestFailure.adaptation`; `AdapterRetry` runs all adapters again.
    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest
}

/// Decides whether a failed request is retried.
///
/// A retrier is called after a request that could not be made, a failed adaptation, a transport error, and a response
/// that was not accepted or could not be decoded. It is never called after a cancellation. Retriers are called in
/// order: first those of the session, then those of the request. The first decision other than `doNotRetry` counts.
public protocol RequestRetrier: Sendable {
    /// - Parameter request: The request as sent, or as adapted if it was not sent. If an adapter failed, the unadapted
    ///   request. After a redirect, the method and the body are those from before the redirect.
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision
}

/// A retrier that can also correct refusals with a status other than 401. Such refusals are caused by a wrong clock, a
/// wrong region or old credentials, for example.
///
/// During an upload, the retriers receive such a response before the upload's protocol does.
package protocol ErrorRecoverer: RequestRetrier {
    /// True if the retrier must be called for this response.
    func canRecover(_ response: TransportResponse) -> Bool
}

/// A retrier that reads values for later requests from accepted responses, such as the next nonce (RFC 7616 §3.5).
public protocol ResponseReader: RequestRetrier {
    /// Reads the values for later requests from an accepted response.
    ///
    /// - Parameter request: The request as sent.
    func read(_ response: TransportResponse, to request: TransportRequest)
}

/// A retrier's decision on a request that failed.
public enum RetryDecision: Sendable {
    case retry
    case retryAfter(Duration)
    /// The next retrier decides; after the last one the request ends with its failure.
    case doNotRetry
    /// The request ends with `RequestFailure.retry`, which contains this error and the failure.
    case fail(any Error)
}

/// An adapter and a retrier in one.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    public func adapt(_ request: TransportRequest, for context: RequestContext) async throws
        -> TransportRequest
    {
        request
    }

    public func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision { .doNotRetry }
}

/// Several adapters and retriers as one interceptor: adapters run in order until one throws, retriers in order until
/// one decides.
public struct Interceptor: RequestInterceptor {
    /// The adapters in the order of their calls.
    public var adapters: [any RequestAdapter]
    /// The retriers in the order of their calls.
    public var retriers: [any RequestRetrier]

    /// - Parameter interceptors: The interceptors to append to both lists.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
    }

    public func adapt(_ request: TransportRequest, for context: RequestContext) async throws
        -> TransportRequest
    {
        var request = request
        for adapter in adapters { request = try await adapter.adapt(request, for: context) }
        return request
    }

    public func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        for retrier in retriers {
            let decision = await retrier.retry(request, after: failure, for: context)
            if case .doNotRetry = decision { continue }
            return decision
        }
        return .doNotRetry
    }

    /// Passes an accepted response to the retriers that learn from it.
    func read(_ response: TransportResponse, to request: TransportRequest) {
        for case let reader as any ResponseReader in retriers { reader.read(response, to: request) }
    }

    /// Returns this interceptor followed by `other`.
    package func appending(_ other: any RequestInterceptor) -> Interceptor {
        Interceptor(adapters: adapters + [other], retriers: retriers + [other])
    }
}
