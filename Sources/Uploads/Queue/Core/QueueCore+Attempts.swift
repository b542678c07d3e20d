import FerryConnectivity
import FerryProtocols
import FerryTransfer

/// The functions that process the reports and the results of upload attempts.
extension QueueCore {
    /// The fixed part of the limit on `Tries.resent` from which confirmed bytes no longer reset the counts of tries.
    /// The other part is twice the size of the file.
    private static let resentByLinks: ByteCount = 64 << 20

    /// Stores the upload resource that an attempt reports. If the attempt or its upload has ended, the reply is
    /// `stopped`. For a removed upload, the resource is kept, so that the bytes can be deleted from the server.
    mutating func record(
        _ resource: UploadResource?, for id: Upload.ID, run number: Int, durably: Bool, _ reply: ReplyID
    ) {
        guard let run = runs.run(of: id, number: number), var upload = uploads[id] else {
            removals.record(resource, of: id)
            return sendReply(reply, .failure(.stopped))
        }
        countResent(of: &upload, toGoOnWith: resource)
        var isLifted = false
        if let resource, resource.confirmed > (upload.resource?.confirmed ?? 0) {
            upload.tries.network = 0
            // A server that repeatedly loses confirmed bytes must reach the limit on tries. A bad link has none.
            if upload.tries.resent < .sum(.sum(upload.size, upload.size), Self.resentByLinks) {
                (upload.tries.server, upload.tries.authentication) = (0, 0)
            }
            isLifted = hosts.responded(run.host)
        }
        upload.resource = resource
        store(upload)
        if isLifted { advance() }
        guard runs.isRecordDue(id, isDurable: durably, now: now.instant) else {
            publish([id])
            return sendReply(reply, .success(TransactionResult()))
        }
        submit(.record(id, durably: durably), reply)
    }

    /// Adds to `Tries.resent` the sent or confirmed bytes that the server lacks according to `resource`. If a resumed
    /// attempt does not know the offset yet, they are counted later. Also counts a resumption.
    private mutating func countResent(of upload: inout Upload, toGoOnWith resource: UploadResource?) {
        let confirmed = upload.resource?.confirmed ?? 0
        if let resource, runs.serverReportedOffset(upload.id) {
            if resource.confirmed > 0 { upload.tries.resumes += 1 }
            upload.tries.sent = max(upload.tries.sent, confirmed)
            upload.tries.countResent(after: resource.confirmed)
        } else if resource == nil, runs.awaitsOffset(upload.id) {
            upload.tries.sent = max(upload.tries.sent, confirmed)
        } else {
            upload.tries.resent += max(0, confirmed - (resource?.confirmed ?? 0))
        }
    }

    mutating func noteSent(_ sent: ByteCount, of id: Upload.ID, run number: Int) {
        guard let run = runs.run(of: id, number: number), var upload = uploads[id], sent > run.confirmed
        else { return }
        // The attempt did not ask for the offset, so it sends all unconfirmed bytes again.
        if runs.serverReportedOffset(id) { upload.tries.countResent(after: run.confirmed) }
        guard sent > upload.tries.sent else { return }
        upload.tries.sent = sent
        runs.noteSent(of: id)
        store(upload)
        submit(.save([id], .process), nil)
    }

    /// Processes the end of an attempt, and sets the next state of its upload. `file` and `sent` are as in the event.
    mutating func ended(
        _ id: Upload.ID, run number: Int, _ outcome: UploadAttempt.Outcome, file: FileIdentity?,
        sent: ByteCount, _ reply: ReplyID
    ) {
        guard let run = runs.end(id, number: number) else {
            return sendReply(reply, .success(TransactionResult()))
        }
        if case .failed(let failure) = outcome { keepPause(after: failure, at: run.host) }
        discard(removals.endWindows(at: now.instant, isRunning: runs.contains))
        defer { retryBlocked() }
        guard var upload = uploads[id] else {
            removals.countSent(sent, by: run, of: id)
            // If the user puts the upload back, it is done.
            if case .done(let receipt) = outcome {
                if let upload = removals[id] { effects.append(.reclaim([upload])) }
                removals.complete(id, as: .done(run.timed(receipt, now: now.instant), at: now.date))
            }
            sendReply(reply, .success(TransactionResult()))
            return advance()
        }
        let before = upload
        upload.tries.countSent(sent, by: run)
        if health.isRefused { publish([]) }
        guard upload.state.accepts(outcome) else {
            // A user paused the upload, or the link is down: only the number of sent bytes is new.
            guard upload.tries != before.tries else {
                sendReply(reply, .success(TransactionResult()))
                return advance()
            }
            store(upload)
            return submit(.save([id], .process), reply)
        }
        switch outcome {
        case .done(let receipt):
            upload.tries.countResent(after: upload.size)
            runs.forget(id)
            upload.resource = nil
            upload.state = .done(run.timed(receipt, now: now.instant), at: now.date)
            hosts.responded(run.host)
            noteSpeed(of: run)
        case .cancelled: upload.state = .queued
        case .failed(let failure):
            let movement = runs.movement(
                of: upload, in: run, sent: sent, isLinkFresh: hosts.isLinkFresh(at: now.instant),
                now: now.instant)
            settle(&upload, after: failure, movement, host: run.host, file: file)
        }
        store(upload)
        let isNewVersion = upload.identity != before.identity
        // An attempt that deletes the bytes of the old version also removes the upload resource. Here it is still
        // recorded, so the bytes are possibly still on the server.
        if isNewVersion, before.resource != nil { discard([before]) }
        if upload.state.isEnd { unconfirmed.hide(id, before: before.state) }
        submit(.save([id], upload.state.isEnd || isNewVersion ? .finding : .process), reply)
    }

    private mutating func noteSpeed(of done: RunTable.Run) {
        guard smallPerSlot > 1, !done.host.isLocal else { return }
        let isNew = hosts.uploaded(
            to: done.host, running: runs.count(at: done.host), isSmall: done.size <= Scheduler.small,
            isWaiting: schedule.ready.waits(at: done.host), now: now.instant)
        if isNew { effects.append(.measureRoundTrip(done.host)) }
    }

    private mutating func settle(
        _ upload: inout Upload, after failure: UploadFailure, _ movement: AttemptMovement, host: UploadHost,
        file: FileIdentity?
    ) {
        if failure.isOfLoad { hosts.strained(host, now: now.instant) }
        if failure.category.isOfNetwork {
            if failure.category == .timedOut {
                hosts.timedOut(at: host, running: runs.count(at: host) + 1, now: now.instant)
            }
            hostFailed(host)
            if !host.isLocal, hosts.link != .open {
                // The link caused the failure, so it does not count as a try.
                upload.state = .paused(.offline)
                hosts.endForce()
                return
            }
        } else if failure.status != nil {
            hosts.responded(host)
        }
        if failure.category == .signInPage { hosts.portalResponded(for: host, failure, now: now.instant) }
        if failure.category == .descriptors {
            hosts.descriptorsRanOut(failure.ofEveryUpload, now: now.instant)
        }
        let decision = retryPolicy(for: upload).decide(
            after: failure, tries: &upload.tries, movement: movement, random: lookups.random)
        switch decision {
        case .again: upload.state = .queued
        case .wait(let seconds):
            upload.state = .waiting(until: now.date.addingTimeInterval(seconds), failure: failure)
        case .restart:
            upload.state = file == nil || file == upload.identity ? .held(failure) : .queued
            if let file { upload.take(file) }
        case .hold(let failure): upload.state = .held(failure)
        case .fail(let failure): upload.state = .failed(failure)
        }
        // The next attempt must not resume, as the server's state is unknown.
        if failure.category == .outcomeUnknown, !upload.state.isEnd { upload.resource = nil }
    }

    /// Pauses all uploads to a host that sent 429 or 503 with `Retry-After`, unless the delay holds uploads.
    private mutating func keepPause(after failure: UploadFailure, at host: UploadHost) {
        guard failure.asksAllToWait, let seconds = failure.retryAfter, seconds < configuration.retry.timeout
        else { return }
        countHosts()
        hosts.pause(host, seconds: seconds, status: failure.status ?? 0, now: now.instant)
    }

    private mutating func hostFailed(_ host: UploadHost) {
        guard !host.isLocal, hosts.link == .open, phase == .accepting else { return }
        countHosts()
        hosts.transferFailed(at: host, now: now.instant)
    }
}

/// The functions that process reports about the network.
extension QueueCore {
    /// Pauses or resumes uploads when the network goes down or comes up, or when its use is forbidden.
    mutating func linkChanged(_ status: LinkStatus, isForbidden: Bool) {
        switch status {
        case .down(let reason):
            let wasDown = hosts.linkIsDown(because: reason, at: now)
            guard !wasDown || isForbidden else { return publish([]) }
            if !isForbidden { effects.append(.linkIsAway(true)) }
            let lost = change(
                { !$0.isLocal },
                { upload, core in
                    core.standsWithoutLink(upload.id) && !isForbidden ? false : upload.loseLink()
                })
            // Cancels the attempts before journaling: a slow disk must not delay the disconnect.
            for id in lost { effects.append(.cancel(id)) }
            if !lost.isEmpty { submit(.save(lost, .process), nil) }
            if lost.isEmpty || wasDown { publish([]) }
        case .up(let generation):
            let (mayStart, hasLostAddress) = hosts.linkIsUp(generation: generation, at: now)
            effects.append(.linkIsAway(false))
            // Idle connections from the lost address are invalidated too: the next request would use them.
            if hasLostAddress { effects.append(.invalidateConnections(.addressLost)) }
            guard mayStart else { return }
            saveOrAdvance(change({ !$0.isLocal }, { upload, _ in upload.regainLink() }))
        }
    }

    /// True if a broken connection would lose all bytes that the running attempt has sent. Its connection stays open
    /// while the link is down, as with `curl -T`, and survives if this machine keeps its address.
    private func standsWithoutLink(_ id: Upload.ID) -> Bool {
        runs.contains(id) && lookups.progress(id)?.carriesAll == true
    }

    /// Cancels each attempt that can resume, as its server has possibly dropped the request while the machine slept. An
    /// attempt that cannot resume continues, and detects a dead connection itself.
    mutating func machineSlept() {
        reviewLimits()
        effects.append(.invalidateConnections(.slept))
        for (id, run) in runs.all where !run.host.isLocal && uploads[id].map(lookups.resumes) == true {
            effects.append(.cancel(id))
        }
    }

    /// Queues every upload that waits for a retry or for the network, as the report of a link can be wrong.
    mutating func tryNow() {
        hosts.force()
        var changed: [Upload.ID] = []
        for var upload in uploads.values {
            switch upload.state {
            case .waiting: upload.state = .queued
            case .paused: guard upload.regainLink() else { continue }
            case .queued, .running, .held, .done, .failed: continue
            }
            store(upload)
            changed.append(upload.id)
        }
        publish(changed)
    }

    mutating func probed(_ host: UploadHost, number: Int, _ answer: Reachability) {
        let before = hosts.unreachable(running: runs.count(at:))
        guard let isBack = hosts.probed(host, number: number, answer, now: now.instant) else { return }
        guard isBack else {
            if hosts.unreachable(running: runs.count(at:)) != before { publish([]) }
            return
        }
        saveOrAdvance(change({ $0 == host }, { upload, _ in upload.regainHost() }))
    }

    /// Applies `body`, which returns whether it changed an upload, to those whose host satisfies `isMeant`.
    private mutating func change(
        _ isMeant: (UploadHost) -> Bool, _ body: (inout Upload, QueueCore) -> Bool
    ) -> [Upload.ID] {
        var changed: [Upload] = []
        for var upload in uploads.values where isMeant(lookups.host(upload)) {
            if body(&upload, self) { changed.append(upload) }
        }
        for upload in changed { store(upload) }
        return changed.map(\.id)
    }

    /// Writes uploads to the journal, whose report then publishes and starts. Without uploads, does so at once.
    private mutating func saveOrAdvance(_ ids: [Upload.ID]) {
        guard ids.isEmpty else { return submit(.save(ids, .process), nil) }
        publish([])
        advance()
    }
}

extension Upload.State {
    /// True if the outcome of an attempt changes this state. The server's last response does, even after a pause.
    fileprivate func accepts(_ outcome: UploadAttempt.Outcome) -> Bool {
        switch (self, outcome) {
        case (.running, _), (.paused, .done), (.queued, .done): true
        case (.paused(.offline), .failed(let failure)): failure.status != nil
        default: false
        }
    }
}

extension UploadFailure {
    /// True for a failure of which too many uploads at once are often the cause. A status such as 500 or 507, and a lost
    /// network, have other causes.
    fileprivate var isOfLoad: Bool {
        switch (category, detail) {
        case (.timedOut, _), (.descriptors, _), (.network, .refused), (.network, .reset),
            (.network, .closed):
            true
        default: status.map([429, 502, 503, 504].contains) ?? false
        }
    }

    /// The failure of a report that comes after the end of the attempt or the removal of its upload.
    static let stopped = UploadFailure(.network, "stopped")
}
