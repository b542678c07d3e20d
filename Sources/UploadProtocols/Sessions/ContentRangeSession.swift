import FerryFiles

/// The state of an upload session, according to a response of the service.
enum SessionState {
    /// The service has stored this number of bytes from the start of the file. It drops them at `expires`, which is nil
    /// if the time is unknown.
    case holds(ByteCount, expires: Date? = nil)
    case complete
    /// The session is unknown or has ended.
    case gone
    /// The number of stored bytes is unknown and must be requested. After several such responses, the attempt ends with
    /// this failure.
    case unclear(UploadFailure)
    case failed(UploadFailure)
}

/// The requests and responses that differ between the cloud services with upload sessions.
protocol ContentRangeService: Sendable {
    /// The maximum number of the file's bytes in one request; nil for no limit.
    var rangeLimit: ByteCount? { get }
    /// Makes the request that asks how many bytes are stored.
    func query(_ session: UploadResource) -> Exchange
    /// Makes the request that sends a range of the file. The range is not empty.
    func append(_ range: Range<ByteCount>, to session: UploadResource) -> Exchange
    /// - Parameter hasSent: True for the response to `append`, false for the response to `query`.
    func state(of response: ExchangeOutcome.Response, hasSent: Bool) -> SessionState
    /// Returns the step that ends the attempt after the service has reported that the file is complete.
    func finish(_ response: ExchangeOutcome.Response, of session: UploadResource) -> Step
}

/// An upload to a session of any `ContentRangeService`. It sends the bytes after the stored ones, until the file is
/// complete.
struct ContentRangeSession<Service: ContentRangeService>: Sendable {
    /// The next action after a response.
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

    /// - Parameter size: The size of the file in bytes.
    init(_ service: Service, size: ByteCount) {
        self.service = service
        self.size = size
    }

    /// Resumes the session at `url`, which the user configured as the destination. If the options contain a policy for
    /// an existing file, the upload fails instead.
    mutating func resumeGiven(at url: String, _ options: ProtocolOptions) -> Step {
        guard options.existing == nil else {
            return .failed(
                .permanent, "a session that was made before has decided about existing files",
                hint: "leave ifExists out")
        }
        let given = UploadResource.given(at: url)
        return resume(given, noting: [.resource(given)])
    }

    /// Asks the service how many bytes are stored. The upload then continues after these bytes.
    mutating func resume(_ session: UploadResource, noting notes: [Step.Note] = []) -> Step {
        phase = .asking(session)
        return .send(service.query(session), notes: notes)
    }

    /// Sends the next missing bytes. If there are none, as for an empty file, requests the session's state.
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
            // Some services delete a session when the file is complete. The mark shows the next attempt that a missing
            // session may be complete.
            exchange.markBeforeLastBytes = session.withWholeBodySent(true)
        }
        return .send(exchange, notes: notes)
    }

    mutating func receive(_ reply: ExchangeOutcome) -> Turn {
        guard case .responded(let response) = reply else { return .step(.failed(reply.failure)) }
        let session: UploadResource
        let end: ByteCount?
        switch phase {
        case .idle:
            return .step(.failed(.unasked))
        case .asking(let asked): (session, end) = (asked, nil)
        case .sending(let held, let reached): (session, end) = (held, reached)
        }
        switch service.state(of: response, hasSent: end != nil) {
        case .complete:
            let reached = end ?? session.confirmed
            // If none of these is true, the last bytes were never sent: the stored file is cut short, or another server
            // answers.
            guard reached == size || session.wholeBodySent || session.isGiven else {
                let (stored, whole) = (ByteFormat.sentence(reached), ByteFormat.sentence(size))
                return .step(.failed(.server, "the server ended the upload at \(stored) of \(whole)"))
            }
            return .step(service.finish(response, of: session))
        case .gone: return .gone(session, reason: "the server no longer knows the upload")
        case .holds(let held, let expires):
            return advance(session, to: held, expires: expires, sentTo: end)
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

    /// Continues after the bytes that the server now reports as stored, even if it reported another number before.
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
                ?? budget.standstill("the server holds the whole file and does not call it complete")
            : budget.judge(held, after: session.confirmed, sentTo: sent)
        return .step(end.map { .failed($0, notes: notes) } ?? append(moved, noting: notes))
    }
}
