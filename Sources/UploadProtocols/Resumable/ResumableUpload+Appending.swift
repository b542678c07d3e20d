import FerryFiles
import HTTPTypes

extension ResumableUpload {
    /// The chunk size with digests: an append whose digest does not match is dropped as a whole.
    static let checkedChunk: ByteCount = 32 << 20
    /// The first and the last guess at the limit of a server that refuses an append as too large without stating one.
    static let largestGuess: ByteCount = 64 << 20
    static let smallestGuess: ByteCount = 64 << 10

    mutating func query(_ resource: UploadResource, noting notes: [Step.Note] = []) -> Step {
        phase = .querying(resource)
        var fields = resource.resumable.interop?.fields ?? [:]
        fields[.wantReprDigest] = wantedDigest
        return .send(Exchange(.head, resource.url, fields: fields), notes: notes)
    }

    mutating func receiveOffset(_ answer: ExchangeOutcome.Response, resource: UploadResource) -> Step {
        let told = ResumableResponse(answer, version: resource.resumable.interop ?? .eight)
        switch answer.status {
        case 200..<300:
            var resource = resource
            if let offset = told.offset { resource.appends.didAsk(offset) }
            if let length = told.length, length != item.size { return misfit(resource) }
            if told.isComplete == true {
                return told.offset ?? item.size == item.size ? done(resource, answer) : misfit(resource)
            }
            guard let offset = told.offset else {
                // Another server responded, or this one is temporarily wrong.
                let end = budget.standstill("the server does not say how much it holds (Upload-Offset)")
                return end.map { .failed($0) } ?? query(resource)
            }
            return advance(resource, told, to: offset, end: nil)
        case 404, 410: return gone(resource)
        case 403 where told.offset == nil: return gone(resource)
        default: return .failed(LockedUpload.failure(answer, to: .head) ?? ResponseClassifier.failure(answer))
        }
    }

    mutating func append(_ resource: UploadResource, noting notes: [Step.Note] = []) -> Step {
        var resource = resource
        let version = resource.resumable.interop ?? .eight
        let left = item.size - resource.confirmed
        let isChecked = options.checksum != nil && version.isTyped
        let wish = min(
            options.chunkSize ?? (isChecked ? Self.checkedChunk : left),
            resource.resumable.largestAppend ?? .max,
            resource.appends.learntChunk ?? .max)
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
        // A repeated last append would meet a server that has deleted the upload, or started another one.
        var exchange = Exchange(
            .patch, resource.url, fields: fields,
            body: left > 0 ? .file(range: resource.confirmed..<end) : .none,
            traits: completes ? .completes : .idempotent)
        exchange.set(.kept, if: !isChecked && resource.appends.learntChunk == nil)
        if isChecked, left > 0, let algorithm = options.checksum {
            exchange.digests = [
                DigestRequest(
                    algorithm, of: resource.confirmed..<end,
                    in: Self.place(of: algorithm, in: .contentDigest))
            ]
        }
        if completes { OfferedDigest.ask(in: &exchange, size: item.size, options.checksumChoice) }
        // Some servers delete an upload once it is complete: the next attempt must know this possible reason.
        if completes { exchange.markBeforeLastBytes = resource.withWholeBodySent(true) }
        return .send(
            exchange, notes: (resource == known ? notes : notes.replacing(resource)) + news(of: resource))
    }

    /// Returns the facts about the server that the upload has revealed, to be stored for other uploads.
    private mutating func news(of resource: UploadResource) -> [Step.Note] {
        var found = capabilities
        ChunkSizePolicy.note(resource, in: &found)
        guard search.isExpected, found != capabilities else { return [] }
        capabilities = found
        return [.capabilities(found)]
    }

    /// Handles a connection that broke after so many bytes of the body were sent.
    func broke(_ failure: UploadFailure, afterSending bytes: ByteCount) -> Step {
        guard case .appending(let resource, _) = phase else { return .failed(failure) }
        var known = resource
        known.appends.didBreak(afterSending: bytes)
        return .failed(failure, notes: known == resource ? [] : [.resource(known)])
    }

    mutating func receiveAppend(_ answer: ExchangeOutcome.Response, resource: UploadResource, end: ByteCount)
        -> Step
    {
        var resource = resource
        if answer.isSuccess {
            resource.appends.didAppend()
        } else {
            resource.appends.wasRefused()
        }
        let told = ResumableResponse(answer, version: resource.resumable.interop ?? .eight)
        let completes = end == item.size
        // A response has arrived, so the mark for a missing response is removed.
        let known: [Step.Note] = [.resource(resource)]
        if told.problem == .completedUpload {
            return askAgain(resource, "the server calls the upload complete and incomplete", .permanent)
        }
        if told.isComplete == true, completes || !answer.isSuccess {
            return verdict(answer, resource)
        }
        if let locked = LockedUpload.failure(answer, to: .patch) { return .failed(locked, notes: known) }
        switch answer.status {
        case 200..<300: return receiveSuccess(told, answer, resource: resource, end: end)
        case 409, 460: return askAgain(resource, "the server refuses every offset it names")
        case 413: return sendLess(answer, told, resource: resource, end: end)
        case 400 where told.problem == .inconsistentLength: return misfit(resource)
        case 400..<500 where told.problem == .mismatchingDigest:
            return askAgain(
                resource, ResumableProblem.mismatchingDigest.failure(status: 400).summary, .permanent)
        case 404, 410: return gone(resource)
        default:
            let failure = ResponseClassifier.failure(answer)
            // A refusal is definite; any other failure may come after the server stored the last byte.
            guard failure.isTransient, completes else { return .failed(failure, notes: known) }
            return .failed(failure, notes: [.resource(resource.withWholeBodySent(true))])
        }
    }

    private mutating func receiveSuccess(
        _ told: ResumableResponse, _ answer: ExchangeOutcome.Response, resource: UploadResource,
        end: ByteCount
    ) -> Step {
        if told.isComplete == true {
            return .failed(
                .permanent,
                "the server ended the upload at \(ByteFormat.sentence(end)) of \(ByteFormat.sentence(item.size))",
                hint: "what is at the server is not the whole file; retry sends it again",
                notes: [.resource(nil)])
        }
        // A success without a contradicting offset means that the server has stored everything.
        if end == item.size, told.isComplete == nil, told.offset ?? end == end {
            return done(resource, answer)
        }
        if end == item.size, told.offset ?? end == end {
            return askAgain(resource, "the server has the whole file and does not call it complete")
        }
        return advance(resource, told, to: told.offset ?? end, end: end)
    }

    /// Continues from the offset of the server, whatever was known before.
    ///
    /// - Parameter end: The end of the range in the request; nil if the request sent no bytes.
    private mutating func advance(
        _ resource: UploadResource, _ told: ResumableResponse, to offset: ByteCount, end: ByteCount?
    ) -> Step {
        if offset > end ?? item.size { return misfit(resource) }
        var moved = resource.withWholeBodySent(false)
        moved.confirmed = offset
        moved.take(told.limit)
        let notes = resource.notes(of: moved)
        let end = budget.judge(offset, after: resource.confirmed, hasSent: end != nil)
        return end.map { .failed($0, notes: notes) } ?? append(moved, noting: notes)
    }

    private mutating func sendLess(
        _ answer: ExchangeOutcome.Response, _ told: ResumableResponse, resource: UploadResource,
        end: ByteCount
    ) -> Step {
        let sent = end - resource.confirmed
        var smaller = resource
        smaller.take(told.limit)
        let most = smaller.resumable.limit?.maximumAppend ?? .max
        let guess = max(min(sent / 2, Self.largestGuess), min(Self.smallestGuess, most))
        guard guess < sent, RetryAfter.seconds(in: answer.fields, now: Date()) == nil else {
            return .failed(ResponseClassifier.failure(answer), notes: [.resource(resource)])
        }
        smaller.resumable.largestAppend = most < sent ? most : guess
        return query(smaller, noting: [.resource(smaller)])
    }

    /// Requests the offset again, after a response that says that the request's bytes were not stored.
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
            return .done(Receipt(location: place(named: nil, resource), bytes: item.size))
        }
        if resource.wholeBodySent { return .failed(SingleRequestUpload.unknownOutcome(nil)) }
        return restart(after: resource, because: "the server no longer knows the upload")
    }
}

extension ResumableUpload {
    /// Handles the response to the whole upload. Afterwards the server has no upload resource that could be resumed.
    private func verdict(_ answer: ExchangeOutcome.Response, _ resource: UploadResource) -> Step {
        if answer.isSuccess { return done(resource, answer) }
        if let problem = ResumableResponse(answer, version: .eight).problem {
            return .failed(problem.failure(status: answer.status), notes: [.resource(nil)])
        }
        var failure = ResponseClassifier.failure(answer)
        failure.summary = "the file arrived and was turned down: \(failure.summary)"
        return .failed(failure, notes: [.resource(nil)])
    }

    private func done(_ resource: UploadResource, _ answer: ExchangeOutcome.Response) -> Step {
        var receipt = Receipt(
            location: place(named: answer, resource), entityTag: answer.fields[.eTag], bytes: item.size)
        if let own = resource.resumable.ownDigest, let algorithm = options.checksum,
            let told = ServerDigest.in(answer.fields).first(where: { $0.algorithm == algorithm })
        {
            guard told.bytes == own else {
                return .failed(
                    .permanent,
                    "the server's \(algorithm.shown) is not the file's: what it holds is something else",
                    hint: "retry sends it again", notes: [.resource(nil)])
            }
            receipt.verified = algorithm
        } else if options.checksumChoice == .offered {
            do throws(UploadFailure) { receipt.verified = try OfferedDigest.verified(by: answer) } catch {
                return .failed(error, notes: [.resource(nil)])
            }
        }
        return .done(receipt)
    }

    /// Checks a file of several appends at the location that the server named, unless its digest proves enough: a
    /// server may truncate its file for each append.
    mutating func located(_ step: Step, _ appended: UploadResource) -> Step {
        guard case .done(let receipt, let notes) = step, appended.confirmed > 0, receipt.verified == nil,
            let location = receipt.location, ![appended.url, target].contains(location)
        else { return step }
        let resource = appended.acknowledged
        phase = .locating(receipt)
        return .send(LocationCheck.question(location), notes: notes + [.resource(resource)])
    }

    /// Returns the location of the finished file. The upload's own URL is used only if the server names no other.
    private func place(named answer: ExchangeOutcome.Response?, _ resource: UploadResource) -> String? {
        for field in [answer?.fields[.contentLocation], answer?.fields[.location]] {
            if let field, let url = try? UploadAddress.resolve(field, against: resource.url) { return url }
        }
        return options.requestMethod(or: .post) == .put ? target : resource.url
    }
}

extension [Step.Note] {
    /// Returns the notes with this resource in place of any other. Each new resource is recorded durably.
    fileprivate func replacing(_ resource: UploadResource) -> [Step.Note] {
        filter { if case .resource = $0 { false } else { true } } + [.resource(resource)]
    }
}
