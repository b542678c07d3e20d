import Synchronization
public import UploadProtocols

/// One run at moving an upload forward: performs what its protocol asks, step by step, until that ends.
public struct UploadAttempt: Sendable {
    /// How an attempt ended.
    public enum Outcome: Sendable {
        case done(Receipt)
        case failed(UploadFailure)
        /// The task was cancelled. What the server acknowledged has been recorded.
        case cancelled
    }

    /// A protocol that never ends would keep the queue's slot for ever; none needs this many requests without moving.
    private static let idleExchangeLimit = 64

    private let session: Session
    private let file: SourceFile
    private let identity: FileIdentity
    private let label: String
    private let pace: (any Pace)?
    private let recorder: any AttemptRecorder
    private let learn: @Sendable (ServerCapabilities) -> Void

    /// - Parameters:
    ///   - identity: Which version of the file was queued; anything else ends the attempt.
    ///   - learn: Keeps what the server offers, for the destination's next uploads.
    public init(
        session: Session, file: SourceFile, identity: FileIdentity, label: String, pace: (any Pace)? = nil,
        recorder: any AttemptRecorder, learn: @escaping @Sendable (ServerCapabilities) -> Void = { _ in }
    ) {
        self.learn = learn
        self.session = session
        self.file = file
        self.identity = identity
        self.label = label
        self.pace = pace
        self.recorder = recorder
    }

    /// Runs the protocol's steps until one ends the attempt.
    ///
    /// - Parameters:
    ///   - uploadProtocol: Made for this attempt.
    ///   - resource: What an earlier attempt last recorded; nil for a new upload.
    ///   - capabilities: What `learn` was last told of this server.
    /// - Returns: `cancelled` as soon as the task is cancelled; the connection is then closed.
    public func run(
        _ uploadProtocol: any UploadProtocol, resource: Resource?, capabilities: ServerCapabilities?
    ) async -> Outcome {
        var uploadProtocol = uploadProtocol
        var step = uploadProtocol.start(resource: resource, capabilities: capabilities)
        var known = resource
        var idleExchanges = 0
        while true {
            do throws(UploadFailure) {
                switch step {
                case .done(let receipt, let notes):
                    try await take(notes, known: &known)
                    return .done(receipt)
                case .failed(let failure, let notes):
                    try await take(notes, known: &known)
                    return .failed(failure)
                case .send(let exchange, let notes):
                    let before = known?.confirmed
                    try await take(notes, known: &known)
                    idleExchanges = known?.confirmed == before ? idleExchanges + 1 : 0
                    guard idleExchanges < Self.idleExchangeLimit else {
                        return .failed(UploadFailure(.server, "the server keeps asking and nothing moves"))
                    }
                    guard let reply = try await perform(exchange, known: known) else { return .cancelled }
                    step = uploadProtocol.receive(reply)
                }
            } catch {
                return Task.isCancelled ? .cancelled : .failed(error)
            }
        }
    }

    /// Records what the protocol wants remembered. A new address is durable before anything goes to it.
    private func take(_ notes: [Step.Note], known: inout Resource?) async throws(UploadFailure) {
        for note in notes {
            switch note {
            case .resource(let resource):
                let isNew = resource?.url != known?.url
                known = resource
                try await recorder.record(resource, durably: isNew)
            case .capabilities(let capabilities): learn(capabilities)
            case .serverLost(let bytes): session.report(.serverLost(bytes), label: label)
            }
        }
    }

    /// - Returns: nil if the attempt was cancelled.
    private func perform(_ exchange: Exchange, known: Resource?) async throws(UploadFailure) -> Reply? {
        try file.check(identity)
        let marker = Marker(mark: exchange.markBeforeLastBytes, recorder: recorder)
        let request = TransportRequest(
            method: exchange.method, url: exchange.url, fields: exchange.fields,
            body: body(of: exchange, marker: marker), isRepeatable: exchange.isIdempotent)
        if case .file = exchange.body {} else { try await marker.set() }
        let progress = ExchangeProgress(exchange: exchange, recorder: recorder)
        recorder.didStart(exchange)
        let failure: RequestFailure
        do throws(RequestFailure) {
            let response = try await session.perform(
                request, label: label, validation: credentialsAccepted(exchange, marker, known: known),
                delegate: progress)
            return .answered(response.answer)
        } catch {
            failure = error
        }
        if case .rejected(let response, _) = failure { return .answered(response.answer) }
        if !failure.mayHaveSentAll(exchange.contentLength) { await marker.remove(leaving: known) }
        switch failure {
        case .cancelled, .sessionClosed: return nil
        case .transport(let error):
            switch error.reason {
            case .cancelled: return nil
            case .source: throw error.failure
            case .unsent, .notConnected: return .broken(error.failure, bodySent: nil)
            case .staleConnection, .broken:
                // A file that changed breaks connections too, and is then the reason that helps.
                if case .file = exchange.body { try file.check(identity) }
                return .broken(error.failure, bodySent: error.bodySent)
            }
        case .unusable, .adaptation, .rejected, .undecodable, .retry: throw failure.failure
        }
    }

    /// What an answer means is the protocol's to say; only refused credentials are the session's.
    ///
    /// A server that refuses them has taken nothing. To get others may take long, and whatever ends this process
    /// meanwhile must not leave a question. Only a file's mark is set again when it is sent again.
    private func credentialsAccepted(
        _ exchange: Exchange, _ marker: Marker, known: Resource?
    ) -> ResponseValidation {
        .check { _, response in
            guard response.status == 401 else { return }
            if case .file = exchange.body { await marker.remove(leaving: known) }
            throw AnswerVerdict.failure(response.answer)
        }
    }

    private func body(of exchange: Exchange, marker: Marker) -> TransportRequest.Body {
        switch exchange.body {
        case .none: return .none
        case .bytes(let bytes): return .bytes(bytes)
        case .file(let range, let prefix, let suffix):
            let (file, identity) = (file, identity)
            let check: @Sendable () async throws(UploadFailure) -> Void = { () async throws(UploadFailure) in
                try file.check(identity)
                try await marker.set()
            }
            return .streamed(
                StreamedBody(
                    [.bytes(prefix), .file(file, identity: identity, range: range), .bytes(suffix)],
                    beforeLastBytes: exchange.mayComplete ? check : nil, pace: pace))
        }
    }
}

/// Writes down that a body is about to be complete, and takes that back if it did not come to it.
private final class Marker: Sendable {
    private let mark: Resource?
    private let recorder: any AttemptRecorder
    private let isSet = Mutex(false)

    init(mark: Resource?, recorder: any AttemptRecorder) {
        self.mark = mark
        self.recorder = recorder
    }

    func set() async throws(UploadFailure) {
        guard let mark else { return }
        isSet.withLock { $0 = true }
        try await recorder.record(mark, durably: true)
    }

    /// If this fails the mark stays, and a person is asked: the safe side.
    func remove(leaving known: Resource?) async {
        guard isSet.withLock({ $0 }), (try? await recorder.record(known, durably: true)) != nil else {
            return
        }
        isSet.withLock { $0 = false }
    }
}

extension RequestFailure {
    /// True if the server may have the whole request, of a body of `length` bytes.
    fileprivate func mayHaveSentAll(_ length: ByteCount) -> Bool {
        switch self {
        case .cancelled(let sent): sent >= length
        case .transport(let error):
            switch error.reason {
            case .cancelled, .staleConnection, .broken: error.bodySent >= length
            case .unsent, .notConnected, .source: false
            }
        case .retry(_, let original): original.mayHaveSentAll(length)
        case .unusable, .adaptation, .rejected, .undecodable, .sessionClosed: false
        }
    }
}

/// Where an attempt writes down what must outlive it, and shows how far it is.
public protocol AttemptRecorder: Sendable {
    /// Remembers what to resume with. Returns once it would survive a power cut if `durably`.
    func record(_ resource: Resource?, durably: Bool) async throws(UploadFailure)
    /// A request begins.
    func didStart(_ exchange: Exchange)
    /// Bytes went out; `fileOffset` is how far into the file that is.
    func didSend(_ bytes: ByteCount, fileOffset: ByteCount)
    /// The last byte of the request is out.
    func didFinishSending(_ exchange: Exchange)
}

/// Turns bytes of one request's body into a place in the file.
private struct ExchangeProgress: UploadDelegate {
    let exchange: Exchange
    let recorder: any AttemptRecorder

    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?) {
        guard let offset = exchange.fileOffset(afterSending: totalBytesSent) else { return }
        recorder.didSend(bytesSent, fileOffset: offset)
    }

    func didFinishSending() { recorder.didFinishSending(exchange) }
}
