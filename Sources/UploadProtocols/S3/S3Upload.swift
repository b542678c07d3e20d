import HTTPTypes

/// The protocol of Amazon S3 and compatible servers. A small file is sent in one `PUT`, and a large file in a multipart
/// upload, which resumes: the server lists the stored parts, and the missing parts are sent. Other code signs the
/// requests.
///
/// If the response to the creation of a multipart upload is lost, this upload stays on the server, without parts. Later
/// attempts do not use it, because another program possibly created it. `S3Check` lists it.
///
/// With `ChecksumChoice.offered`, the digests in the response that completes the upload are compared with those of the
/// file. There is no comparison after a multipart upload of more than 1 GiB.
public struct S3Upload: UploadProtocol {
    public static let name = "s3"
    public static let traits = ProtocolTraits(
        resumes: true, isParallel: true, fillsSlot: true, checksums: Set(DigestAlgorithm.allCases),
        existing: Set(ExistingFilePolicy.allCases))

    enum Phase: Sendable {
        case starting
        /// Looks up the object with the file's key, to follow the policy for an existing file.
        case deciding(ExistingFile)
        /// Checks whether an earlier attempt, which received no response, has stored the object.
        case recalling(UploadResource)
        case putting(DigestAlgorithm?)
        case creating(S3PartPlan, DigestAlgorithm?)
        case listing(S3Session, S3PartLedger, marker: Int?)
        case sending(S3Session, S3PartLedger)
        /// Starts no new requests, and waits for the requests in flight. Then the action `then` follows.
        case draining(S3Session, S3PartLedger, then: Ending)
        case completing(S3Session, S3PartLedger)
        /// Checks whether a request to complete this multipart upload has already created the object.
        case settling(S3Session, then: Ending)
        case verifying(Verification)
        case removing(S3Session, then: Ending)
    }

    /// The next action if the multipart upload cannot continue as before.
    enum Ending: Sendable {
        case failed(UploadFailure)
        /// Resumes with the stored parts.
        case resume
        /// Starts again with a new multipart upload.
        case restart(because: String)

        /// Returns an ending with `failure` if this is a failure too, and `failure` asks all uploads to wait longer.
        func joined(with failure: UploadFailure) -> Ending {
            guard case .failed(let first) = self, failure.asksAllToWait,
                failure.retryAfter ?? 0 > first.retryAfter ?? 0
            else { return self }
            return .failed(failure)
        }
    }

    static let usualParallelRequests = 4

    let item: UploadItem
    let options: ProtocolOptions
    private let setup: Result<S3Requests, UploadFailure>
    var phase = Phase.starting
    var facts = ServerCapabilities()
    /// The URL of the object to store; empty until the name is chosen.
    var object = ""
    /// True if the upload must not replace an object.
    var onlyNew = false
    var budget = RetryBudget()
    var atOnce: PartConcurrency
    /// The number of stored bytes by the server's last list or by an earlier attempt. A list with fewer shows a loss.
    var claimed: ByteCount = 0
    var shrinking = S3PartShrinking()
    var wasResumed = false

    /// - Parameter options: The chunk size, the parallel requests, the checksum, the policy and the S3 options apply.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        atOnce = PartConcurrency(most: options.parallelRequests ?? Self.usualParallelRequests)
        setup = Result { () throws(UploadFailure) in try S3Requests(item: item, options: options.s3) }
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        S3Check(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        facts = capabilities ?? facts
        if case .failure(let failure) = setup { return .failed(failure) }
        if let resource, let session = S3Session(resource, size: item.size) {
            (object, onlyNew) = (session.object, wantsNewOnly)
            claimed = resource.confirmed
            wasResumed = true
            atOnce.beginAfterBreak()
            // The request to complete the upload possibly succeeded. Some servers then no longer know the upload.
            return session.completion == nil ? list(session) : settle(session, then: .resume)
        }
        if let resource, resource.wholeBodySent { return recall(resource) }
        return decide()
    }

    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step {
        switch (phase, reply) {
        case (.sending(let session, let ledger), _):
            receivePart(reply, to: exchange, session, ledger, ending: nil)
        case (.draining(let session, let ledger, let ending), _):
            receivePart(reply, to: exchange, session, ledger, ending: ending)
        case (_, .broken(let failure, _)): .failed(failure)
        case (_, .responded(let response)): receive(response)
        }
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        guard resource[S3Memory.self].uploadID != nil else { return [] }
        // A part in flight possibly arrives after the first removal. The second removal then deletes that part.
        let abort = options.s3.abort(resource.url)
        return [abort, abort]
    }

    private mutating func receive(_ response: ExchangeOutcome.Response) -> Step {
        switch phase {
        case .deciding(let existing): receiveDecision(response, existing)
        case .recalling(let resource): receiveRecall(response, resource)
        case .putting(let digest): receivePut(response, digest)
        case .creating(let plan, let digest): receiveCreation(response, plan, digest)
        case .listing(let session, let ledger, let marker): receiveList(response, session, ledger, marker)
        case .completing(let session, let ledger): receiveCompletion(response, session, ledger)
        case .settling(let session, let ending): receiveSettlement(response, session, ending)
        case .verifying(let verification): receiveVerification(response, verification)
        case .removing(let session, let ending): receiveRemoval(response, session, ending)
        case .starting, .sending, .draining: .failed(.unasked)
        }
    }
}

extension S3Upload {
    /// Returns the result of `body`, or the failure if the settings or the file are not valid for S3.
    func withRequests(_ body: (S3Requests) -> Step) -> Step {
        switch setup {
        case .failure(let failure): .failed(failure)
        case .success(let requests): body(requests)
        }
    }

    func object(of name: String) -> String? {
        guard case .success(let requests) = setup else { return nil }
        return (try? requests.address.key(for: name)).map(requests.address.object)
    }

    var wantsNewOnly: Bool { options.existing == .rename || options.existing == .fail }

    /// The digest algorithm for the requests; nil if none is required, or if the server lacks the fields for it.
    var digest: DigestAlgorithm? { lacks(.checksum) && options.checksum != .md5 ? nil : options.checksum }

    func lacks(_ feature: S3Feature) -> Bool { facts.facts[feature.rawValue] == "no" }

    /// Records that the server does not support a feature. Returns the note that stores this for the destination.
    mutating func remember(without feature: S3Feature) -> Step.Note {
        facts.facts[feature.rawValue] = "no"
        return .capabilities(facts)
    }

    /// The maximum number of parts at this server; nil if it is unknown.
    var mostParts: Int? { facts.facts["s3.parts"].flatMap { Int($0) } }
}
