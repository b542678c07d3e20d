/// Completes a request before each attempt: credentials, headers, another address.
///
/// Adapters run in order, each on what the one before made, on every attempt from the same unadapted request: the
/// session's first, then the request's own. What one throws ends the attempt, and the retriers are asked.
///
/// An adapter that waits should end when its task is cancelled: the request and its session's `shutdown()` wait for it,
/// as they do for a retrier. Neither may wait for its own request or for `shutdown()`.
public protocol RequestAdapter: Sendable {
    /// - Parameter request: As the adapter before left it.
    /// - Returns: The request to send, or to hand to the next adapter.
    /// - Throws: Anything, which becomes `RequestFailure.adaptation`; `AdapterRetry` has all adapters run again.
    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest
}

/// Decides whether a request that failed is made again.
///
/// Asked after a failed adaptation, a transport that brought no answer, an answer that was not accepted and one that
/// could not be decoded; never after a cancel. Retriers are asked in order, the session's first, and the first
/// decision other than `doNotRetry` counts.
public protocol RequestRetrier: Sendable {
    /// - Parameter request: As it was sent; as far as it was adapted if it was not.
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision
}

/// A retrier that can do something about refusals other than 401: another clock, another region, newer credentials.
///
/// Uploads show such an answer to their retriers before their protocol sees it.
public protocol ErrorRecoverer: RequestRetrier {
    /// True if the retrier wants to be asked about this answer.
    func canRecover(_ response: TransportResponse) -> Bool
}

/// A retrier that learns from answers that were accepted, such as the nonce for the next request (RFC 7616 §3.5).
public protocol ResponseReader: RequestRetrier {
    /// Takes what an accepted answer says for the requests after it.
    ///
    /// - Parameter request: As it was sent.
    func read(_ response: TransportResponse, to request: TransportRequest)
}

/// A retrier's decision on a request that failed.
public enum RetryDecision: Sendable {
    case retry
    case retryAfter(Duration)
    /// Asks the next retrier; the last one's ends the request with its failure.
    case doNotRetry
    /// Ends the request with this error beside the failure.
    case fail(any Error)
}

/// Both in one.
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

/// Several adapters and retriers as one interceptor: adapters in order until one throws, retriers in order until one
/// decides.
public struct Interceptor: RequestInterceptor {
    /// Run in this order.
    public var adapters: [any RequestAdapter]
    /// Asked in this order.
    public var retriers: [any RequestRetrier]

    /// - Parameter interceptors: Appended to both lists.
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

    /// Shows an answer that was accepted to the retriers that learn from it.
    func read(_ response: TransportResponse, to request: TransportRequest) {
        for case let reader as any ResponseReader in retriers { reader.read(response, to: request) }
    }

    /// Returns this interceptor followed by `other`.
    package func appending(_ other: any RequestInterceptor) -> Interceptor {
        Interceptor(adapters: adapters + [other], retriers: retriers + [other])
    }
}
