import FerryFiles
import HTTPTypes

extension ResumableUpload {
    /// The default size of a `PATCH` request with a digest. A server drops all its bytes if the digest does not match.
    static let checkedChunk: ByteCount = 32 << 20
    /// The numbers of bytes to try in a `PATCH` request after the server has refused a larger one and stated no limit.
    static let guesses: ClosedRange<ByteCount> = 64 << 10...64 << 20

    mutating func query(_ resource: UploadResource, noting notes: [Step.Note] = []) -> Step {
        phase = .querying(resource)
        var fields = resource.resumable.interop?.fields ?? [:]
        fields[.wantReprDigest] = wantedDigest
        return .send(Exchange(.head, resource.url, fields: fields), notes: notes)
    }

    mutating func receiveOffset(_ response: ExchangeOutcome.Response, resource: UploadResource) -> Step {
        let reported = ResumableResponse(response, version: resource.resumable.interop ?? .eight)
        switch response.status {
        case 200..<300:
            var resource = resource
            if let offset = reported.offset { resource.appends.didAsk(offset) }
            if let length = reported.length, length != item.size { return misfit(resource) }
            if reported.isComplete == true {
                return reported.offset ?? item.size == item.size ? done(resource, response) : misfit(resource)
            }
            guard let offset = reported.offset else {
                // Another server possibly responded, or this one made a temporary error. So Ferry asks again.
                return budget.missingOffset().map { .failed($0) } ?? query(resource)
            }
            return advance(resource, reported, to: offset, end: nil)
        case 404, 410: return gone(resource)
        case 403 where reported.offset == nil: return gone(resource)
        default:
            return .failed(LockedUpload.failure(response, to: .head) ?? ResponseClassifier.failure(response))
        }
    }

    mutating func append(_ resource: UploadResource, noting notes: [Step.Note] = []) -> Step {
        var resource = resource
        let version = resource.resumable.interop ?? .eight
        let left = item.size - resource.confirmed
        let isChecked = options.checksum != nil && version.isTyped
        let wish = min(
            options.chunkSize ?? (isChecked ? Self.checkedChunk : left),
            resource.resumable.largestAppend ?? .max, resource.appends.learntChunk ?? .max)
        let end =
            resource.confirmed
            + (resource.resumable.limit ?? UploadLimit()).appendSize(left: left, wish: wish)
        let completes = end == item.size
        var fields = version.fields
        version.write(isComplete: completes, to: &fields)
        fields[.uploadOffset] = "\(resource.confirmed)"
        if version.isTyped { fields[.contentType] = PartialUpload.mediaType }
        if completes { fields[.wantReprDigest] = wantedDigest }
        let known = resource
        if !isChecked { resource.appends.begin(resource.confirmed..<end) }
        phase = .appending(resource, end: end)
        // The transport must not repeat the last append, because the first copy may have completed the upload.
        var exchange = Exchange(
            .patch, resource.url, fields: fields,
            body: left > 0 ? .file(range: resource.confirmed..<end) : .none,
            traits: completes ? .completes : .idempotent)
        exchange.set(.kept, if: !isChecked && resource.appends.learntChunk == nil)
        if isChecked, left > 0, let algorithm = options.checksum {
            exchange.digests = [
                DigestRequest(
                    algorithm, of: resource.confirmed..<end,
                    in: Self.carrier(of: algorithm, in: .contentDigest))
            ]
        }
        if completes { OfferedDigest.ask(in: &exchange, size: item.size, options.checksumChoice) }
        // Some servers delete a complete upload. The mark shows the next attempt that a missing upload may be complete.
        if completes { exchange.markBeforeLastBytes = resource.withWholeBodySent(true) }
        return .send(
            exchange, notes: (resource == known ? notes : notes.replacing(resource)) + news(of: resource))
    }

    /// Returns the note that the server drops the bytes of broken requests, if `resource` shows this and it is new.
    private mutating func news(of resource: UploadResource) -> [Step.Note] {
        var found = capabilities
        ChunkSizePolicy.note(resource, in: &found)
        guard search.isExpected, found != capabilities else { return [] }
        capabilities = found
        return [.capabilities(found)]
    }

    /// Ends the attempt because the connection broke, and updates the stored facts about broken requests.
    func broke(_ failure: UploadFailure, afterSending bytes: ByteCount) -> Step {
        guard case .appending(let resource, _) = phase else { return .failed(failure) }
        var known = resource
        known.appends.didBreak(afterSending: bytes)
        return .failed(failure, notes: known == resource ? [] : [.resource(known)])
    }

    mutating func receiveAppend(
        _ response: ExchangeOutcome.Response, resource: UploadResource, end: ByteCount
    ) -> Step {
        var resource = resource
        if response.isSuccess { resource.appends.didAppend() } else { resource.appends.wasRefused() }
        let reported = ResumableResponse(response, version: resource.resumable.interop ?? .eight)
        let completes = end == item.size
        // A response has arrived, so the mark for a missing response is removed.
        let known: [Step.Note] = [.resource(resource)]
        if reported.problem == .completedUpload {
            return askAgain(resource, "the server calls the upload complete and incomplete", .permanent)
        }
        if reported.isComplete == true, completes || !response.isSuccess {
            return verdict(response, resource)
        }
        if let locked = LockedUpload.failure(response, to: .patch) { return .failed(locked, notes: known) }
        switch response.status {
        case 200..<300: return receiveSuccess(reported, response, resource: resource, end: end)
        case 409, 460: return askAgain(resource, "the server refuses every offset it names")
        case 413: return sendLess(response, reported, resource: resource, end: end)
        case 400 where reported.problem == .inconsistentLength: return misfit(resource)
        case 400..<500 where reported.problem == .mismatchingDigest:
            return askAgain(
                resource, ResumableProblem.mismatchingDigest.failure(status: 400).summary, .permanent)
        case 404, 410: return gone(resource)
        default:
            let failure = ResponseClassifier.failure(response)
            // A permanent failure is definite. A transient failure may come after the server stored the last byte.
            guard failure.isTransient, completes else { return .failed(failure, notes: known) }
            return .failed(failure, notes: [.resource(resource.withWholeBodySent(true))])
        }
    }

    private mutating func receiveSuccess(
        _ reported: ResumableResponse, _ response: ExchangeOutcome.Response, resource: UploadResource,
        end: ByteCount
    ) -> Step {
        if reported.isComplete == true {
            return .failed(
                .permanent,
                "the server ended the upload at \(ByteFormat.sentence(end)) of \(ByteFormat.sentence(item.size))",
                hint: "what is at the server is not the whole file; retry sends it again",
                notes: [.resource(nil)])
        }
        guard end == item.size, reported.offset ?? end == end else {
            return advance(resource, reported, to: reported.offset ?? end, end: end)
        }
        // A success without a contradicting offset means that the server has stored everything.
        return reported.isComplete == nil
            ? done(resource, response)
            : askAgain(resource, "the server has the whole file and does not call it complete")
    }

    /// Continues at the offset that the server states. `end` is the end of the request's range; nil if it had none.
    private mutating func advance(
        _ resource: UploadResource, _ reported: ResumableResponse, to offset: ByteCount, end: ByteCount?
    ) -> Step {
        if offset > end ?? item.size { return misfit(resource) }
        var moved = resource.withWholeBodySent(false)
        moved.confirmed = offset
        moved.take(reported.limit)
        let notes = resource.notes(of: moved)
        let end = budget.judge(offset, after: resource.confirmed, sentTo: end)
        return end.map { .failed($0, notes: notes) } ?? append(moved, noting: notes)
    }

    private mutating func sendLess(
        _ response: ExchangeOutcome.Response, _ reported: ResumableResponse, resource: UploadResource,
        end: ByteCount
    ) -> Step {
        let sent = end - resource.confirmed
        var smaller = resource
        smaller.take(reported.limit)
        let most = smaller.resumable.limit?.maximumAppend ?? .max
        let guess = max(min(sent / 2, Self.guesses.upperBound), min(Self.guesses.lowerBound, most))
        guard guess < sent, RetryAfter.seconds(in: response.fields, now: Date()) == nil else {
            return .failed(ResponseClassifier.failure(response), notes: [.resource(resource)])
        }
        smaller.resumable.largestAppend = most < sent ? most : guess
        return query(smaller, noting: [.resource(smaller)])
    }

    /// Requests the offset again, or fails with `reason` after too many responses without progress.
    private mutating func askAgain(
        _ resource: UploadResource, _ reason: String, _ category: UploadFailure.Category = .server
    ) -> Step {
        let notes: [Step.Note] = [.resource(resource)]
        return budget.standstill(reason, category).map { .failed($0, notes: notes) }
            ?? query(resource, noting: notes)
    }

    private mutating func misfit(_ resource: UploadResource) -> Step {
        restart(after: resource, because: "the server's upload does not fit this file")
    }

    private mutating func gone(_ resource: UploadResource) -> Step {
        // The server confirmed the whole file before, and has deleted the upload since.
        if resource.marks.isAcknowledged {
            return .done(Receipt(location: location(named: nil, resource), bytes: item.size))
        }
        if resource.wholeBodySent { return .failed(SingleRequestUpload.unknownOutcome(nil)) }
        return restart(after: resource, because: "the server no longer knows the upload")
    }
}

extension ResumableUpload {
    /// Handles the final response, which accepts or refuses the whole file.
    private func verdict(_ response: ExchangeOutcome.Response, _ resource: UploadResource) -> Step {
        if response.isSuccess { return done(resource, response) }
        if let problem = ResumableResponse(response, version: .eight).problem {
            return .failed(problem.failure(status: response.status), notes: [.resource(nil)])
        }
        var failure = ResponseClassifier.failure(response)
        failure.summary = "the file arrived and was turned down: \(failure.summary)"
        return .failed(failure, notes: [.resource(nil)])
    }

    private func done(_ resource: UploadResource, _ response: ExchangeOutcome.Response) -> Step {
        var receipt = Receipt(
            location: location(named: response, resource), entityTag: response.fields[.eTag], bytes: item.size
        )
        if let own = resource.resumable.ownDigest, let algorithm = options.checksum,
            let reported = ServerDigest.in(response.fields).first(where: { $0.algorithm == algorithm })
        {
            guard reported.bytes == own else {
                return .failed(
                    .permanent, "the server's \(algorithm.shown) is not the file's: its content differs",
                    hint: "retry sends it again", notes: [.resource(nil)])
            }
            receipt.verified = algorithm
        } else if options.checksumChoice == .offered {
            do throws(UploadFailure) { receipt.verified = try OfferedDigest.verified(by: response) } catch {
                return .failed(error, notes: [.resource(nil)])
            }
        }
        return .done(receipt)
    }

    /// Returns a request that checks the file's size, if `step` completes an upload by several requests without a
    /// digest: a faulty server can truncate the file at each request. Otherwise returns `step`.
    mutating func located(_ step: Step, _ appended: UploadResource) -> Step {
        guard case .done(let receipt, let notes) = step, appended.confirmed > 0, receipt.verified == nil,
            let location = receipt.location, ![appended.url, target].contains(location)
        else { return step }
        phase = .locating(receipt)
        return .send(LocationCheck.question(location), notes: notes + [.resource(appended.acknowledged)])
    }

    /// Returns the URL of the finished file: as a response names it, or `target` for a PUT, or the upload's URL.
    private func location(named response: ExchangeOutcome.Response?, _ resource: UploadResource) -> String? {
        for field in [response?.fields[.contentLocation], response?.fields[.location]] {
            if let field, let url = try? UploadAddress.resolve(field, against: resource.url) { return url }
        }
        return options.requestMethod(or: .post) == .put ? target : resource.url
    }
}

extension [Step.Note] {
    /// Returns the notes with `resource` instead of any other resource, so that only the newest is recorded.
    fileprivate func replacing(_ resource: UploadResource) -> [Step.Note] {
        filter { if case .resource = $0 { false } else { true } } + [.resource(resource)]
    }
}
