import FerryProtocols
import FerryQueueSimulation
import FerryTransfer
import FerryUploads
import HTTPTypes

/// Drives the attempts in the same way as `UploadAttempt`, and reports to the queue as it does.
extension Simulation {
    private static let chunk: ByteCount = 6 << 20

    mutating func begin(_ upload: Upload, run: Int) {
        judge.began(upload, engine: engine, sites: sites, now: now)
        log.add("start", upload.id, run) {
            "\(upload.target.protocolName) \(upload.confirmed) of \(upload.size)"
        }
        guard let site = sites.firstIndex(where: { $0.url == upload.target.url }),
            let entry = ProtocolCatalog.entry(named: upload.target.protocolName)
        else { return }
        let item = UploadItem(
            url: upload.target.url, name: upload.target.name, size: upload.size, key: upload.key
        )
        let options = ProtocolOptions(chunkSize: upload.id.isMultiple(of: 3) ? Self.chunk : nil)
        var resource = upload.resource
        if mutant == .oldResourceIsReused { resource = judge.lastResource(of: upload.id) ?? resource }
        engine?.attempts[upload.id] = Attempt(
            upload, run: run, site: site, resource: resource, entry.make(item, options))
        note(of: upload.id)
        ask(.saved(upload.id, run: run)) { .transaction(.save([upload.id], .process), $0) }
    }

    /// Returns the attempt of an upload; nil if another attempt has replaced it.
    private func attempt(_ id: Upload.ID, _ run: Int) -> Attempt? {
        engine?.attempts[id].flatMap { $0.run == run ? $0 : nil }
    }

    /// Passes the progress of an attempt to the desk.
    private func note(of id: Upload.ID) {
        let progress = engine?.attempts[id].map { attempt in
            RunProgress(
                isReading: false,
                moved: attempt.moved.map { VirtualTime.moment($0, jump: 0).instant },
                carriesAll: attempt.carriesAll)
        }
        engine?.desk.note(progress, of: id)
    }

    mutating func start(_ id: Upload.ID, run: Int) {
        guard let attempt = attempt(id, run), case .saving = attempt.phase else { return }
        guard isUnchanged(attempt) else { return finish(id, .failed(.changed)) }
        let capabilities = engine?.capabilities[sites[attempt.site].url]
        let resource = mutant == .resumeForgets ? nil : attempt.known
        guard
            let step = engine?.attempts[id]?.uploadProtocol.start(
                resource: resource, capabilities: capabilities)
        else { return }
        take(step, id)
    }

    func isUnchanged(_ attempt: Attempt) -> Bool {
        mutant == .changesAreOverlooked
            || files[attempt.file]?.version == attempt.upload.identity.modified
    }

    // Steps.

    private mutating func take(_ step: Step, _ id: Upload.ID) {
        engine?.attempts[id]?.phase = .noting(step, left: step.notes[...])
        takeNotes(id)
    }

    private mutating func takeNotes(_ id: Upload.ID) {
        while let attempt = engine?.attempts[id], case .noting(let step, var left) = attempt.phase {
            guard let note = left.popFirst() else { return carryOut(step, id) }
            engine?.attempts[id]?.phase = .noting(step, left: left)
            switch note {
            case .resource(let resource):
                let isNew = resource?.url != attempt.known?.url || resource?.memory != attempt.known?.memory
                if resource?.confirmed != attempt.known?.confirmed { engine?.attempts[id]?.idleExchanges = 0 }
                engine?.attempts[id]?.known = resource
                return record(
                    resource, of: attempt, durably: isNew && mutant != .addressIsLate,
                    .noted(id, run: attempt.run))
            case .capabilities(let found): engine?.capabilities[sites[attempt.site].url] = found
            case .serverLost: judge.serverSaysLost(id)
            }
        }
    }

    private mutating func record(
        _ resource: UploadResource?, of attempt: Attempt, durably: Bool, _ waiter: Engine.Waiter
    ) {
        var resource = resource
        if mutant == .offsetsAreExaggerated, let confirmed = resource?.confirmed, confirmed > 0 {
            resource?.confirmed = min(attempt.upload.size, confirmed + 4096)
        }
        judge.note(resource, of: attempt.upload.id)
        let (id, run) = (attempt.upload.id, attempt.run)
        let redacted = resource.flatMap { Redacted($0) }
        ask(waiter) { .attempt(id, run: run, .recorded(redacted, durably: durably), $0) }
    }

    mutating func noted(_ id: Upload.ID, run: Int, _ failure: UploadFailure?) {
        guard attempt(id, run) != nil else { return }
        if let failure { return finish(id, .failed(failure)) }
        takeNotes(id)
    }

    private mutating func carryOut(_ step: Step, _ id: Upload.ID) {
        switch step {
        case .done(let receipt, _): return finish(id, .done(receipt))
        case .failed(let failure, _): return finish(id, .failed(failure))
        case .send, .sendAll, .wait: break
        }
        engine?.attempts[id]?.phase = .flying
        engine?.attempts[id]?.idleExchanges += 1
        guard let attempt = engine?.attempts[id], attempt.idleExchanges < Attempt.idleLimit else {
            return finish(id, .failed(UploadFailure(.server, "the server keeps asking and nothing moves")))
        }
        for exchange in step.exchanges {
            let mustCheck =
                exchange.range != nil || exchange.traits.contains(.completes)
                || attempt.known?.wholeBodySent != true
            guard !mustCheck || isUnchanged(attempt) else { return fileChanged(id) }
            launch(exchange, id)
        }
        guard let attempt = engine?.attempts[id], case .flying = attempt.phase else { return }
        guard !attempt.flights.isEmpty || !attempt.endings.isEmpty else {
            return finish(id, .failed(UploadFailure(.permanent, "the upload waits for nothing")))
        }
        takeEnding(id)
    }

    private mutating func launch(_ exchange: Exchange, _ id: Upload.ID) {
        guard let attempt = engine?.attempts[id] else { return }
        let sent = mutated(exchange, size: attempt.upload.size)
        let flight = fly(sent, for: attempt, .attempt(run: attempt.run))
        engine?.attempts[id]?.flights.insert(flight)
        guard let range = exchange.range else {
            return mark(flight) ? () : plan(flight, after: sites[attempt.site].latency)
        }
        let time = now
        engine?.attempts[id]?.carriesAll =
            range == 0..<attempt.upload.size && !exchange.traits.contains(.kept)
        engine?.attempts[id]?.moved(0, by: flight, at: time)
        note(of: id)
        plan(flight, after: sites[attempt.site].latency)
    }

    /// Returns the exchange as the mutant changes it.
    private func mutated(_ exchange: Exchange, size: ByteCount) -> Exchange {
        var exchange = exchange
        guard case .file(let range, _, _) = exchange.body, range.count > 1 else { return exchange }
        switch mutant {
        case .rangesAreShifted where range.lowerBound > 0:
            exchange.body = .file(range: range.lowerBound - 1..<range.upperBound - 1)
        case .partsAreSwapped where exchange.part == 1 && range.upperBound + Int64(range.count) <= size:
            exchange.body = .file(range: range.upperBound..<range.upperBound + Int64(range.count))
        default: break
        }
        return exchange
    }

    /// Begins to record the mark of a request, if it has a mark.
    ///
    /// - Returns: False if the request need not wait for a mark.
    mutating func mark(_ number: Int) -> Bool {
        guard let flight = flights[number], let mark = flight.exchange.markBeforeLastBytes, !flight.isMarked,
            mutant != .markIsDropped, let attempt = engine?.attempts[flight.owner]
        else { return false }
        flights[number]?.stage = .marking
        flights[number]?.isMarked = true
        record(mark, of: attempt, durably: true, .marked(flight: number))
        return true
    }

    mutating func marked(_ number: Int, _ failure: UploadFailure?) {
        guard let flight = flights[number], case .marking = flight.stage else { return }
        if let failure { return finish(flight.owner, .failed(failure)) }
        flights[number]?.stage = flight.exchange.range == nil ? .connecting : .sending
        plan(number, after: 1)
    }

    // The ends of exchanges.

    /// Handles the end of a request. If `removesMark` is true, the mark of the request is removed from the journal
    /// first.
    mutating func ended(_ number: Int, _ reply: ExchangeOutcome, removesMark: Bool) {
        guard let flight = flights[number] else { return }
        if flight.isMarked, removesMark, let attempt = engine?.attempts[flight.owner] {
            flights[number]?.stage = .ended
            return record(attempt.known, of: attempt, durably: true, .unmarked(flight: number, reply))
        }
        deliver(reply, of: number)
    }

    mutating func deliver(_ reply: ExchangeOutcome, of number: Int) {
        guard let flight = flights.removeValue(forKey: number) else { return }
        let id = flight.owner
        switch flight.purpose {
        case .discard: return
        case .forgetting(let run): return forgot(id, run: run, reply)
        case .attempt(let run):
            guard attempt(id, run) != nil else { return }
            engine?.attempts[id]?.flights.remove(number)
            judge.delivered(reply, to: flight, site: sites[flight.site])
            engine?.attempts[id]?.endings.append(
                .init(flight: number, exchange: flight.exchange, reply: reply))
            takeEnding(id)
        }
    }

    private mutating func takeEnding(_ id: Upload.ID) {
        guard let attempt = engine?.attempts[id], case .flying = attempt.phase, !attempt.endings.isEmpty,
            let ending = engine?.attempts[id]?.endings.removeFirst()
        else { return }
        var reply = ending.reply
        if case .responded(var answer) = reply {
            if let seconds = answer.fields[.retryAfter].flatMap({ Double($0) }) {
                if seconds > attempt.askedPause?.seconds ?? 0 {
                    engine?.attempts[id]?.askedPause = (answer.status, seconds)
                }
            }
            if mutant == .retryAfterIsDropped { answer.fields[.retryAfter] = nil }
            if mutant == .refusalsAreTaken, ending.exchange.traits.contains(.completes), answer.status >= 500
            {
                answer = ExchangeOutcome.Response(
                    204, ["Upload-Offset": "\(attempt.upload.size)", "Tus-Resumable": "1.0.0"])
            }
            answer.digests = ending.exchange.digests.map {
                ComputedDigest($0.algorithm, of: $0.range, bytes: [])
            }
            reply = .responded(answer)
        }
        if mutant == .doneIsEarly, ending.exchange.method == .patch {
            return finish(id, .done(Receipt(bytes: attempt.upload.size)))
        }
        guard let step = engine?.attempts[id]?.uploadProtocol.receive(reply, to: ending.exchange) else {
            return
        }
        engine?.attempts[id]?.totals.end(
            ending.flight, confirmed: step.confirmed ?? attempt.known?.confirmed ?? 0)
        take(step, id)
    }

    /// Records the progress of a request.
    mutating func sent(_ number: Int, _ flight: Flight) {
        guard case .attempt(let run) = flight.purpose, attempt(flight.owner, run) != nil else { return }
        let time = now
        let bytes = flight.exchange.fileBytes(afterSending: flight.sent)
        engine?.attempts[flight.owner]?.moved(bytes, by: number, at: time)
        note(of: flight.owner)
        guard let attempt = engine?.attempts[flight.owner], attempt.carriesAll else { return }
        send(.sent(flight.owner, run: run, mutant == .sentIsUndercounted ? 0 : attempt.shown))
    }

    // The ends of attempts.

    mutating func cancel(_ id: Upload.ID) {
        guard let attempt = engine?.attempts[id] else { return }
        if case .ending = attempt.phase { return }
        finish(id, .cancelled)
    }

    /// Ends the attempt because its file changed. If the server stores bytes of the earlier version, the attempt
    /// deletes them first.
    mutating func fileChanged(_ id: Upload.ID) {
        guard let attempt = engine?.attempts[id] else { return }
        release(attempt)
        guard let known = attempt.known, !known.wholeBodySent, mutant != .oldResourceIsReused else {
            return finish(id, .failed(.changed))
        }
        engine?.attempts[id]?.phase = .forgetting(attempt.uploadProtocol.removal(of: known))
        forgetNext(id)
    }

    private mutating func forgetNext(_ id: Upload.ID) {
        guard let attempt = engine?.attempts[id], case .forgetting(var left) = attempt.phase else { return }
        guard !left.isEmpty else {
            engine?.attempts[id]?.phase = .ending(.failed(.changed))
            engine?.attempts[id]?.totals.deleteConfirmed()
            return record(nil, of: attempt, durably: true, .cleared(id, run: attempt.run))
        }
        let exchange = left.removeFirst()
        engine?.attempts[id]?.phase = .forgetting(left)
        let flight = fly(exchange, for: attempt, .forgetting(run: attempt.run))
        engine?.attempts[id]?.flights.insert(flight)
        plan(flight, after: sites[attempt.site].latency)
    }

    private mutating func forgot(_ id: Upload.ID, run: Int, _ reply: ExchangeOutcome) {
        guard let attempt = attempt(id, run), case .forgetting = attempt.phase else { return }
        guard case .responded = reply else { return finish(id, .failed(.changed)) }
        forgetNext(id)
    }

    /// Ends an attempt: releases its requests, removes a wrong mark from the journal, and reports the outcome to the
    /// queue.
    mutating func finish(_ id: Upload.ID, _ outcome: UploadAttempt.Outcome) {
        guard let attempt = engine?.attempts[id] else { return }
        release(attempt)
        engine?.attempts[id]?.phase = .ending(outcome)
        if engine?.attempts[id]?.hasVainMark == true {
            record(attempt.known, of: attempt, durably: true, .cleared(id, run: attempt.run))
        } else {
            cleared(id, run: attempt.run)
        }
    }

    private mutating func release(_ attempt: Attempt) {
        let isVain = attempt.flights.contains { number in
            flights[number].map { $0.isMarked && !$0.isWhole } ?? false
        }
        if isVain { engine?.attempts[attempt.upload.id]?.hasVainMark = true }
        for number in attempt.flights.sorted() where mutant != .senderGoesOn { letGo(number) }
        engine?.attempts[attempt.upload.id]?.flights = []
    }

    mutating func cleared(_ id: Upload.ID, run: Int) {
        guard let attempt = attempt(id, run), case .ending(var outcome) = attempt.phase else { return }
        judge.ended(attempt, outcome, host: sites[attempt.site].host, now: now)
        log.add("end", id, run) { "\(outcome)" }
        if mutant == .hostPauseIsPrivate, case .failed(var failure) = outcome, failure.asksAllToWait {
            failure.status = 500
            outcome = .failed(failure)
        }
        let file: FileIdentity? =
            if case .failed(let failure) = outcome, failure.category == .sourceChanged, policy == .restart {
                identity(of: attempt.file)
            } else { nil }
        let sent: ByteCount =
            switch mutant {
            case .sentIsUndercounted: 0
            case .sentIsOvercounted: attempt.totals.out + 65_536
            default: attempt.totals.out
            }
        engine?.attempts[id] = nil
        note(of: id)
        ask(.ended) { [outcome] in
            .attempt(id, run: run, .ended(Redacted(outcome), file: file, sent: sent), $0)
        }
    }

    func identity(of file: Int) -> FileIdentity? {
        files[file].map {
            FileIdentity(
                device: 1, inode: UInt64(file), size: $0.size, modified: $0.version, changed: $0.version)
        }
    }

    /// Deletes an upload resource at the server. No attempt waits for it.
    mutating func discard(_ upload: Upload) {
        guard let site = sites.firstIndex(where: { $0.url == upload.target.url }),
            let resource = upload.resource,
            let entry = ProtocolCatalog.entry(named: upload.target.protocolName)
        else { return }
        let item = UploadItem(
            url: upload.target.url, name: upload.target.name, size: upload.size, key: upload.key
        )
        let value = entry.make(item, ProtocolOptions())
        let attempt = Attempt(upload, run: 0, site: site, resource: resource, value)
        for exchange in value.removal(of: resource) where mutant != .oldResourceIsReused {
            plan(fly(exchange, for: attempt, .discard), after: sites[site].latency)
        }
    }
}

extension UploadFailure {
    static let changed = UploadFailure(.sourceChanged, "the file changed")
}

extension Step {
    /// The number of confirmed bytes in the last note about a resource; nil if there is no such note.
    fileprivate var confirmed: ByteCount? {
        for case .resource(let resource) in notes.reversed() { return resource?.confirmed ?? 0 }
        return nil
    }
}
