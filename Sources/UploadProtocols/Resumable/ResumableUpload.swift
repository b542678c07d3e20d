import HTTPTypes

/// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload), interop versions 8, 6, 5 and 3: make an upload
/// without content, ask how much the server holds, append until it says that this was all.
///
/// The upload is made by a request without content, and not together with it: that needs no interim answers, and its
/// address is on disk before a byte is on the way. A server that knows nothing of all this takes that request for an
/// empty file, so it is asked by `OPTIONS` first, and never sent content.
public struct ResumableUpload: SequentialProtocol {
    public static let name = "resumable"
    public static let traits = ProtocolTraits(
        resumes: true, answersInPages: true, checksums: [.sha256, .sha1, .md5, .crc32c])

    enum Phase: Sendable {
        case discovering
        case creating(InteropVersion)
        case querying(UploadResource)
        case appending(UploadResource, end: ByteCount)
        /// The server is asked for the file at the location that it named.
        case locating(Receipt)
    }

    let item: UploadItem
    let options: ProtocolOptions
    var phase = Phase.discovering
    var budget = RetryBudget()
    /// The bytes that the server has dropped; a test sets its clock.
    var dropped = RestartGuard()
    /// True once this attempt has asked what the server offers: what was kept from before may be out of date.
    private var hasAsked = false
    var capabilities = ServerCapabilities()
    var search = VersionSearch()
    /// The digest of the whole file. The driver computes it once.
    private var ownDigest: [UInt8]?

    /// - Parameter options: The method that makes an upload, the chunk size and the checksum are taken from them.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        ResumableCheck(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        if let capabilities { learn(capabilities) }
        // What another protocol left behind is nothing to go on with.
        if let resource, resource.resumable.interop != nil { return query(resource) }
        return search.isExpected ? create() : discover()
    }

    public mutating func receive(_ reply: ExchangeOutcome) -> Step {
        let answer: ExchangeOutcome.Response
        switch reply {
        case .broken(let failure, let bodySent): return broke(failure, afterSending: bodySent ?? 0)
        case .answered(let received): answer = received
        }
        switch phase {
        case .discovering: return receiveOptions(answer)
        case .creating(let version): return receiveCreation(answer, version: version)
        case .querying(let resource): return receiveOffset(answer, resource: resource)
        case .appending(let resource, let end):
            return located(receiveAppend(answer, resource: resource, end: end), resource)
        case .locating(let receipt): return LocationCheck.step(answer, receipt)
        }
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        guard let version = resource.resumable.interop else { return [] }
        return [Exchange(.delete, resource.url, fields: version.fields)]
    }

    /// The URL that the upload fills, or that decides the file's location.
    var target: String {
        options.requestMethod(or: .post) == .put
            ? UploadAddress.address(item.url, for: item.name)
            : UploadAddress.filled(item.url, with: item.name)
    }

    private mutating func discover() -> Step {
        hasAsked = true
        phase = .discovering
        return .send(ResumableCheck.question(target))
    }

    /// Asks the server anew after a refusal caused by stored facts: it may offer something else by now.
    private mutating func askAnew() -> Step {
        capabilities = ServerCapabilities()
        search.isExpected = false
        return discover()
    }

    private mutating func learn(_ known: ServerCapabilities) {
        capabilities = known
        if limit != nil { search.isExpected = true }
        if let version = InteropVersion(field: known.facts[Fact.version]) { search.prefer(version) }
    }

    /// The limits that the server told for all uploads.
    private var limit: UploadLimit? { capabilities.facts[Fact.limit].flatMap { UploadLimit($0) } }

    /// Names in `ServerCapabilities.facts`.
    enum Fact {
        /// The interop version that worked.
        static let version = "resumable-version"
        /// `Upload-Limit`, as the answer to `OPTIONS` had it.
        static let limit = "resumable-limit"
    }
}

extension ResumableUpload {
    private mutating func receiveOptions(_ answer: ExchangeOutcome.Response) -> Step {
        if [401, 407].contains(answer.status) || ResponseClassifier.failure(answer).isTransient {
            return .failed(ResponseClassifier.failure(answer))
        }
        var found = capabilities
        found.note(ResumableResponse(answer, version: .eight))
        learn(found)
        // Without the field the server may still know of it: older versions do not ask for it.
        return create(noting: search.isExpected ? [.capabilities(found)] : [])
    }

    mutating func create(noting notes: [Step.Note] = []) -> Step {
        if let refusal = limit?.refusal(ofSize: item.size) {
            return hasAsked ? .failed(refusal, notes: notes) : askAnew().noting(notes)
        }
        guard let version = search.versions.first else {
            return .failed(UploadFailure(.permanent, "no version of resumable uploads is left to try"))
        }
        var fields = version.fields
        version.write(isComplete: false, to: &fields)
        fields[.contentType] = item.contentType
        fields[.contentDisposition] = ContentDisposition.inline(filename: item.name)
        var orders: [DigestRequest] = []
        if version.isTyped {
            fields[.uploadLength] = "\(item.size)"
            if let algorithm = options.checksum, let place = Self.place(of: algorithm, in: .reprDigest) {
                fields[.wantReprDigest] = wantedDigest
                if let ownDigest {
                    fields[.reprDigest] = place.value(ownDigest)
                } else {
                    orders = [DigestRequest(algorithm, of: 0..<item.size, in: place)]
                }
            }
        }
        phase = .creating(version)
        var exchange = Exchange(
            options.requestMethod(or: .post), target, fields: fields, traits: .idempotent)
        exchange.digests = orders
        return .send(exchange, notes: notes)
    }

    private mutating func receiveCreation(_ answer: ExchangeOutcome.Response, version: InteropVersion) -> Step
    {
        if let digest = answer.digests.first { ownDigest = digest.bytes }
        let told = ResumableResponse(answer, version: version)
        switch answer.status {
        case 200..<300:
            // The target's own answer to an empty file, or one that any server may give.
            guard told.isComplete != true, search.isExpected || told.isTelling else {
                return .failed(tookEmptyFile())
            }
            return created(answer, told, version: told.version ?? version)
        case 400, 412:
            // Seen: 400 with the version that the server speaks (swift-nio-extras), 412 from one that takes it for
            // tus (tusd).
            if let problem = told.problem { return .failed(problem.failure(status: answer.status)) }
            return search.refused(version, answer, spoken: told.version).map { .failed($0) } ?? create()
        case _ where !hasAsked && answer.refusesKind: return askAnew()
        case 413:
            return .failed(
                told.limit?.refusal(ofSize: item.size) ?? ResponseClassifier.failure(answer).naming(item.size)
            )
        default: return .failed(ResponseClassifier.failure(answer))
        }
    }

    private func tookEmptyFile() -> UploadFailure {
        UploadFailure(
            .permanent,
            "the server does not know resumable uploads: it took the empty request that begins one as the file",
            hint: "set the destination's protocol to put, post or tus; an empty file may be at the server now"
        )
    }

    private mutating func created(
        _ answer: ExchangeOutcome.Response, _ told: ResumableResponse, version: InteropVersion
    )
        -> Step
    {
        guard let location = answer.fields[.location] else {
            return .failed(
                UploadFailure(
                    .permanent, "the server made the upload and did not say where (no Location)",
                    hint: "check that the destination's url takes resumable uploads"))
        }
        guard told.offset ?? 0 == 0 else {
            return .failed(
                UploadFailure(
                    .permanent, "the server says that it holds bytes of an upload that has none yet"))
        }
        do throws(UploadFailure) {
            var resource = UploadResource(url: try UploadAddress.resolve(location, against: target))
            resource.resumable.interop = version
            resource.resumable.ownDigest = ownDigest
            dropped.mark(&resource)
            resource.take(told.limit)
            ChunkSizePolicy.apply(capabilities, to: &resource)
            var found = capabilities
            found.facts[Fact.version] = "\(version.rawValue)"
            var notes: [Step.Note] = found == capabilities ? [] : [.capabilities(found)]
            learn(found)
            notes.append(.resource(resource))
            if let refusal = told.limit?.refusal(ofSize: item.size) { return .failed(refusal, notes: notes) }
            return append(resource, noting: notes)
        } catch {
            return .failed(error)
        }
    }

    mutating func restart(after resource: UploadResource, because reason: String) -> Step {
        if let end = dropped.drop(resource, because: reason) { return end }
        if let digest = resource.resumable.ownDigest { ownDigest = digest }
        let lost: [Step.Note] = resource.confirmed > 0 ? [.serverLost(resource.confirmed)] : []
        // The old address stays on record until there is a new one: a refusal may have been a mistake.
        return create(noting: [.resource(resource.withWholeBodySent(false))] + lost)
    }

    /// `Repr-Digest` or `Content-Digest` with one digest (RFC 9530 §2).
    static func place(of algorithm: DigestAlgorithm, in field: HTTPField.Name) -> DigestRequest.Carrier? {
        ServerDigest.key(of: algorithm).map {
            DigestRequest.Carrier(field, .base64, prefix: "\($0)=:", suffix: ":")
        }
    }

    /// The value of `Want-Repr-Digest` (RFC 9530 §4).
    var wantedDigest: String? {
        options.checksum.flatMap { ServerDigest.key(of: $0) }.map { "\($0)=10" }
    }
}

/// The search for the newest version of the protocol that both sides speak.
struct VersionSearch: Sendable {
    /// The versions that are still to be tried, the most wanted first.
    private(set) var versions = InteropVersion.allCases.sorted(by: >)
    /// True once the server has shown that it knows of resumable uploads.
    var isExpected = false
    /// The first refusal of a creation, which the newest version got.
    private var firstRefusal: UploadFailure?
    /// True once a refusal was about the version, by the status or the field that say so.
    private var isAboutVersion = false

    mutating func prefer(_ version: InteropVersion) {
        isExpected = true
        versions = [version] + versions.filter { $0 != version }
    }

    /// Takes the refusal of a creation in `version`.
    ///
    /// - Parameter spoken: The version that the server names.
    /// - Returns: The failure that ends the search; nil if another version is to be tried.
    mutating func refused(
        _ version: InteropVersion, _ answer: ExchangeOutcome.Response, spoken: InteropVersion?
    ) -> UploadFailure? {
        versions.removeAll { $0 == version }
        if let spoken, versions.contains(spoken) { prefer(spoken) }
        var failure = firstRefusal ?? ResponseClassifier.failure(answer)
        firstRefusal = failure
        // A server that names the version that was asked in refuses something else, as far as can be told:
        // swift-nio-extras 1.35 names its newest with every refusal.
        let namesAnother = answer.fields[.uploadDraftInteropVersion] != nil && spoken != version
        if answer.status == 412 || namesAnother { isAboutVersion = true }
        guard versions.isEmpty else { return nil }
        if isAboutVersion {
            failure.summary =
                "the server speaks no version of resumable uploads that Ferry does: \(failure.summary)"
        }
        failure.hint = "check the destination's url, or set its protocol to another one"
        return failure
    }
}

extension ServerCapabilities {
    /// Keeps what an answer to `OPTIONS` says.
    mutating func note(_ told: ResumableResponse) {
        if let version = told.version, version != .eight {
            facts[ResumableUpload.Fact.version] = "\(version.rawValue)"
        }
        guard var limit = told.limit else { return }
        limit.age = nil
        facts[ResumableUpload.Fact.limit] = limit.header()
        maximumSize = limit.maximumSize ?? maximumSize
    }
}
