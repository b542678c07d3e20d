import HTTPTypes

/// Into place, and a last look.
extension WebDAVUpload {
    /// Moves the whole file into place, and tries the server out first where the place itself could not show whether
    /// the file arrived.
    mutating func moveIntoPlace() -> Step { movesBlindly ? tryMove() : move() }

    private mutating func move() -> Step {
        var exchange = Exchange(.move, temporary.url, isIdempotent: false, mayComplete: true)
        exchange.fields[.destination] = address(of: name).destination
        exchange.fields[.overwrite] = replaces ? "T" : "F"
        // If the answer is lost, the file may be at its place, and nothing under the temporary name.
        exchange.markBeforeLastBytes = resource?.moving(to: name, old: oldVersion, new: newVersion)
        phase = .moving
        return .send(exchange)
    }

    /// True if the place could not show afterwards whether the file arrived there: it holds another one of the same size
    /// that looks the same, and this server was never seen to move a file to where it was told.
    private var movesBlindly: Bool {
        guard let oldVersion, !server.movesArrive else { return false }
        return newVersion?.isSame(as: oldVersion) != false
    }

    /// Moves the file from one temporary name to the next, where nothing can be mistaken for it.
    private mutating func tryMove() -> Step {
        let next = temporary.nextTemporary
        var exchange = Exchange(.move, temporary.url, isIdempotent: false)
        exchange.fields[.destination] = next.destination
        exchange.fields[.overwrite] = "T"
        resource?.nextURL = next.url
        noteResource(confirmed: held)
        phase = .trying
        return .send(exchange)
    }

    mutating func receiveTrial(_ answer: Reply.Answer) -> Step {
        guard (200..<300).contains(answer.status), answer.status != 207 else { return receiveMove(answer) }
        return look(at: temporary.nextTemporary, for: .trial)
    }

    mutating func foundTrial(_ place: FoundPlace) -> Step {
        guard case .file(let file) = place, file.size == nil || file.size == item.size,
            let next = resource?.nextURL
        else { return clear(.failed(WebDAVFailure.astray(nil))) }
        server.movesArrive = true
        noteServer()
        resource?.url = next
        resource?.nextURL = nil
        noteResource(confirmed: held)
        return move()
    }

    mutating func receiveMove(_ answer: Reply.Answer) -> Step {
        switch answer.status {
        // Some of it failed (RFC 4918 §9.9.4): for a single file that is all of it.
        case 207: return .failed(WebDAVFailure.failure(answer))
        case 200..<300: return look(at: address(of: name), for: .result(isOurs: true))
        // The file is missing, or what `Destination` names is not where the server thinks that files can go.
        case 400, 404, 409, 410, 502: return look(at: temporary, for: .unmoved(answer))
        case 412:
            surprises += 1
            // Nothing was found at the place each time.
            guard surprises < Self.patience else { return clear(.failed(WebDAVFailure.astray(answer))) }
            return choose()
        case 405, 501:
            server.moves = false
            noteServer()
            return clear(.failed(WebDAVFailure.noMove(answer.status)))
        // May be a rule for this folder alone.
        case 403: return clear(.failed(WebDAVFailure.noMove(answer.status)))
        default: return .failed(WebDAVFailure.failure(answer))
        }
    }

    /// The file's folder is there, as the file is in it: what the server did not find is where it was to go.
    mutating func foundUnmoved(_ place: FoundPlace, after refusal: Reply.Answer) -> Step {
        guard case .file(let file) = place, file.size == nil || file.size == item.size else {
            return look(at: address(of: name), for: .result(isOurs: false))
        }
        surprises += 1
        // A gateway may have answered for a server that was away for a moment.
        guard surprises < Self.patience else { return clear(.failed(WebDAVFailure.astray(refusal))) }
        return moveIntoPlace()
    }

    mutating func foundResult(_ place: FoundPlace, isOurs: Bool, computed: [ComputedDigest]) -> Step {
        guard case .file(let file) = place, file.size == nil || file.size == item.size else {
            return isOurs ? lost(place) : startAgain()
        }
        // Without an answer to a MOVE, a file of this size is ours only if one was under way.
        guard isOurs || mayBeMoved else { return startAgain() }
        // Nothing was told to the server, so what it tells it has computed.
        switch file.agrees(with: computed) {
        case .different(let algorithm):
            return .failed(DigestComparison.mismatch(algorithm), notes: [.resource(nil)])
        case .same(let algorithm): return done(receipt(file, verified: algorithm))
        case nil: break
        }
        switch WebDAVArrival(old: oldVersion, new: newVersion, found: WebDAVVersion(file)) {
        case .astray: return isOurs ? clear(.failed(WebDAVFailure.astray(nil))) : startAgain()
        case .arrived where isOurs && !server.movesArrive:
            server.movesArrive = true
            noteServer()
        case .arrived, .unknown: break
        }
        guard let algorithm = options.checksum, computed.isEmpty,
            file.told.contains(where: { $0.algorithm == algorithm })
        else { return done(receipt(file)) }
        return look(
            at: address(of: name), for: .result(isOurs: isOurs),
            orders: [DigestOrder(algorithm, of: 0..<item.size)])
    }

    func receipt(_ file: FoundFile?, verified: DigestAlgorithm? = nil) -> Receipt {
        Receipt(
            location: address(of: name).url, entityTag: file?.entityTag, bytes: item.size,
            verified: verified)
    }

    /// The server said that it moved the file, and something else is there.
    private mutating func lost(_ place: FoundPlace) -> Step {
        guard case .file(let file) = place, let size = file.size,
            oldVersion.map({ WebDAVVersion(file).isSame(as: $0) ?? (size == $0.size) }) != true
        else { return clear(.failed(WebDAVFailure.astray(nil))) }
        return .failed(WholeUpload.wrongSize(size, of: item.size, .server), notes: [.resource(nil)])
    }

    /// Nothing of it is at the server.
    private mutating func startAgain() -> Step {
        restarts += 1
        guard restarts < Self.patience else {
            return .failed(UploadFailure(.server, "the server loses what it was sent"))
        }
        mayBeMoved = false
        hasTemporary = false
        newVersion = nil
        held = 0
        if let resource {
            self.resource = Resource(url: resource.url, confirmed: resource.confirmed)
            self.resource?.abandonedURL = resource.abandonedURL
        }
        noteResource(confirmed: 0)
        return choose()
    }
}

extension FoundPlace {
    /// Nil for what is no file.
    var version: WebDAVVersion? {
        if case .file(let file) = self { WebDAVVersion(file) } else { nil }
    }
}
