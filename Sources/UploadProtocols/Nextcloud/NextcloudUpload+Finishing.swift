import HTTPTypes

/// The whole file at its place.
extension NextcloudUpload {
    mutating func sendWhole() -> Step {
        let address = address(of: name)
        var exchange = Exchange(
            .put, address.url, fields: [.contentType: item.contentType],
            body: item.size > 0 ? .file(range: 0..<item.size) : .none, traits: [.idempotent, .completes])
        // Nobody's file may come in between (RFC 9110 §13.1.2).
        if !replaces { exchange.fields[.ifNoneMatch] = "*" }
        addKept(to: &exchange)
        var begun = UploadResource(url: address.url)
        begun.nextcloud.name = name
        // Where nothing was, a file of the size is this one; where one was, it may be the old one.
        if !replaces { exchange.markBeforeLastBytes = begun.withWholeBodySent(true) }
        noteResource(begun)
        phase = .sendingWhole
        return .send(exchange)
    }

    mutating func receiveWhole(_ answer: ExchangeOutcome.Response, _ exchange: Exchange) -> Step {
        switch answer.status {
        case 200..<300:
            return look(at: address(of: name), for: .result(ours: answer.digests))
        case 404,
            409 where !knowsFolder:
            return makeFolders()
        case 412: return takenMeanwhile()
        default:
            let failure = WebDAVFailure.failure(answer)
            // What a proxy says tells nothing about the server behind it.
            return .failed(failure, notes: [502, 504].contains(answer.status) ? [] : [.resource(nil)])
        }
    }

    mutating func move() -> Step {
        guard let resource else { return startAgain() }
        var mark = resource
        mark.nextcloud.name = name
        var exchange = Exchange(.move, resource.url + ".file", traits: .completes)
        exchange.fields[.destination] = address(of: name).destination
        exchange.fields[.overwrite] = replaces ? "T" : "F"
        exchange.fields[.ocTotalLength] = "\(item.size)"
        addKept(to: &exchange)
        // The answer may take minutes and get lost: then the file is looked for before anything is repeated.
        exchange.markBeforeLastBytes = mark.withWholeBodySent(true)
        phase = .moving
        return .send(exchange)
    }

    mutating func receiveMove(_ answer: ExchangeOutcome.Response) -> Step {
        switch answer.status {
        case 207: return .failed(WebDAVFailure.move(answer))
        case 200..<300:
            return look(at: address(of: name), for: .result(ours: answer.digests))
        // The folder is gone: an earlier MOVE made the file of it, or it was dropped.
        case 404, 410: return mayBeMoved ? look(at: address(of: name), for: .settled) : startAgain()
        case 412: return takenMeanwhile()
        // A proxy lost its timeout, or the file is locked because it is being put together.
        case 423, 502, 504: return stillAssembling(WebDAVFailure.failure(answer))
        default: return .failed(WebDAVFailure.move(answer), notes: [.resource(resource)])
        }
    }

    private mutating func takenMeanwhile() -> Step {
        guard budget.allows(.surprise) else { return .failed(.nameTaken(name)) }
        if var noted = resource {
            noted = noted.withWholeBodySent(false)
            noteResource(noted.isChunked ? noted : nil)
        }
        return choose()
    }

    /// The next attempt looks for the file first, some times, before it repeats the `MOVE`.
    private mutating func stillAssembling(_ reason: UploadFailure?) -> Step {
        noteAssembling()
        return .failed(
            UploadFailure(
                .server,
                "the server is still putting the chunks together"
                    + (reason.map { " (\($0.summary))" } ?? ""),
                status: reason?.status, retryAfter: reason?.retryAfter ?? Self.pollPause))
    }

    /// The `MOVE` may be carried out for minutes without anybody to answer to.
    mutating func lostAnswer(_ failure: UploadFailure) -> Step {
        noteAssembling()
        return .failed(failure)
    }

    private mutating func noteAssembling() {
        guard var noted = resource?.withWholeBodySent(true) else { return }
        noted.nextcloud.name = name
        noted.nextcloud.polls += 1
        noteResource(noted)
    }

    /// Takes whether the upload's folder is there: it goes when the file is whole. The file alone tells nothing, as an
    /// older one of the same size may be there.
    mutating func foundAssembling(_ place: FoundEntry) -> Step {
        guard place != .nothing, var noted = resource else {
            return look(at: address(of: name), for: .settled)
        }
        guard noted.nextcloud.polls >= Self.pollLimit || noted.nextcloud.polls == 0 else {
            return stillAssembling(nil)
        }
        // The MOVE never arrived, or the server gave it up: what of the chunks is there tells.
        noted = noted.withWholeBodySent(false)
        noted.nextcloud.polls = 0
        noteResource(noted)
        return choose()
    }

    mutating func foundSettled(_ place: FoundEntry) -> Step {
        if case .file(let file) = place, file.size == item.size { return finish(file, []) }
        return startAgain()
    }

    mutating func foundResult(_ place: FoundEntry, _ ours: [ComputedDigest]) -> Step {
        guard case .file(let file) = place else {
            return .failed(
                UploadFailure(.server, "the server took the file, and it is not there"),
                notes: [.resource(nil)])
        }
        guard file.size == nil || file.size == item.size else {
            return .failed(
                SingleRequestUpload.wrongSize(file.size ?? 0, of: item.size, .server), notes: [.resource(nil)]
            )
        }
        return finish(file, ours)
    }

    /// Nextcloud keeps the digest it was told, and tells it again: only one that it computes itself proves anything.
    private mutating func finish(_ file: FoundFile, _ ours: [ComputedDigest]) -> Step {
        let receipt = Receipt(
            location: address(of: name).url, entityTag: file.entityTag, bytes: item.size)
        guard let algorithm = options.checksum, let told = ServerDigest.ownCloudName(of: algorithm) else {
            return .done(receipt)
        }
        phase = .hashing(receipt, ours: ours)
        var exchange = Exchange(.patch, address(of: name).url, traits: .idempotent)
        exchange.fields[.recalculateHash] = told.lowercased()
        if ours.isEmpty { exchange.digests = [DigestRequest(algorithm, of: 0..<item.size)] }
        return .send(exchange)
    }

    func receiveHash(_ answer: ExchangeOutcome.Response, _ receipt: Receipt, _ ours: [ComputedDigest]) -> Step
    {
        let failure = ResponseClassifier.failure(answer)
        guard answer.isSuccess else {
            // Since Nextcloud 23; before, nothing is compared.
            return failure.isTransient ? .failed(failure) : .done(receipt)
        }
        var receipt = receipt
        switch FoundFile(headed: answer.fields).agrees(with: ours + answer.digests) {
        case .same(let algorithm): receipt.verified = algorithm
        case .different(let algorithm):
            return .failed(DigestComparison.mismatch(algorithm), notes: [.resource(nil)])
        case nil: break
        }
        return .done(receipt)
    }
}

extension HTTPField.Name {
    /// Has Nextcloud compute a file's digest and answer with `OC-Checksum` (its feature `nextcloud-checksum-update`).
    static let recalculateHash = named("X-Recalculate-Hash")
}
