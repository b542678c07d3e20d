import HTTPTypes

/// The steps that move the complete file to its final name and check the result.
extension WebDAVUpload {
    /// Moves the complete file to its final name. If a file has this name and no `MOVE` here has worked before, a trial
    /// comes first: behind a proxy that changes paths but not `Destination`, it could replace a wrong file.
    mutating func moveToFinalName() -> Step {
        goal.version != nil && !server.movesArrive ? tryMove() : move()
    }

    private mutating func move() -> Step {
        var exchange = Exchange(.move, temporary.url, traits: .completes)
        exchange.fields[.destination] = finalAddress.destination
        exchange.fields[.overwrite] = goal.replaces && goal.version != nil ? "T" : "F"
        // If the response is lost, the file may be under its final name, and no longer under the temporary one.
        var mark = resource
        mark?.webDAV.movedName = goal.name
        mark?.webDAV.old = goal.version
        mark?.webDAV.new = newVersion
        exchange.markBeforeLastBytes = mark
        phase = .moving
        return .send(exchange)
    }

    /// Sends a trial `MOVE` of the temporary file to a second temporary name, which no other file has.
    private mutating func tryMove() -> Step {
        let next = temporary.nextTemporary
        var exchange = Exchange(.move, temporary.url)
        exchange.fields[.destination] = next.destination
        exchange.fields[.overwrite] = "T"
        resource?.webDAV.nextURL = next.url
        noteResource(confirmed: held ?? 0)
        phase = .trying
        return .send(exchange)
    }

    mutating func foundTrial(_ place: FoundEntry) -> Step {
        guard case .file(let file) = place, file.size == nil || file.size == item.size,
            let next = resource?.webDAV.nextURL
        else { return clear(.failed(WebDAVFailure.astray(nil))) }
        server.movesArrive = true
        noteServer()
        resource?.url = next
        resource?.webDAV.nextURL = nil
        noteResource(confirmed: held ?? 0)
        return move()
    }

    mutating func receiveMove(_ response: ExchangeOutcome.Response) -> Step {
        switch response.status {
        // A part of the MOVE failed (RFC 4918 §9.9.4). For a single file, that is the whole MOVE.
        case 207: return .failed(WebDAVFailure.failure(response))
        case 200..<300: return look(at: finalAddress, for: .result(isOurs: true))
        // The file is missing, or `Destination` names a URL that the server does not accept.
        case 400, 404, 409, 410, 502: return look(at: temporary, for: .unmoved(response))
        case 412:
            // The lookup repeatedly finds no such file, so the server probably reads another URL in `Destination`.
            guard budget.allows(.surprise) else { return clear(.failed(WebDAVFailure.astray(response))) }
            return choose()
        case 405, 501:
            server.moves = false
            noteServer()
            return clear(.failed(WebDAVFailure.noMove(response.status)))
        // The refusal may be a rule for this folder only, so it is not recorded for the server.
        case 403: return clear(.failed(WebDAVFailure.noMove(response.status)))
        default: return .failed(WebDAVFailure.failure(response))
        }
    }

    /// Handles the lookup of the temporary file after the server refused the `MOVE`. If the file still exists, the
    /// `MOVE` is repeated a few times. If it is gone, the `MOVE` has possibly worked, so the final name is looked up.
    mutating func foundUnmoved(_ place: FoundEntry, after refusal: ExchangeOutcome.Response) -> Step {
        guard case .file(let file) = place, file.size == nil || file.size == item.size else {
            return look(at: finalAddress, for: .result(isOurs: false))
        }
        // A proxy may have sent the refusal while the server was unavailable for a moment.
        guard budget.allows(.surprise) else { return clear(.failed(WebDAVFailure.astray(refusal))) }
        return moveToFinalName()
    }

    mutating func foundResult(_ place: FoundEntry, isOurs: Bool, computed: [ComputedDigest]) -> Step {
        guard case .file(let file) = place, file.size == nil || file.size == item.size else {
            return isOurs ? lost(place) : startAgain()
        }
        // Without a successful `MOVE`, a file of this size can be this upload's only if an earlier attempt sent one.
        guard isOurs || mayBeMoved else { return startAgain() }
        // Ferry sent no digest to the server, so the server has computed the digest that it reports.
        switch file.agrees(with: computed) {
        case .different(let algorithm):
            return .failed(DigestComparison.mismatch(algorithm), notes: [.resource(nil)])
        case .same(let algorithm): return done(receipt(file, verified: algorithm))
        case nil: break
        }
        switch WebDAVArrival(old: goal.version, new: newVersion, found: WebDAVVersion(file)) {
        case .astray: return isOurs ? clear(.failed(WebDAVFailure.astray(nil))) : startAgain()
        case .arrived where isOurs && !server.movesArrive:
            server.movesArrive = true
            noteServer()
        case .arrived, .unknown: break
        }
        guard let algorithm = options.checksum, computed.isEmpty,
            file.reported.contains(where: { $0.algorithm == algorithm })
        else { return done(receipt(file)) }
        return look(at: finalAddress, for: .result(isOurs: isOurs), orders: [item.digest(algorithm)])
    }

    func receipt(_ file: FoundFile?, verified: DigestAlgorithm? = nil) -> Receipt {
        Receipt(location: finalAddress.url, entityTag: file?.entityTag, bytes: item.size, verified: verified)
    }

    /// Ends the attempt after a successful `MOVE` without a file of the right size under the final name. The failure
    /// states the size of another file that has appeared there. Without one, the temporary file is deleted.
    private mutating func lost(_ place: FoundEntry) -> Step {
        guard case .file(let file) = place, let size = file.size,
            goal.version.map({ WebDAVVersion(file).isSame(as: $0) ?? (size == $0.size) }) != true
        else { return clear(.failed(WebDAVFailure.astray(nil))) }
        return .failed(SingleRequestUpload.wrongSize(size, of: item.size, .server), notes: [.resource(nil)])
    }

    /// Starts the upload again from the first byte of the file, or fails if it has done so too often.
    private mutating func startAgain() -> Step {
        guard budget.allows(.restart) else { return .failed(.server, "the server loses what it was sent") }
        newVersion = nil
        held = nil
        if let resource {
            self.resource = UploadResource(url: resource.url, confirmed: resource.confirmed)
            self.resource?.webDAV.abandonedURL = resource.webDAV.abandonedURL
        }
        noteResource(confirmed: 0)
        return choose()
    }
}

extension FoundEntry {
    var version: WebDAVVersion? {
        if case .file(let file) = self { WebDAVVersion(file) } else { nil }
    }
}
