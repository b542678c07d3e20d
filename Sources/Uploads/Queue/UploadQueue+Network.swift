import Connectivity
import Foundation

extension UploadQueue {
    /// The kernel says that the network came or went.
    func linkChanged(_ status: LinkStatus) async {
        switch status {
        case .down(let reason):
            guard gate == .open else { return }
            gate = .closed(since: clock.date(), reason: reason)
            await forEachRemote {
                $0.loseLink()
            } then: {
                cancelRuns($0)
            }
        case .up(let generation):
            let hasLostAddress = generation > lastGeneration
            lastGeneration = generation
            let wasOpen = gate == .open
            gate = .open
            guard !wasOpen else {
                // A connection bound to the lost address would never hear of it. Which ones are bound to it is not
                // known, so only those are made anew that lose nothing by it; the others have the stall time.
                if hasLostAddress { cancelRuns(uploads.values.filter(goesOnElsewhere).map(\.id)) }
                return
            }
            // Whatever was found out about hosts was found out without a network.
            for task in probes.values { task.cancel() }
            probes = [:]
            hosts = [:]
            await forEachRemote {
                $0.regainLink()
            } then: { _ in
            }
            advance()
        }
    }

    private func goesOnElsewhere(_ upload: Upload) -> Bool {
        guard let run = runs[upload.id] else { return false }
        return !run.host.isLocal && runner.resumes(upload)
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
        if case .closed(let since, let reason) = gate { gate = .forced(since: since, reason: reason) }
        for task in probes.values { task.cancel() }
        probes = [:]
        hosts = [:]
    }

    /// A try that a person forced failed while the link is away: back to waiting for the link.
    func forcedTryFailed() {
        if case .forced(let since, let reason) = gate { gate = .closed(since: since, reason: reason) }
    }

    func isBlocked(_ host: UploadHost) -> Bool {
        if let schedule = hosts[host], !schedule.isReachable { return true }
        return gate.isClosed && !host.isLocal
    }

    /// A transfer could not reach the host, or lost it: from the second time on one probe asks for all its uploads.
    func hostFailed(_ host: UploadHost) {
        guard !host.isLocal, gate == .open, phase == .accepting else { return }
        hosts[host, default: ProbeSchedule()].record(.timedOut)
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

    func hostAnswered(_ host: UploadHost) {
        guard hosts.removeValue(forKey: host) != nil else { return }
        probes.removeValue(forKey: host)?.cancel()
    }

    private func take(_ answer: Reachability, of host: UploadHost) async {
        hosts[host]?.record(answer)
        guard answer == .reachable else { return }
        hosts[host] = nil
        probes[host] = nil
        var changed: [Upload.ID] = []
        for var upload in uploads.values where runner.host(of: upload) == host {
            guard upload.regainLink() else { continue }
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
