/// Adds a credential to every request, and refreshes it once for all requests that need a new one: before it expires,
/// or after the server has refused it, with which the request is sent again.
///
/// One interceptor serves all requests with the same credential.
public actor AuthenticationInterceptor<A: Authenticator>: RequestInterceptor {
    private enum State {
        case missing
        case ready(Held)
        case refreshing(Held, Refresh)
        /// The refresh failed. A refused request with this credential ends with the error. The next request uses the
        /// credential again, after a new refresh if it has expired.
        case failed(Held, AuthenticationError)
    }

    private struct Held {
        let credential: A.Credential
        /// The attempts by request that waited for the refresh that returned this credential: they must not refresh it.
        var awaitedBy: [UUID: Int] = [:]
    }

    private struct Refresh {
        enum Cause { case expiry, refusal }

        let number: Int
        let cause: Cause
        let start: Duration
    }

    private struct Waiter {
        let context: RequestContext
        let attempt: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let authenticator: A
    private let retryLimit: Int
    private let now: @Sendable () -> Duration
    private var state: State
    /// The requests that wait for the refresh under way, in order of their numbers.
    private var waiters: [Int: Waiter] = [:]
    private var history: RefreshHistory
    private var lastNumber = 0

    /// - Parameters:
    ///   - credential: The first credential; nil before a sign-in.
    ///   - refreshWindow: The limit on the number of refreshes; nil for no limit.
    ///   - retryLimit: The maximum number of retries of a request after its credential was refused. Those after
    ///     `AdapterRetry` are counted separately, with the same limit.
    ///   - clock: The clock for `refreshWindow`.
    public init(
        _ authenticator: A, credential: A.Credential?, refreshWindow: RefreshWindow? = RefreshWindow(),
        retryLimit: Int = 2, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.authenticator = authenticator
        self.retryLimit = retryLimit
        let start = clock.now
        now = { start.duration(to: clock.now) }
        state = credential.map { .ready(Held(credential: $0)) } ?? .missing
        history = RefreshHistory(window: refreshWindow)
    }

    /// The current credential, during a refresh still the old one; nil before a sign-in and after a sign-out.
    public var credential: A.Credential? {
        switch state {
        case .missing: nil
        case .ready(let held), .refreshing(let held, _), .failed(let held, _): held.credential
        }
    }

    /// Replaces the credential, for example after signing in or out. Requests that wait for a refresh, whose result is
    /// discarded, continue with the new one or fail without it.
    public func setCredential(_ credential: A.Credential?) {
        state = credential.map { .ready(Held(credential: $0)) } ?? .missing
        history.lastFailure = nil
        wake(with: credential == nil ? .failure(.missingCredential) : .success(()))
    }

    // MARK: Requests

    /// Adds the credential to the request. After a wait for a refresh, throws `AdapterRetry`, so that the request is
    /// adapted again. A request that the refresh itself sends is returned unchanged.
    public func adapt(
        _ request: TransportRequest, for context: RequestContext
    ) async throws -> TransportRequest {
        guard !isWithinRefresh else { return request }
        switch state {
        case .missing: throw AuthenticationError.missingCredential
        case .ready(let held), .failed(let held, _):
            state = .ready(held)
            let isNew = held.awaitedBy[context.id] == context.attempt
            guard held.credential.requiresRefresh, !isNew else { return applying(held, to: request) }
            try begin(.expiry, of: held)
        case .refreshing(let held, let refresh):
            // The server may have refused the credential for one URL only, so other requests still use it.
            guard refresh.cause == .expiry || held.credential.requiresRefresh else {
                return applying(held, to: request)
            }
        }
        try await renewal(for: context, attempt: context.attempt)
        throw AdapterRetry()
    }

    /// Retries a request whose credential the server refused (`Authenticator.isRefused`), after a refresh if it carried
    /// the current one. Also retries a request whose adaptation ended with `AdapterRetry`.
    public func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        guard !isWithinRefresh else { return .doNotRetry }
        if case .adaptation(is AdapterRetry) = failure {
            return context.retries.preparation < retryLimit ? .retry : .doNotRetry
        }
        guard let response = failure.response, authenticator.isRefused(request, in: response),
            context.retries.authentication < retryLimit
        else { return .doNotRetry }
        do {
            guard try isWorthWaiting(request, for: context) else { return .doNotRetry }
            if case .refreshing = state {
                try await renewal(for: context, attempt: context.attempt + 1)
            }
            return .retry
        } catch {
            return .fail(error)
        }
    }

    /// Begins a refresh of the credential if the refused request needs one.
    ///
    /// - Returns: True if the request is worth a retry, once a running refresh has ended. False if it was refused with
    ///   a valid credential that had just been refreshed for it.
    private func isWorthWaiting(
        _ request: TransportRequest, for context: RequestContext
    ) throws(AuthenticationError) -> Bool {
        switch state {
        case .missing: throw .missingCredential
        case .refreshing: return true
        case .failed(let held, let error):
            guard !authenticator.isRequest(request, authenticatedWith: held.credential) else { throw error }
            return true
        case .ready(let held):
            guard authenticator.isRequest(request, authenticatedWith: held.credential) else { return true }
            // The credential was already refreshed for this request; refreshing again would loop.
            let isNew = context.retries.authentication > 0 && held.awaitedBy[context.id] == context.attempt
            guard !isNew || held.credential.requiresRefresh else { return false }
            try begin(.refusal, of: held)
            return true
        }
    }

    private func applying(_ held: Held, to request: TransportRequest) -> TransportRequest {
        var request = request
        authenticator.apply(held.credential, to: &request)
        return request
    }

    // MARK: Renewal

    private var isWithinRefresh: Bool { RefreshMark.interceptors.contains(ObjectIdentifier(self)) }

    private func begin(_ cause: Refresh.Cause, of held: Held) throws(AuthenticationError) {
        let start = now()
        try history.begin(at: start)
        lastNumber += 1
        state = .refreshing(held, Refresh(number: lastNumber, cause: cause, start: start))
        // A separate task, so that the cancellation of one waiting request does not cancel the refresh for others.
        Task { [number = lastNumber, authenticator, credential = held.credential] in
            let interceptors = RefreshMark.interceptors.union([ObjectIdentifier(self)])
            let result = await RefreshMark.$interceptors.withValue(interceptors) {
                await authenticator.outcome(ofRefreshing: credential)
            }
            finish(number, with: result)
        }
    }

    private func finish(_ number: Int, with result: Result<A.Credential, AuthenticationError>) {
        guard case .refreshing(let held, let refresh) = state, refresh.number == number else { return }
        switch result {
        case .success(let credential):
            let attempts = waiters.values.map { ($0.context.id, $0.attempt) }
            state = .ready(Held(credential: credential, awaitedBy: Dictionary(attempts) { $1 }))
            history.lastFailure = nil
            let first = waiters.min { $0.key < $1.key }?.value
            first?.context.report(.refreshed(after: now() - refresh.start))
            wake(with: .success(()))
        case .failure(let error):
            state = .failed(held, error)
            history.lastFailure = error
            wake(with: .failure(error))
        }
    }

    private func wake(with result: Result<Void, AuthenticationError>) {
        let woken = waiters.sorted { $0.key < $1.key }
        waiters = [:]
        for (_, waiter) in woken { waiter.continuation.resume(with: result.mapError { $0 as any Error }) }
    }

    var waiterCount: Int { waiters.count }

    /// Waits until the current refresh has ended.
    /// - Throws: The error of the refresh; `CancellationError` after a cancellation, or without a refresh.
    private func renewal(for context: RequestContext, attempt: Int) async throws {
        lastNumber += 1
        let ticket = lastNumber
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled, case .refreshing = state else {
                    return continuation.resume(throwing: CancellationError())
                }
                waiters[ticket] = Waiter(context: context, attempt: attempt, continuation: continuation)
            }
        } onCancel: {
            Task { await leave(ticket) }
        }
    }

    private func leave(_ ticket: Int) {
        waiters.removeValue(forKey: ticket)?.continuation.resume(throwing: CancellationError())
    }
}

extension Authenticator {
    fileprivate func outcome(
        ofRefreshing credential: Credential
    ) async -> Result<Credential, AuthenticationError> {
        do { return .success(try await refresh(credential)) } catch let error as AuthenticationError {
            return .failure(error)
        } catch {
            return .failure(.refreshFailed(error))
        }
    }
}

/// The interceptors whose refresh runs in the current task. A refresh's requests must not wait for that refresh.
private enum RefreshMark {
    @TaskLocal static var interceptors: Set<ObjectIdentifier> = []
}
