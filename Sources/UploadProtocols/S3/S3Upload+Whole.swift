import HTTPTypes

// The lookup of an existing object, and the upload of a file in one request.
extension S3Upload {
    /// Begins the upload, after a lookup of the object if the policy for existing files requires it.
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
        case .ask(var exchange):
            for field in options.s3.headFields { exchange.fields[field.name] = field.value }
            phase = .deciding(existing)
            return .send(exchange)
        case .free(let name, let precondition):
            guard let object = object(of: name) else {
                return .failed(.permanent, "no object can have the name \(name)")
            }
            (self.object, onlyNew) = (object, precondition[.ifNoneMatch] != nil)
            return begin()
        case .finished(let receipt): return .done(receipt)
        case .failed(let failure): return .failed(failure)
        }
    }

    /// Begins to send the file, in one request or in parts. Fails if the file is too large for S3.
    mutating func begin() -> Step {
        do throws(UploadFailure) {
            let plan = try S3PartPlan.make(
                size: item.size, asked: askedPart, smallest: smallestPart,
                most: mostParts ?? S3PartPlan.mostParts)
            return plan.count == 1 ? put() : create(plan)
        } catch { return .failed(error) }
    }

    private mutating func put(noting notes: [Step.Note] = []) -> Step {
        phase = .putting(digest)
        return withRequests { requests in
            var exchange = requests.put(object, digest: digest, onlyNew: onlyNew && !lacks(.condition))
            if digest == nil, options.checksumChoice == .offered {
                exchange.digestsIfReported = Self.unaskedDigests.map { DigestRequest($0, of: 0..<item.size) }
            }
            // The mark lets the next attempt recognize the object of this attempt.
            if onlyNew { exchange.markBeforeLastBytes = UploadResource(url: object).withWholeBodySent(true) }
            return .send(exchange, notes: notes)
        }
    }

    mutating func receivePut(_ response: ExchangeOutcome.Response, _ digest: DigestAlgorithm?) -> Step {
        guard response.isSuccess else { return receivePutRefusal(response, digest) }
        let receipt = Receipt(location: object, entityTag: response.fields[.eTag], bytes: item.size)
        guard digest != nil else { return receipt.comparing(response) }
        guard let digest, let ours = response.digest(digest) else { return .done(receipt) }
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

    /// The digests that a server reports unasked: AWS a checksum since 2024-12, many others an MD5 as the entity tag.
    private static let unaskedDigests: [DigestAlgorithm] = [.crc64nvme, .crc32c, .md5]

    private mutating func receivePutRefusal(
        _ response: ExchangeOutcome.Response, _ digest: DigestAlgorithm?
    ) -> Step {
        let error = S3Error(response)
        if onlyNew, !lacks(.condition), error.refuses(.condition), budget.allows(.refusal) {
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
        // Only a permanent refusal means that no object was stored.
        let isMarked = onlyNew && !error.isTransient
        return .failed(refusal(error), notes: isMarked ? [.resource(nil)] : [])
    }

    func refusal(_ error: S3Error) -> UploadFailure {
        error.status == 412 ? .nameTaken(item.name) : error.failure
    }

    /// Sends `HEAD` to learn whether an earlier attempt, which received no response, has stored the object.
    mutating func recall(_ resource: UploadResource) -> Step {
        phase = .recalling(resource)
        (object, onlyNew) = (resource.url, wantsNewOnly)
        var exchange = options.s3.head(resource.url)
        exchange.digests = [DigestRequest(.md5, of: 0..<item.size)]
        return .send(exchange)
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

    /// Compares the digest in the header fields of a response with the file's, which is the text `ours`, or the entity
    /// tag `tag` for MD5, which S3 reports only so.
    init(_ fields: HTTPFields, _ algorithm: DigestAlgorithm, ours: String, tag: S3EntityTag) {
        guard algorithm == .md5 else {
            self.init(fields[S3Checksum.field(algorithm)] ?? "", ours: ours)
            return
        }
        let reported = S3EntityTag(fields[.eTag], in: fields)
        switch (reported, tag) {
        case (.whole, .whole), (.parts, .parts): self = reported == tag ? .same : .other(fields[.eTag] ?? "")
        case (nil, _), (.whole, .parts), (.parts, .whole): self = .nothing
        }
    }

    /// Compares two digests in Base64, which are composites for a multipart upload. These end with `-N` in `ours`.
    private init(_ reported: String, ours: String) {
        let isComposite = ours.contains("-")
        // A composite cannot be compared with a digest of the whole. A server may omit its number of parts, so another
        // text without a number proves nothing.
        if reported.isEmpty || !isComposite && reported.contains("-") {
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

    /// A copy of the response with the MD5 from the entity tag in `Repr-Digest`, where `ExistingFile` looks.
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
    /// Returns the step that ends the upload. A different entity tag is no failure, because it need not be an MD5.
    fileprivate func comparing(_ response: ExchangeOutcome.Response) -> Step {
        var receipt = self
        do throws(UploadFailure) { receipt.verified = try OfferedDigest.verified(by: response) } catch {
            return .failed(error, notes: [.resource(nil)])
        }
        if receipt.verified == nil, let ours = response.digest(.md5),
            S3EntityTag(response.fields[.eTag], in: response.fields) == .whole(ours)
        {
            receipt.verified = .md5
        }
        return .done(receipt)
    }
}
