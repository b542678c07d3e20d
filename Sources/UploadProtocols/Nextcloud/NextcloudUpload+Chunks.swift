import HTTPTypes

/// The steps for a large file: create the upload's folder, list the stored chunks, send the missing chunks.
extension NextcloudUpload {
    mutating func makeUpload() -> Step {
        knowsFolder = true
        guard let target = NextcloudAddress(item.url) else { return .failed(Self.lost) }
        var made = UploadResource(
            url: target.folder(key: item.key), parts: .init(stored: 0, planned: plan.count))
        made.nextcloud = NextcloudMemory(name: name, chunkSize: plan.chunkSize)
        noteResource(made)
        phase = .makingUpload
        var exchange = Exchange(.mkcol, made.url)
        exchange.fields[.destination] = address(of: name).destination
        return .send(exchange)
    }

    mutating func receiveUpload(_ response: ExchangeOutcome.Response) -> Step {
        switch response.status {
        case 200..<300: return send(PartTable(plan, held: []))
        // The folder exists: an earlier attempt created it and did not record it. No other upload has its name.
        case 405: return list()
        case 404, 409:
            var failure = WebDAVFailure.failure(response)
            failure.hint = "check that the user in the destination's url is the one who signs in"
            return .failed(failure, notes: [.resource(nil)])
        default: return .failed(WebDAVFailure.failure(response))
        }
    }

    mutating func list() -> Step {
        guard let resource else { return makeUpload() }
        phase = .listing
        return .send(WebDAVProperties.exchange(resource.url, depth: 1, [.resourcetype, .getcontentlength]))
    }

    mutating func receiveList(_ response: ExchangeOutcome.Response) -> Step {
        // The server deletes a folder to which no request has written for a day.
        if [404, 410].contains(response.status) { return startAgain() }
        guard response.status == 207 else { return .failed(WebDAVFailure.failure(response)) }
        guard let all = WebDAVProperties.list(in: response) else {
            return .failed(.server, "the server's list of chunks cannot be read")
        }
        var held: Set<Int> = []
        for entry in all where !entry.isFolder {
            // The entry `.file` is the assembled file, not a chunk. A stored chunk of the wrong size is sent again.
            guard let number = Int(entry.name), (1...plan.count).contains(number) else { continue }
            if entry.file.size == ByteCount(plan.range(of: number).count) { held.insert(number) }
        }
        return send(PartTable(plan, held: held))
    }

    /// Sends the first missing chunks, as many as `atOnce` allows, or without any the `MOVE` that assembles them.
    private mutating func send(_ chunks: PartTable<NextcloudPlan>) -> Step {
        var chunks = chunks
        noteHeld(chunks)
        let exchanges = chunks.next(atOnce.limit).map(exchange)
        guard !exchanges.isEmpty else { return move() }
        phase = .sendingChunks(chunks)
        return .sendAll(exchanges)
    }

    private mutating func noteHeld(_ chunks: PartTable<NextcloudPlan>) {
        guard var noted = resource else { return }
        noted.confirmed = chunks.confirmed
        noted.parts = chunks.progress
        noteResource(noted)
    }

    private func exchange(_ number: Int) -> Exchange {
        var exchange = Exchange(
            .put, (resource?.url ?? "") + NextcloudPlan.name(number),
            fields: [.ocTotalLength: "\(item.size)", .destination: address(of: name).destination],
            body: .file(range: plan.range(of: number)))
        exchange.part = number
        return exchange
    }

    mutating func receiveChunk(
        _ response: ExchangeOutcome.Response, _ number: Int, _ chunks: PartTable<NextcloudPlan>
    ) -> Step {
        var chunks = chunks
        switch response.status {
        case 200..<300:
            chunks.hold(number)
            noteHeld(chunks)
            guard !chunks.isComplete else { return move() }
            let following = chunks.next(atOnce.arrived()).map(exchange)
            phase = .sendingChunks(chunks)
            return following.isEmpty ? .wait() : .sendAll(following)
        case 404, 409:
            // Other chunks may be in flight. So this attempt fails, and the next attempt starts again.
            let lost: [Step.Note] = resource.map { [.serverLost($0.confirmed)] } ?? []
            return .failed(Self.lost, notes: lost + [.resource(nil)])
        default: return .failed(WebDAVFailure.failure(response))
        }
    }

    static let lost = UploadFailure(
        .server, "the server no longer has the folder of this upload; it begins again", retryAfter: 1)

    mutating func startAgain() -> Step {
        guard budget.allows(.restart) else { return .failed(Self.lost, notes: [.resource(nil)]) }
        noteResource(nil)
        mayBeMoved = false
        return choose()
    }
}
