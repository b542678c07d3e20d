import UploadProtocols

extension UploadQueue {
    /// Goes by another configuration from now on, for uploads that are queued too. What somebody ordered holds over it,
    /// as it does after a start; attempts that run end as they began.
    ///
    /// - Parameter change: Changes what the runner goes by, in the same moment for all that the queue does.
    public func apply(_ configuration: Configuration, with change: @Sendable () -> Void = {}) {
        change()
        self.configuration = configuration
        findHostsAgain()
        applyLimits()
        if phase == .accepting { decideUncertain() }
        retireIfDue(slack: 0)
        publish([])
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
    }
}
