import FerryFiles
import HTTPTypes

// The creation of a multipart upload, the list of its stored parts, and the sending of its parts.
extension S3Upload {
    mutating func create(_ plan: S3PartPlan, noting notes: [Step.Note] = []) -> Step {
        phase = .creating(plan, digest)
        return withRequests { .send($0.create(object, digest: digest), notes: notes) }
    }

    mutating func receiveCreation(
        _ response: ExchangeOutcome.Response, _ plan: S3PartPlan, _ digest: DigestAlgorithm?
    ) -> Step {
        guard response.isSuccess else {
            let error = S3Error(response)
            if digest != nil, digest != .md5, error.refuses(.checksum), budget.allows(.refusal) {
                return create(plan, noting: [remember(without: .checksum)])
            }
            return .failed(error.failure)
        }
        guard let uploadID = S3Creation.uploadID(in: response.body) else {
            return .failed(
                .permanent, "the server began an upload and did not say which",
                hint: "check that the destination's url is an S3 endpoint: its response has no UploadId")
        }
        var session = S3Session(object: object, uploadID: uploadID, plan: plan, checksum: digest)
        session.created = response.date(in: .date).map { Int($0.timeIntervalSince1970) }
        var ledger = S3PartLedger(plan)
        ledger.plan(asksWithLast: plan.count > 1000 && mostParts == nil)
        return send(session, ledger, noting: [.resource(session.resource())])
    }

    mutating func list(_ session: S3Session, noting notes: [Step.Note] = []) -> Step {
        list(session, S3PartLedger(session.plan), marker: nil, noting: notes)
    }

    private mutating func list(
        _ session: S3Session, _ ledger: S3PartLedger, marker: Int?, noting notes: [Step.Note] = []
    ) -> Step {
        phase = .listing(session, ledger, marker: marker)
        return withRequests { .send($0.list(session, after: marker), notes: notes) }
    }

    mutating func receiveList(
        _ response: ExchangeOutcome.Response, _ session: S3Session, _ ledger: S3PartLedger, _ marker: Int?
    ) -> Step {
        guard response.isSuccess else {
            let error = S3Error(response)
            guard error.deniesUpload || error.code.isEmpty && response.status == 404 else {
                return .failed(error.failure)
            }
            return gone(session)
        }
        guard let page = S3PartPage(response.body, digest: session.checksum),
            page.next.map({ $0 > marker ?? 0 && $0 < Int32.max }) ?? true
        else { return .failed(.server, "the server's list of parts cannot be read") }
        var ledger = ledger
        for (number, size, part) in page.parts { ledger.list(part, number: number, size: size) }
        // If `next` is not below the number of the last part, no later page can have a part of this plan.
        if let next = page.next, next < session.plan.count { return list(session, ledger, marker: next) }
        ledger.plan(asksWithLast: false)
        var session = session
        // The upload still exists, so a completion that may have been sent did not happen.
        session.completion = nil
        let lost = max(0, claimed - ledger.heldBytes)
        claimed = ledger.heldBytes
        return send(
            session, ledger,
            noting: (lost > 0 ? [.serverLost(lost)] : []) + [.resource(resource(session, ledger))])
    }

    /// Sends the next parts or waits for those in flight. If all parts are stored, completes the upload.
    mutating func send(_ session: S3Session, _ ledger: S3PartLedger, noting notes: [Step.Note] = []) -> Step {
        if ledger.isComplete { return complete(session, ledger, noting: notes) }
        var ledger = ledger
        let numbers = ledger.take(upTo: max(1, min(atOnce.limit, session.parallelLimit ?? .max)))
        phase = .sending(session, ledger)
        return withRequests { requests in
            let exchanges = numbers.compactMap { requests.part($0, of: session) }
            return exchanges.isEmpty ? .wait(notes: notes) : .sendAll(exchanges, notes: notes)
        }
    }

    /// Handles the outcome of a part. `ending` follows when no part is in flight; nil if the upload sends more parts.
    mutating func receivePart(
        _ reply: ExchangeOutcome, to exchange: Exchange, _ session: S3Session, _ ledger: S3PartLedger,
        ending: Ending?
    ) -> Step {
        var (session, ledger) = (session, ledger)
        switch reply {
        case .broken(let failure, let sent):
            shrinking.broke(afterSending: exchange.fileBytes(afterSending: sent ?? 0))
            ledger.lose(exchange.part)
            return drain(session, ledger, then: ending ?? .failed(failure))
        case .responded(let response) where response.isSuccess:
            return receiveHeld(response, exchange, session, ledger, ending)
        case .responded(let response):
            let error = S3Error(response)
            if error.isDamage, ending == nil, ledger.sendAgain(exchange.part) {
                phase = .sending(session, ledger)
                return .send(exchange)
            }
            ledger.lose(exchange.part)
            if error.asksForLess, ending == nil {
                session.parallelLimit = max(1, (session.parallelLimit ?? atOnce.most) / 2)
                return drain(
                    session, ledger, then: .failed(error.failure),
                    noting: [.resource(resource(session, ledger))])
            }
            return refuse(error, exchange.part, session, ledger, ending)
        }
    }

    private mutating func refuse(
        _ error: S3Error, _ number: Int, _ session: S3Session, _ ledger: S3PartLedger, _ ending: Ending?
    ) -> Step {
        if let ending { return drain(session, ledger, then: ending.joined(with: error.failure)) }
        if error.deniesUpload {
            return drain(session, ledger, then: .restart(because: "the server no longer knows the upload"))
        }
        if let limit = error.partLimit(refusing: number) {
            facts.facts["s3.parts"] = "\(limit)"
            return drain(
                session, ledger, then: .restart(because: "the server takes \(limit) parts at most"),
                noting: [.capabilities(facts)])
        }
        if session.checksum != nil, session.checksum != .md5, error.refuses(.checksum) {
            return drain(
                session, ledger, then: .restart(because: "the server does not know the checksum"),
                noting: [remember(without: .checksum)])
        }
        if error.isTransient { return drain(session, ledger, then: .failed(error.failure)) }
        var failure = error.failure
        failure.summary = "part \(number) was refused: \(failure.summary)"
        return .failed(failure)
    }

    /// Handles the successful response to a part, which is sent once more if its digest or its entity tag is wrong.
    private mutating func receiveHeld(
        _ response: ExchangeOutcome.Response, _ exchange: Exchange, _ session: S3Session,
        _ ledger: S3PartLedger, _ ending: Ending?
    ) -> Step {
        var ledger = ledger
        let number = exchange.part
        let ours = session.checksum.flatMap(response.digest)
        var fault: UploadFailure?
        if let algorithm = session.checksum, let ours,
            case .other(let reported) = S3DigestMatch(
                response.fields, algorithm, ours: S3Checksum.base64(ours), tag: .whole(ours))
        {
            fault = Self.mismatch(algorithm, S3Checksum.base64(ours), reported, of: "part \(number)")
        }
        let tag = response.fields[.eTag] ?? ""
        if !(1...S3Part.longestTag).contains(tag.utf8.count) {
            fault = UploadFailure(
                .permanent, "the server took part \(number) and gave it no usable tag",
                hint: "check that the destination's url is an S3 endpoint: its response has no usable ETag")
        }
        if let fault {
            if ending == nil, ledger.sendAgain(number) {
                phase = .sending(session, ledger)
                return .send(exchange)
            }
            ledger.lose(number)
            return ending.map { drain(session, ledger, then: $0) } ?? .failed(fault)
        }
        ledger.hold(S3Part(entityTag: tag, digest: ours), number: number)
        shrinking.arrived(exchange.contentLength)
        _ = atOnce.arrived()
        var notes: [Step.Note] = [.resource(resource(session, ledger))]
        if number > 1000, mostParts == nil {
            facts.facts["s3.parts"] = "\(S3PartPlan.mostParts)"
            notes.append(.capabilities(facts))
        }
        guard let ending else { return send(session, ledger, noting: notes) }
        return drain(session, ledger, then: ending, noting: notes)
    }

    /// Waits for the parts in flight, which then need not be sent again. Then `ending` follows.
    mutating func drain(
        _ session: S3Session, _ ledger: S3PartLedger, then ending: Ending, noting notes: [Step.Note] = []
    ) -> Step {
        guard ledger.underWay.isEmpty else {
            phase = .draining(session, ledger, then: ending)
            return .wait(notes: notes)
        }
        switch ending {
        case .failed(let failure):
            var (session, ledger) = (session, ledger)
            return .failed(failure, notes: notes + shrink(&session, &ledger))
        case .resume: return list(session, noting: notes)
        case .restart: return remove(session, then: ending, noting: notes)
        }
    }

    func resource(_ session: S3Session, _ ledger: S3PartLedger) -> UploadResource {
        session.resource(heldBytes: ledger.heldBytes, heldParts: ledger.held.count)
    }
}
