import FerryFiles

/// The state of an upload session at a cloud service, as a response of the service reports it.
enum SessionState {
    /// The service has stored this number of bytes from the start, and deletes them at the time `expires`, if known.
    case holds(ByteCount, expires: Date? = nil)
    case complete
    /// The service does not know the session, or the session has ended.
    case gone
    /// The stored size is unclear. After several such responses, the attempt ends with this failure.
    case unclear(UploadFailure)
    case failed(UploadFailure)
}

/// The requests and the responses of a cloud service with upload sessions, such as Google or Microsoft Graph.
protocol ContentRangeService: Sendable {
    /// The maximum number of the file's bytes in one request; nil for no limit.
    var rangeLimit: ByteCount? { get }
    /// Makes the request that asks the service how many bytes of the file it has stored.
    func query(_ session: UploadResource) -> Exchange
    /// Makes the request that sends a range of the file. The range is not empty.
    func append(_ range: Range<ByteCount>, to session: UploadResource) -> Exchange
    /// Returns the state of the upload session that a response to `append` (`hasSent`) or to `query` reports.
    func state(of response: ExchangeOutcome.Response, hasSent: Bool) -> SessionState
    /// Returns the step that ends the attempt after the service has reported that the file is complete.
    func finish(_ response: ExchangeOutcome.Response) -> Step
}

/// The upload of a file to a session of a cloud service. Each request sends bytes after those that are stored.
struct ContentRangeSession<Service: ContentRangeService>: Sendable {
    /// The result of handling a response: the next step, or the loss of the session.
    enum Turn: Sendable {
        case step(Step)
        /// The service no longer has this session, or has stored more bytes in it than the file has.
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

    init(_ service: Service, size: ByteCount) {
        self.service = service
        self.size = size
    }

    /// Resumes the session at `url`, which the user configured. Its creation has decided about existing files.
    mutating func resumeGiven(at url: String, _ options: ProtocolOptions) -> Step {
        guard options.existing == nil else {
            return .failed(
                .permanent, "a session that was made before has decided about existing files",
                hint: "leave ifExists out")
        }
        let given = UploadResource.given(at: url)
        return resume(given, noting: [.resource(given)])
    }

    /// Asks the service how many bytes of the file it has stored, to continue with the missing ones.
    mutating func resume(_ session: UploadResource, noting notes: [Step.Note] = []) -> Step {
        phase = .asking(session)
        return .send(service.query(session), notes: notes)
    }

    /// Sends the next bytes of the file. If no bytes are missing, asks the service for the state of the session.
    mutating func append(_ session: UploadResource, noting notes: [Step.Note] = []) -> Step {
        let left = size - session.confirmed
        guard left > 0 else { return resume(session, noting: notes) }
        let end = session.confirmed + min(left, max(1, service.rangeLimit ?? left))
        phase = .sending(session, end: end)
        var exchange = service.append(session.confirmed..<end, to: session)
        if end == size {
            exchange.traits.insert(.completes)
            // The transport must not repeat the request: the response of a session that has ended would be misleading.
            exchange.traits.remove(.idempotent)
            // Some services delete a complete session. The next attempt then knows that a missing one may be complete.
            exchange.markBeforeLastBytes = session.withWholeBodySent(true)
        }
        return .send(exchange, notes: notes)
    }

    mutating func receive(_ reply: ExchangeOutcome) -> Turn {
        guard case .responded(let response) = reply else { return .step(.failed(reply.failure)) }
        let session: UploadResource
        let end: ByteCount?
        switch phase {
        case .idle: return .step(.failed(.unasked))
        case .asking(let asked): (session, end) = (asked, nil)
        case .sending(let held, let reached): (session, end) = (held, reached)
        }
        switch service.state(of: response, hasSent: end != nil) {
        case .complete:
            let reached = end ?? session.confirmed
            // Otherwise the last bytes were never sent: the stored file is cut short, or another server answers.
            guard reached == size || session.wholeBodySent || session.isGiven else {
                let (stored, whole) = (ByteFormat.sentence(reached), ByteFormat.sentence(size))
                return .step(.failed(.server, "the server ended the upload at \(stored) of \(whole)"))
            }
            return .step(service.finish(response))
        case .gone: return .gone(session, reason: "the server no longer knows the upload")
        case .holds(let held, let expires): return advance(session, to: held, expires: expires, sentTo: end)
        case .unclear(let failure):
            // After the last range, the file may be complete, and the session may have ended for that reason.
            let asked = end == size ? session.withWholeBodySent(true) : session
            return .step(budget.allows(.standstill) ? resume(asked) : .failed(failure))
        case .failed(let failure) where failure.isTransient: return .step(.failed(failure))
        case .failed(let failure):
            // The response is definite: the server does not have the file.
            return .step(.failed(failure, notes: [.resource(session.withWholeBodySent(false))]))
        }
    }

    /// Continues after the bytes that the service reports as stored, even if it reported more before.
    private mutating func advance(
        _ session: UploadResource, to held: ByteCount, expires: Date?, sentTo sent: ByteCount?
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
            ? budget.judge(held, after: session.confirmed, sentTo: nil)
                ?? budget.standstill("the server has the whole file and does not call it complete")
            : budget.judge(held, after: session.confirmed, sentTo: sent)
        return .step(end.map { .failed($0, notes: notes) } ?? append(moved, noting: notes))
    }
}
