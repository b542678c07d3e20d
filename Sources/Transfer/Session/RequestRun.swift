import FerryProtocols
import Foundation
import HTTPTypes

/// What the caller asked for, before anything was added.
struct RequestPlan: Sendable {
    var method: HTTPRequest.Method
    var url: String
    var fields: HTTPFields
    var body: UploadBody
    /// nil takes it from the method.
    var isRepeatable: Bool?
    /// nil takes it from the body.
    var breakCostsLittle: Bool?
}

/// One request from its creation to its end: attempts, and retries as its retriers decide.
struct RequestRun: Sendable {
    /// An answer that was accepted, to the request as it was sent.
    struct Answer: Sendable {
        var request: TransportRequest
        var response: TransportResponse
        /// What a retrier is asked about: see `RequestAttempt.judged`.
        var judged: TransportRequest
    }

    /// A year; what comes near the largest `Duration` ends the process within the clock.
    private static let longestWait = Duration.seconds(366 * 86_400)

    let plan: RequestPlan
    let context: RequestContext
    /// The plan's summary; nil if no monitor is told of it.
    private let asked: RequestSummary?
    private let interceptor: Interceptor
    private let validation: ResponseValidation
    private let redirects: any RedirectHandler
    private let delegate: (any UploadDelegate)?
    private let transport: any Transport
    private let clock: any Clock<Duration>
    private let secrets: KnownSecrets
    private let created = ContinuousClock.now

    init(_ plan: RequestPlan, options: RequestOptions, session: Session) {
        let configuration = session.configuration
        self.plan = plan.completed(configuration.headers, key: options.idempotencyKey)
        secrets = session.secrets
        var context = RequestContext(
            label: options.label, monitors: configuration.monitors + options.monitors)
        context.secrets = Secrets(configuration.secrets)
        self.context = context
        asked = context.isObserved ? self.plan.summary : nil
        var interceptor = configuration.interceptor
        if let own = options.interceptor { interceptor = interceptor.appending(own) }
        self.interceptor = interceptor
        validation = options.validation ?? configuration.validation
        redirects = options.redirects ?? configuration.redirects
        delegate = options.delegate
        transport = session.transport
        clock = configuration.clock
    }

    /// The whole life of the request, told to the monitors.
    func performed() async throws(RequestFailure) -> Answer {
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
    var summary: RequestSummary { asked ?? plan.summary }

    func reportCreation() { context.report(.created(summary)) }

    func reportEnd(_ result: Result<Answer, RequestFailure>, in context: RequestContext) {
        let elapsed = ContinuousClock.now - created
        switch result {
        case .success(let answer):
            context.report(.finished(status: answer.response.status, after: elapsed))
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
    func attempts(
        _ context: inout RequestContext, start: AttemptStart = AttemptStart()
    ) async throws(RequestFailure) -> Answer {
        while true {
            try await start.pass(context)
            var attempt = RequestAttempt(
                plan, asked: asked, interceptor: interceptor, redirects: redirects, transport: transport,
                context: context,
                observers: observers(start.progress), start: start)
            do throws(RequestFailure) {
                let response = try await attempt.response()
                secrets.add(attempt.context.secrets)
                try await validation.validate(response, to: attempt.request)
                interceptor.read(response, to: attempt.request)
                return Answer(request: attempt.request, response: response, judged: attempt.judged)
            } catch {
                context.secrets = attempt.context.secrets
                secrets.add(attempt.context.secrets)
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
    func next(
        after failure: RequestFailure, of request: TransportRequest, in context: inout RequestContext,
        progress: (any AttemptObserver)? = nil
    ) async throws(RequestFailure) {
        // Before anybody reads it: what servers say repeats what they were sent.
        let failure = secrets.cut(from: failure)
        if Task.isCancelled { throw failure.asCancel }
        guard let reason = failure.retryReason else { throw failure }
        let delay: Duration
        switch await interceptor.retry(request, after: failure, for: context) {
        case .retry: delay = .zero
        case .retryAfter(let wait): delay = min(max(.zero, wait), Self.longestWait)
        case .doNotRetry: throw Task.isCancelled ? failure.asCancel : failure
        case .fail(let error):
            throw Task.isCancelled
                ? failure.asCancel : secrets.cut(from: .retry(error, original: failure))
        }
        guard plan.body.canBegin else { throw failure }
        context.report(.retrying(after: delay, reason: failure.failure.summary))
        // Before the wait: one that is cut short was a retry all the same.
        context = context.next(counting: reason)
        progress?.isWaiting(for: context)
        do {
            try Task.checkCancellation()
            if delay > .zero { try await clock.sleep(for: delay) }
        } catch { throw failure.asCancel }
    }
}

extension RequestPlan {
    fileprivate func completed(_ headers: HTTPFields, key: String?) -> RequestPlan {
        var plan = self
        for field in headers where !fields.contains(field.name) { plan.fields.append(field) }
        switch body.contentType {
        case .none: break
        case .suggested(let type): if plan.fields[.contentType] == nil { plan.fields[.contentType] = type }
        case .required(let type): plan.fields[.contentType] = type
        }
        if let key {
            plan.fields.idempotencyKey = key
            plan.isRepeatable = true
        }
        return plan
    }

    var summary: RequestSummary {
        RequestSummary(method: method, url: url, fields: fields, bodyLength: body.knownLength)
    }

    /// The request of one attempt, with a body that begins at its first byte.
    func opened() async throws(RequestFailure) -> TransportRequest {
        if let expected = UploadAddress.expectation(brokenBy: url) {
            throw .unusable(
                UploadFailure(
                    .permanent, "the address \(Redaction.address(url)) cannot be used",
                    hint: "give \(expected)"))
        }
        do {
            return TransportRequest(
                method: method, url: url, fields: fields, body: try await body.open(),
                isRepeatable: isRepeatable, breakCostsLittle: breakCostsLittle)
        } catch {
            if Task.isCancelled { throw .cancelled() }
            let failure = error as? UploadFailure
            throw .unusable(failure ?? UploadFailure(.sourceUnreadable, "the body cannot be had: \(error)"))
        }
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

    /// What a retry after this failure counts as; nil if there can be none.
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
