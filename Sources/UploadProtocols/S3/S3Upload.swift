import HTTPTypes

/// The protocol of Amazon S3 and compatible servers. A small file is sent in one `PUT`, and a large file in a multipart
/// upload.
///
/// This type does not sign the requests. An interrupted multipart upload resumes: the server lists the stored parts,
/// and the missing parts are sent.
///
/// If the response to the creation of a multipart upload is lost, this upload stays on the server, without parts. Later
/// attempts do not use it, because another program possibly created it. `S3Check` lists it.
///
/// If the options require no checksum, the upload ends with the successful response to the `PUT`, or to the request
/// that completes the multipart upload. With `ChecksumChoice.offered`, the digests in this response are compared with
/// those of the file. There is no comparison after a multipart upload of more than 1 GiB.
///
/// The request that completes a multipart upload contains the size of the object.
public struct S3Upload: UploadProtocol {
    public static let name = "s3"
    public static let traits = ProtocolTraits(
        resumes: true, isParallel: true, fillsSlot: true, checksums: Set(DigestAlgorithm.allCases),
        existing: Set(ExistingFilePolicy.allCases))

    /// The state of the upload. In `starting`, no request was sent yet. In any other state, the upload waits for a
    /// response.
    enum Phase: Sendable {
        case starting
        /// Looks up whether an object with the file's key exists, to follow the policy for an existing file.
        case deciding(ExistingFile)
        /// Checks whether an earlier attempt has stored the object. That attempt possibly sent the whole file, but
        /// received no response.
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

        /// Returns an ending with `failure` if this ending is a failure too, and `failure` asks all uploads to wait for
        /// a longer time. Otherwise returns this ending.
        func joined(with failure: UploadFailure) -> Ending {
            guard case .failed(let first) = self, failure.asksAllToWait,
                failure.retryAfter ?? 0 > first.retryAfter ?? 0
            else { return self }
            return .failed(failure)
        }
    }

    /// The URL of the object, and whether an object that is already there can be replaced.
    struct ObjectAddress: Sendable {
        var object: String
        var onlyNew: Bool
    }

    static let usualParallelRequests = 4

    let item: UploadItem
    let options: ProtocolOptions
    private let setup: Result<(S3Address, S3Requests), UploadFailure>
    var phase = Phase.starting
    var facts = ServerCapabilities()
    var objectAddress: ObjectAddress?
    var budget = RetryBudget()
    var atOnce: PartConcurrency
    /// The number of bytes in the stored parts, according to the server's last list of parts. Before this attempt
    /// receives a list, it is the number that an earlier attempt recorded. If the next list has fewer bytes, the server
    /// has lost the difference.
    var claimed: ByteCount = 0
    var shrinking = S3PartShrinking()
    var wasResumed = false

    /// - Parameter options: The options of the destination. These apply: the chunk size, the number of parallel
    ///   requests, the checksum, the policy for an existing file, and the S3 options.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        atOnce = PartConcurrency(most: options.parallelRequests ?? Self.usualParallelRequests)
        do throws(UploadFailure) {
            let address = try S3Address(item.url, options: options.s3)
            _ = try address.key(for: item.name)
            setup = .success(
                (
                    address,
                    try S3Requests(item: item, options: options.s3, isEncrypted: address.isEncrypted)
                ))
        } catch {
            setup = .failure(error)
        }
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        S3Check(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        facts = capabilities ?? facts
        return withRequests { upload, requests in
            if let resource, let session = S3Session(resource, size: upload.item.size) {
                upload.objectAddress = ObjectAddress(object: session.object, onlyNew: upload.wantsNewOnly)
                upload.claimed = resource.confirmed
                upload.wasResumed = true
                upload.atOnce.beginAfterBreak()
                // An earlier request to complete the upload possibly created the object, although no response arrived.
                // Some servers then no longer know the multipart upload.
                return session.completion == nil
                    ? upload.list(session) : upload.settle(session, then: .resume)
            }
            if let resource, resource.wholeBodySent { return upload.recall(resource) }
            return upload.decide()
        }
    }

    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step {
        switch phase {
        case .sending(let session, let ledger):
            return receivePart(reply, to: exchange, session, ledger, ending: nil)
        case .draining(let session, let ledger, let ending):
            return receivePart(reply, to: exchange, session, ledger, ending: ending)
        case .starting, .deciding, .recalling, .putting, .creating, .listing, .completing, .settling,
            .verifying, .removing:
            break
        }
        guard case .responded(let response) = reply else { return .failed(reply.failure) }
        return receive(response)
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        guard resource[S3Memory.self].uploadID != nil else { return [] }
        // A part in flight possibly arrives after the first removal. The second removal then deletes that part.
        let abort = S3Requests.abort(resource.url, options.s3)
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
        case .starting, .sending, .draining:
            .failed(.unasked)
        }
    }
}

extension S3Upload {
    /// Returns the result of `body`, which receives the value that makes the requests. Returns a failure instead if the
    /// configuration, the file's name or its metadata is not valid for S3.
    mutating func withRequests(_ body: (inout S3Upload, S3Requests) -> Step) -> Step {
        switch setup {
        case .failure(let failure): .failed(failure)
        case .success(let (_, requests)): body(&self, requests)
        }
    }

    func object(of name: String) -> String? {
        guard case .success(let (address, _)) = setup, let key = try? address.key(for: name) else {
            return nil
        }
        return address.object(key)
    }

    var wantsNewOnly: Bool { options.existing == .rename || options.existing == .fail }

    /// The digest algorithm for the requests. Nil if the options require none. Also nil if the server does not support
    /// the fields `x-amz-checksum-…`, except for MD5, which does not need these fields.
    var digest: DigestAlgorithm? { lacks(.checksum) && options.checksum != .md5 ? nil : options.checksum }

    func lacks(_ feature: S3Feature) -> Bool { facts.facts[feature.rawValue] == "no" }

    /// Records that the server does not support a feature.
    ///
    /// - Returns: The note that stores this fact with the server's capabilities, for all uploads to the destination.
    mutating func remember(without feature: S3Feature) -> Step.Note {
        facts.facts[feature.rawValue] = "no"
        return .capabilities(facts)
    }

    /// The maximum number of parts at this server; nil if it is unknown.
    var mostParts: Int? { facts.facts["s3.parts"].flatMap { Int($0) } }
}
