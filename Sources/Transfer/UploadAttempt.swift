public import FerryProtocols
import HTTPTypes

/// One attempt at an upload. The upload protocol decides step by step which requests it sends.
public struct UploadAttempt: Sendable {
    /// The outcome of an attempt.
    public enum Outcome: Sendable {
        case done(Receipt)
        case failed(UploadFailure)
        /// The task was cancelled. The bytes that the server confirmed have been recorded.
        case cancelled
    }

    /// The number of successive steps without change in confirmed bytes after which the attempt fails, so that no
    /// protocol occupies a slot for ever. Some uploads need a hundred, because they try one file name after another.
    private static let idleExchangeLimit = 128

    let sender: RequestSender
    let server: ServerRecognition
    let file: SourceFile
    let identity: FileIdentity
    let label: String
    private let rateLimiter: (any RateLimiter)?
    let recorder: any AttemptRecorder
    let ahead = DigestsAhead()
    private let storedForm: @Sendable (UploadResource) -> UploadResource
    private let plainTexts: [String]
    private let learn: @Sendable (Redacted<ServerCapabilities>) -> Void

    /// - Parameters:
    ///   - identity: The version of the file that was queued. If the file has another version, the attempt fails.
    ///   - rateLimiter: The limiter of the sending rate; nil for no limit.
    ///   - storedForm: Returns a resource in the form that `recorder` stores, for example without a configured query.
    ///   - plainTexts: Texts that are stored in any case, such as the file's name. A secret that occurs in them does
    ///     not prevent that a resource is stored.
    ///   - recognize: Receives each new value of the header field `Server` in a successful response; nil if it has
    ///     none.
    ///   - learn: Stores the server's capabilities for later uploads to the destination.
    public init(
        sender: RequestSender, server: Server = Server(), file: SourceFile, identity: FileIdentity,
        label: String, rateLimiter: (any RateLimiter)? = nil, recorder: any AttemptRecorder,
        storedForm: @escaping @Sendable (UploadResource) -> UploadResource = { $0 },
        plainTexts: [String] = [], recognize: @escaping @Sendable (Redacted<String?>) -> Void = { _ in },
        learn: @escaping @Sendable (Redacted<ServerCapabilities>) -> Void = { _ in }
    ) {
        self.learn = learn
        self.sender = sender
        self.server = ServerRecognition(server) { [secrets = sender.secrets] software in
            recognize(secrets.redact(software: software))
        }
        self.file = file
        self.identity = identity
        self.label = label
        self.rateLimiter = rateLimiter
        self.recorder = recorder
        self.storedForm = storedForm
        self.plainTexts = plainTexts
    }

    /// Sends the requests of the protocol's steps until a step ends the attempt.
    ///
    /// - Parameters:
    ///   - resource: The state that an earlier attempt recorded most recently; nil for a new upload.
    ///   - capabilities: The current value that `learn` last received for this destination; nil if there is none.
    /// - Returns: The outcome; `cancelled`, with the connection closed at once, if the task is cancelled.
    public func run(
        _ uploadProtocol: any UploadProtocol, resource: UploadResource?, capabilities: ServerCapabilities?
    ) async -> Redacted<Outcome> {
        let sent = SentBytes(confirmed: resource?.confirmed ?? 0)
        let outcome = await exchanged(uploadProtocol, resource, capabilities, sent)
        ahead.cancel()
        recorder.didEnd(out: sent.out)
        return sender.secrets.redact(outcome)
    }

    private func exchanged(
        _ uploadProtocol: any UploadProtocol, _ resource: UploadResource?,
        _ capabilities: ServerCapabilities?, _ sent: SentBytes
    ) async -> Outcome {
        await withTaskGroup(of: Ending.self) { group in
            var uploadProtocol = uploadProtocol
            var step = uploadProtocol.start(resource: resource, capabilities: capabilities)
            var known = resource
            var choice = resource?.choice ?? capabilities?.choice
            if let choice { tell(choice, asked: capabilities?.asked) }
            var underWay: [Int: Exchange] = [:]
            var lastExchange = 0
            var idleExchanges = 0
            defer { group.cancelAll() }
            do throws(UploadFailure) {
                while true {
                    let before = known?.confirmed
                    try await take(step, known: &known, choice: &choice)
                    idleExchanges = known?.confirmed == before ? idleExchanges + 1 : 0
                    switch step {
                    case .done(var receipt, _):
                        // It was possibly deleted or replaced since it was opened.
                        receipt.source = await file.dispositionNow()
                        return .done(receipt)
                    case .failed(let failure, _):
                        let reviewed = await reviewed(failure)
                        return Task.isCancelled ? .cancelled : .failed(reviewed)
                    case .send, .sendAll, .wait: break
                    }
                    guard idleExchanges < Self.idleExchangeLimit else {
                        return .failed(UploadFailure(.server, "the server keeps asking and nothing moves"))
                    }
                    let exchange: Exchange
                    let ending: Ending
                    if underWay.isEmpty, step.exchanges.count == 1 {
                        // A single exchange runs without a task of its own, whose cost matters for a small file.
                        exchange = step.exchanges[0]
                        lastExchange += 1
                        ending = await self.ending(
                            of: exchange, number: lastExchange, known: known, sent: sent)
                    } else {
                        for exchange in step.exchanges {
                            lastExchange += 1
                            underWay[lastExchange] = exchange
                            group.addTask { [number = lastExchange, known] in
                                await self.ending(of: exchange, number: number, known: known, sent: sent)
                            }
                        }
                        guard let next = await group.next(), let ended = underWay[next.number] else {
                            return .failed(UploadFailure(.permanent, "the upload waits for nothing"))
                        }
                        (exchange, ending) = (ended, next)
                        underWay[ending.number] = nil
                    }
                    guard let reply = try ending.reply.get() else { return .cancelled }
                    step = uploadProtocol.receive(reply, to: exchange)
                    sent.end(ending.number, confirmed: step.confirmed ?? known?.confirmed ?? 0)
                }
            } catch {
                guard !Task.isCancelled else { return .cancelled }
                if error.category == .sourceChanged {
                    // A part that is still in flight could arrive after the request that deletes the upload.
                    group.cancelAll()
                    await group.waitForAll()
                    await forget(known, uploadProtocol, sent)
                }
                return .failed(error)
            }
        }
    }

    /// Deletes an incomplete upload from the server, because its file has changed, and then the recorded upload
    /// resource. If the server does not respond, both stay for a later attempt.
    private func forget(
        _ known: UploadResource?, _ uploadProtocol: any UploadProtocol, _ sent: SentBytes
    ) async {
        // The server may have the complete version that was queued, which must not be deleted.
        guard let known, !known.wholeBodySent else { return }
        for exchange in uploadProtocol.removal(of: known) {
            guard case .responded? = try? await sender.ask(exchange, label: label) else { return }
        }
        try? await recorder.record(nil, durably: true)
        sent.deleteConfirmed()
    }

    /// The number of an exchange and its result. A success with nil means that the attempt was cancelled.
    private struct Ending: Sendable {
        var number: Int
        var reply: Result<ExchangeOutcome?, UploadFailure>
    }

    private func ending(of exchange: Exchange, number: Int, known: UploadResource?, sent: SentBytes) async
        -> Ending
    {
        let progress = ExchangeProgress(exchange: exchange, number: number, sent: sent, recorder: recorder)
        do throws(UploadFailure) {
            return Ending(
                number: number, reply: .success(try await perform(exchange, known: known, progress: progress))
            )
        } catch {
            return Ending(number: number, reply: .failure(error))
        }
    }

    /// Handles the notes of a step. A new upload resource is recorded durably before any request uses it.
    private func take(
        _ step: Step, known: inout UploadResource?, choice: inout ProtocolChoice?
    ) async throws(UploadFailure) {
        for note in step.notes {
            switch note {
            case .resource(let resource):
                // Two upload resources may have the same URL; then their `memory` distinguishes them.
                let isNew = resource?.url != known?.url || resource?.memory != known?.memory
                known = resource
                try await record(resource, durably: isNew, after: step)
            case .capabilities(let capabilities):
                learn(sender.secrets.redact(capabilities))
                if let chosen = capabilities.choice, chosen != choice { tell(chosen, asked: nil) }
                choice = capabilities.choice
            case .serverLost(let bytes): sender.report(.serverLost(bytes), label: label)
            }
        }
    }

    /// Records the resource without facts that repeat a secret of a request.
    ///
    /// If even the URL repeats a secret, nothing is recorded, and the attempt fails: the upload could not resume, and a
    /// lost response would have it sent twice. After the last step, a resource is not needed.
    private func record(
        _ resource: UploadResource?, durably: Bool, after step: Step? = nil
    ) async throws(UploadFailure) {
        let redacted = resource.flatMap { sender.secrets.redact(storedForm($0), besides: plainTexts) }
        if resource != nil, redacted == nil {
            if case .done = step { return }
            throw UploadFailure(
                .permanent,
                "the server repeats a secret in the upload's address, which can then not be stored",
                hint: "tell the operator of the server, or set another protocol")
        }
        try await recorder.record(redacted, durably: durably)
    }

    private func tell(_ choice: ProtocolChoice, asked: Date?) {
        let when = asked.map { "; asked \($0.formatted(.iso8601))" } ?? ""
        sender.report(.protocolChosen(choice.sentence + when), label: label)
    }

    /// Sends the request of one exchange and checks the response. Returns nil if the attempt was cancelled.
    private func perform(
        _ exchange: Exchange, known: UploadResource?, progress: ExchangeProgress
    ) async throws(UploadFailure) -> ExchangeOutcome? {
        // If the server may have the whole file, the attempt first asks for the outcome, even if the file has changed.
        let carriesFile = exchange.carriesFile
        if carriesFile || exchange.traits.contains(.completes) || known?.wholeBodySent != true {
            // The first exchange needs no check: the file was just opened, and is checked when its bytes are read.
            if progress.number > 1 || file.identity != identity { try await file.confirm(identity) }
        }
        guard let digests = try await digests(for: exchange) else { return nil }
        let marker = UnknownOutcomeMarker(mark: exchange.markBeforeLastBytes) {
            resource throws(UploadFailure) in try await record(resource, durably: true)
        }
        var request = TransportRequest(
            method: exchange.method, url: exchange.url, fields: exchange.fields(with: digests),
            body: body(of: exchange, marker: marker), isRepeatable: exchange.traits.contains(.idempotent),
            breakCostsLittle: !carriesFile || exchange.traits.contains(.kept))
        request.responseMayTakeLong = exchange.traits.contains(.slowResponse)
        if !carriesFile { try await marker.set() }
        progress.start()
        let failure: RequestFailure
        do throws(RequestFailure) {
            let sender = exchange.traits.contains(.withoutCredentials) ? sender.withoutCredentials : sender
            let response = try await sender.perform(
                request, label: label,
                interceptor: lastStep(of: exchange, marker),
                delegate: progress, accept: acceptance(of: exchange, marker, known: known))
            var received = response.protocolResponse(with: digests, sender, exchange)
            received.digests += await comparisons(for: exchange, received)
            return await reply(to: exchange, received, marker, known: known)
        } catch {
            failure = error
        }
        if case .rejected(let response, _) = failure {
            return await reply(
                to: exchange, response.protocolResponse(with: digests, sender, exchange), marker, known: known
            )
        }
        if !failure.mayHaveSentAll(exchange.contentLength) { await marker.remove(leaving: known) }
        switch failure {
        case .cancelled, .sessionClosed: return nil
        case .transport(let error):
            switch error.reason {
            case .cancelled: return nil
            case .source: throw error.failure
            case .broken where error.failure == .redirectCircle:
                // The search for a captive portal treats a redirect loop like a 307 within the server.
                let received = ExchangeOutcome.Response(status: 307, fields: [.location: exchange.url])
                guard let page = await suspicion(of: received, to: exchange, known: known) else {
                    return .broken(error.failure, bodySent: error.bodySent)
                }
                return .broken(page, bodySent: nil)
            case .notTrusted where server.now.isKnown:
                return .broken(
                    CaptivePortal().failure(inPlaceOf: host(of: exchange), after: error.failure),
                    bodySent: nil)
            case .unsent, .notConnected, .notTrusted:
                // A lack of file descriptors is no fault of the server or the protocol, so it ends the attempt.
                if error.failure.category == .descriptors { throw error.failure }
                return .broken(error.failure, bodySent: nil)
            case .staleConnection, .broken:
                // A change of the file may have broken the connection, and is then the more helpful reason.
                if carriesFile { try await file.confirm(identity) }
                return .broken(error.failure, bodySent: error.bodySent)
            }
        case .unusable, .adaptation, .rejected, .undecodable, .retry: throw failure.failure
        }
    }

    /// Returns the function that throws for a 401, and for any other refusal whose cause a retrier can correct. The
    /// server has then stored nothing, so the function first removes the mark of an unknown outcome.
    ///
    /// The mark must not stay while the retriers fetch credentials, which can take long. Sending sets it again.
    private func acceptance(
        of exchange: Exchange, _ marker: UnknownOutcomeMarker, known: UploadResource?
    ) -> RequestRun.Check {
        sender.acceptance {
            if exchange.carriesFile { await marker.remove(leaving: known) }
        }
    }

    /// Returns the step right before the request: the mark of a small body, or the check of the file before a request
    /// that completes the upload without bytes of it; nil if neither is needed.
    private func lastStep(of exchange: Exchange, _ marker: UnknownOutcomeMarker) -> LastStep? {
        guard exchange.traits.contains(.completes) else { return nil }
        guard !exchange.carriesFile else { return exchange.isMarkedFirst ? LastStep(run: marker.set) : nil }
        return LastStep { [file, identity] () async throws(UploadFailure) in try await file.confirm(identity)
        }
    }

    private func body(of exchange: Exchange, marker: UnknownOutcomeMarker) -> TransportRequest.Body {
        switch exchange.body {
        case .none: return .none
        case .bytes(let bytes): return .bytes(bytes)
        case .file(let range, let prefix, let suffix):
            let (file, identity) = (file, identity)
            let isSmall = exchange.isSmall
            let check: @Sendable () async throws(UploadFailure) -> Void = { () async throws(UploadFailure) in
                if !isSmall { try await file.confirm(identity) }
                try await marker.set()
            }
            let isNeeded =
                exchange.traits.contains(.completes)
                && (!isSmall || !exchange.isMarkedFirst && exchange.markBeforeLastBytes != nil)
            return .streamed(
                StreamedBody(
                    [.bytes(prefix), .file(file, identity: identity, range: range), .bytes(suffix)],
                    beforeLastBytes: isNeeded ? check : nil, rateLimiter: rateLimiter))
        }
    }
}

extension RequestFailure {
    /// True if the server has possibly received the whole body of `length` bytes.
    fileprivate func mayHaveSentAll(_ length: ByteCount) -> Bool {
        switch self {
        case .cancelled(let sent): sent >= length
        case .transport(let error):
            switch error.reason {
            case .cancelled, .staleConnection, .broken: error.bodySent >= length
            case .unsent, .notConnected, .notTrusted, .source: false
            }
        case .retry(_, let original): original.mayHaveSentAll(length)
        case .unusable, .adaptation, .rejected, .undecodable, .sessionClosed: false
        }
    }
}

extension Step {
    /// The number of confirmed bytes in the last `resource` note, 0 if it deletes the resource; nil without one.
    fileprivate var confirmed: ByteCount? {
        for case .resource(let resource) in notes.reversed() { return resource?.confirmed ?? 0 }
        return nil
    }
}

extension Exchange {
    fileprivate var carriesFile: Bool {
        if case .file = body { true } else { false }
    }

    /// True if the file's part of the body is so small that it is checked for changes when it is read.
    fileprivate var isSmall: Bool {
        guard case .file(let range, _, _) = body else { return false }
        return range.upperBound - range.lowerBound <= ChunkSize.alwaysBuffered
    }

    /// True if the mark is recorded right before the request, and not between its head and its last bytes. A body of one
    /// chunk then goes out in one write with the head.
    fileprivate var isMarkedFirst: Bool {
        isSmall && traits.contains(.mayBeMarkedEarly) && markBeforeLastBytes != nil
    }
}

extension TransportResponse {
    fileprivate func protocolResponse(
        with digests: [ComputedDigest], _ sender: RequestSender, _ exchange: Exchange
    ) -> ExchangeOutcome.Response {
        var response = protocolResponse
        response.digests = digests
        response.carriedCredentials = sender.signs(exchange)
        return response
    }
}
