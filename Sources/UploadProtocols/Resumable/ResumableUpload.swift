import HTTPTypes

/// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload), interop versions 8, 6, 5 and 3. The client creates
/// an upload without content, so that its URL is on disk before a byte of the file is sent, and appends bytes until the
/// server reports it as complete. A server without this protocol possibly stores an empty file. The upload then fails.
public struct ResumableUpload: SequentialProtocol {
    public static let name = "resumable"
    public static let traits = ProtocolTraits(
        resumes: true, respondsWithPages: true, checksums: [.sha256, .sha1, .md5, .crc32c])

    enum Phase: Sendable {
        case discovering
        case creating(InteropVersion)
        case querying(UploadResource)
        case appending(UploadResource, end: ByteCount)
        /// The finished file is looked up at the location that the server named.
        case locating(Receipt)
    }

    let item: UploadItem
    let options: ProtocolOptions
    var phase = Phase.discovering
    var budget = RetryBudget()
    /// The limit on restarts after the server has dropped the upload. Tests replace its clock.
    var dropped = RestartGuard()
    /// True once this attempt has sent OPTIONS. Before that, `capabilities` is possibly out of date.
    private var hasAsked = false
    var capabilities = ServerCapabilities()
    var search = VersionSearch()
    /// The digest of the whole file, for requests that create the upload; nil until it is computed.
    private var ownDigest: [UInt8]?

    /// - Parameter options: The options. Only the HTTP method, the chunk size and the checksum are used.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        ResumableCheck(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        if let capabilities { learn(capabilities) }
        // The state of another protocol cannot be resumed.
        if let resource, resource.resumable.interop != nil { return query(resource) }
        return search.isExpected ? create() : discover()
    }

    public mutating func receive(_ reply: ExchangeOutcome) -> Step {
        switch (phase, reply) {
        case (_, .broken(let failure, let bodySent)): broke(failure, afterSending: bodySent ?? 0)
        case (.discovering, .responded(let response)): receiveOptions(response)
        case (.creating(let version), .responded(let response)): receiveCreation(response, version: version)
        case (.querying(let resource), .responded(let response)): receiveOffset(response, resource: resource)
        case (.appending(let resource, let end), .responded(let response)):
            located(receiveAppend(response, resource: resource, end: end), resource)
        case (.locating(let receipt), .responded(let response)): LocationCheck.step(response, receipt)
        }
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        guard let version = resource.resumable.interop else { return [] }
        return [Exchange(.delete, resource.url, fields: version.fields)]
    }

    /// The URL of the request that creates the upload. With PUT, it is the URL of the finished file.
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

    /// Discards the stored facts about the server and sends OPTIONS, after a refusal that these possibly caused.
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

    /// The limits that the server stated for all uploads; nil if none are stored.
    private var limit: UploadLimit? { capabilities.facts[Fact.limit].flatMap { UploadLimit($0) } }

    /// The keys of this protocol in `ServerCapabilities.facts`.
    enum Fact {
        /// The key of the interop version (`Upload-Draft-Interop-Version`) that the server accepted or stated.
        static let version = "resumable-version"
        /// The key of the limits (`Upload-Limit`) in the server's response to `OPTIONS`.
        static let limit = "resumable-limit"
    }
}

extension ResumableUpload {
    private mutating func receiveOptions(_ response: ExchangeOutcome.Response) -> Step {
        if [401, 407].contains(response.status) || ResponseClassifier.failure(response).isTransient {
            return .failed(ResponseClassifier.failure(response))
        }
        var found = capabilities
        found.note(ResumableResponse(response, version: .eight))
        learn(found)
        // Older versions do not require `Upload-Limit`, so the server possibly supports this protocol without it.
        return create(noting: search.isExpected ? [.capabilities(found)] : [])
    }

    mutating func create(noting notes: [Step.Note] = []) -> Step {
        if let refusal = limit?.refusal(ofSize: item.size) {
            return hasAsked ? .failed(refusal, notes: notes) : askAnew().noting(notes)
        }
        guard let version = search.versions.first else {
            return .failed(.permanent, "no version of resumable uploads is left to try")
        }
        var exchange = Exchange(
            options.requestMethod(or: .post), target, fields: version.fields, traits: .idempotent)
        version.write(isComplete: false, to: &exchange.fields)
        exchange.fields[.contentType] = item.contentType
        exchange.fields[.contentDisposition] = ContentDisposition.inline(filename: item.name)
        if version.isTyped {
            exchange.fields[.uploadLength] = "\(item.size)"
            if let algorithm = options.checksum, let carrier = Self.carrier(of: algorithm, in: .reprDigest) {
                exchange.fields[.wantReprDigest] = wantedDigest
                if let ownDigest {
                    exchange.fields[.reprDigest] = carrier.value(ownDigest)
                } else {
                    exchange.digests = [DigestRequest(algorithm, of: 0..<item.size, in: carrier)]
                }
            }
        }
        phase = .creating(version)
        return .send(exchange, notes: notes)
    }

    private mutating func receiveCreation(
        _ response: ExchangeOutcome.Response, version: InteropVersion
    ) -> Step {
        if let digest = response.digests.first { ownDigest = digest.bytes }
        let reported = ResumableResponse(response, version: version)
        switch response.status {
        case 200..<300:
            // Otherwise, the server has possibly stored an empty file.
            guard reported.isComplete != true, search.isExpected || reported.isTelling else {
                return .failed(
                    .permanent,
                    "the server does not know resumable uploads: it took the empty request that begins one as the file",
                    hint:
                        "set the destination's protocol to put, post or tus; an empty file may be at the server now"
                )
            }
            return created(response, reported, version: reported.version ?? version)
        case 400, 412:
            // A refused version gives 400 with the server's own (swift-nio-extras), or 412 if tus is expected (tusd).
            if let problem = reported.problem { return .failed(problem.failure(status: response.status)) }
            return search.refused(version, response, spoken: reported.version).map { .failed($0) } ?? create()
        case _ where !hasAsked && response.refusesKind: return askAnew()
        case 413:
            return .failed(
                reported.limit?.refusal(ofSize: item.size)
                    ?? ResponseClassifier.failure(response).naming(item.size))
        default: return .failed(ResponseClassifier.failure(response))
        }
    }

    private mutating func created(
        _ response: ExchangeOutcome.Response, _ reported: ResumableResponse, version: InteropVersion
    ) -> Step {
        guard let location = response.fields[.location] else {
            return .failed(
                .permanent, "the server made the upload and did not say where",
                hint: "check that the destination's url takes resumable uploads: its response has no Location"
            )
        }
        guard reported.offset ?? 0 == 0 else {
            return .failed(.permanent, "the server reports bytes of an upload that has none yet")
        }
        do throws(UploadFailure) {
            var resource = UploadResource(url: try UploadAddress.resolve(location, against: target))
            resource.resumable.interop = version
            resource.resumable.ownDigest = ownDigest
            dropped.mark(&resource)
            resource.take(reported.limit)
            ChunkSizePolicy.apply(capabilities, to: &resource)
            var found = capabilities
            found.facts[Fact.version] = "\(version.rawValue)"
            var notes: [Step.Note] = found == capabilities ? [] : [.capabilities(found)]
            learn(found)
            notes.append(.resource(resource))
            if let refusal = reported.limit?.refusal(ofSize: item.size) {
                return .failed(refusal, notes: notes)
            }
            return append(resource, noting: notes)
        } catch { return .failed(error) }
    }

    mutating func restart(after resource: UploadResource, because reason: String) -> Step {
        if let end = dropped.drop(resource, because: reason) { return end }
        if let digest = resource.resumable.ownDigest { ownDigest = digest }
        let lost: [Step.Note] = resource.confirmed > 0 ? [.serverLost(resource.confirmed)] : []
        // The old URL stays on record until there is a new one: the refusal was possibly a mistake.
        return create(noting: [.resource(resource.withWholeBodySent(false))] + lost)
    }

    /// Returns the carrier in `Repr-Digest` or `Content-Digest` (RFC 9530); nil if these have no key for the algorithm.
    static func carrier(of algorithm: DigestAlgorithm, in field: HTTPField.Name) -> DigestRequest.Carrier? {
        ServerDigest.key(of: algorithm).map {
            DigestRequest.Carrier(field, .base64, prefix: "\($0)=:", suffix: ":")
        }
    }

    /// The value of `Want-Repr-Digest` (RFC 9530 §4); nil if the options require no digest that has a key there.
    var wantedDigest: String? { options.checksum.flatMap { ServerDigest.key(of: $0) }.map { "\($0)=10" } }
}

/// The search for the newest version of the protocol that both Ferry and the server support.
struct VersionSearch: Sendable {
    /// The interop versions still to try: those that the server has named or accepted, then the newest first.
    private(set) var versions = InteropVersion.allCases.sorted(by: >)
    /// True once the server has shown that it supports resumable uploads.
    var isExpected = false
    /// The failure for the first refused version, which is reported if the server refuses every version.
    private var firstRefusal: UploadFailure?
    /// True once a refusal has shown, by its status or its version field, that the server refuses the version.
    private var isAboutVersion = false

    mutating func prefer(_ version: InteropVersion) {
        isExpected = true
        versions = [version] + versions.filter { $0 != version }
    }

    /// Records that the server refused to create an upload with this version. Returns the failure if it was the last.
    mutating func refused(
        _ version: InteropVersion, _ response: ExchangeOutcome.Response, spoken: InteropVersion?
    ) -> UploadFailure? {
        versions.removeAll { $0 == version }
        if let spoken, versions.contains(spoken) { prefer(spoken) }
        var failure = firstRefusal ?? ResponseClassifier.failure(response)
        firstRefusal = failure
        // Another reason is likely if it names the request's version: swift-nio-extras 1.35 always names its newest.
        let namesAnother = response.fields[.uploadDraftInteropVersion] != nil && spoken != version
        if response.status == 412 || namesAnother { isAboutVersion = true }
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
    /// Stores the version and the limits that a response to `OPTIONS` states. Version 8 is tried first in any case.
    mutating func note(_ reported: ResumableResponse) {
        if let version = reported.version, version != .eight {
            facts[ResumableUpload.Fact.version] = "\(version.rawValue)"
        }
        guard var limit = reported.limit else { return }
        limit.age = nil
        facts[ResumableUpload.Fact.limit] = limit.header()
        maximumSize = limit.maximumSize ?? maximumSize
    }
}
