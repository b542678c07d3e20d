import HTTPTypes

/// The last steps of an upload: a small file in one `PUT`, or the `MOVE` that assembles the chunks.
extension NextcloudUpload {
    mutating func sendWhole() -> Step {
        let address = address(of: name)
        var exchange = Exchange(
            .put, address.url, fields: [.contentType: item.contentType],
            body: item.wholeBody, traits: [.idempotent, .completes])
        // The condition protects a file that another client creates after the lookup (RFC 9110 §13.1.2).
        if !replaces { exchange.fields[.ifNoneMatch] = "*" }
        addKept(to: &exchange)
        var begun = UploadResource(url: address.url)
        begun.nextcloud.name = name
        // The next attempt looks for the file. If none existed before, one of this size must be this upload's.
        if !replaces { exchange.markBeforeLastBytes = begun.withWholeBodySent(true) }
        noteResource(begun)
        phase = .sendingWhole
        return .send(exchange)
    }

    mutating func receiveWhole(_ response: ExchangeOutcome.Response, _ exchange: Exchange) -> Step {
        switch response.status {
        case 200..<300: return look(at: address(of: name), for: .result(ours: response.digests))
        case 404 where !knowsFolder, 409 where !knowsFolder: return makeFolders()
        case 412: return takenMeanwhile()
        default:
            let failure = WebDAVFailure.failure(response)
            // 502 and 504 come from a proxy. They do not show what the server behind it did.
            return .failed(failure, notes: [502, 504].contains(response.status) ? [] : [.resource(nil)])
        }
    }

    mutating func move() -> Step {
        guard let resource else { return startAgain() }
        var mark = resource
        mark.nextcloud.name = name
        mark.nextcloud.old = old
        var exchange = Exchange(.move, resource.url + ".file", traits: .completes)
        exchange.fields[.destination] = address(of: name).destination
        exchange.fields[.overwrite] = replaces ? "T" : "F"
        exchange.fields[.ocTotalLength] = "\(item.size)"
        addKept(to: &exchange)
        // The response may take minutes and get lost. The next attempt then looks for the assembled file.
        exchange.markBeforeLastBytes = mark.withWholeBodySent(true)
        phase = .moving
        return .send(exchange)
    }

    mutating func receiveMove(_ response: ExchangeOutcome.Response) -> Step {
        switch response.status {
        case 207: return .failed(WebDAVFailure.move(response))
        case 200..<300: return look(at: address(of: name), for: .result(ours: response.digests))
        // The folder is gone: an earlier MOVE assembled the file, or the server deleted the folder.
        case 404, 410: return mayBeMoved ? look(at: address(of: name), for: .settled) : startAgain()
        case 412: return takenMeanwhile()
        // A proxy timed out, or the file is locked while the server assembles it.
        case 423, 502, 504: return stillAssembling(WebDAVFailure.failure(response))
        default: return .failed(WebDAVFailure.move(response), notes: [.resource(resource)])
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

    /// Fails this attempt and up to `pollLimit` more, because the server may still be assembling the file.
    private mutating func stillAssembling(_ reason: UploadFailure?) -> Step {
        noteAssembling()
        return .failed(
            UploadFailure(
                .server,
                "the server is still putting the chunks together" + (reason.map { " (\($0.summary))" } ?? ""),
                status: reason?.status, retryAfter: reason?.retryAfter ?? Self.pollPause))
    }

    /// Records that the server may be assembling the file, for minutes after a `MOVE` without a response.
    mutating func noteAssembling() {
        guard var noted = resource?.withWholeBodySent(true) else { return }
        noted.nextcloud.name = name
        noted.nextcloud.old = noted.nextcloud.old ?? old
        noted.nextcloud.polls += 1
        noteResource(noted)
    }

    /// Handles the lookup of the upload's folder after a `MOVE` without a response. The server deletes the folder when
    /// it has assembled the file, which is then looked up. If the folder is still there, the attempt fails, for
    /// `pollLimit` attempts. Then, or if none is recorded, the upload continues with the list of stored chunks.
    mutating func foundAssembling(_ place: FoundEntry) -> Step {
        guard place != .nothing, var noted = resource else {
            return look(at: address(of: name), for: .settled)
        }
        guard noted.nextcloud.polls >= Self.pollLimit || noted.nextcloud.polls == 0 else {
            return stillAssembling(nil)
        }
        // The MOVE never arrived, or the server aborted it. The list of stored chunks shows what is missing.
        noted = noted.withWholeBodySent(false)
        noted.nextcloud.polls = 0
        noteResource(noted)
        return choose()
    }

    mutating func foundSettled(_ place: FoundEntry) -> Step {
        guard case .file(let file) = place, file.size == item.size else { return startAgain() }
        // The server also deletes the folder after a day without a `MOVE`. The old file is then still there.
        if let old = resource?.nextcloud.old, WebDAVVersion(file).isSame(as: old) == true {
            return startAgain()
        }
        return finish(file, [])
    }

    mutating func foundResult(_ place: FoundEntry, _ ours: [ComputedDigest]) -> Step {
        guard case .file(let file) = place else {
            return .failed(.server, "the server took the file, and it is not there", notes: [.resource(nil)])
        }
        guard file.size == nil || file.size == item.size else {
            return .failed(
                SingleRequestUpload.wrongSize(file.size ?? 0, of: item.size, .server), notes: [.resource(nil)]
            )
        }
        if let old, WebDAVVersion(file).isSame(as: old) == true {
            return .failed(
                .server, "the server took the file, and the earlier one is still there",
                notes: [.resource(nil)])
        }
        return finish(file, ours)
    }

    /// Finishes the upload. If the stored file is to be verified, first makes Nextcloud compute its digest. Otherwise
    /// Nextcloud returns a digest that the client sent, and has not compared it with the file.
    ///
    /// The file is verified by a required digest that Nextcloud supports. Without a required digest,
    /// `OfferedDigest.take` decides about a file that was sent in chunks.
    private mutating func finish(_ file: FoundFile, _ ours: [ComputedDigest]) -> Step {
        let receipt = Receipt(location: address(of: name).url, entityTag: file.entityTag, bytes: item.size)
        var exchange = Exchange(.patch, address(of: name).url, traits: .idempotent)
        if let algorithm = options.checksum {
            if ours.isEmpty { exchange.digests = [item.digest(algorithm)] }
        } else if !isSmall {
            OfferedDigest.take(
                [OfferedDigest.algorithm], in: .fields, of: &exchange, size: item.size, options.checksumChoice
            )
        }
        guard let algorithm = options.checksum ?? exchange.digestsIfReported.first?.algorithm,
            let reported = ServerDigest.ownCloudName(of: algorithm)
        else { return .done(receipt) }
        phase = .hashing(receipt, ours: ours)
        exchange.fields[.recalculateHash] = reported.lowercased()
        return .send(exchange)
    }

    func receiveHash(_ response: ExchangeOutcome.Response, _ receipt: Receipt, _ ours: [ComputedDigest])
        -> Step
    {
        let failure = ResponseClassifier.failure(response)
        guard response.isSuccess else {
            // The server computes digests since Nextcloud 23. With an older version, the digest is not compared.
            return failure.isTransient && options.checksum != nil ? .failed(failure) : .done(receipt)
        }
        var receipt = receipt
        switch FoundFile(headed: response.fields).agrees(with: ours + response.digests) {
        case .same(let algorithm): receipt.verified = algorithm
        case .different(let algorithm):
            return .failed(DigestComparison.mismatch(algorithm), notes: [.resource(nil)])
        case nil: break
        }
        return .done(receipt)
    }
}

extension HTTPField.Name {
    /// The field that makes Nextcloud compute a digest for `OC-Checksum` (its feature `nextcloud-checksum-update`).
    static let recalculateHash = named("X-Recalculate-Hash")
}
