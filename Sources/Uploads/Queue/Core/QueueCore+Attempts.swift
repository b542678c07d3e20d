import FerryConnectivity
import FerryFiles
import FerryProtocols
import FerryTransfer

/// The results of attempts.
extension QueueCore {
    /// Takes in what a server says it has. A run that is no longer the current one has nothing to say.
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
            upload.tries.server = 0
            upload.tries.authentication = 0
            isLifted = hosts.answered(run.host)
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

    /// Counts the bytes that go out again because the server has less than it once confirmed or than was sent.
    private mutating func countResent(of upload: inout Upload, toGoOnWith resource: UploadResource?) {
        let confirmed = upload.resource?.confirmed ?? 0
        if let resource, runs.serverAnswered(upload.id) {
            if resource.confirmed > 0 { upload.tries.resumes += 1 }
            upload.tries.sent = max(upload.tries.sent, confirmed)
            upload.tries.countResent(after: resource.confirmed)
        } else if resource == nil, runs.awaitsAnswer(upload.id) {
            // Counted with the next answer, or when an attempt begins without a resource.
            upload.tries.sent = max(upload.tries.sent, confirmed)
        } else {
            upload.tries.resent += max(0, confirmed - (resource?.confirmed ?? 0))
        }
    }

    mutating func noteSent(_ sent: ByteCount, of id: Upload.ID, run number: Int) {
        guard let run = runs.run(of: id, number: number), var upload = uploads[id], sent > run.confirmed
        else { return }
        // Nobody was asked: all that went out before goes out again.
        if runs.serverAnswered(id) { upload.tries.countResent(after: run.confirmed) }
        guard sent > upload.tries.sent else { return }
        upload.tries.sent = sent
        runs.noteSent(of: id)
        store(upload)
        submit(.save([id], .process), nil)
    }

    /// - Parameter sent: The number of bytes of the file that the attempt had sent.
    mutating func ended(
        _ id: Upload.ID, run number: Int, _ outcome: UploadAttempt.Outcome, file: FileIdentity?,
        sent: ByteCount, _ reply: ReplyID
    ) {
        func answer() { effects.append(.reply(reply, .success(TransactionResult()))) }
        guard let run = runs.end(id, number: number) else { return answer() }
        if case .failed(let failure) = outcome { keepPause(after: failure, at: run.host) }
        discard(removals.endWindows(at: now.instant, isRunning: runs.contains))
        defer { retryBlocked() }
        guard var upload = uploads[id] else {
            removals.countSent(sent, by: run, of: id)
            // Should it be put back, it has arrived already.
            if case .done(let receipt) = outcome {
                if let upload = removals[id] { effects.append(.reclaim([upload])) }
                removals.complete(id, as: .done(run.timed(receipt, now: now.instant), at: now.date))
            }
            answer()
            return advance()
        }
        let before = upload
        upload.tries.countSent(sent, by: run)
        if health.isRefused { publish([]) }
        switch (upload.state, outcome) {
        case (.running, _): break
        // The server's last word counts, whatever was done with the upload in the same moment.
        case (.paused, .done), (.queued, .done): break
        case (.paused(.offline), .failed(let failure)) where failure.status != nil: break
        default:
            // Somebody paused it, or the link is away: only how much was sent is new.
            guard upload.tries != before.tries else {
                answer()
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
            hosts.answered(run.host)
        case .cancelled: upload.state = .queued
        case .failed(let failure):
            let movement = runs.movement(
                of: upload, in: run, sent: sent, isLinkFresh: hosts.isLinkFresh(at: now.instant),
                now: now.instant)
            settle(&upload, after: failure, movement, host: run.host, file: file)
        }
        store(upload)
        let isNewVersion = upload.identity != before.identity
        // The attempt could not reach the server to delete what it has of the old version.
        if isNewVersion, before.resource != nil { discard([before]) }
        let isFinal: Bool
        switch upload.state {
        case .done, .failed, .held:
            isFinal = true
            unconfirmed.hide(id, before: before.state)
        case .queued, .running, .waiting, .paused: isFinal = isNewVersion
        }
        submit(.save([id], isFinal ? .finding : .process), reply)
        // The slot is free before the result is on disk.
        startRuns()
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
                // The link is away: that is no fault of the upload's and costs it no try.
                upload.state = .paused(.offline)
                hosts.endForce()
                return
            }
        } else if failure.status != nil {
            hosts.answered(host)
        }
        if failure.category == .signInPage { hosts.portalAnswered(for: host, failure, now: now.instant) }
        if failure.category == .descriptors {
            hosts.descriptorsRanOut(failure.ofEveryUpload, now: now.instant)
        }
        let decision = retryPolicy(for: upload).decide(
            after: failure, tries: &upload.tries, movement: movement, random: lookups.random)
        switch decision {
        case .wait, .again:
            // What is known of the server is only that nothing is known.
            if failure.category == .outcomeUnknown { upload.resource = nil }
        case .restart, .hold, .fail: break
        }
        switch decision {
        case .again: upload.state = .queued
        case .wait(let seconds):
            upload.state = .waiting(until: now.date.addingTimeInterval(seconds), failure: failure)
        case .restart:
            // A link in the file's place, or no file at all, is nothing to begin anew with.
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

    /// Leaves a host alone that asks for it, whatever has become of the upload that was told. A pause that is too long
    /// for the policy holds that upload alone.
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

/// The events of the network.
extension QueueCore {
    /// Takes in that the network came or went.
    ///
    /// - Parameter isForbidden: Whether there is a network, and it must not be used.
    mutating func linkChanged(_ status: LinkStatus, isForbidden: Bool) {
        switch status {
        case .down(let reason):
            let wasDown = hosts.linkIsDown(because: reason, at: now)
            guard !wasDown || isForbidden else { return publish([]) }
            if !isForbidden { effects.append(.linkIsAway(true)) }
            let lost = changeRemote { upload, core in
                core.standsWithoutLink(upload.id) && !isForbidden ? false : upload.loseLink()
            }
            // Cancels the sockets before journaling: a slow disk must not delay the disconnect.
            for id in lost { effects.append(.cancel(id)) }
            if !saveIfAny(lost) || wasDown { publish([]) }
        case .up(let generation):
            let (meaning, hasLostAddress) = hosts.linkIsUp(generation: generation, at: now)
            effects.append(.linkIsAway(false))
            // Also what is idle: the next request would go out on it.
            if hasLostAddress { effects.append(.invalidateConnections(.addressLost)) }
            guard meaning != .unchanged else { return }
            if !saveIfAny(changeRemote { upload, _ in upload.regainLink() }) {
                publish([])
                advance()
            }
        }
    }

    /// True if a break would cost all that has been sent: nothing of it is kept by the server. It is left to the
    /// kernel, as `curl -T` leaves it: a connection outlives its link for as long as its address is there.
    private func standsWithoutLink(_ id: Upload.ID) -> Bool {
        runs.contains(id) && lookups.progress(id)?.carriesAll == true
    }

    /// Takes in that the machine slept. Servers may have given up what was under way: what resumes where it was asks
    /// anew, the rest finds out by itself.
    mutating func machineSlept() {
        reviewLimits()
        effects.append(.invalidateConnections(.slept))
        for (id, run) in runs.all where !run.host.isLocal && uploads[id].map(lookups.resumes) == true {
            effects.append(.cancel(id))
        }
    }

    /// Tries everything that waits, whatever the monitor thinks: connectivity is a hint and no gate for people.
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
        let told = hosts.unreachable(running: runs.count(at:))
        guard let isBack = hosts.probed(host, number: number, answer, now: now.instant) else { return }
        guard isBack else {
            if hosts.unreachable(running: runs.count(at:)) != told { publish([]) }
            return
        }
        let changed = change({ $0 == host }, { upload, _ in upload.regainHost() })
        if !saveIfAny(changed) {
            publish([])
            advance()
        }
    }

    private mutating func changeRemote(_ body: (inout Upload, QueueCore) -> Bool) -> [Upload.ID] {
        change({ !$0.isLocal }, body)
    }

    /// Changes the uploads to some hosts, and returns those that changed.
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

    /// - Returns: True if there is something to write; its answer lets uploads start.
    @discardableResult
    private mutating func saveIfAny(_ ids: [Upload.ID]) -> Bool {
        if !ids.isEmpty { submit(.save(ids, .process), nil) }
        return !ids.isEmpty
    }
}

extension UploadFailure {
    /// The answer to an attempt that has nothing to say any more.
    static let stopped = UploadFailure(.network, "stopped")
}
