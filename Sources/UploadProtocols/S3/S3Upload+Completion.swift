import FerryFiles
import HTTPTypes

// The completion of the object from its parts, and the check of the result.
extension S3Upload {
    /// The data for the check of a finished object.
    struct Verification: Sendable {
        var receipt: Receipt
        var algorithm: DigestAlgorithm
        /// The digest of the file, as text in the form that S3 uses.
        var ours: String
        /// The expected entity tag, for MD5.
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
        let notes = notes + enlargeLearntPart(of: session.plan)
        return withRequests { requests in
            var exchange = requests.complete(
                session, ledger.held, onlyNew: wantsNewOnly && !lacks(.condition),
                declaresDigest: !lacks(.completionChecksum))
            exchange.markBeforeLastBytes = resource(session, ledger)
            if session.checksum == nil {
                OfferedDigest.take(
                    [.crc64nvme, .crc32c], in: .s3Completion, of: &exchange, size: item.size,
                    options.checksumChoice)
            }
            return .send(exchange, notes: notes)
        }
    }

    mutating func receiveCompletion(
        _ response: ExchangeOutcome.Response, _ session: S3Session, _ ledger: S3PartLedger
    ) -> Step {
        if response.isSuccess, let completion = S3Completion(response.body) {
            return finish(session, completion, response)
        }
        let error = S3Error(response)
        // A server may send status 200 before it knows the outcome. Only a complete document is a success.
        if response.isSuccess, error.code.isEmpty {
            return .failed(.server, "the server's word on the finished upload cannot be read")
        }
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
        case ("PreconditionFailed", _), (_, 412): return settle(session, then: .failed(refusal(error)))
        case ("BadDigest", _):
            guard let algorithm = session.checksum else { break }
            let failure = Self.mismatch(algorithm, session.completion?.digest ?? "unknown", "another")
            return remove(session, then: .failed(failure))
        default: break
        }
        let features: [(S3Feature, isUsed: Bool)] = [
            (.condition, wantsNewOnly), (.completionChecksum, session.checksum != nil),
        ]
        for (feature, isUsed) in features where isUsed && !lacks(feature) && error.refuses(feature) {
            if budget.allows(.refusal) {
                return complete(session, ledger, noting: [remember(without: feature)])
            }
        }
        return .failed(error.failure)
    }

    /// Restarts the upload with larger parts, which the server requires, up to the maximum size of S3.
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

    /// Ends the upload after comparing the checksums in the server's response, if it has any, with those of the file.
    private func compare(_ receipt: Receipt, _ completion: S3Completion, _ response: ExchangeOutcome.Response)
        -> Step
    {
        var receipt = receipt
        for reported in completion.digests {
            guard let ours = response.digest(reported.algorithm) else { continue }
            guard ours == reported.bytes else {
                let texts = (S3Checksum.base64(ours), S3Checksum.base64(reported.bytes))
                return .failed(Self.mismatch(reported.algorithm, texts.0, texts.1), notes: [.resource(nil)])
            }
            receipt.verified = receipt.verified ?? reported.algorithm
        }
        return .done(receipt)
    }

    /// Returns the values for the check of the finished object; nil if there is no expected digest to compare.
    private func verification(_ session: S3Session, _ receipt: Receipt) -> Verification? {
        guard let algorithm = session.checksum, let ours = session.completion?.digest else { return nil }
        // If the parts' tags are not MD5s, the object's tag is not made of MD5s.
        if algorithm == .md5, session.completion?.entityTag == nil { return nil }
        let tag = S3EntityTag(algorithm == .md5 ? ours : nil)
        return Verification(
            receipt: receipt, algorithm: algorithm, ours: ours,
            tag: tag ?? .parts([], count: session.plan.count))
    }

    /// Compares the server's digest of the object with that of the file. `otherwise` follows if there is none.
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

    /// Sends `HEAD` to request the digest of the finished object.
    mutating func verify(_ verification: Verification) -> Step {
        phase = .verifying(verification)
        return .send(options.s3.head(object))
    }

    mutating func receiveVerification(_ response: ExchangeOutcome.Response, _ verification: Verification)
        -> Step
    {
        // The server has already confirmed the upload. A missing permission to read the object does not change that.
        guard response.isSuccess else { return .done(verification.receipt) }
        if let length = response.contentLength, length != item.size {
            return .failed(
                .permanent, UploadFailure.sizesDiffer(length, item.size),
                hint: "look at the server; retry sends the file again", notes: [.resource(nil)])
        }
        return conclude(verification, response.fields) { _ in .done(verification.receipt) }
    }

    /// Handles the loss of the multipart upload, which was possibly completed.
    mutating func gone(_ session: S3Session) -> Step {
        let ending = Ending.restart(because: "the server no longer knows the upload")
        return session.completion == nil ? restart(session, ending) : settle(session, then: ending)
    }

    /// Looks up the object, which the request to complete the upload may have created. If not, `ending` follows.
    mutating func settle(_ session: S3Session, then ending: Ending) -> Step {
        phase = .settling(session, then: ending)
        return .send(options.s3.head(session.object))
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
        var receipt = Receipt(location: session.object, entityTag: response.fields[.eTag], bytes: item.size)
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
        // A size alone does not show whose object it is: a refusal stays one, and a resumed upload continues.
        let isUnreported = receipt.verified == nil && (tag == nil || expected == nil)
        switch ending {
        case .failed where isUnreported, .resume where isUnreported: return restart(session, ending)
        case .restart where isUnreported && isOlder(response, than: session): return restart(session, ending)
        case .failed, .resume, .restart: return .done(receipt)
        }
    }

    /// Returns true if the object was stored over five seconds before the upload was created: clocks can differ.
    /// Services report the creation or the completion of a multipart upload as `Last-Modified`.
    private func isOlder(_ response: ExchangeOutcome.Response, than session: S3Session) -> Bool {
        guard let created = session.created, let modified = response.date(in: .lastModified) else {
            return false
        }
        return modified.timeIntervalSince1970 + 5 < Double(created)
    }

    /// Aborts the multipart upload on the server. After the response, the action `ending` follows.
    mutating func remove(_ session: S3Session, then ending: Ending, noting notes: [Step.Note] = []) -> Step {
        phase = .removing(session, then: ending)
        return .send(options.s3.abort(session.url), notes: notes)
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
                    .permanent, "\(reason), \(RetryBudget.limit) times in a row", notes: [.resource(nil)])
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
}
