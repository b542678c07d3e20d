/// Completes a request before each attempt: adds credentials or header fields, or changes its URL.
///
/// The adapters of the `Session` run first, then those of the request; each receives the result of the one before. If
/// an adapter throws another error than `AdapterRetry`, the attempt ends, and the retriers decide.
///
/// An adapter or retrier that waits should stop when its task is cancelled, because the request and
/// `Session.shutdown()` wait for it. It must not wait for its own request or for `shutdown()`.
public protocol RequestAdapter: Sendable {
    /// Returns the request with the changes of this adapter.
    ///
    /// - Throws: `AdapterRetry` to run all adapters again. Any other error ends the attempt.
    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest
}

/// The error that a `RequestAdapter` throws after a wait, during which a time or a signature of an earlier adapter can
/// become out of date. All adapters run again on the original request, within the same attempt.
public struct AdapterRetry: Error, Hashable {
    /// The maximum number of times that all adapters run in one attempt. The same error in the last run ends the
    /// attempt.
    public static let limit = 8

    public init() {}
}

/// Decides whether a failed request is retried.
///
/// A retrier is called after every failure but a cancellation: first the retriers of the session, then those of the
/// request. The first decision other than `doNotRetry` counts.
public protocol RequestRetrier: Sendable {
    /// Decides whether the request is retried after `failure`.
    ///
    /// - Parameter request: The request with the changes of the adapters, if none of them failed. After a redirect, it
    ///   has the new URL and header fields, and the earlier method and body.
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision
}

/// A retrier that can also correct the cause of a refusal with a status other than 401, such as a wrong clock or
/// region.
///
/// During an upload, the protocol receives such a response only if no retrier handles it.
package protocol ErrorRecoverer: RequestRetrier {
    func canRecover(_ response: TransportResponse) -> Bool
}

/// A retrier that reads values for later requests from accepted responses, such as the next nonce (RFC 7616 §3.5).
public protocol ResponseReader: RequestRetrier {
    /// Reads the values that later requests need from an accepted response. `request` is the request as sent.
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

/// Several adapters and retriers as one interceptor. Adapters run until one throws, retriers until one decides.
public struct Interceptor: RequestInterceptor {
    /// The adapters in the order of their calls.
    public var adapters: [any RequestAdapter]
    /// The retriers in the order of their calls.
    public var retriers: [any RequestRetrier]

    /// - Parameter interceptors: The interceptors to call after `adapters` and after `retriers`.
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

    func read(_ response: TransportResponse, to request: TransportRequest) {
        for case let reader as any ResponseReader in retriers { reader.read(response, to: request) }
    }

    package func appending(_ other: any RequestInterceptor) -> Interceptor {
        Interceptor(adapters: adapters + [other], retriers: retriers + [other])
    }
}
