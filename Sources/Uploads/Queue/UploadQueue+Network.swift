import FerryConnectivity
import FerryProtocols
import FerryTransfer
import Foundation

extension UploadQueue {
    /// The kernel says that the network came or went.
    func linkChanged(_ status: LinkStatus) async {
        switch status {
        case .down(let reason):
            let wasClosed: Bool
            switch gate {
            case .closed(let since, reason: _):
                (wasClosed, gate) = (true, .closed(since: since, reason: reason))
            case .forced(let since, reason: _):
                (wasClosed, gate) = (true, .forced(since: since, reason: reason))
            case .open, .unknown: (wasClosed, gate) = (false, .closed(since: clock.date(), reason: reason))
            }
            let isForbidden = forbidsNetwork(reason)
            guard !wasClosed || isForbidden else { return publish([]) }
            if !isForbidden { runner.linkChanged(isAway: true) }
            await forEachRemote {
                standsWithoutLink($0) && !isForbidden ? false : $0.loseLink()
            } then: {
                cancelRuns($0)
            }
            if wasClosed { publish([]) }
        case .up(let generation):
            let hasLostAddress = generation > lastGeneration
            lastGeneration = generation
            let wasOpen = gate == .open
            gate = .open
            if !wasOpen { linkReturned = clock.now() }
            runner.linkChanged(isAway: false)
            // Also what is idle: the next request would go out on it.
            if hasLostAddress { runner.doubtConnections(.addressLost) }
            guard !wasOpen else {
                guard hasLostAddress, !signInPauses.isEmpty else { return }
                signInPauses = [:]
                await forEachRemote {
                    $0.regainLink()
                } then: { _ in
                }
                return advance()
            }
            // Whatever was found out about hosts was found out without a network.
            forgetReachability()
            await forEachRemote {
                $0.regainLink()
            } then: { _ in
            }
            advance()
        }
    }

    /// True if a break would cost all that has been sent: nothing of it is kept by the server. It is left to the
    /// kernel, as `curl -T` leaves it: a connection outlives its link for as long as its address is there.
    private func standsWithoutLink(_ upload: Upload) -> Bool {
        runs[upload.id] != nil && board.carriesAll(upload.id)
    }

    /// True for so long after the network's return that the neighbour, or the router, may not have been found yet: the
    /// kernel asks for it three times, a second apart, and then says that the host is unreachable.
    var isLinkFresh: Bool {
        guard let linkReturned else { return false }
        return clock.now() < linkReturned.advanced(by: .seconds(5))
    }

    /// The machine slept. Servers may have given up what was under way: what goes on where it was asks anew, the rest
    /// finds out by itself.
    func machineSlept() {
        reviewLimits()
        runner.doubtConnections(.slept)
        cancelRuns(
            runs.compactMap { id, run in
                !run.host.isLocal && uploads[id].map(runner.resumes) == true ? id : nil
            })
    }

    /// Tries everything that waits, whatever the monitor thinks: connectivity is a hint and no gate for people.
    func tryNow() {
        forceGate()
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

    /// Lets the next tries through, whatever is known of the network and of hosts.
    func forceGate() {
        switch gate {
        case .closed(let since, let reason): gate = .forced(since: since, reason: reason)
        case .unknown: gate = .open
        case .open, .forced: break
        }
        forgetReachability()
        askedPauses = [:]
        hostConcurrency = [:]
    }

    private func forgetReachability() {
        for task in probes.values { task.cancel() }
        probes = [:]
        hosts = [:]
        signInPauses = [:]
    }

    /// A try that a person forced failed while the link is away: back to waiting for the link.
    func forcedTryFailed() {
        if case .forced(let since, let reason) = gate { gate = .closed(since: since, reason: reason) }
    }

    func isBlocked(_ host: UploadHost) -> Bool {
        if let schedule = hosts[host], !schedule.isReachable { return true }
        let now = clock.now()
        if let pause = signInPauses[host], now < pause.until || now < pause.end && running(at: host) > 0 {
            return true
        }
        if let pause = askedPauses[host], now < pause.end { return true }
        if let limit = hostConcurrency[host]?.limit(at: now), running(at: host) >= limit { return true }
        return gate.isClosed && !host.isLocal
    }

    func running(at host: UploadHost) -> Int { runs.values.count { $0.host == host } }

    /// A request to the host timed out. The run that made it has ended.
    func hostTimedOut(_ host: UploadHost) {
        guard gate == .open else { return }
        hostConcurrency[host, default: .init()].timedOut(running: running(at: host) + 1, at: clock.now())
    }

    /// What people are told while fewer uploads run at a host than might.
    var slowdown: UploadFailure? {
        for (host, concurrency) in hostConcurrency {
            guard let limit = concurrency.limit(at: clock.now()), running(at: host) >= limit else { continue }
            return UploadFailure(.timedOut, "requests to \(host.name) time out: \(limit) at a time for now")
        }
        return nil
    }

    /// When a host that is left alone, or not used as much as it might be, may be used more.
    var hostInstants: [ContinuousClock.Instant] {
        let now = clock.now()
        return signInPauses.values.map { $0.nextInstant(after: now) } + askedPauses.values.map(\.end)
            + hostConcurrency.values.compactMap { $0.nextRise(after: now) }
    }

    /// Forgets what is over.
    func pruneHosts() {
        let now = clock.now()
        signInPauses = signInPauses.filter { $0.value.end > now }
        askedPauses = askedPauses.filter { $0.value.end > now }
        hostConcurrency = hostConcurrency.filter { !$0.value.isOver(at: now) }
    }

    /// A transfer could not reach the host, or lost it: from the second time on one probe asks for all its uploads.
    func hostFailed(_ host: UploadHost) {
        guard !host.isLocal, gate == .open, phase == .accepting else { return }
        if pendingAtHosts == nil { pendingAtHosts = countPending() }
        hosts[host, default: ProbeSchedule()].recordLostTransfer()
        guard probes[host] == nil else { return }
        probes[host] = Task(executorPreference: surroundings.executor) { [weak self] in
            while let delay = await self?.probeDelay(of: host) {
                guard let self, (try? await clock.sleep(clock.now().advanced(by: delay))) != nil else {
                    return
                }
                let answer = await probe(host)
                guard !Task.isCancelled else { return }
                await take(answer, of: host)
            }
        }
    }

    /// - Returns: nil if the host need not be asked for any more.
    private func probeDelay(of host: UploadHost) -> Duration? {
        let isWanted = uploads.values.contains { $0.state.isPending && runner.host(of: $0) == host }
        guard isWanted, let delay = hosts[host]?.delay else {
            hosts[host] = nil
            probes[host] = nil
            return nil
        }
        return delay
    }

    /// The host itself answered.
    ///
    /// - Returns: True if others may have waited for that.
    @discardableResult
    func hostAnswered(_ host: UploadHost) -> Bool {
        let wasPaused = signInPauses.removeValue(forKey: host) != nil
        let wasAway = hosts.removeValue(forKey: host) != nil
        if wasAway { probes.removeValue(forKey: host)?.cancel() }
        return wasPaused || wasAway
    }

    private func take(_ answer: Reachability, of host: UploadHost) async {
        let told = shownAwayHosts
        hosts[host]?.record(answer)
        guard answer == .reachable else {
            if shownAwayHosts != told { publish([]) }
            return
        }
        hosts[host] = nil
        probes[host] = nil
        var changed: [Upload.ID] = []
        for var upload in uploads.values where runner.host(of: upload) == host {
            guard upload.regainHost() else { continue }
            store(upload)
            changed.append(upload.id)
        }
        await save(changed, durably: false)
        advance()
    }

    private func forEachRemote(
        _ change: (inout Upload) -> Bool, then act: ([Upload.ID]) -> Void
    ) async {
        var changed: [Upload.ID] = []
        for var upload in uploads.values where !runner.host(of: upload).isLocal {
            guard change(&upload) else { continue }
            store(upload)
            changed.append(upload.id)
        }
        // The sockets first: nothing that is written down later can be sooner than the link.
        act(changed)
        await save(changed, durably: false)
    }
}
