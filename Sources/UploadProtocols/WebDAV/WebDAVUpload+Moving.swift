import HTTPTypes

/// Into place, and a last look.
extension WebDAVUpload {
    mutating func move() -> Step {
        var exchange = Exchange(.move, temporary.url, isIdempotent: false, mayComplete: true)
        exchange.fields[.destination] = address(of: name).destination
        exchange.fields[.overwrite] = replaces ? "T" : "F"
        // If the answer is lost, the file may be at its place, and nothing under the temporary name.
        exchange.markBeforeLastBytes = resource?.moving(to: name)
        phase = .moving
        return .send(exchange)
    }

    mutating func receiveMove(_ answer: Reply.Answer) -> Step {
        switch answer.status {
        // Some of it failed (RFC 4918 §9.9.4): for a single file that is all of it.
        case 207: return .failed(WebDAVFailure.move(answer))
        case 200..<300: return look(at: address(of: name), for: .result(isOurs: true))
        case 404, 410: return look(at: address(of: name), for: .result(isOurs: false))
        case 412:
            surprises += 1
            guard surprises < Self.patience else { return .failed(ExistingChoice.isThere(name)) }
            return choose()
        case 405, 501:
            server.moves = false
            noteServer()
            return clear(.failed(WebDAVFailure.noMove(answer.status)))
        // May be a rule for this folder alone.
        case 403: return clear(.failed(WebDAVFailure.noMove(answer.status)))
        default: return .failed(WebDAVFailure.move(answer))
        }
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
        case .same(let algorithm): return .done(receipt(file, verified: algorithm))
        case nil: break
        }
        guard let algorithm = options.checksum, computed.isEmpty,
            file.told.contains(where: { $0.algorithm == algorithm })
        else { return .done(receipt(file)) }
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
    private func lost(_ place: FoundPlace) -> Step {
        guard case .file(let file) = place else {
            return .failed(
                UploadFailure(.server, "the server moved the file into place, and it is not there"),
                notes: [.resource(nil)])
        }
        return .failed(
            WholeUpload.wrongSize(file.size ?? 0, of: item.size, .server), notes: [.resource(nil)])
    }

    /// Nothing of it is at the server.
    private mutating func startAgain() -> Step {
        restarts += 1
        guard restarts < Self.patience else {
            return .failed(UploadFailure(.server, "the server loses what it was sent"))
        }
        mayBeMoved = false
        hasTemporary = false
        held = 0
        if let resource { self.resource = Resource(url: resource.url, confirmed: resource.confirmed) }
        noteResource(confirmed: 0)
        return choose()
    }
}
