/// Completes a request before each attempt: adds credentials or header fields, or changes its URL.
///
/// The first adapter of each attempt receives the original request. Each later adapter receives the result of the
/// adapter before it. The adapters of a `Session` run before the adapters of a single request. If an adapter throws an
/// error other than `AdapterRetry`, the attempt ends, and the retriers decide whether another attempt follows.
///
/// An adapter that waits should stop when its task is cancelled, because the request and `Session.shutdown()` wait for
/// the adapter. An adapter must not wait for its own request or for `shutdown()`. A retrier must follow these rules
/// too.
public protocol RequestAdapter: Sendable {
    /// Returns the request with the changes of this adapter.
    ///
    /// - Parameter request: The request with the changes of the previous adapters.
    /// - Throws: `AdapterRetry` to run all adapters again. Any other error ends the attempt with
    ///   `RequestFailure.adaptation`.
    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest
}

/// The error that a `RequestAdapter` throws after it had to wait. During the wait, a value that an earlier adapter put
/// into the request can become out of date, such as a time or a signature. So all adapters run again on the original
/// request, within the same attempt.
public struct AdapterRetry: Error, Hashable {
    /// The maximum number of times that all adapters run in one attempt. If an adapter throws `AdapterRetry` in the
    /// last run, the attempt ends.
    public static let limit = 8

    public init() {}
}

/// Decides whether a failed request is retried.
///
/// A retrier is called if the request could not be made, an adapter failed, or the transport threw an error. It is also
/// called if a response was not accepted or could not be decoded. It is never called after a cancellation. Retriers are
/// called in order: first those of the session, then those of the request. The first decision other than `doNotRetry`
/// counts.
public protocol RequestRetrier: Sendable {
    /// Decides whether the request is retried after `failure`.
    ///
    /// - Parameter request: The request with the changes of the adapters; without these changes if an adapter failed.
    ///   After a redirect, it has the new URL and header fields, but the method and the body from before the redirect.
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision
}

/// A retrier that can also correct the cause of a refusal with a status other than 401. Such a cause is, for example, a
/// wrong clock, a wrong region or old credentials.
///
/// During an upload, the retriers receive such a response first. The upload's protocol receives it only if no retrier
/// handles it.
package protocol ErrorRecoverer: RequestRetrier {
    /// True if the retrier must be called for this response.
    func canRecover(_ response: TransportResponse) -> Bool
}

/// A retrier that reads values for later requests from accepted responses, such as the next nonce (RFC 7616 §3.5).
public protocol ResponseReader: RequestRetrier {
    /// Reads the values that later requests need from an accepted response.
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

    /// Returns this interceptor followed by `other`.
    package func appending(_ other: any RequestInterceptor) -> Interceptor {
        Interceptor(adapters: adapters + [other], retriers: retriers + [other])
    }
}
