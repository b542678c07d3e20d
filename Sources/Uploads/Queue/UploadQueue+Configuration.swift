import FerryProtocols

extension UploadQueue {
    /// Goes by another configuration from now on, for uploads that are queued too. What somebody ordered holds over it,
    /// as it does after a start; attempts that run end as they began.
    ///
    /// - Parameter change: Changes what the runner goes by, in the same moment for all that the queue does.
    public func apply(_ configuration: Configuration, with change: @Sendable () -> Void = {}) {
        let waiting = hostsOfWaiting
        change()
        self.configuration = configuration
        findHostsAgain()
        let woken = wake(waiting)
        applyLimits()
        if phase == .accepting { decideUncertain() }
        retireIfDue(slack: 0)
        publish(woken)
        advance()
    }

    /// By another proxy the same server is another place to be reached.
    private func findHostsAgain() {
        scheduler = Scheduler()
        let ready = uploads.values.filter { $0.state == .queued && $0.start == nil }
        for (host, uploads) in Dictionary(grouping: ready, by: runner.host) {
            scheduler.enqueue(uploads.map { (id: $0.id, rank: $0.rank) }, host: host)
        }
        if pendingAtHosts != nil { pendingAtHosts = countPending() }
        carryPausesOver()
    }

    /// A server that asked to be left alone is the same one by another way.
    private func carryPausesOver() {
        guard !askedPauses.isEmpty else { return }
        for host in countPending().keys where askedPauses[host] == nil {
            askedPauses[host] = askedPauses.filter { $0.key.name == host.name && $0.key.port == host.port }
                .values.max { $0.end < $1.end }
        }
    }

    private var hostsOfWaiting: [Upload.ID: UploadHost] {
        var hosts: [Upload.ID: UploadHost] = [:]
        for upload in uploads.values {
            if case .waiting = upload.state { hosts[upload.id] = runner.host(of: upload) }
        }
        return hosts
    }

    /// What waited for the way to its host that there was need not wait for another one.
    ///
    /// - Parameter waiting: By which way their hosts were reached.
    private func wake(_ waiting: [Upload.ID: UploadHost]) -> [Upload.ID] {
        var woken: [Upload.ID] = []
        for (id, host) in waiting {
            guard var upload = uploads[id], runner.host(of: upload) != host, upload.regainHost() else {
                continue
            }
            store(upload)
            woken.append(id)
        }
        return woken.sorted()
    }
}
