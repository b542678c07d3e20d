import FerryProtocols

/// One request from its creation to its end, with all its attempts. The retriers decide about retries.
package struct RequestRun: Sendable {
    /// A function that checks a response, and throws if the response is not accepted.
    package typealias Check =
        @Sendable (TransportRequest, TransportResponse) async throws(RequestFailure) -> Void

    package struct Accepted: Sendable {
        package var request: TransportRequest
        package var response: TransportResponse
        /// The request for the retriers if the response cannot be decoded (`RequestAttempt.judged`).
        package var judged: TransportRequest
    }

    /// The longest wait before a retry: 366 days. A clock crashes on a wait near the largest `Duration`.
    private static let longestWait = Duration.seconds(366 * 86_400)

    /// The request of the caller without its body, and with the sender's header fields.
    let request: TransportRequest
    let body: any ReopenableBody
    let sender: RequestSender
    package let context: RequestContext
    /// The summary of the request; nil if no monitor has the detail `full`.
    let observedSummary: RequestSummary?
    private let delegate: (any UploadDelegate)?
    private let accept: Check
    private let created = ContinuousClock.now

    /// Prepares a request. The request's own body is ignored.
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
        context.secrets = sender.configuredSecrets
        self.context = context
        observedSummary = context.isFollowed ? RequestSummary(request, bodyLength: body.knownLength) : nil
        self.delegate = delegate
        self.accept = accept
    }

    /// Performs the request with all its attempts, and reports its beginning and end to the monitors.
    package func performed() async throws(RequestFailure) -> Accepted {
        reportCreation()
        var context = context
        do throws(RequestFailure) {
            let accepted = try await attempts(&context)
            reportEnd(.success(accepted), in: context)
            return accepted
        } catch {
            reportEnd(.failure(error), in: context)
            throw error
        }
    }

    package var summary: RequestSummary {
        observedSummary ?? RequestSummary(request, bodyLength: body.knownLength)
    }

    package func reportCreation() { context.reportStep(.created(summary)) }

    package func reportEnd(_ result: Result<Accepted, RequestFailure>, in context: RequestContext) {
        let elapsed = ContinuousClock.now - created
        switch result {
        case .success(let accepted):
            context.reportStep(.finished(status: accepted.response.status, after: elapsed))
        case .failure(.cancelled): context.report(.cancelled(after: elapsed))
        case .failure(let failure): context.report(.failed(reason: failure.failure.summary, after: elapsed))
        }
    }

    /// Makes attempts until a response is accepted, or until the retriers request no other. When the function ends,
    /// `context` is that of the last attempt.
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
                try await next(after: error, of: attempt.judged, in: &context, progress: start.progress)
            }
        }
    }

    private func observers(_ progress: (any AttemptObserver)?) -> [any UploadDelegate] {
        var observers: [any UploadDelegate] = []
        if let progress { observers.append(progress) }
        if let delegate { observers.append(delegate) }
        return observers
    }

    /// Calls the retriers. If one requests another attempt, waits as long as it says, and makes `context` that of the
    /// attempt.
    ///
    /// - Throws: `failure` without another attempt; `RequestFailure.retry` for `.fail(error)`; `.cancelled`.
    package func next(
        after failure: RequestFailure, of request: TransportRequest, in context: inout RequestContext,
        progress: (any AttemptObserver)? = nil
    ) async throws(RequestFailure) {
        // Servers repeat what they received, so secrets are cut before retriers and monitors get the failure.
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
        // The retry is counted before the wait, so that an interrupted wait counts too.
        context = context.next(counting: reason)
        progress?.isWaiting(for: context)
        do {
            try Task.checkCancellation()
            if delay > .zero { try await sender.clock.sleep(for: delay) }
        } catch { throw failure.asCancel }
    }
}

extension RequestFailure {
    /// The `cancelled` failure that replaces this failure if the task is cancelled.
    fileprivate var asCancel: RequestFailure {
        switch self {
        case .cancelled(let sent): .cancelled(bodySent: sent)
        case .transport(let error): .cancelled(bodySent: error.bodySent)
        case .rejected(let response, _), .undecodable(let response, _):
            .cancelled(bodySent: response.bodySent)
        case .unusable, .adaptation, .retry, .sessionClosed: .cancelled()
        }
    }

    /// The reason under which a retry after this failure is counted; nil if a retry is impossible.
    fileprivate var retryReason: RetryCounts.Reason? {
        switch self {
        case .cancelled, .sessionClosed, .retry: nil
        case .unusable, .adaptation: failure.category == .authentication ? .authentication : .preparation
        case .transport(let error): error.failure.category == .authentication ? .authentication : .network
        case .rejected(_, let failure): failure.category == .authentication ? .authentication : .response
        case .undecodable: .response
        }
    }
}
