import FerryFiles
import HTTPTypes

// The completion of the object from its parts, and the check of the result.
extension S3Upload {
    /// The data for the check of a finished object: the receipt of the upload, the expected digest and the expected
    /// entity tag.
    struct Verification: Sendable {
        var receipt: Receipt
        var algorithm: DigestAlgorithm
        /// The digest of the file, as text in the form that S3 uses.
        var ours: String
        /// The expected entity tag. It is used only if the algorithm is MD5, because S3 reports an MD5 only as an
        /// entity tag.
        var tag: S3EntityTag
    }

    mutating func complete(_ session: S3Session, _ ledger: S3PartLedger, noting notes: [Step.Note] = [])
        -> Step
    {
        var session = session
        let tags = ledger.tagDigests
        session.completion = .init(
            entityTag: tags.flatMap { S3Checksum.whole($0, .md5) },
            digest: session.checksum.flatMap { algorithm in
                ledger.digests.flatMap { S3Checksum.whole($0, algorithm) }
            })
        phase = .completing(session, ledger)
        let onlyNew = wantsNewOnly && !lacks(.condition)
        let declaresDigest = !lacks(.completionChecksum)
        let mark = resource(session, ledger)
        let notes = notes + enlargeLearntPart(of: session.plan)
        let (size, choice) = (item.size, options.checksumChoice)
        return withRequests { _, requests in
            var exchange = requests.complete(
                session, ledger.held, onlyNew: onlyNew, declaresDigest: declaresDigest)
            exchange.markBeforeLastBytes = mark
            if session.checksum == nil {
                OfferedDigest.take(
                    [.crc64nvme, .crc32c], in: .s3Completion, of: &exchange, size: size, choice)
            }
            return .send(exchange, notes: notes)
        }
    }

    mutating func receiveCompletion(
        _ response: ExchangeOutcome.Response, _ session: S3Session, _ ledger: S3PartLedger
    ) -> Step {
        if response.isSuccess {
            if let completion = S3Completion(response.body) { return finish(session, completion, response) }
            // A server may send status 200 before it knows the outcome. Only a complete document is a success.
            let error = S3Error(response)
            guard !error.code.isEmpty else {
                return .failed(.server, "the server's word on the finished upload cannot be read")
            }
        }
        let error = S3Error(response)
        switch (error.code, response.status) {
        case _ where error.deniesUpload:
            return settle(session, then: .restart(because: "the server no longer knows the upload"))
        case ("InvalidPart", _), ("InvalidPartOrder", _):
            if !session.plan.isUniform {
                wantsEqualParts = true
                return remove(
                    session, then: .restart(because: "the server takes parts of one size only"),
                    noting: [.capabilities(facts)])
            }
            guard budget.allows(.surprise) else { return .failed(error.failure) }
            return list(session)
        case ("EntityTooSmall", _): return enlarge(session, error)
        case ("ConditionalRequestConflict", _):
            return remove(session, then: .restart(because: "another upload of the same name came first"))
        case ("PreconditionFailed", _), (_, 412):
            return settle(session, then: .failed(refusal(error)))
        case ("BadDigest", _) where session.checksum != nil:
            return remove(session, then: .failed(Self.mismatch(session, reported: "another")))
        default: break
        }
        if wantsNewOnly, !lacks(.condition), error.refuses(.condition), budget.allows(.refusal) {
            let note = remember(without: .condition)
            return complete(session, ledger, noting: [note])
        }
        if session.checksum != nil, !lacks(.completionChecksum), error.refuses(.completionChecksum),
            budget.allows(.refusal)
        {
            let note = remember(without: .completionChecksum)
            return complete(session, ledger, noting: [note])
        }
        return .failed(error.failure)
    }

    /// Restarts the upload with larger parts, because the server requires larger parts than those of the plan. Fails if
    /// the parts already have the maximum size of S3.
    private mutating func enlarge(_ session: S3Session, _ error: S3Error) -> Step {
        let partSize = session.plan.partSize
        guard partSize < S3PartPlan.largestPart else { return .failed(error.failure) }
        let wanted = error.detail("MinSizeAllowed").flatMap { ByteCount(digits: $0) } ?? 0
        facts.facts["s3.smallestPart"] = "\(min(S3PartPlan.largestPart, max(wanted, partSize * 2)))"
        return remove(
            session, then: .restart(because: "the server wants larger parts"), noting: [.capabilities(facts)])
    }

    private mutating func finish(
        _ session: S3Session, _ completion: S3Completion, _ response: ExchangeOutcome.Response
    ) -> Step {
        let receipt = Receipt(
            location: session.object, entityTag: completion.entityTag ?? response.fields[.eTag],
            bytes: item.size)
        guard let verification = verification(session, receipt) else {
            return compare(receipt, completion, response)
        }
        // The header fields of the response show the encryption, and its XML document contains the entity tag.
        var fields = response.fields
        fields[.eTag] = receipt.entityTag
        if let reported = completion.reported(verification.algorithm) {
            fields[S3Checksum.field(verification.algorithm)] = reported
        }
        return conclude(verification, fields) { $0.verify(verification) }
    }

    /// Ends the upload after comparing the checksums in the server's response with those of the file. The upload fails
    /// if a checksum differs. It succeeds if the response contains no checksum that can be compared.
    private func compare(_ receipt: Receipt, _ completion: S3Completion, _ response: ExchangeOutcome.Response)
        -> Step
    {
        var receipt = receipt
        for reported in completion.digests {
            guard let ours = response.digests.first(where: { $0.algorithm == reported.algorithm }) else {
                continue
            }
            guard ours.bytes == reported.bytes else {
                let texts = (S3Checksum.base64(ours.bytes), S3Checksum.base64(reported.bytes))
                return .failed(
                    Self.mismatch(reported.algorithm, texts.0, texts.1), notes: [.resource(nil)])
            }
            receipt.verified = receipt.verified ?? reported.algorithm
        }
        return .done(receipt)
    }

    /// Returns the values for the check of the finished object. Returns nil if the upload has no digest algorithm, or
    /// if the expected digest is unknown. Also returns nil for MD5 if the entity tags of the parts are not MD5s.
    private func verification(_ session: S3Session, _ receipt: Receipt) -> Verification? {
        guard let algorithm = session.checksum, let ours = session.completion?.digest else { return nil }
        // If the parts' tags are not MD5s, the object's tag is not made of MD5s.
        if algorithm == .md5, session.completion?.entityTag == nil { return nil }
        let tag = S3EntityTag(algorithm == .md5 ? ours : nil)
        return Verification(
            receipt: receipt, algorithm: algorithm, ours: ours,
            tag: tag ?? .parts([], count: session.plan.count))
    }

    /// Compares the server's digest of the object with the digest of the file. The upload succeeds if the two are
    /// equal, and fails if they differ.
    ///
    /// - Parameter otherwise: Returns the next step if the server reported no digest that can be compared.
    private mutating func conclude(
        _ verification: Verification, _ fields: HTTPFields, otherwise: (inout S3Upload) -> Step
    ) -> Step {
        switch S3DigestMatch(fields, verification.algorithm, ours: verification.ours, tag: verification.tag) {
        case .same:
            var receipt = verification.receipt
            receipt.verified = verification.algorithm
            return .done(receipt)
        case .other(let reported):
            return .failed(
                Self.mismatch(verification.algorithm, verification.ours, reported), notes: [.resource(nil)])
        case .nothing: return otherwise(&self)
        }
    }

    /// Sends `HEAD` to request the digest of the finished object. If the URL of the object is unknown, the upload ends
    /// without this check.
    mutating func verify(_ verification: Verification) -> Step {
        phase = .verifying(verification)
        guard let object = verification.receipt.location else { return .done(verification.receipt) }
        return withRequests { _, requests in .send(requests.head(object)) }
    }

    mutating func receiveVerification(_ response: ExchangeOutcome.Response, _ verification: Verification)
        -> Step
    {
        // The server has already confirmed the upload. A missing permission to read the object does not change that.
        guard response.isSuccess else { return .done(verification.receipt) }
        if let length = response.contentLength, length != item.size {
            return .failed(
                .permanent, UploadFailure.sizesDiffer(length, item.size),
                hint: "look at the server; retry sends the file again",
                notes: [.resource(nil)])
        }
        return conclude(verification, response.fields) { _ in .done(verification.receipt) }
    }

    /// Handles a response which shows that the server no longer has the multipart upload. If the upload was possibly
    /// completed, checks whether the object exists. Otherwise starts again with a new multipart upload.
    mutating func gone(_ session: S3Session) -> Step {
        let ending = Ending.restart(because: "the server no longer knows the upload")
        return session.completion == nil ? restart(session, ending) : settle(session, then: ending)
    }

    /// Sends `HEAD` for the object, to learn whether the request to complete the upload has created it.
    ///
    /// - Parameter ending: The action if there is no object, or if the object is possibly that of another upload.
    mutating func settle(_ session: S3Session, then ending: Ending) -> Step {
        phase = .settling(session, then: ending)
        return withRequests { _, requests in .send(requests.head(session.object)) }
    }

    mutating func receiveSettlement(
        _ response: ExchangeOutcome.Response, _ session: S3Session, _ ending: Ending
    ) -> Step {
        switch response.status {
        case 200..<300: break
        case 404, 410: return restart(session, ending)
        default:
            let error = S3Error(response)
            // Without permission to read the object, its parts may still be listed.
            if case .resume = ending, !error.isTransient { return list(session) }
            return .failed(error.failure)
        }
        var receipt = Receipt(
            location: session.object, entityTag: response.fields[.eTag], bytes: item.size)
        let verification = verification(session, receipt)
        let reported = verification.map {
            S3DigestMatch(response.fields, $0.algorithm, ours: $0.ours, tag: $0.tag)
        }
        if case .same = reported { receipt.verified = session.checksum }
        let tag = S3EntityTag(response.fields[.eTag], in: response.fields)
        let expected = S3EntityTag(session.completion?.entityTag)
        let isOther = tag != nil && expected != nil && tag != expected
        guard response.contentLength == item.size, receipt.verified != nil || !isOther else {
            return restart(session, ending)
        }
        // If only the size could be compared, the object may belong to another upload. So a refusal because of an
        // existing object stays a refusal. A resumed multipart upload continues if the server still has it.
        let isUnreported = receipt.verified == nil && (tag == nil || expected == nil)
        switch ending {
        case .failed where isUnreported, .resume where isUnreported: return restart(session, ending)
        case .restart where isUnreported && isOlder(response, than: session): return restart(session, ending)
        case .failed, .resume, .restart: return .done(receipt)
        }
    }

    /// Returns true if the object in `response` was stored more than five seconds before the upload was created. A
    /// smaller difference is ignored, because the clocks within a service can differ. Returns false if one of the two
    /// times is unknown.
    ///
    /// The object's time is `Last-Modified`. In some services, this is the time when the multipart upload was created.
    /// In others, it is the time when the multipart upload was completed.
    private func isOlder(_ response: ExchangeOutcome.Response, than session: S3Session) -> Bool {
        guard let created = session.created, let modified = response.date(in: .lastModified) else {
            return false
        }
        return modified.timeIntervalSince1970 + 5 < Double(created)
    }

    /// Sends the request that aborts the multipart upload on the server. After the response, the action `ending`
    /// follows.
    mutating func remove(_ session: S3Session, then ending: Ending, noting notes: [Step.Note] = []) -> Step {
        phase = .removing(session, then: ending)
        return .send(S3Requests.abort(session.url, options.s3), notes: notes)
    }

    mutating func receiveRemoval(_ response: ExchangeOutcome.Response, _ session: S3Session, _ ending: Ending)
        -> Step
    {
        // If the upload could not be removed, a check of the destination lists it.
        if case .failed(let failure) = ending { return .failed(failure, notes: [.resource(nil)]) }
        return restart(session, ending)
    }

    private mutating func restart(_ session: S3Session, _ ending: Ending) -> Step {
        switch ending {
        case .failed(let failure): return .failed(failure)
        case .resume: return list(session)
        case .restart(let reason):
            guard budget.allows(.restart) else {
                return .failed(
                    .permanent, "\(reason), \(RetryBudget.limit) times in a row",
                    notes: [.resource(nil)])
            }
            // The old resource stays recorded until there is a new one.
            return begin()
        }
    }

    static func mismatch(
        _ algorithm: DigestAlgorithm, _ ours: String, _ reported: String, of what: String = "the object"
    ) -> UploadFailure {
        UploadFailure(
            .permanent,
            "\(what) at the server is not what was sent: its \(algorithm.shown) is "
                + "\(ServerText.cleaned(reported)), and that of the file \(ours)",
            hint: "retry sends it again; if that fails too, check this computer's memory and the server")
    }

    private static func mismatch(_ session: S3Session, reported: String) -> UploadFailure {
        mismatch(session.checksum ?? .md5, session.completion?.digest ?? "unknown", reported)
    }
}
