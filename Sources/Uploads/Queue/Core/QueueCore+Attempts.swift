import FerryConnectivity
import FerryFiles
import FerryProtocols
import FerryTransfer

/// The functions that process the reports and the results of upload attempts.
extension QueueCore {
    /// The fixed part of a limit on `Tries.resent`, the number of bytes that an upload sends again. The limit is 64 MiB
    /// plus twice the size of the file. From this limit on, newly confirmed bytes no longer reset the upload's counts
    /// of server errors and failed logins.
    private static let resentByLinks: ByteCount = 64 << 20

    /// Stores the upload resource that an attempt reports: the state on the server from which the upload can resume. If
    /// the attempt has ended or its upload was removed, replies with the failure `stopped`. For a removed upload, still
    /// stores the resource, so that the bytes can be deleted from the server.
    mutating func record(
        _ resource: UploadResource?, for id: Upload.ID, run number: Int, durably: Bool, _ reply: ReplyID
    ) {
        guard let run = runs.run(of: id, number: number), var upload = uploads[id] else {
            removals.record(resource, of: id)
            effects.append(.reply(reply, .failure(.stopped)))
            return
        }
        countResent(of: &upload, toGoOnWith: resource)
        var isLifted = false
        if let resource, resource.confirmed > (upload.resource?.confirmed ?? 0) {
            upload.tries.network = 0
            // The limit on tries must stop a server that repeatedly loses bytes that it confirmed. So the counts are
            // reset only while few bytes were sent again. The failures of a bad link have no limit.
            if upload.tries.resent < .sum(.sum(upload.size, upload.size), Self.resentByLinks) {
                upload.tries.server = 0
                upload.tries.authentication = 0
            }
            isLifted = hosts.responded(run.host)
        }
        upload.resource = resource
        store(upload)
        if isLifted { advance() }
        guard runs.isRecordDue(id, isDurable: durably, now: now.instant) else {
            publish([id])
            effects.append(.reply(reply, .success(TransactionResult())))
            return
        }
        submit(.record(id, durably: durably), reply)
    }

    /// Adds to `Tries.resent` the bytes that must be sent again. They were sent or confirmed before, but according to
    /// `resource`, the server has not stored them. If the server has not reported an offset to a resumed attempt yet,
    /// the bytes are counted later. Also counts a resumption in `Tries.resumes`.
    private mutating func countResent(of upload: inout Upload, toGoOnWith resource: UploadResource?) {
        let confirmed = upload.resource?.confirmed ?? 0
        if let resource, runs.serverReportedOffset(upload.id) {
            if resource.confirmed > 0 { upload.tries.resumes += 1 }
            upload.tries.sent = max(upload.tries.sent, confirmed)
            upload.tries.countResent(after: resource.confirmed)
        } else if resource == nil, runs.awaitsOffset(upload.id) {
            // The bytes are counted with the server's next response, or when an attempt begins without a resource.
            upload.tries.sent = max(upload.tries.sent, confirmed)
        } else {
            upload.tries.resent += max(0, confirmed - (resource?.confirmed ?? 0))
        }
    }

    mutating func noteSent(_ sent: ByteCount, of id: Upload.ID, run number: Int) {
        guard let run = runs.run(of: id, number: number), var upload = uploads[id], sent > run.confirmed
        else { return }
        // The attempt sends without having asked the server for its offset, so it sends all unconfirmed bytes again.
        if runs.serverReportedOffset(id) { upload.tries.countResent(after: run.confirmed) }
        guard sent > upload.tries.sent else { return }
        upload.tries.sent = sent
        runs.noteSent(of: id)
        store(upload)
        submit(.save([id], .process), nil)
    }

    /// Processes the end of an attempt, and sets the next state of its upload.
    ///
    /// - Parameters:
    ///   - file: The new version of the file if the file has changed and the upload is to restart; otherwise nil.
    ///   - sent: The number of bytes of the file that were sent or confirmed when the attempt ended.
    mutating func ended(
        _ id: Upload.ID, run number: Int, _ outcome: UploadAttempt.Outcome, file: FileIdentity?,
        sent: ByteCount, _ reply: ReplyID
    ) {
        func acknowledge() { effects.append(.reply(reply, .success(TransactionResult()))) }
        guard let run = runs.end(id, number: number) else { return acknowledge() }
        if case .failed(let failure) = outcome { keepPause(after: failure, at: run.host) }
        discard(removals.endWindows(at: now.instant, isRunning: runs.contains))
        defer { retryBlocked() }
        guard var upload = uploads[id] else {
            removals.countSent(sent, by: run, of: id)
            // The server has the whole file. If the user puts the upload back, it is done.
            if case .done(let receipt) = outcome {
                if let upload = removals[id] { effects.append(.reclaim([upload])) }
                removals.complete(id, as: .done(run.timed(receipt, now: now.instant), at: now.date))
            }
            acknowledge()
            return advance()
        }
        let before = upload
        upload.tries.countSent(sent, by: run)
        if health.isRefused { publish([]) }
        switch (upload.state, outcome) {
        case (.running, _): break
        // The server's last response counts, even if a user paused the upload or the link went down before it arrived.
        case (.paused, .done), (.queued, .done): break
        case (.paused(.offline), .failed(let failure)) where failure.status != nil: break
        default:
            // A user paused the upload, or the link is down: only the number of sent bytes is new.
            guard upload.tries != before.tries else {
                acknowledge()
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
        case .cancelled: upload.state = .queued
        case .failed(let failure):
            let movement = runs.movement(
                of: upload, in: run, sent: sent, isLinkFresh: hosts.isLinkFresh(at: now.instant),
                now: now.instant)
            settle(&upload, after: failure, movement, host: run.host, file: file)
        }
        store(upload)
        let isNewVersion = upload.identity != before.identity
        // An attempt that deletes the bytes of the old version also removes the upload resource. Here the resource is
        // still recorded, so the bytes are possibly still on the server.
        if isNewVersion, before.resource != nil { discard([before]) }
        if upload.state.isEnd { unconfirmed.hide(id, before: before.state) }
        submit(.save([id], upload.state.isEnd || isNewVersion ? .finding : .process), reply)
    }

    private mutating func settle(
        _ upload: inout Upload, after failure: UploadFailure, _ movement: AttemptMovement, host: UploadHost,
        file: FileIdentity?
    ) {
        if failure.category.isOfNetwork {
            if failure.category == .timedOut {
                hosts.timedOut(at: host, running: runs.count(at: host) + 1, now: now.instant)
            }
            hostFailed(host)
            if !host.isLocal, hosts.link != .open {
                // The link is down and caused the failure, so the failure does not count as a try.
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
        case .wait, .again:
            // The server's state is unknown, so the next attempt must not resume with the old upload resource.
            if failure.category == .outcomeUnknown { upload.resource = nil }
        case .restart, .hold, .fail: break
        }
        switch decision {
        case .again: upload.state = .queued
        case .wait(let seconds):
            upload.state = .waiting(until: now.date.addingTimeInterval(seconds), failure: failure)
        case .restart:
            // `file` is nil if the current version could not be read, for example because the file is missing.
            guard let file, file != upload.identity else {
                upload.state = .held(failure)
                return
            }
            upload.take(file)
            upload.state = .queued
        case .hold(let failure): upload.state = .held(failure)
        case .fail(let failure): upload.state = .failed(failure)
        }
    }

    /// Pauses all uploads to a host that sent 429 or 503 with `Retry-After`. This also happens if the upload with that
    /// response was paused or removed in the meantime. If the delay is the policy's `timeout` or longer, the host is
    /// not paused.
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
    /// Pauses or resumes uploads after the link monitor reports that the network went down or came up.
    ///
    /// - Parameter isForbidden: Whether a network exists, but the configuration forbids its use.
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

    /// True if an attempt runs, and a broken connection would lose all bytes that it has sent. The connection of such
    /// an attempt stays open while the link is down. It survives if this machine keeps its address. `curl -T` does the
    /// same.
    private func standsWithoutLink(_ id: Upload.ID) -> Bool {
        runs.contains(id) && lookups.progress(id)?.carriesAll == true
    }

    /// Processes the machine's return from sleep. Cancels each attempt that can resume, except at local hosts, because
    /// its server has possibly dropped the request. The next attempt asks the server for the offset. An attempt that
    /// cannot resume continues, and detects a dead connection itself.
    mutating func machineSlept() {
        reviewLimits()
        effects.append(.invalidateConnections(.slept))
        for (id, run) in runs.all where !run.host.isLocal && uploads[id].map(lookups.resumes) == true {
            effects.append(.cancel(id))
        }
    }

    /// Queues every upload that waits for a retry or for the network, even if the link monitor reports that the link is
    /// down. The report can be wrong, so it never blocks a user's command. An upload that a user has paused stays
    /// paused.
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

    /// Applies `body` to each upload whose host satisfies `isMeant`.
    ///
    /// - Parameter body: Returns true if it changed the upload.
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

    /// Writes the uploads `ids` to the journal, whose report then publishes and starts uploads. If `ids` is empty, does
    /// so at once.
    private mutating func saveOrAdvance(_ ids: [Upload.ID]) {
        guard ids.isEmpty else { return submit(.save(ids, .process), nil) }
        publish([])
        advance()
    }
}

extension UploadFailure {
    /// The failure that an attempt receives if it reports after its end, or after its upload was removed.
    static let stopped = UploadFailure(.network, "stopped")
}
