import HTTPTypes

// The lookup of an existing object, and the upload of a file in one request.
extension S3Upload {
    /// Begins the upload. If the policy for existing files requires it, first looks up the object that has the file's
    /// name.
    mutating func decide(noting notes: [Step.Note] = []) -> Step {
        let upload = self
        let existing = ExistingFile(item, policy: options.existing) { upload.object(of: $0) ?? "" }
        return follow(existing.start(), existing).noting(notes)
    }

    mutating func receiveDecision(_ response: ExchangeOutcome.Response, _ existing: ExistingFile) -> Step {
        if response.status == 403 {
            // Without the right to list, S3 does not distinguish a missing object from a hidden one.
            var failure = S3Error(response).failure
            failure.hint =
                "these credentials may not look what is there; grant s3:ListBucket, or leave ifExists out"
            return .failed(failure)
        }
        var existing = existing
        let verdict = existing.receive(response.tellingMD5)
        return follow(verdict, existing)
    }

    private mutating func follow(_ verdict: ExistingFile.Verdict, _ existing: ExistingFile) -> Step {
        switch verdict {
        case .ask(let exchange):
            return withRequests { upload, requests in
                var exchange = exchange
                for field in requests.headFields { exchange.fields[field.name] = field.value }
                upload.phase = .deciding(existing)
                return .send(exchange)
            }
        case .free(let name, let precondition):
            guard let object = object(of: name) else {
                return .failed(.permanent, "no object can have the name \(name)")
            }
            objectAddress = ObjectAddress(object: object, onlyNew: precondition[.ifNoneMatch] != nil)
            return begin()
        case .finished(let receipt): return .done(receipt)
        case .failed(let failure): return .failed(failure)
        }
    }

    /// Begins to send the file: in one request if the file fits into one part, otherwise in several parts. Fails if the
    /// file is too large for S3.
    mutating func begin(noting notes: [Step.Note] = []) -> Step {
        do throws(UploadFailure) {
            let plan = try S3PartPlan.make(
                size: item.size, asked: askedPart, smallest: smallestPart,
                most: mostParts ?? S3PartPlan.mostParts)
            return plan.count == 1 ? put(noting: notes) : create(plan, noting: notes)
        } catch {
            return .failed(error, notes: notes)
        }
    }

    private mutating func put(noting notes: [Step.Note] = []) -> Step {
        let (objectAddress, digest) = (objectAddress, digest)
        guard let objectAddress else {
            return .failed(.permanent, "the destination's url names no object")
        }
        phase = .putting(digest)
        let onlyNew = objectAddress.onlyNew && !lacks(.condition)
        let compares = digest == nil && options.checksumChoice == .offered
        let comparisons = compares ? Self.unaskedDigests.map { DigestRequest($0, of: 0..<item.size) } : []
        return withRequests { _, requests in
            var exchange = requests.put(objectAddress.object, digest: digest, onlyNew: onlyNew)
            exchange.digestsIfReported = comparisons
            // The mark lets the next attempt recognize the object of this attempt, instead of taking it for another
            // upload's.
            if objectAddress.onlyNew {
                exchange.markBeforeLastBytes = UploadResource(url: objectAddress.object).withWholeBodySent(
                    true)
            }
            return .send(exchange, notes: notes)
        }
    }

    mutating func receivePut(_ response: ExchangeOutcome.Response, _ digest: DigestAlgorithm?) -> Step {
        guard response.isSuccess else { return receivePutRefusal(response, digest) }
        let receipt = Receipt(
            location: objectAddress?.object, entityTag: response.fields[.eTag], bytes: item.size)
        guard digest != nil else { return receipt.comparing(response) }
        guard let digest, let ours = response.digests.first(where: { $0.algorithm == digest })?.bytes else {
            return .done(receipt)
        }
        switch S3DigestMatch(response.fields, digest, ours: S3Checksum.base64(ours), tag: .whole(ours)) {
        case .same:
            var receipt = receipt
            receipt.verified = digest
            return .done(receipt)
        case .other(let reported):
            guard budget.allows(.damage, limit: 2) else {
                return .failed(
                    Self.mismatch(digest, S3Checksum.base64(ours), reported), notes: [.resource(nil)])
            }
            return put()
        case .nothing:
            return verify(
                Verification(
                    receipt: receipt, algorithm: digest, ours: S3Checksum.base64(ours), tag: .whole(ours)))
        }
    }

    /// The algorithms of the digests that a server possibly reports after a `PUT` of a whole object, although the
    /// request did not ask for a digest. AWS has reported a checksum since 2024-12. Many other servers report the MD5
    /// of the object as its entity tag.
    private static let unaskedDigests: [DigestAlgorithm] = [.crc64nvme, .crc32c, .md5]

    private mutating func receivePutRefusal(_ response: ExchangeOutcome.Response, _ digest: DigestAlgorithm?)
        -> Step
    {
        let error = S3Error(response)
        if objectAddress?.onlyNew == true, !lacks(.condition), error.refuses(.condition),
            budget.allows(.refusal)
        {
            return put(noting: [remember(without: .condition)])
        }
        if digest != nil, digest != .md5, error.refuses(.checksum), budget.allows(.refusal) {
            return put(noting: [remember(without: .checksum)])
        }
        if error.isDamage, budget.allows(.damage, limit: 2) { return put() }
        if response.status == 412, options.existing == .rename, budget.allows(.refusal) {
            // Another upload took the name since the lookup: the next name is tried.
            return decide(noting: [.resource(nil)])
        }
        // A permanent refusal means that no object was stored. After any other failure, an object may have been stored.
        let isMarked = objectAddress?.onlyNew == true && !error.isTransient
        return .failed(refusal(error), notes: isMarked ? [.resource(nil)] : [])
    }

    func refusal(_ error: S3Error) -> UploadFailure {
        error.status == 412 ? .nameTaken(item.name) : error.failure
    }

    /// Sends `HEAD` to learn whether the object exists. An earlier attempt possibly sent the whole file, but received
    /// no response.
    mutating func recall(_ resource: UploadResource) -> Step {
        phase = .recalling(resource)
        let size = item.size
        return withRequests { upload, requests in
            upload.objectAddress = ObjectAddress(object: resource.url, onlyNew: upload.wantsNewOnly)
            var exchange = requests.head(resource.url)
            exchange.digests = [DigestRequest(.md5, of: 0..<size)]
            return .send(exchange)
        }
    }

    mutating func receiveRecall(_ response: ExchangeOutcome.Response, _ resource: UploadResource) -> Step {
        switch response.status {
        case 404, 410: return begin()
        case 200..<300:
            let ours = response.digests.first?.bytes
            let tag = S3EntityTag(response.fields[.eTag], in: response.fields)
            guard response.contentLength == item.size, tag == nil || tag == ours.map(S3EntityTag.whole) else {
                // The object belongs to another upload, so the policy for existing files applies.
                return decide(noting: [.resource(nil)])
            }
            return .done(
                Receipt(
                    location: resource.url, entityTag: response.fields[.eTag], bytes: item.size,
                    verified: tag == nil ? nil : .md5))
        default: return .failed(S3Error(response).failure)
        }
    }
}

/// The result of comparing a digest in a response with the file's digest.
enum S3DigestMatch {
    case same
    /// The digests differ. The text is the digest in the response.
    case other(String)
    /// The response has no digest that can be compared.
    case nothing

    /// Compares the digest in the header fields of a response with the digest of the file.
    ///
    /// - Parameters:
    ///   - ours: The digest of the file, as text in the form that S3 uses.
    ///   - tag: The expected entity tag. It is used only if the algorithm is MD5, because S3 reports an MD5 only as an
    ///     entity tag.
    init(_ fields: HTTPFields, _ algorithm: DigestAlgorithm, ours: String, tag: S3EntityTag) {
        guard algorithm == .md5 else {
            self.init(fields[S3Checksum.field(algorithm)], ours: ours)
            return
        }
        let reported = S3EntityTag(fields[.eTag], in: fields)
        switch (reported, tag) {
        case (.whole, .whole), (.parts, .parts):
            self = reported == tag ? .same : .other(fields[.eTag] ?? "")
        case (nil, _), (.whole, .parts), (.parts, .whole): self = .nothing
        }
    }

    /// Compares two digests in Base64. A digest of a multipart upload is possibly composite: a hash of the hashes of
    /// all parts, followed by `-N` with the number of parts.
    ///
    /// - Parameters:
    ///   - reported: The digest from the server; nil or empty if there is none. The `-N` of a composite digest is
    ///     possibly missing.
    ///   - ours: The expected digest. A composite digest always has the `-N`.
    init(_ reported: String?, ours: String) {
        guard let reported, !reported.isEmpty else {
            self = .nothing
            return
        }
        let isComposite = ours.contains("-")
        // A composite cannot be compared with a digest of the whole. A server may omit a composite's number of parts.
        // So a different text without a number may be a digest of the whole, and proves nothing.
        if !isComposite, reported.contains("-") {
            self = .nothing
        } else if isComposite, !reported.contains("-") {
            self = reported == ours.prefix { $0 != "-" } ? .same : .nothing
        } else {
            self = reported == ours ? .same : .other(reported)
        }
    }
}

extension ExchangeOutcome.Response {
    var contentLength: ByteCount? { fields[.contentLength].flatMap { ByteCount(digits: $0) } }

    /// A copy of the response, with the MD5 from the entity tag in the field `Repr-Digest`, where `ExistingFile` looks
    /// for it. The copy is unchanged if the entity tag is not an MD5, or if the response already has this field.
    fileprivate var tellingMD5: ExchangeOutcome.Response {
        guard case .whole(let digest) = S3EntityTag(fields[.eTag], in: fields) else { return self }
        var response = self
        if response.fields[.reprDigest] == nil {
            response.fields[.reprDigest] = "md5=:\(S3Checksum.base64(digest)):"
        }
        return response
    }
}

extension Receipt {
    /// Returns the step that ends the upload, after comparing the digests in the response with those of the file. The
    /// upload fails if a digest in the header fields differs. If only the entity tag differs from the file's MD5, the
    /// upload succeeds, because an entity tag is not always an MD5.
    fileprivate func comparing(_ response: ExchangeOutcome.Response) -> Step {
        var receipt = self
        do throws(UploadFailure) { receipt.verified = try OfferedDigest.verified(by: response) } catch {
            return .failed(error, notes: [.resource(nil)])
        }
        let ours = response.digests.first { $0.algorithm == .md5 }?.bytes
        if receipt.verified == nil, let ours,
            S3EntityTag(response.fields[.eTag], in: response.fields) == .whole(ours)
        {
            receipt.verified = .md5
        }
        return .done(receipt)
    }
}
