import FerryFiles

/// The state of a session in a service's response.
enum SessionState {
    /// The first bytes of the file are stored; `expires` is the time when they are dropped, if the response states it.
    case holds(ByteCount, expires: Date? = nil)
    case complete
    /// The session is unknown or has ended.
    case gone
    /// The stored size must be requested. The failure is the one to report if that does not help.
    case unclear(UploadFailure)
    case failed(UploadFailure)
}

/// The differences between services that accept a file in ranges, in order, at the URL of a session.
protocol ContentRangeService: Sendable {
    /// The most bytes of the file in one request; nil for no limit.
    var rangeLimit: ByteCount? { get }
    /// Makes the request for the stored size.
    func query(_ session: UploadResource) -> Exchange
    /// Makes the request with a range that is not empty.
    func append(_ range: Range<ByteCount>, to session: UploadResource) -> Exchange
    /// - Parameter hasSent: True if the response is to a range, false if it is to a query.
    func state(of answer: ExchangeOutcome.Response, hasSent: Bool) -> SessionState
    /// Returns the step that ends an upload that the service calls complete.
    func finish(_ answer: ExchangeOutcome.Response, of session: UploadResource) -> Step
}

/// The common part of all Content-Range sessions: it requests the stored size, sends from there, and repeats.
struct ContentRangeSession<Service: ContentRangeService>: Sendable {
    /// The consequence of a response.
    enum Turn: Sendable {
        case step(Step)
        /// The session is gone, with the reason.
        case gone(UploadResource, reason: String)
    }

    private enum Phase: Sendable {
        case idle
        case asking(UploadResource)
        case sending(UploadResource, end: ByteCount)
    }

    private let service: Service
    private let size: ByteCount
    private var phase = Phase.idle
    private var budget = RetryBudget()

    /// - Parameter size: The size of the file.
    init(_ service: Service, size: ByteCount) {
        self.service = service
        self.size = size
    }

    /// Resumes an existing session whose URL is the destination's.
    mutating func resumeGiven(at url: String, _ options: ProtocolOptions) -> Step {
        guard options.existing == nil else {
            return .failed(
                .permanent, "a session that was made before has decided about existing files",
                hint: "leave ifExists out")
        }
        let given = UploadResource.given(at: url)
        return resume(given, noting: [.resource(given)])
    }

    /// Requests the stored size, and continues from there.
    mutating func resume(_ session: UploadResource, noting notes: [Step.Note] = []) -> Step {
        phase = .asking(session)
        return .send(service.query(session), notes: notes)
    }

    /// Sends the missing bytes. A session of an empty file is complete after a query.
    mutating func append(_ session: UploadResource, noting notes: [Step.Note] = []) -> Step {
        let left = size - session.confirmed
        guard left > 0 else { return resume(session, noting: notes) }
        let end = session.confirmed + min(left, max(1, service.rangeLimit ?? left))
        phase = .sending(session, end: end)
        var exchange = service.append(session.confirmed..<end, to: session)
        if end == size {
            exchange.traits.insert(.completes)
            // If the transport repeated the request, it would meet an ended session with a misleading response.
            exchange.traits.remove(.idempotent)
            // Some services delete a session once it is complete: the next attempt must know this possible reason.
            exchange.markBeforeLastBytes = session.withWholeBodySent(true)
        }
        return .send(exchange, notes: notes)
    }

    mutating func receive(_ reply: ExchangeOutcome) -> Turn {
        guard case .answered(let answer) = reply else { return .step(.failed(reply.failure)) }
        let session: UploadResource
        let end: ByteCount?
        switch phase {
        case .idle:
            return .step(.failed(.unasked))
        case .asking(let asked): (session, end) = (asked, nil)
        case .sending(let held, let reached): (session, end) = (held, reached)
        }
        switch service.state(of: answer, hasSent: end != nil) {
        case .complete: return .step(service.finish(answer, of: session))
        case .gone: return .gone(session, reason: "the server no longer knows the upload")
        case .holds(let held, let expires):
            return advance(session, to: held, expires: expires, hasSent: end != nil)
        case .unclear(let failure):
            // The bytes in flight may be the reason why the session has ended.
            let asked = end == size ? session.withWholeBodySent(true) : session
            return .step(budget.allows(.standstill) ? resume(asked) : .failed(failure))
        case .failed(let failure) where failure.isTransient: return .step(.failed(failure))
        case .failed(let failure):
            // The response is definite: the server does not have the file.
            return .step(.failed(failure, notes: [.resource(session.withWholeBodySent(false))]))
        }
    }

    /// Continues from the stored size that the server states, whatever was known before.
    private mutating func advance(
        _ session: UploadResource, to held: ByteCount, expires: Date?, hasSent: Bool
    ) -> Turn {
        guard held <= size else {
            return .gone(session, reason: "the server's upload does not fit this file")
        }
        var moved = session.withWholeBodySent(false)
        moved.confirmed = held
        moved.expires = expires ?? session.expires
        let notes = session.notes(of: moved)
        let end =
            held == size
            ? budget.judge(held, after: session.confirmed, hasSent: false)
                ?? budget.standstill("the server holds the whole file and does not call it complete")
            : budget.judge(held, after: session.confirmed, hasSent: hasSent)
        return .step(end.map { .failed($0, notes: notes) } ?? append(moved, noting: notes))
    }
}
