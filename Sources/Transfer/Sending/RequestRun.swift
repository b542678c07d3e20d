import FerryProtocols

/// One request from its creation to its end: attempts, and retries as its retriers decide.
package struct RequestRun: Sendable {
    /// Throws if the answer is not accepted.
    package typealias Check =
        @Sendable (TransportRequest, TransportResponse) async throws(RequestFailure) -> Void

    /// An answer that was accepted, to the request as it was sent.
    package struct Accepted: Sendable {
        package var request: TransportRequest
        package var response: TransportResponse
        /// The request that a retrier judges: see `RequestAttempt.judged`.
        package var judged: TransportRequest
    }

    /// A year; what comes near the largest `Duration` ends the process within the clock.
    private static let longestWait = Duration.seconds(366 * 86_400)

    /// The request that the caller asked for, without its body.
    let request: TransportRequest
    let body: any ReopenableBody
    let sender: RequestSender
    package let context: RequestContext
    /// Nil if no monitor wants all of it.
    let observedSummary: RequestSummary?
    private let delegate: (any UploadDelegate)?
    private let accept: Check
    private let created = ContinuousClock.now

    /// - Parameters:
    ///   - request: Its own body is not sent.
    ///   - label: Names the request in events.
    ///   - accept: Throws for an answer that is not accepted.
    package init(
        _ request: TransportRequest, body: any ReopenableBody, by sender: RequestSender, label: String,
        delegate: (any UploadDelegate)? = nil, accept: @escaping Check
    ) {
        var request = request.adding(sender.headers)
        request.body = .none
        self.request = request
        self.body = body
        self.sender = sender
        var context = RequestContext(label: label, monitors: sender.monitors)
        context.secrets = Secrets(sender.configuredSecrets)
        self.context = context
        observedSummary = context.isFollowed ? RequestSummary(request, bodyLength: body.knownLength) : nil
        self.delegate = delegate
        self.accept = accept
    }

    /// The whole life of the request, told to the monitors.
    package func performed() async throws(RequestFailure) -> Accepted {
        reportCreation()
        var context = context
        do throws(RequestFailure) {
            let answer = try await attempts(&context)
            reportEnd(.success(answer), in: context)
            return answer
        } catch {
            reportEnd(.failure(error), in: context)
            throw error
        }
    }

    /// The request as it was asked for.
    package var summary: RequestSummary {
        observedSummary ?? RequestSummary(request, bodyLength: body.knownLength)
    }

    package func reportCreation() { context.reportStep(.created(summary)) }

    package func reportEnd(_ result: Result<Accepted, RequestFailure>, in context: RequestContext) {
        let elapsed = ContinuousClock.now - created
        switch result {
        case .success(let answer):
            context.reportStep(.finished(status: answer.response.status, after: elapsed))
        case .failure(.cancelled): context.report(.cancelled(after: elapsed))
        case .failure(let failure):
            context.report(.failed(reason: failure.failure.summary, after: elapsed))
        }
    }

    /// Attempts until an answer is accepted or no retrier wants another.
    ///
    /// - Parameters:
    ///   - context: Of the first attempt; of the last one at the end.
    ///   - start: Passed before each attempt.
    package func attempts(
        _ context: inout RequestContext, start: AttemptStart = AttemptStart()
    ) async throws(RequestFailure) -> Accepted {
        while true {
            try await start.pass(context)
            var attempt = RequestAttempt(
                self, context: context, observers: observers(start.progress), start: start)
            do throws(RequestFailure) {
                let response = try await attempt.response()
                sender.secrets.add(attempt.context.secrets)
                try await accept(attempt.request, response)
                sender.interceptor.read(response, to: attempt.request)
                return Accepted(request: attempt.request, response: response, judged: attempt.judged)
            } catch {
                context.secrets = attempt.context.secrets
                sender.secrets.add(attempt.context.secrets)
                try await next(
                    after: error, of: attempt.judged, in: &context, progress: start.progress)
            }
        }
    }

    private func observers(_ progress: (any AttemptObserver)?) -> [any UploadDelegate] {
        var observers: [any UploadDelegate] = []
        if let progress { observers.append(progress) }
        if let delegate { observers.append(delegate) }
        return observers
    }

    /// Asks the retriers, and waits as long as they say.
    /// - Parameter context: Of the attempt that failed; then of the next one.
    /// - Throws: `failure` if there is to be none.
    package func next(
        after failure: RequestFailure, of request: TransportRequest, in context: inout RequestContext,
        progress: (any AttemptObserver)? = nil
    ) async throws(RequestFailure) {
        // Before anybody reads it: what servers say repeats what they were sent.
        let failure = sender.secrets.cut(from: failure)
        if Task.isCancelled { throw failure.asCancel }
        guard let reason = failure.retryReason else { throw failure }
        let delay: Duration
        switch await sender.interceptor.retry(request, after: failure, for: context) {
        case .retry: delay = .zero
        case .retryAfter(let wait): delay = min(max(.zero, wait), Self.longestWait)
        case .doNotRetry: throw Task.isCancelled ? failure.asCancel : failure
        case .fail(let error):
            throw Task.isCancelled
                ? failure.asCancel : sender.secrets.cut(from: .retry(error, original: failure))
        }
        guard body.canBegin else { throw failure }
        context.report(.retrying(after: delay, reason: failure.failure.summary))
        // Before the wait: one that is cut short was a retry all the same.
        context = context.next(counting: reason)
        progress?.isWaiting(for: context)
        do {
            try Task.checkCancellation()
            if delay > .zero { try await sender.clock.sleep(for: delay) }
        } catch { throw failure.asCancel }
    }
}

extension RequestFailure {
    /// A cancel that came after this failure.
    fileprivate var asCancel: RequestFailure {
        switch self {
        case .cancelled(let sent): .cancelled(bodySent: sent)
        case .transport(let error): .cancelled(bodySent: error.bodySent)
        case .rejected(let response, _), .undecodable(let response, _):
            .cancelled(bodySent: response.bodySent)
        case .unusable, .adaptation, .retry, .sessionClosed: .cancelled()
        }
    }

    /// The kind of retry after this failure; nil if there can be none.
    fileprivate var retryReason: RetryCounts.Reason? {
        switch self {
        case .cancelled, .sessionClosed, .retry: nil
        case .unusable, .adaptation:
            failure.category == .authentication ? .authentication : .preparation
        case .transport(let error): error.failure.category == .authentication ? .authentication : .network
        case .rejected(_, let failure): failure.category == .authentication ? .authentication : .answer
        case .undecodable: .answer
        }
    }
}
