import FerryFiles
import FerryProtocols

/// The functions that start uploads.
extension QueueCore {
    /// The part of a file for which an upload occupies one share of a slot: 128 KiB. A slot is room for one large
    /// upload or several small ones.
    ///
    /// A larger file occupies more shares, up to the whole slot, so that fewer uploads run at once. Many servers
    /// discard all bytes of a request if its connection breaks. Suppose that a link carries 16 MiB before it breaks. If
    /// 32 uploads of 1 MiB share the link, none of them is complete by then.
    private static let shareUnit: ByteCount = 128 << 10

    /// An upload that sends no byte of its file for this time is stuck. Although all slots are taken, an upload can
    /// then start at a host without running uploads.
    private static let stuckAfter = Duration.seconds(10)

    /// The number of uploads of at most 128 KiB that can run in one slot. It is 1 if a command has set how many uploads
    /// run at once. Otherwise it is as configured.
    var smallPerSlot: Int { settings.concurrency == nil ? configuration.smallUploadsPerSlot : 1 }

    /// Returns the number of shares of a slot that an upload of `size` bytes occupies, from 1 to `whole`. A slot has
    /// `whole` shares.
    static func share(ofSize size: ByteCount, whole: Int) -> Int {
        let units = size / shareUnit + (size % shareUnit > 0 ? 1 : 0)
        return min(whole, max(1, Int(clamping: units)))
    }

    /// True if the start of an upload is not worth a journal record. The file is so small that sending it again after a
    /// crash costs no more than the record.
    static func isBrief(_ upload: Upload) -> Bool { upload.size <= shareUnit }

    mutating func startRuns() {
        // An instant in the past would make the timer fire again and again while no upload may start.
        schedule.stuckLook = nil
        guard phase == .accepting, unconfirmed.dirty.isEmpty, !health.isRefused else { return }
        let whole = smallPerSlot
        let limits = Scheduler.Limits(
            total: concurrency * whole, perHost: (configuration.concurrencyPerHost ?? concurrency) * whole)
        var postponed: [Upload] = []
        while let id = nextReady(limits, whole: whole) {
            guard let upload = uploads[id] else { continue }
            // The previous attempt is still ending, or the command that queued the upload is not on disk yet. The event
            // that reports the end, or the write, calls this function again.
            guard !runs.contains(id), !unconfirmed.isInFlight(id) else {
                postponed.append(upload)
                continue
            }
            begin(upload)
        }
        for upload in postponed {
            schedule.ready.enqueue(upload.id, rank: upload.rank, host: lookups.host(upload))
        }
        if mayReplaceStuck(limits, running: runs.shares(whole: whole)) {
            schedule.stuckLook = now.instant.advanced(by: Self.stuckAfter / 2)
        }
    }

    /// True if the queue must look for stuck uploads, which have sent no byte for some seconds. This is so if all slots
    /// are taken, and an upload possibly waits to start at a host without running uploads.
    private func mayReplaceStuck(_ limits: Scheduler.Limits, running: [UploadHost: Int]) -> Bool {
        running.values.reduce(0, +) >= limits.total && schedule.ready.waits(besides: running)
    }

    private mutating func nextReady(_ limits: Scheduler.Limits, whole: Int) -> Upload.ID? {
        let running = runs.shares(whole: whole)
        return schedule.ready.next(
            limits: limits, running: running,
            stuck: mayReplaceStuck(limits, running: running) ? stuckShares(whole) : [:],
            isBlocked: { [hosts, runs, now] host in
                hosts.permission(at: host, running: runs.count(at: host), now: now.instant) != .now
            },
            places: { [uploads] id in uploads[id].map { Self.share(ofSize: $0.size, whole: whole) } ?? whole
            },
            isCurrent: { [uploads] id, rank in
                guard let upload = uploads[id], upload.rank == rank else { return false }
                return upload.state == .queued && upload.start == nil
            })
    }

    /// Returns the number of slot shares that stuck uploads occupy at each host. They have sent no byte for the time
    /// `stuckAfter`. An upload that still reads its file is not stuck.
    private func stuckShares(_ whole: Int) -> [UploadHost: Int] {
        var stuck: [UploadHost: Int] = [:]
        for (id, run) in runs.all {
            // A server can delay the requests before the first byte for as long as all their timeouts together.
            guard let progress = lookups.progress(id), !progress.isReading,
                (progress.moved ?? run.started).duration(to: now.instant) >= Self.stuckAfter
            else { continue }
            stuck[run.host, default: 0] += Self.share(ofSize: run.size, whole: whole)
        }
        return stuck
    }

    private mutating func begin(_ upload: Upload) {
        var upload = upload
        upload.tries.attempts += 1
        if upload.resource == nil { upload.tries.countResent(after: 0) }
        upload.state = .running(attempt: upload.tries.attempts, since: now.date)
        store(upload)
        let number = runs.begin(upload, at: lookups.host(upload), now: now.instant)
        effects.append(.start(upload, run: number))
        // The start of a larger upload is published when its record is written.
        if Self.isBrief(upload) { publish([upload.id]) }
    }
}

/// The functions for uploads with a start condition. Such an upload starts when other uploads are done, at a time by
/// the wall clock, or after both.
///
/// When a condition is met, the queue removes it from memory at once. The next journal record of the upload removes it
/// from disk. After a crash before that record, the queue checks the condition again.
extension QueueCore {
    /// Returns a queued upload without the met parts of its start condition. Records in `schedule.starts` what the
    /// upload still waits for. Returns an upload in any other state unchanged.
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

    /// True if other uploads must still wait for the upload `id`: it is not done, or its state `done` is not on disk
    /// yet. Without the state on disk, the upload would run again after a crash. False if the upload is not in the
    /// queue.
    private static func isOpen(
        _ id: Upload.ID, _ uploads: UploadTable, _ unconfirmed: UnconfirmedChanges
    ) -> Bool {
        guard let upload = uploads[id] else { return false }
        return !upload.isDone || unconfirmed.hasEnded(id)
    }

    /// Checks the start conditions of the uploads that wait for `id`. Call this when clients see `id` as done, or when
    /// `id` has left the queue, but not before.
    mutating func letFollow(_ id: Upload.ID) {
        let dependents = schedule.starts.dependents(of: id)
        if !dependents.isEmpty { reconsider(dependents) }
    }

    /// Checks the start conditions of the uploads whose earliest start time has come.
    mutating func startDue() { reconsider(schedule.starts.due(at: now.date)) }

    private mutating func reconsider(_ ids: some Sequence<Upload.ID>) {
        let ids = ids.sorted()
        for id in ids {
            if let upload = uploads[id] { store(upload) }
        }
        if !ids.isEmpty { publish(ids) }
    }

    /// Returns the unmet part of a start condition, without done uploads; nil if the whole condition is met.
    ///
    /// - Throws: `UploadFailure` if a range of the condition contains no upload of the queue.
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

    /// Returns the uploads that wait for an unfinished upload of `ids`, with the new state `held`: a user must decide
    /// about them. The result contains only queued and paused uploads, and none of `ids`. Call this before the uploads
    /// `ids` are removed.
    func orphaned(by ids: [Upload.ID]) -> [Upload] {
        guard !schedule.starts.isEmpty else { return [] }
        let gone = ids.filter { uploads[$0]?.isDone == false }.sorted()
        guard !gone.isEmpty else { return [] }
        let goneToo = Set(ids)
        return schedule.starts.ids.compactMap { id in
            goneToo.contains(id) ? nil : uploads[id]?.held(without: gone)
        }
    }

    /// Returns the uploads in the queue that these start conditions name.
    func awaited(by conditions: some Sequence<Upload.StartCondition>) -> Set<Upload.ID> {
        Set(Set(conditions.lazy.flatMap(\.after)).flatMap(known))
    }

    /// Returns the uploads in the queue that are locked while the removed uploads `ids` are put back, so that other
    /// commands cannot change them. These are the uploads in `orphaned`, and all uploads for which `ids` and `orphaned`
    /// wait.
    func involved(
        inPuttingBack ids: [Upload.ID], _ orphaned: some Collection<Upload.ID>
    ) -> Set<Upload.ID> {
        let conditions = ids.compactMap { removals[$0]?.start } + orphaned.compactMap { uploads[$0]?.start }
        return awaited(by: conditions).union(orphaned)
    }

    /// Returns the uploads `changed`, which return to the queue or to an earlier state. Queued and paused uploads that
    /// wait for a removed, unfinished upload have the state `held` in the result.
    func holdingOrphans(among changed: [Upload]) -> [Upload] {
        guard changed.contains(where: { $0.start != nil }) else { return changed }
        let gone = removals.unfinished
        return changed.map { $0.held(without: gone) ?? $0 }
    }
}

extension Upload {
    /// Returns the upload with the state `held`, if it still waits for one of the removed uploads `gone`; otherwise nil.
    /// In the state `waiting`, the upload has already started and waits for a retry.
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
