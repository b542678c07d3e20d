import FerryConnectivity
import FerryProtocols
import FerryTransfer

/// The state and the decisions of the upload queue, as a value without clock, disk, network or tasks. `UploadQueue`
/// passes the events to it and performs the effects.
package struct QueueCore {
    enum Phase {
        /// Commands change the queue, but no upload starts.
        case editing
        case accepting
        /// No new upload starts, and the engine ends once no attempt runs.
        case finishing
        case stopped
    }

    let lookups: QueueLookups
    var configuration: UploadQueue.Configuration
    var now: Moment
    private(set) var phase = Phase.editing
    var settings = QueueSettings()
    var uploads = QueueTable()
    var index = UploadIndex()
    var unconfirmed = UnconfirmedChanges()
    var transactions = TransactionLog()
    var schedule = StartSchedule()
    var runs = RunTable()
    var hosts = HostTable()
    var removals = Removals()
    package var undo: UndoStack
    var archive = Archive()
    var limits: LimitSchedule
    var notices = NoticeLog()
    var health = JournalHealth()
    var effects = Outbox()

    package init(
        configuration: UploadQueue.Configuration, lookups: QueueLookups, limits: LimitSchedule, now: Moment
    ) {
        self.configuration = configuration
        self.lookups = lookups
        self.limits = limits
        self.now = now
        undo = UndoStack(start: now.date)
    }

    /// Processes an event, and returns the effects in the sequence in which to perform them.
    package mutating func handle(_ event: CoreEvent, at now: Moment) -> [CoreEffect] {
        self.now = now
        take(event)
        effects.wake(at: nextInstant, now: now.instant)
        return effects.drain()
    }

    private mutating func take(_ event: CoreEvent) {
        switch event {
        case .started(let awaitsLink):
            phase = .accepting
            applyLimits()
            archive = Archive(uploads.values)
            decideUncertain()
            if awaitsLink { hosts.awaitLink() }
            advance()
        case .transaction(let transaction, let reply): submit(transaction, reply)
        case .attempt(let id, let run, .recorded(let resource, let durably), let reply):
            record(resource?.value, for: id, run: run, durably: durably, reply)
        case .attempt(let id, let run, .ended(let outcome, let file, let sent), let reply):
            ended(id, run: run, outcome.value, file: file, sent: sent, reply)
        case .sent(let id, let run, let bytes): noteSent(bytes, of: id, run: run)
        case .journaled(let appends):
            for (ticket, result) in appends { end(ticket, result) }
            advance()
        case .journalReported(let condition):
            if health.report(condition, isAccepting: phase == .accepting, now: now.instant) { publish([]) }
        case .repaired(let condition):
            guard phase != .stopped else { return }
            health.repaired(condition, hasDirty: !unconfirmed.dirty.isEmpty, now: now.instant)
            publish([])
            advance()
        case .journalClosed(let error):
            health.close(error, hasDirty: !unconfirmed.dirty.isEmpty)
            publish([])
        case .link(let status, let isForbidden): linkChanged(status, isForbidden: isForbidden)
        case .slept: machineSlept()
        case .probed(let host, let number, let result): probed(host, number: number, result)
        case .roundTrip(let host, let time): hosts.measured(host, roundTrip: time)
        case .timer: timerFired()
        case .configured(let configuration, let waiting): configure(configuration, waiting: waiting)
        case .tryNow: tryNow()
        case .force: hosts.force()
        case .commanded(let action):
            guard !action.isEmpty else { return }
            for case .putBack(let ids, _, _) in undo.record(action, at: now.date) {
                discard(removals.forget(ids.all, isRunning: runs.contains))
            }
        case .advance: advance()
        case .finish: phase = .finishing
        case .stop: phase = .stopped
        case .endRemovals: discard(removals.endAll())
        case .noticed(let notice, let number):
            notices.add(notice, number: number)
            publish([])
        case .awayFolders(let folders):
            guard folders != notices.awayFolders else { return }
            notices.awayFolders = folders
            publish([])
        case .historyCompleted: retireIfDue(slack: 0)
        case .retired(let count): archive.retire(count)
        }
    }

    /// Starts the uploads that can start, and wakes the callers that wait for an idle queue.
    mutating func advance() {
        reviewLimits()
        startRuns()
        if isIdle { effects.append(.idle) }
    }

    private mutating func timerFired() {
        effects.timerFired()
        if phase == .accepting {
            let due = schedule.waits.due(at: now.instant).filter { id in
                guard var upload = uploads[id], case .waiting = upload.state else { return false }
                upload.state = .queued
                store(upload)
                return true
            }
            publish(due)
            startDue()
        }
        hosts.prune(at: now.instant)
        for probe in hosts.dueProbes(at: now.instant) {
            effects.append(.probe(probe.host, number: probe.number))
        }
        discard(removals.endWindows(at: now.instant, isRunning: runs.contains))
        if health.beginRepair(at: now.instant) { effects.append(.repair) }
        advance()
    }

    private var nextInstant: ContinuousClock.Instant? {
        mutating get {
            var next = removals.nextEnd
            func consider(_ instant: ContinuousClock.Instant?) {
                if let instant { next = min(next ?? instant, instant) }
            }
            switch phase {
            case .stopped: return nil
            case .editing: break
            case .accepting:
                consider(schedule.nextInstant(after: now))
                consider(hosts.nextInstant(after: now.instant))
                fallthrough
            case .finishing:
                consider(limits.nextLook(after: now))
                consider(hosts.nextProbe)
                consider(health.nextRepair)
            }
            return next
        }
    }

    /// True if no attempt runs, and only an action of a user can start one.
    package var isIdle: Bool {
        switch phase {
        case .editing: true
        // A result that is not on disk yet keeps the engine running, unless only a user can repair the disk. If all
        // pending uploads are to start after others, they wait for uploads that need a user.
        case .accepting:
            runs.isEmpty
                && (index.pending == schedule.starts.following && unconfirmed.isSettled
                    || health.isHopeless)
        case .finishing: runs.isEmpty
        case .stopped: true
        }
    }

    /// True if no attempt runs, and none can start any more.
    var isFinished: Bool { phase == .stopped || phase == .finishing && isIdle }

    func status(at now: Moment) -> EngineStatus {
        EngineStatus(
            network: hosts.link.network, limits: limits.current, concurrency: concurrency,
            storage: health.storage, notice: notice(at: now),
            retryAfterPauses: hosts.pauses(running: runs.count(at:), now: now),
            unreachableHosts: hosts.unreachable(running: runs.count(at:)), awayFolders: notices.awayFolders,
            notices: notices.all)
    }

    /// Returns a message to users about the disk, or about why fewer uploads run than configured.
    func notice(at now: Moment) -> UploadFailure? {
        health.notice(running: runs.count)
            ?? hosts.notice(running: runs.count(at:), now: now.instant)
    }

    var concurrency: Int { settings.concurrency ?? configuration.concurrency }

    mutating func publish(_ ids: [Upload.ID], removed: [Upload.ID] = []) {
        effects.append(.publish(ids, removed: removed))
    }

    mutating func discard(_ uploads: [Upload]) {
        for upload in uploads { effects.append(.discard(upload)) }
    }
}

// The limits and the configuration.
extension QueueCore {
    mutating func applyLimits() {
        let isNew = limits.update(configuration.limits, orders: settings.limits, at: now.date)
        effects.append(.limitRates(limits.current.rates))
        if isNew { publish([]) }
    }

    mutating func reviewLimits() {
        if limits.isOver(at: now.date) { applyLimits() }
    }

    var hostsOfWaiting: [Upload.ID: UploadHost] {
        var hosts: [Upload.ID: UploadHost] = [:]
        for upload in uploads.values {
            if case .waiting = upload.state { hosts[upload.id] = lookups.host(upload) }
        }
        return hosts
    }

    private mutating func configure(
        _ configuration: UploadQueue.Configuration, waiting: [Upload.ID: UploadHost]
    ) {
        self.configuration = configuration
        hosts.forgetGrowth()
        findHostsAgain()
        // An upload whose host failed is retried at once if it now reaches the host by another route.
        let woken = waiting.keys.sorted().filter { id in
            guard var upload = uploads[id], lookups.host(upload) != waiting[id], upload.regainHost() else {
                return false
            }
            store(upload)
            return true
        }
        applyLimits()
        if phase == .accepting { decideUncertain() }
        retireIfDue(slack: 0)
        publish(woken)
        advance()
    }

    /// Looks up each upload's host again, because a new configuration can change the proxy.
    private mutating func findHostsAgain() {
        schedule.ready = Scheduler()
        let ready = uploads.values.filter { $0.state == .queued && $0.start == nil }
        for (host, uploads) in Dictionary(grouping: ready, by: lookups.host) {
            schedule.ready.enqueue(uploads.map { (id: $0.id, rank: $0.rank) }, host: host)
        }
        guard hosts.isCounting else { return }
        let counts = pendingAtHosts()
        hosts.count(counts)
        hosts.carryPausesOver(to: counts.keys)
    }

    /// Begins to move the oldest done uploads to the history if there are `slack` more than `keptDone`.
    mutating func retireIfDue(slack: Int) {
        guard let kept = configuration.keptDone, archive.finished.count > kept + slack,
            phase == .accepting || phase == .finishing
        else { return }
        effects.append(.retire)
    }

    /// Applies the rule `onUncertain` to the uploads whose outcome is unknown. No upload starts until this is on disk.
    private mutating func decideUncertain() {
        // A command in flight may yet be refused, and its uploads return to their earlier state.
        for var upload in uploads.values
        where !unconfirmed.isInFlight(upload.id) && upload.decide(by: configuration.retry) {
            store(upload)
            unconfirmed.dirty.insert([upload.id])
        }
        if !unconfirmed.dirty.isEmpty { effects.append(.saveDirty) }
    }
}

extension QueueCore {
    package mutating func restore(_ recovered: inout Recovered, at now: Moment) -> [CoreEffect] {
        self.now = now
        index.forgetPaths()
        settings = recovered.settings
        applyLimits()
        uploads.reserveCapacity(recovered.uploads.count)
        var planned: [Upload.ID] = []
        var ready: (host: UploadHost?, uploads: [(id: Upload.ID, rank: Int64)]) = (nil, [])
        var held: [Upload] = []
        // `popLast` moves an upload; a `for` loop would copy a million of them.
        while var upload = recovered.uploads.popLast() {
            upload.recover()
            if upload.resource != nil { held.append(upload) }
            index.include(rank: upload.rank)
            if case .waiting = upload.state {
                store(upload)
                continue
            }
            uploads.insert(upload)
            index.countPending(false, upload.state.isPending)
            // Most uploads of a long queue are for one host, and are enqueued together.
            if upload.start != nil { planned.append(upload.id) }
            guard case .queued = upload.state, upload.start == nil else { continue }
            let host = lookups.host(upload)
            if let last = ready.host, last != host {
                schedule.ready.enqueue(ready.uploads, host: last)
                ready.uploads.removeAll(keepingCapacity: true)
            }
            ready.host = host
            ready.uploads.append((upload.id, upload.rank))
        }
        if let host = ready.host { schedule.ready.enqueue(ready.uploads, host: host) }
        // An earlier process was possibly killed after it put an upload back, and before it took back `abandon`.
        if !held.isEmpty { effects.append(.reclaim(held)) }
        // These come last, because the uploads that they wait for were possibly read after them.
        for id in planned {
            if let upload = uploads[id] { store(upload) }
        }
        return effects.drain()
    }
}
