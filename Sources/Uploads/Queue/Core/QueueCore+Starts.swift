import FerryProtocols

extension QueueCore {
    /// The size up to which sending a file again after a crash costs no more than a journal record of its start.
    private static let briefSize: ByteCount = 128 << 10

    /// An upload that sends no byte for this time is stuck. Although all slots are taken, an upload can then start at a
    /// host without running uploads.
    private static let stuckAfter = Duration.seconds(10)

    var smallPerSlot: Int { settings.concurrency == nil ? configuration.smallUploadsPerSlot : 1 }

    static func isBrief(_ upload: Upload) -> Bool { upload.size <= briefSize }

    mutating func startRuns() {
        // An instant in the past would make the timer fire again and again while no upload may start.
        schedule.stuckLook = nil
        guard phase == .accepting, unconfirmed.dirty.isEmpty, !health.isRefused else { return }
        let inSlot = smallPerSlot
        let limits = Scheduler.limits(
            total: concurrency, perHost: configuration.concurrencyPerHost ?? concurrency, inSlot: inSlot)
        var postponed: [Upload] = []
        while let id = nextReady(limits, inSlot: inSlot) {
            guard let upload = uploads[id] else { continue }
            // The last attempt is still ending, or the command is not on disk yet. An event calls this function again.
            guard !runs.contains(id), !unconfirmed.isInFlight(id) else {
                postponed.append(upload)
                continue
            }
            begin(upload)
        }
        for upload in postponed {
            schedule.ready.enqueue(upload.id, rank: upload.rank, host: lookups.host(upload))
        }
        if mayReplaceStuck(limits, running: runs.shares(inSlot: inSlot)) {
            schedule.stuckLook = now.instant.advanced(by: Self.stuckAfter / 2)
        }
    }

    /// True if no whole slot is free, and an upload possibly waits to start at a host without running uploads.
    private func mayReplaceStuck(_ limits: Scheduler.Limits, running: [UploadHost: Int]) -> Bool {
        limits.total - running.values.reduce(0, +) < limits.slot && schedule.ready.waits(besides: running)
    }

    private mutating func nextReady(_ limits: Scheduler.Limits, inSlot: Int) -> Upload.ID? {
        let running = runs.shares(inSlot: inSlot)
        return schedule.ready.next(
            limits: limits, running: running,
            stuck: mayReplaceStuck(limits, running: running) ? stuckShares(inSlot) : [:],
            isBlocked: { [hosts, runs, now] host in
                hosts.permission(at: host, running: runs.count(at: host), now: now.instant) != .now
            },
            places: { [uploads, hosts, now] id, host in
                Scheduler.share(
                    ofSize: uploads[id]?.size ?? .max, inSlot: inSlot,
                    growth: hosts.growth(at: host, now: now.instant))
            },
            isCurrent: { [uploads] id, rank in
                guard let upload = uploads[id], upload.rank == rank else { return false }
                return upload.state == .queued && upload.start == nil
            })
    }

    /// Returns the number of shares that stuck uploads occupy at each host.
    private func stuckShares(_ inSlot: Int) -> [UploadHost: Int] {
        var stuck: [UploadHost: Int] = [:]
        for (id, run) in runs.all {
            // A server can delay the first byte for as long as all timeouts together.
            guard let progress = lookups.progress(id), !progress.isReading,
                (progress.moved ?? run.started).duration(to: now.instant) >= Self.stuckAfter
            else { continue }
            stuck[run.host, default: 0] += Scheduler.share(of: run, inSlot: inSlot)
        }
        return stuck
    }

    private mutating func begin(_ upload: Upload) {
        var upload = upload
        upload.tries.attempts += 1
        if upload.resource == nil { upload.tries.countResent(after: 0) }
        upload.state = .running(attempt: upload.tries.attempts, since: now.date)
        store(upload)
        let host = lookups.host(upload)
        let number = runs.begin(
            upload, at: host, growth: hosts.growth(at: host, now: now.instant), now: now.instant)
        effects.append(.start(upload, run: number))
        // The start of a larger upload is published when its record is written.
        if Self.isBrief(upload) { publish([upload.id]) }
    }
}

/// The functions for uploads with a start condition.
///
/// The queue removes a met condition from memory at once, and from disk with the next record of the upload. After a
/// crash before that record, it checks the condition again.
extension QueueCore {
    /// Returns a queued upload without the met parts of its start condition, and records what it still waits for.
    mutating func admitted(_ upload: Upload) -> Upload {
        guard let start = upload.start else {
            if !schedule.starts.isEmpty { schedule.starts.forget(upload.id) }
            return upload
        }
        guard case .queued = upload.state else {
            schedule.starts.note(upload.id, .rest)
            return upload
        }
        var upload = upload
        let (uploads, unconfirmed) = (uploads, unconfirmed)
        let open = schedule.completed.lastOpen(in: start.after, of: uploads) {
            Self.isOpen($0, uploads, unconfirmed)
        }
        if let open {
            if let date = start.notBefore, date <= now.date { upload.start?.notBefore = nil }
            schedule.starts.note(upload.id, .upload(open))
            return upload
        }
        if let date = start.notBefore, date > now.date {
            if !start.after.isEmpty { upload.start?.after = [] }
            schedule.starts.note(upload.id, .date(date))
        } else {
            upload.start = nil
            schedule.starts.forget(upload.id)
        }
        return upload
    }

    /// True if other uploads must still wait for `id`: it is not done, or this is not on disk yet. Without the state on
    /// disk, it would run again after a crash.
    private static func isOpen(
        _ id: Upload.ID, _ uploads: QueueTable, _ unconfirmed: UnconfirmedChanges
    ) -> Bool {
        guard let upload = uploads[id] else { return false }
        return !upload.isDone || unconfirmed.hasEnded(id)
    }

    /// Checks the start conditions of the uploads that wait for `id`, which clients see as done or which has left.
    mutating func letFollow(_ id: Upload.ID) {
        let dependents = schedule.starts.dependents(of: id)
        if !dependents.isEmpty { reconsider(dependents) }
    }

    mutating func startDue() { reconsider(schedule.starts.due(at: now.date)) }

    private mutating func reconsider(_ ids: some Sequence<Upload.ID>) {
        let ids = ids.sorted()
        for id in ids {
            if let upload = uploads[id] { store(upload) }
        }
        if !ids.isEmpty { publish(ids) }
    }

    /// Returns the unmet part of a start condition. Throws if a range contains no upload of the queue.
    func resolved(_ start: Upload.StartCondition) throws(UploadFailure) -> Upload.StartCondition? {
        var open: [Upload.ID] = []
        var missing: [String] = []
        for range in start.after {
            let there = known(in: range)
            if there.isEmpty { missing.append(UploadNumbers.name(range)) }
            open += there.filter { Self.isOpen($0, uploads, unconfirmed) }
        }
        try Self.checkNone(missing)
        let date = start.notBefore.flatMap { $0 > now.date ? $0 : nil }
        return Upload.StartCondition(notBefore: date, after: UploadNumbers(joining: open).ranges).ifAny
    }

    /// Returns the uploads that wait for an unfinished upload of `ids`, which is to be removed, as held.
    func orphaned(by ids: [Upload.ID]) -> [Upload] {
        guard !schedule.starts.isEmpty else { return [] }
        let gone = ids.filter { uploads[$0]?.isDone == false }.sorted()
        guard !gone.isEmpty else { return [] }
        let goneToo = Set(ids)
        return schedule.starts.ids.compactMap { id in
            goneToo.contains(id) ? nil : uploads[id]?.held(without: gone)
        }
    }

    func awaited(by conditions: some Sequence<Upload.StartCondition>) -> Set<Upload.ID> {
        Set(Set(conditions.lazy.flatMap(\.after)).flatMap(known))
    }

    /// Returns the uploads that are locked while `ids` are put back: `orphaned`, and all for which these wait.
    func involved(
        inPuttingBack ids: [Upload.ID], _ orphaned: some Collection<Upload.ID>
    ) -> Set<Upload.ID> {
        let conditions = removals.conditions(of: ids) + orphaned.compactMap { uploads[$0]?.start }
        return awaited(by: conditions).union(orphaned)
    }

    /// Returns `changed`, with those held that wait for a removed upload.
    func holdingOrphans(among changed: [Upload]) -> [Upload] {
        guard changed.contains(where: { $0.start != nil }) else { return changed }
        let gone = removals.unfinished
        return changed.map { $0.held(without: gone) ?? $0 }
    }
}

extension Upload {
    /// Returns the upload with the state `held`, if it still waits for one of the removed uploads `gone`.
    fileprivate func held(without gone: [ID]) -> Upload? {
        switch state {
        case .queued, .paused: break
        case .running, .waiting, .held, .done, .failed: return nil
        }
        guard let other = start?.after.lazy.compactMap({ UploadNumbers.first(in: $0, of: gone) }).first
        else { return nil }
        var upload = self
        upload.state = .held(
            UploadFailure(
                .permanent, "upload \(other), which it was to start after, was removed before it was done",
                hint: "retry starts it all the same"))
        return upload
    }
}
