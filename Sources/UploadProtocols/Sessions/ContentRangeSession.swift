import FerryFiles

/// The state of a session in a service's response.
enum SessionState {
    /// The first bytes of the file, and when they are dropped, if the answer says so.
    case holds(ByteCount, expires: Date? = nil)
    case complete
    /// The session is not known, or over.
    case gone
    /// The stored size has to be asked for. The failure is the one to report if that does not help.
    case unclear(UploadFailure)
    case failed(UploadFailure)
}

/// The differences between services that take a file in ranges, in order, at the address of a session.
protocol ContentRangeService: Sendable {
    /// The most bytes of the file in one request; nil for all that is left.
    var rangeLimit: ByteCount? { get }
    /// Asks what is held.
    func query(_ session: UploadResource) -> Exchange
    /// Sends a range that is not empty.
    func append(_ range: Range<ByteCount>, to session: UploadResource) -> Exchange
    /// - Parameter hasSent: True if the answer is to a range, false if it is to a question.
    func state(of answer: ExchangeOutcome.Response, hasSent: Bool) -> SessionState
    /// The end of an upload that the service calls complete.
    func finish(_ answer: ExchangeOutcome.Response, of session: UploadResource) -> Step
}

/// The part that all Content-Range sessions share: asks, sends from where the server is, and asks again.
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

    /// - Parameter size: Of the file.
    init(_ service: Service, size: ByteCount) {
        self.service = service
        self.size = size
    }

    /// Resumes a session that somebody made and that stands in the destination's address.
    mutating func resumeGiven(at url: String, _ options: ProtocolOptions) -> Step {
        guard options.existing == nil else {
            return .failed(
                UploadFailure(
                    .permanent, "a session that was made before has decided about existing files",
                    hint: "leave ifExists out"))
        }
        let given = UploadResource.given(at: url)
        return resume(given, noting: [.resource(given)])
    }

    /// Asks what the server holds, and goes on from there.
    mutating func resume(_ session: UploadResource, noting notes: [Step.Note] = []) -> Step {
        phase = .asking(session)
        return .send(service.query(session), notes: notes)
    }

    /// Sends what the server does not hold yet. A session of an empty file is complete once it is asked for.
    mutating func append(_ session: UploadResource, noting notes: [Step.Note] = []) -> Step {
        let left = size - session.confirmed
        guard left > 0 else { return resume(session, noting: notes) }
        let end = session.confirmed + min(left, max(1, service.rangeLimit ?? left))
        phase = .sending(session, end: end)
        var exchange = service.append(session.confirmed..<end, to: session)
        if end == size {
            exchange.traits.insert(.completes)
            // Sent once more behind our back, it would meet a session that is over, and its answer would mislead.
            exchange.traits.remove(.idempotent)
            // Some services forget a session once it is complete: the next attempt must know that this may be why.
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
            // The bytes on the wire may be why the server is done with the session.
            let asked = end == size ? session.withWholeBodySent(true) : session
            return .step(budget.allows(.standstill) ? resume(asked) : .failed(failure))
        case .failed(let failure) where failure.isTransient: return .step(.failed(failure))
        case .failed(let failure):
            // A definite answer: the server does not have the file.
            return .step(.failed(failure, notes: [.resource(session.withWholeBodySent(false))]))
        }
    }

    /// Goes on from what the server says it holds, whatever we believed before.
    private mutating func advance(
        _ session: UploadResource, to held: ByteCount, expires: Date?, hasSent: Bool
    ) -> Turn {
        guard held <= size else {
            return .gone(session, reason: "the server's upload does not fit this file")
        }
        var moved = session.withWholeBodySent(false)
        moved.confirmed = held
        moved.expires = expires ?? session.expires
        var notes: [Step.Note] = [.resource(moved)]
        if held < session.confirmed {
            notes.insert(.serverLost(session.confirmed - held), at: 0)
        }
        let end =
            held == size
            ? budget.judge(held, after: session.confirmed, hasSent: false)
                ?? budget.standstill("the server holds the whole file and does not call it complete")
            : budget.judge(held, after: session.confirmed, hasSent: hasSent)
        return .step(end.map { .failed($0, notes: notes) } ?? append(moved, noting: notes))
    }
}
