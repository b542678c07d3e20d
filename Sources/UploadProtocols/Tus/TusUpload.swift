import HTTPTypes

/// The upload protocol tus 1.0.0. It creates an upload on the server, and appends bytes until the server has the whole
/// file. A large file is sent as several partial uploads at once, if the options and the server allow this.
public struct TusUpload: SequentialProtocol {
    public static let name = "tus"
    public static let traits = ProtocolTraits(
        resumes: true, isParallel: true, checksums: [.md5, .sha1, .sha256, .crc32c])

    enum Phase: Sendable {
        case asking
        /// Creates the upload without content, so that a lost response costs nothing: an empty upload stays.
        case creating(sum: TusSum?, isDeferred: Bool)
        /// Creates the upload with the whole content of a small file, if the options ask for it.
        case creatingWithContent(Exchange)
        case appending(TusAppending)
        case joining(TusConcatenation)
        /// Deletes an abandoned upload, or all its partial uploads. The value is the number of pending deletions.
        case clearing(Int)
        /// Asks for the offset once more, after the server has confirmed a file sent in several requests or parts.
        case confirming(UploadResource, Receipt)
        /// The finished file is looked up at the location that the server named.
        case locating(Receipt)
    }

    private enum Knowledge: Sendable {
        /// The capabilities were stored before this attempt, so they may be out of date.
        case kept
        /// The server sent no usable response to OPTIONS, so the capabilities are assumed.
        case assumed
        case reported
    }

    let item: UploadItem
    let options: ProtocolOptions
    let creation: TusCreation
    var phase = Phase.asking
    var capabilities: ServerCapabilities?
    /// The upload resource as it was last recorded on disk, to detect changes; nil if none was recorded.
    private var noted: UploadResource?
    /// The limit on restarts of the upload after the server has lost it. Tests replace the clock of this value.
    var dropped = RestartGuard()
    private var knowledge = Knowledge.kept
    /// True once the server has lost bytes that it had confirmed. The file is then sent in one request.
    var isForgetting = false

    /// - Parameter options: The chunk size, the parallel requests, the checksum, the deferred length and the content of
    ///   the creation apply.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        creation = TusCreation(item: item)
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        TusCheck(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        self.capabilities = capabilities
        isForgetting = capabilities?.forgets ?? false
        noted = resource
        guard let resource else { return begin() }
        if resource.tus.isUnnamed { return .failed(SingleRequestUpload.unknownOutcome(nil)) }
        if isForgetting, !resource.marks.isAcknowledged, !resource.wholeBodySent { return clear(resource) }
        if let parts = TusConcatenation(resuming: resource, item: item, options: options) {
            return join(parts) { $0.start() }
        }
        var appending = TusAppending(resource, range: 0..<item.size, chunkSize: chunkSize)
        let question = appending.ask()
        let isWhole = resource.marks.isAcknowledged
        phase = isWhole ? .confirming(resource, receipt(resource, nil)) : .appending(appending)
        return .send(question)
    }

    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step {
        guard case .joining(let parts) = phase else { return receive(reply) }
        return join(parts) { $0.receive(reply, part: exchange.part) }
    }

    public mutating func receive(_ reply: ExchangeOutcome) -> Step {
        switch (phase, reply) {
        case (.appending(var appending), _):
            let turn = appending.receive(reply)
            return take(turn, of: appending)
        case (.clearing(let left), _):
            phase = .clearing(left - 1)
            return left > 1 ? .wait() : begin()
        case (.joining(let parts), _): return join(parts) { $0.receive(reply, part: 0) }
        case (.creatingWithContent(let exchange), _): return receive(reply, toCreation: exchange)
        case (.asking, .broken(let failure, let bodySent)):
            return receiveNoOptions(failure, wasSent: bodySent != nil)
        case (_, .broken(let failure, _)): return .failed(failure)
        case (.confirming(let resource, let receipt), .responded(let response)):
            return confirm(response, resource, receipt)
        case (.locating(let receipt), .responded(let response)): return locate(response, receipt)
        case (.asking, .responded(let response)): return receiveOptions(response)
        case (.creating(let sum, let isDeferred), .responded(let response)):
            return receiveCreation(response, sum: sum, isDeferred: isDeferred)
        }
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        // The URL of a creation is not that of an upload.
        guard !resource.tus.isUnnamed else { return [] }
        let urls = TusConcatenation.urls(in: resource)
        return (urls.isEmpty ? [resource.url] : urls).enumerated().map { index, url in
            var fields: HTTPFields = [.tusResumable: TusVerdict.version]
            if resource.tus.overridesMethod { fields[.methodOverride] = "DELETE" }
            var exchange = Exchange(
                resource.tus.overridesMethod ? .post : .delete, url, fields: fields, traits: .idempotent)
            exchange.part = index
            return exchange
        }
    }
}

extension TusUpload {
    private mutating func receiveOptions(_ response: ExchangeOutcome.Response) -> Step {
        let failure = TusVerdict.failure(response)
        // Some servers fail at OPTIONS but support uploads.
        let isBroken = response.status == 500 && options.checksum == nil
        if failure.category == .authentication || failure.isTransient, !response.isSuccess, !isBroken {
            return .failed(failure)
        }
        do throws(UploadFailure) { learn(try TusOffer.capabilities(in: response)) } catch {
            return .failed(error)
        }
        knowledge = isBroken ? .assumed : .reported
        return begin(noting: isBroken ? [] : capabilityNotes)
    }

    /// Handles an OPTIONS request without a response. Some servers close the connection, because tus 1.0.0 does not
    /// require OPTIONS (seen with fastapi-tusd 0.100.2). The next request then shows whether the server supports tus.
    private mutating func receiveNoOptions(_ failure: UploadFailure, wasSent: Bool) -> Step {
        guard wasSent, failure.category.isOfNetwork else { return .failed(failure) }
        guard options.checksum == nil else {
            var failure = failure
            failure.hint = failure.hint ?? "if the server never answers OPTIONS, leave checksum out"
            return .failed(failure)
        }
        learn(TusOffer.unheard)
        knowledge = .assumed
        return begin()
    }

    private mutating func learn(_ found: ServerCapabilities) {
        capabilities = found
        if isForgetting { capabilities?.facts[TusOffer.Fact.forgets] = "yes" }
    }

    /// The maximum number of bytes in one request; nil for no limit (see `isForgetting`).
    var chunkSize: ByteCount? { isForgetting ? nil : options.chunkSize }

    /// Starts a new upload. If the server's features are unknown, first asks for them with OPTIONS.
    mutating func begin(noting notes: [Step.Note] = []) -> Step {
        guard let capabilities else {
            phase = .asking
            return .send(TusOffer.question(item.url), notes: notes)
        }
        if let limit = capabilities.maximumSize, limit > 0, item.size > limit {
            guard knowledge != .kept else { return askAnew(noting: notes) }
            return .failed(.tooLarge(item.size, limit: limit), notes: notes)
        }
        // A captive portal or a proxy possibly sent the response to OPTIONS that named no checksum.
        if knowledge == .kept, options.checksum != nil, capabilities.facts[TusOffer.Fact.saysNothing] != nil {
            return askAnew(noting: notes)
        }
        do throws(UploadFailure) {
            let sum = try TusOffer.sum(options, of: item.size, at: capabilities)
            if let parts = TusConcatenation(item: item, options: options, at: capabilities, sum: sum) {
                return join(parts) { $0.start() }.noting(notes)
            }
            if let exchange = try creationWithContent() {
                phase = .creatingWithContent(exchange)
                return .send(exchange, notes: notes)
            }
            let isDeferred =
                options.defersLength && item.size > 0
                && capabilities.extensions.contains("creation-defer-length")
            phase = .creating(sum: sum, isDeferred: isDeferred)
            return .send(try creation.exchange(isDeferred ? .deferred : .whole), notes: notes)
        } catch { return .failed(error, notes: notes) }
    }

    /// Sends OPTIONS again, because the stored facts about the server may be out of date.
    private mutating func askAnew(noting notes: [Step.Note] = []) -> Step {
        capabilities = nil
        return begin(noting: notes)
    }

    /// - Parameter hasContent: True if the request contained the file, so that the response states an offset.
    mutating func receiveCreation(
        _ response: ExchangeOutcome.Response, sum: TusSum? = nil, isDeferred: Bool = false,
        hasContent: Bool = false
    ) -> Step {
        let isStrange = !response.namesTus && capabilities?.facts[TusOffer.Fact.saysNothing] != nil
        guard response.status == 201 || response.status == 200, !isStrange else {
            if knowledge == .kept, response.refusesKind { return askAnew() }
            let failure = TusVerdict.failure(response, limit: capabilities?.maximumSize).naming(item.size)
            return .failed(
                isStrange && failure.category == .permanent ? TusVerdict.isNoTusServer(response) : failure)
        }
        do throws(UploadFailure) {
            var resource = UploadResource(url: try creation.url(in: response))
            resource.expires = response.expiry
            resource.tus = TusMemory(sum: sum, isChecked: sum != nil)
            resource.takeFacts(of: capabilities)
            dropped.mark(&resource)
            let learnt = knowledge == .assumed ? capabilityNotes : []
            knowledge = .reported
            if hasContent {
                guard let offset = response.uploadOffset, offset <= item.size else {
                    return askForOffset(resource).noting(learnt)
                }
                resource.confirmed = offset
            }
            var appending = TusAppending(
                resource, range: 0..<item.size, chunkSize: chunkSize, isLengthTold: !isDeferred)
            return take(appending.append(after: response), of: appending).noting(learnt)
        } catch { return .failed(error) }
    }

    private mutating func take(_ turn: TusAppending.Turn, of appending: TusAppending) -> Step {
        var appending = appending
        let lost = appending.takeLost()
        phase = .appending(appending)
        let resource = appending.resource
        var notes: [Step.Note] = lost > 0 ? [.serverLost(lost)] : []
        switch turn {
        case .send(var exchange):
            noted = resource
            if exchange.traits.contains(.completes), resource.tus.sum == nil {
                OfferedDigest.ask(in: &exchange, size: item.size, options.checksumChoice)
            }
            return .send(exchange, notes: notes + [.resource(resource)] + news(of: resource))
        case .full(let response):
            var receipt = receipt(resource, response)
            do throws(UploadFailure) {
                if receipt.verified == nil { receipt.verified = try OfferedDigest.verified(by: response) }
            } catch { return .failed(error, notes: notes + [.resource(nil)]) }
            // A server that truncates its file at each request has checked every chunk, but lost the earlier ones.
            if appending.isInChunks, appending.hasAppended {
                return confirm(resource, receipt, appending).noting(notes)
            }
            return .done(receipt, notes: notes + [.resource(resource)])
        case .forgotten:
            notes.append(.serverLost(resource.confirmed))
            if let end = dropped.drop(resource, because: Self.forgotten) { return end.noting(notes) }
            return clear(resource, noting: notes + noteForgetting())
        case .gone(let reason): return gone(resource, because: reason).noting(notes)
        case .failed(let failure):
            if resource != noted { notes.append(.resource(resource)) }
            return .failed(failure, notes: notes)
        }
    }

    private mutating func join(
        _ parts: TusConcatenation, _ next: (inout TusConcatenation) -> Step
    ) -> Step {
        var parts = parts
        let step = next(&parts)
        phase = .joining(parts)
        guard !parts.isGivenUp else {
            capabilities?.extensions.remove("concatenation")
            return clear(parts.resource, noting: step.notes + capabilityNotes)
        }
        let learnt = parts.hasForgotten && !isForgetting ? noteForgetting() : []
        return finished(step, of: parts.resource).noting(news(of: parts.resource) + learnt)
    }

    /// Deletes the upload, or all its partial uploads, on the server. Then the upload starts again in any case.
    mutating func clear(_ resource: UploadResource, noting notes: [Step.Note] = []) -> Step {
        let deletions = removal(of: resource)
        phase = .clearing(deletions.count)
        return .sendAll(deletions, notes: notes + [.resource(nil)])
    }

    /// The note that stores the server's features for other uploads; none if they are unknown.
    var capabilityNotes: [Step.Note] { capabilities.map { [.capabilities($0)] } ?? [] }

    /// Returns the new facts about the server that this upload has found, as a note that stores them for other uploads.
    private mutating func news(of resource: UploadResource) -> [Step.Note] {
        guard var known = capabilities else { return [] }
        if resource.tus.overridesMethod { known.facts[TusOffer.Fact.overridesMethod] = "yes" }
        ChunkSizePolicy.note(resource, in: &known)
        guard known != capabilities else { return [] }
        capabilities = known
        return [.capabilities(known)]
    }

    private mutating func gone(_ resource: UploadResource, because reason: String) -> Step {
        if resource.confirmed >= item.size || resource.wholeBodySent {
            return .failed(SingleRequestUpload.unknownOutcome(nil))
        }
        if let end = dropped.drop(resource, because: reason) { return end }
        // The old URL stays on record until there is a new one: a refusal may have been a mistake.
        return begin(noting: resource.confirmed > 0 ? [.serverLost(resource.confirmed)] : [])
    }

    /// Returns the receipt. Its location is the `Content-Location` of the response, or else the upload's URL.
    func receipt(_ resource: UploadResource, _ response: ExchangeOutcome.Response?) -> Receipt {
        let named = response?.fields[.contentLocation].flatMap {
            try? UploadAddress.resolve($0, against: resource.url)
        }
        return Receipt(
            location: named ?? resource.url, entityTag: response?.fields[.eTag], bytes: item.size,
            verified: resource.tus.isChecked ? resource.tus.sum?.algorithm : nil)
    }
}

extension UploadResource {
    /// Copies the facts about the server that earlier uploads have found.
    mutating func takeFacts(of capabilities: ServerCapabilities?) {
        let facts = capabilities?.facts ?? [:]
        if facts[TusOffer.Fact.overridesMethod] == "yes" { tus.overridesMethod = true }
        if capabilities?.forgets != true { ChunkSizePolicy.apply(capabilities, to: &self) }
    }
}
