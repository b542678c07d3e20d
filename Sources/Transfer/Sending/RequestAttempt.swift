package import FerryProtocols
import HTTPTypes

struct RequestAttempt: Sendable {
    private static let redirectLimit = 5

    private let run: RequestRun
    private(set) var context: RequestContext
    private let observers: [any UploadDelegate]
    private let start: AttemptStart
    /// The request in its current form: the caller's, changed by the adapters and then by each redirect.
    private(set) var request: TransportRequest
    private var adaptedRequest: TransportRequest?

    init(_ run: RequestRun, context: RequestContext, observers: [any UploadDelegate], start: AttemptStart) {
        self.run = run
        self.context = context
        self.observers = observers
        self.start = start
        request = run.request
        self.context.secrets.add(request)
    }

    /// The request that the retriers receive after a failure: the URL and header fields of `request`, and the method
    /// and body from before any redirect. If a redirect turned a POST into a GET, the retry sends the POST again.
    var judged: TransportRequest {
        var judged = request
        if let adaptedRequest {
            judged.method = adaptedRequest.method
            judged.body = adaptedRequest.body
            judged.isRepeatable = adaptedRequest.isRepeatable
        }
        return judged
    }

    mutating func response() async throws(RequestFailure) -> TransportResponse {
        try await open()
        request = try await adapted()
        adaptedRequest = request
        context.secrets.add(request)
        context.report(.adapted(summary))
        for _ in 0...Self.redirectLimit {
            try checkForm()
            let response = try await send()
            guard let redirect = Redirect(response, to: request, asked: run.request.fields),
                let next = await run.sender.redirection(redirect, context)
            else { return response }
            context.report(.redirected(status: response.status, to: Redaction.address(next.url)))
            request = next
            context.secrets.add(next)
            guard request.body.canBegin else { throw .unusable(.streamWasRead) }
            try await start.passAgain(request)
        }
        throw .transport(TransportError(.broken, .redirectCircle))
    }

    private mutating func open() async throws(RequestFailure) {
        if let expected = UploadAddress.expectation(brokenBy: request.url) {
            throw .unusable(
                UploadFailure(
                    .permanent, "the address \(Redaction.address(request.url)) cannot be used",
                    hint: "give \(expected)"))
        }
        do { request.body = try await run.body.open() } catch {
            if Task.isCancelled { throw .cancelled() }
            let failure = error as? UploadFailure
            throw .unusable(failure ?? UploadFailure(.sourceUnreadable, "the body cannot be had: \(error)"))
        }
    }

    /// The summary of the current request for the monitors. If the adapters changed nothing, the earlier summary is
    /// reused: the comparison costs less than cutting the secrets again.
    private var summary: RequestSummary {
        let plan = run.request
        guard context.isFollowed else {
            return RequestSummary(request, bodyLength: request.body.length, hasFields: false)
        }
        guard let asked = run.observedSummary, request.method == plan.method, request.url == plan.url,
            request.fields == plan.fields
        else { return RequestSummary(request) }
        return asked.carrying(request.body.length)
    }

    private func adapted() async throws(RequestFailure) -> TransportRequest {
        var count = 0
        while true {
            count += 1
            do {
                return try await run.sender.interceptor.adapt(request, for: context)
            } catch is AdapterRetry where count < AdapterRetry.limit && !Task.isCancelled {
                continue
            } catch {
                if Task.isCancelled { throw .cancelled() }
                throw .adaptation(error)
            }
        }
    }

    /// Throws `.unusable` for a CONNECT, a body part of negative length, and a body in a request that allows none.
    private func checkForm() throws(RequestFailure) {
        if request.method == .connect {
            throw .unusable(
                UploadFailure(
                    .permanent, "a CONNECT request asks a proxy for a tunnel, not a server for an answer",
                    hint: "set the proxy in the transport's configuration"))
        }
        if case .streamed(let body) = request.body, body.segments.contains(where: { $0.length ?? 0 < 0 }) {
            throw .unusable(
                UploadFailure(
                    .permanent, "a part of the body is said to be less than 0 bytes long",
                    hint: "declare the exact length, or none if it is not known"))
        }
        // RFC 9110 §9.3.1: a body of a GET has no meaning, and servers refuse it; §9.3.8 forbids a body with TRACE.
        guard [.get, .head, .trace].contains(request.method), request.body.length != 0 else { return }
        throw .unusable(
            UploadFailure(
                .permanent, "a \(request.method.rawValue) request cannot carry a body",
                hint: "use POST or PUT, or send the values as query items"))
    }

    private func send() async throws(RequestFailure) -> TransportResponse {
        do throws(TransportError) { return try await sendOnce() } catch {
            guard request.mayRepeat(after: error), request.body.canBegin else { throw RequestFailure(error) }
        }
        context.report(.retriedOnFreshConnection)
        try await start.passAgain(request)
        do throws(TransportError) { return try await sendOnce() } catch { throw RequestFailure(error) }
    }

    private func sendOnce() async throws(TransportError) -> TransportResponse {
        let start = ContinuousClock.now
        context.reportStep(.started)
        let delegate = AttemptDelegate(context: context, observers: observers)
        delegate.willSend(request.body.length)
        do throws(TransportError) {
            let response = try await run.sender.transport.perform(request, delegate: delegate)
            context.report(
                .responded(
                    status: response.status, bytesSent: response.bodySent, after: ContinuousClock.now - start)
            )
            return response
        } catch {
            context.report(
                .broke(
                    summary: error.failure.summary, bytesSent: error.bodySent,
                    after: ContinuousClock.now - start))
            throw error
        }
    }
}

extension UploadFailure {
    static let redirectCircle = UploadFailure(
        .permanent, "the server redirects in a circle, or too often", hint: "check the address")
}

extension RequestFailure {
    fileprivate init(_ error: TransportError) {
        self = error.reason == .cancelled ? .cancelled(bodySent: error.bodySent) : .transport(error)
    }
}

extension TransportRequest {
    /// The number of sent body bytes up to which a repeatable request is sent again at once. The reuse of a connection
    /// that was closed while idle fails before more are sent.
    private static let cheapBody: ByteCount = 256 << 10

    /// True if the request can safely be sent again at once after `error`: if no byte of it was written.
    ///
    /// After a break of a reused connection, it is also safe if no byte of a non-empty body was sent, or at most
    /// `cheapBody` bytes of a repeatable request (RFC 9110 §9.2.2).
    fileprivate func mayRepeat(after error: TransportError) -> Bool {
        switch error.reason {
        case .unsent: true
        case .staleConnection:
            error.bodySent <= Self.cheapBody && isRepeatable || error.bodySent == 0 && body.length != 0
        case .cancelled, .notConnected, .notTrusted, .broken, .source: false
        }
    }
}

/// Receives the progress of a request: its attempts, the waits between them, and the bytes of their bodies.
package protocol AttemptObserver: UploadDelegate {
    func didBegin(_ context: RequestContext)
    /// Reports that a wait begins, after which the attempt with the context `next` follows.
    func isWaiting(for next: RequestContext)
    /// Reports that the attempt is about to send the body, for the first time or again. `expected` is its length.
    func willSend(_ expected: ByteCount?)
}

/// The step before a request is sent: notifies `progress`, then waits as long as the request is suspended. In this
/// order, a suspended request is not shown as being sent.
package struct AttemptStart: Sendable {
    let progress: (any AttemptObserver)?
    /// A function that waits as long as the request is suspended, and returns false after a cancellation; nil for none.
    private let gate: (@Sendable () async -> Bool)?

    package init(progress: (any AttemptObserver)? = nil, gate: (@Sendable () async -> Bool)? = nil) {
        self.progress = progress
        self.gate = gate
    }

    /// Notifies `progress` that an attempt begins, and waits.
    func pass(_ context: RequestContext) async throws(RequestFailure) {
        progress?.didBegin(context)
        try await waitWhileHeld()
    }

    /// Notifies `progress` that the body will be sent again, and waits.
    func passAgain(_ request: TransportRequest) async throws(RequestFailure) {
        progress?.willSend(request.body.length)
        try await waitWhileHeld()
    }

    private func waitWhileHeld() async throws(RequestFailure) {
        if let gate, await !gate() { throw .cancelled() }
    }
}

/// Passes the progress of a body to `observers`, and to the monitors of `context` with the detail `full`.
struct AttemptDelegate: UploadDelegate {
    let context: RequestContext
    let observers: [any UploadDelegate]

    func willSend(_ expected: ByteCount?) {
        for case let observer as any AttemptObserver in observers { observer.willSend(expected) }
    }

    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?) {
        context.reportStep(.sent(bytes: bytesSent, total: totalBytesSent, expected: totalBytesExpected))
        for observer in observers {
            observer.didSendBodyData(
                bytesSent, totalBytesSent: totalBytesSent, totalBytesExpected: totalBytesExpected)
        }
    }

    func didWriteRequest() {
        for observer in observers { observer.didWriteRequest() }
    }

    func didFinishSending() {
        context.reportStep(.waiting)
        for observer in observers { observer.didFinishSending() }
    }

    func didBreak(totalBytesSent: ByteCount) {
        for observer in observers { observer.didBreak(totalBytesSent: totalBytesSent) }
    }
}
