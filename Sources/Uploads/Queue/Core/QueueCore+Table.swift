package import FerryProtocols
import FerryTransfer

/// The functions that add, remove and select uploads, and that update the indexes of their states.
extension QueueCore {
    mutating func store(_ upload: Upload) {
        let upload = admitted(upload)
        let before = uploads.update(upload)
        if before?.isDone ?? true, !upload.isDone { schedule.completed.reopen(upload.id) }
        countPending(upload, before?.state.isPending ?? false, upload.state.isPending)
        if let before {
            // Other changes of the upload do not move the end of a wait.
            if upload.state.isWait(of: before), schedule.waits.instant(of: upload.id) != nil { return }
            schedule.waits.forget(upload.id)
        } else {
            index.insert(upload)
        }
        switch upload.state {
        case .queued where upload.start == nil:
            schedule.ready.enqueue(upload.id, rank: upload.rank, host: lookups.host(upload))
        case .waiting(let until, _):
            let left = configuration.retry.remaining(of: upload.tries.delay, until: until, now: now.date)
            schedule.waits.wait(upload.id, until: now.instant.advanced(by: .seconds(left)))
        case .queued, .running, .paused, .held, .done, .failed: break
        }
    }

    mutating func drop(_ id: Upload.ID) {
        guard let upload = uploads.removeValue(forKey: id) else { return }
        index.remove(upload)
        countPending(upload, upload.state.isPending, false)
        schedule.waits.forget(id)
        schedule.starts.forget(id)
        runs.forget(id)
        unconfirmed.forget(id)
        // No record will report the end of this upload any more.
        if upload.isDone { letFollow(id) }
    }

    /// Undoes changes that the journal refused. Later changes of the uploads stay.
    mutating func takeBack(_ changed: ChangedUploads) {
        for change in changed.whole {
            takeBack(change.after.id, wakes: change.wakes) {
                $0.takeBack(from: change.after, to: change.before)
            }
        }
        for change in changed.states {
            for id in change.ids { takeBack(id) { $0.takeBack(from: change.after, to: change.before) } }
        }
    }

    private mutating func takeBack(
        _ id: Upload.ID, wakes: ContinuousClock.Instant? = nil, _ undo: (inout Upload) -> Void
    ) {
        guard let now = uploads[id] else { return }
        var undone = now
        undo(&undone)
        if undone != now {
            // The attempt has possibly ended since the change.
            if case .running = undone.state, !runs.contains(undone.id) { undone.state = .queued }
            store(undone)
        }
        // `until` is not used, because the wall clock has possibly been set since the change.
        if let wakes, case .waiting = undone.state { schedule.waits.wait(undone.id, until: wakes) }
    }

    /// Returns an upload with the state that clients see: until its end is on disk, the state before. The date of a
    /// retry is calculated again from the continuous clock.
    func shown(_ upload: Upload, at now: Moment) -> Upload {
        if let shown = unconfirmed.shown(upload) { return shown }
        guard case .waiting(_, let failure) = upload.state,
            let instant = schedule.waits.instant(of: upload.id)
        else { return upload }
        var upload = upload
        upload.state = .waiting(until: now.date(of: instant), failure: failure)
        return upload
    }

    /// Returns uploads and the status as clients see them. This changes nothing; it is mutating because the queue's actor
    /// would copy the whole core for the call of another function.
    mutating func news(of ids: [Upload.ID], at now: Moment) -> ([Upload], EngineStatus) {
        (ids.compactMap { id in uploads[id].map { shown($0, at: now) } }, status(at: now))
    }

    func all(at now: Moment) -> [Upload] {
        uploads.all.map { shown($0, at: now) }.sorted { $0.rank < $1.rank }
    }

    func shownTable(at now: Moment) -> QueueTable {
        var shown = uploads
        for id in Array(schedule.waits.ids) + unconfirmed.endedIDs {
            shown[id] = shown[id].map { self.shown($0, at: now) }
        }
        return shown
    }

    private mutating func countPending(_ upload: Upload, _ wasPending: Bool, _ isPending: Bool) {
        index.countPending(wasPending, isPending)
        guard hosts.isCounting, wasPending != isPending else { return }
        hosts.count(lookups.host(upload), by: isPending ? 1 : -1)
    }

    func pendingAtHosts() -> [UploadHost: Int] {
        var counts: [UploadHost: Int] = [:]
        uploads.visit { upload in
            if upload.state.isPending { counts[lookups.host(upload), default: 0] += 1 }
        }
        return counts
    }

    /// Begins to count the pending uploads of each host, because a host fails or asks for a pause.
    mutating func countHosts() {
        if !hosts.isCounting { hosts.count(pendingAtHosts()) }
    }
}

// The uploads of a file, and those of a selection.
extension QueueCore {
    mutating func queued(from file: LocalPath) -> [Upload] {
        index.ids(of: file, in: uploads).compactMap { uploads[$0] }
    }

    mutating func queued(as new: NewUpload) -> [Upload] {
        queued(from: new.path).filter { $0.target == new.target }
    }

    func retryPolicy(for upload: Upload) -> QueueRetryPolicy {
        var policy = configuration.retry
        if index.watchedFiles.contains(upload.path) { policy.whenFileChanges = .hold }
        return policy
    }

    /// Returns the uploads whose number is in `range`. The range can come from another process and have any length.
    func known(in range: ClosedRange<Upload.ID>) -> [Upload.ID] {
        let given = 0...max(0, settings.nextID - 1)
        guard range.overlaps(given) else { return [] }
        let range = range.clamped(to: given)
        return range.count <= uploads.count
            ? range.filter { uploads[$0] != nil } : uploads.ids { range.contains($0.id) }
    }

    func added(from first: Upload.ID, to batches: Set<String>) -> [Upload.ID] {
        guard !batches.isEmpty else { return [] }
        return uploads.ids { $0.id >= first && $0.batch.map(batches.contains) ?? false }
    }

    /// True if the batch is paused, and so each upload that is added to it.
    func isPaused(_ batch: String?) -> Bool { batch.map(settings.pausedBatches.contains) ?? false }

    /// Throws `UploadFailure` if the batch is unknown: a mistyped name must not silently select nothing.
    func checkBatch(_ name: String) throws(UploadFailure) {
        guard !settings.pausedBatches.contains(name), !uploads.values.contains(where: { $0.batch == name })
        else { return }
        throw .unknownBatch(name, known: settings.pausedBatches.union(uploads.values.compactMap(\.batch)))
    }

    /// Returns the ids of the selected uploads. Throws if a selected number, range or batch is unknown.
    package func ids(_ selection: UploadSelection) throws(UploadFailure) -> [Upload.ID] {
        switch selection {
        case .ids(let ids):
            try Self.checkNone(ids.filter { uploads[$0] == nil }.map(String.init))
            return Array(Set(ids))
        case .numbers(let numbers):
            let (found, missing) =
                numbers.found { uploads[$0] != nil } ?? numbers.found(among: uploads.ids)
            try Self.checkNone(missing.map(UploadNumbers.name))
            return found
        case .all: return uploads.ids
        case .failed: return uploads.ids { $0.state.ending != nil }
        case .done: return uploads.ids { $0.isDone }
        case .batch(let name):
            let ids = uploads.ids { $0.batch == name }
            if ids.isEmpty { try checkBatch(name) }
            return ids
        }
    }

    /// Returns those of the selected uploads that a change can affect: for `all`, those for which `isAffected` is true,
    /// and those whose last change may yet be refused. If earlier changes wait, returns all: those come first, and can
    /// change any upload. Throws as `ids(_:)` does.
    func ids(
        _ selection: UploadSelection, where isAffected: (borrowing Upload) -> Bool
    ) throws(UploadFailure) -> [Upload.ID] {
        guard selection == .all, transactions.blocked.isEmpty else { return try ids(selection) }
        return uploads.ids { isAffected($0) || unconfirmed.isInFlight($0.id) }
    }

    static func checkNone(_ missing: [String]) throws(UploadFailure) {
        if !missing.isEmpty { throw .unknownUploads(missing) }
    }
}

// Adding uploads.
extension QueueCore {
    /// Returns the uploads that the new ones name. Throws if the queue takes no uploads under these batches.
    func awaited(by new: [NewUpload]) throws(UploadFailure) -> Set<Upload.ID> {
        if !new.isEmpty { try checkRoom(for: new) }
        return awaited(by: Self.conditions(of: new))
    }

    private func checkRoom(for new: [NewUpload]) throws(UploadFailure) {
        guard phase != .finishing else {
            throw UploadFailure(
                .permanent, "the queue is finishing and takes nothing new", hint: "start `ferry` again")
        }
        guard settings.nextID < Int.max - new.count, index.ranks.upperBound < Int64.max - Int64(new.count)
        else {
            throw UploadFailure(
                .permanent, "the queue has no numbers left", hint: "begin a new one in another folder")
        }
        var last: String?
        for case let batch? in new.lazy.map(\.batch) where batch != last {
            if let issue = Upload.issue(ofBatch: batch) {
                throw UploadFailure(.permanent, "the name of a batch \(issue)")
            }
            last = batch
        }
    }

    private static func conditions(of new: [NewUpload]) -> Set<Upload.StartCondition> {
        var asked: Set<Upload.StartCondition> = []
        var last: Upload.StartCondition?
        for case let start? in new.lazy.map(\.start) where start != last {
            asked.insert(start)
            last = start
        }
        return asked
    }

    /// - Parameter mark: The mark of the files in `PendingAdds`, if they have one.
    mutating func beginAdd(
        _ new: [NewUpload], _ mark: PendingAdds.Mark?, _ reply: ReplyID?
    ) throws(UploadFailure) {
        guard !new.isEmpty else { return sendReply(reply, .success(TransactionResult())) }
        var conditions: [Upload.StartCondition: Upload.StartCondition?] = [:]
        for start in Self.conditions(of: new) { conditions[start] = .some(try resolved(start)) }
        let awaited = Array(awaited(by: conditions.values.compactMap { $0 }))
        var added: [QueueChange] = []
        added.reserveCapacity(new.count)
        var last: Upload?
        for item in new {
            var upload = Upload(
                id: settings.nextID, rank: index.appendRank(), path: item.path, identity: item.identity,
                target: item.target, state: isPaused(item.batch) ? .paused(.user) : .queued,
                added: now.date, batch: item.batch, start: item.start.flatMap { conditions[$0] ?? nil })
            if let last {
                upload.shareRest(with: last)
                upload.target.share(with: last.target)
            }
            last = upload
            added.append(.set(upload))
            settings.nextID += 1
        }
        // Appends before the uploads are in memory: an upload that is not on disk must not start.
        append(added, .powerCut, .add(added, awaited: awaited, mark), locking: awaited, reply)
    }

    mutating func endAdd(
        _ added: [QueueChange], _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        if let error { return .failure(refuse(error)) }
        var (ids, isPaused) = ([Upload.ID](), false)
        for case .set(let upload) in added {
            store(upload)
            ids.append(upload.id)
            if case .paused = upload.state { isPaused = true }
        }
        publish(ids)
        return .success(TransactionResult(ids: ids, isPaused: isPaused, undo: .unadd(.init(joining: ids))))
    }

    /// Returns transactions that pause or resume uploads as users did with their batches during the write.
    func batchChanges(of ids: [Upload.ID]) -> [Transaction] {
        var (late, early): ([Upload.ID], [Upload.ID]) = ([], [])
        for id in ids {
            guard let upload = uploads[id], let batch = upload.batch else { continue }
            switch (upload.state, isPaused(batch)) {
            case (.queued, true): late.append(id)
            case (.paused(.user), false): early.append(id)
            default: break
            }
        }
        return (late.isEmpty ? [] : [.change(late, .pause)])
            + (early.isEmpty ? [] : [.change(early, .resume)])
    }
}
