import FerryProtocols
import FerryTransfer

/// The changes that the journal records. If the disk refuses a command, the queue undoes it in memory.
extension QueueCore {
    /// Begins a transaction, or stores it in `blocked` if it must wait for another one or a running attempt.
    mutating func submit(_ submitted: Transaction, _ reply: ReplyID?) {
        var transaction = submitted
        do throws(UploadFailure) {
            transaction = try admit(submitted)
            guard try !isBlocked(transaction) else {
                transactions.blocked.append((transaction, reply))
                return
            }
            try begin(transaction, reply)
        } catch {
            // Unmarks the files that `admit` marked.
            if case .add(_, .admitted(let mark)) = transaction { transactions.pendingAdds.end(mark) }
            sendReply(reply, .failure(error))
        }
    }

    mutating func retryBlocked() {
        let blocked = transactions.blocked
        transactions.blocked = []
        for (transaction, reply) in blocked { submit(transaction, reply) }
    }

    mutating func sendReply(_ reply: ReplyID?, _ result: Result<TransactionResult, UploadFailure>) {
        if let reply { effects.append(.reply(reply, result)) }
    }

    /// Applies the rule of a transaction that adds files, and marks them, so that no other command with a rule adds
    /// them. Throws if the rule is `settled` and another command is adding one of them.
    private mutating func admit(_ transaction: Transaction) throws(UploadFailure) -> Transaction {
        guard case .add(let new, let rule) = transaction else { return transaction }
        switch rule {
        case .all, .admitted: return transaction
        case .missing(let match):
            var added = Set<UploadKey>(minimumCapacity: new.count)
            var needless: Set<Int> = []
            for (index, item) in new.enumerated() {
                let key = UploadKey(item)
                if queued(as: item).contains(where: { match.makesNeedless(item, $0) })
                    || transactions.pendingAdds.contains(key) || !added.insert(key).inserted
                {
                    needless.insert(index)
                }
            }
            guard !added.isEmpty else { return .add([], .all) }
            // Usually all files are missing. A copy of a million would take much memory.
            let missing =
                needless.isEmpty
                ? new : new.enumerated().filter { !needless.contains($0.offset) }.map(\.element)
            return .add(missing, .admitted(transactions.pendingAdds.begin(added)))
        case .settled:
            guard !new.isEmpty else { return .add([], .all) }
            let keys = Set(new.map(UploadKey.init))
            guard !keys.contains(where: transactions.pendingAdds.contains) else {
                throw UploadFailure(.permanent, "another command is adding the same files")
            }
            return .add(new, .admitted(transactions.pendingAdds.begin(keys)))
        }
    }

    private func isBlocked(_ transaction: Transaction) throws(UploadFailure) -> Bool {
        func isAnyInFlight(_ ids: some Sequence<Upload.ID>) -> Bool {
            ids.contains(where: unconfirmed.isInFlight)
        }
        switch transaction {
        case .change(let ids, _, _, _), .save(let ids, _): return isAnyInFlight(ids)
        case .move: return transactions.isMoving
        case .setRanks(let ranks): return transactions.isMoving || isAnyInFlight(ranks.keys)
        case .add(let new, _): return try isAnyInFlight(awaited(by: new))
        case .remove(let ids), .retire(let ids):
            return isAnyInFlight(ids) || isAnyInFlight(orphaned(by: ids).map(\.id))
        case .putBack(let ids, let orphaned):
            // Waits for the last attempt of a removed upload, which still reports how much the server has stored.
            return ids.contains(where: runs.contains)
                || isAnyInFlight(involved(inPuttingBack: ids, orphaned.keys))
        case .limitBandwidth, .limitConcurrency: return transactions.isSetting
        case .record(let id, _): return unconfirmed.isInFlight(id)
        }
    }

    private mutating func begin(_ transaction: Transaction, _ reply: ReplyID?) throws(UploadFailure) {
        switch transaction {
        case .change(let ids, let change, let pausing, let resuming):
            beginChange(ids, change, pausing: pausing, resuming: resuming, reply)
        case .move(let ids, let move):
            let ranks = ranks(of: ids, move)
            if ranks.keys.contains(where: unconfirmed.isInFlight) {
                transactions.blocked.append((transaction, reply))
            } else {
                beginSetRanks(ranks, reply)
            }
        case .setRanks(let ranks): beginSetRanks(ranks.filter { uploads[$0.key] != nil }, reply)
        case .add(let new, .admitted(let mark)): try beginAdd(new, mark, reply)
        case .add(let new, _): try beginAdd(new, nil, reply)
        case .remove(let ids): beginTakeOut(ids, isRemoval: true, reply)
        case .retire(let ids):
            beginTakeOut(ids.filter { uploads[$0]?.isDone ?? false }, isRemoval: false, reply)
        case .putBack(let ids, let orphaned): beginPutBack(ids, orphaned, reply)
        case .limitBandwidth(let bandwidth, let scope):
            if case .batch(let name) = scope, bandwidth != nil { try checkBatch(name) }
            let undo = UndoAction.limitBandwidth(settings.limits[scope], scope)
            changeSettings(undo: undo, reply) { $0.limits[scope] = bandwidth }
        case .limitConcurrency(let count):
            let undo = UndoAction.limitConcurrency(settings.concurrency)
            changeSettings(undo: undo, reply) { $0.concurrency = count }
        case .save(let ids, let durability):
            let saved = ids.compactMap { uploads[$0] }
            append(
                saved.map(QueueChange.set), self.durability(of: ids, durability),
                .save(saved, begun: unconfirmed.dirty.now), reply)
        case .record(let id, let durably):
            guard let upload = uploads[id] else { throw .stopped }
            append([.set(upload)], durably ? .finding : .process, .record(id, durably: durably), reply)
        }
    }

    private func durability(of ids: [Upload.ID], _ asked: Durability) -> Durability {
        guard asked == .process else { return asked }
        // If the disk refused an earlier record, this one may contain the URL to which the next bytes are sent.
        if ids.contains(where: unconfirmed.dirty.contains) { return .powerCut }
        // An upload may have ended while this record waited for a command.
        return ids.contains(where: unconfirmed.hasEnded) ? .finding : .process
    }

    /// Requests the write of a journal record. Until its result, the uploads `ids` neither start nor change.
    @discardableResult
    mutating func append(
        _ changes: [QueueChange], _ durability: Durability, _ flight: TransactionLog.InFlight,
        locking ids: some Sequence<Upload.ID> = EmptyCollection(), _ reply: ReplyID?
    ) -> Ticket {
        let ticket = transactions.begin(flight, reply)
        unconfirmed.begin(ids, ticket)
        effects.append(.append(changes, durability, ticket))
        return ticket
    }

    mutating func end(_ ticket: Ticket, _ result: Result<Void, JournalError>) {
        guard let (flight, reply) = transactions.end(ticket) else { return }
        let failure: JournalError? = if case .failure(let error) = result { error } else { nil }
        switch flight {
        case .change(let changed, let change, let batches):
            let ids = changed.ids
            unconfirmed.end(ids, ticket)
            sendReply(reply, endChange(changed, ids, change, batches, failure))
        case .add(let added, let awaited, let mark):
            unconfirmed.end(awaited, ticket)
            if let mark { transactions.pendingAdds.end(mark) }
            sendReply(reply, endAdd(added, failure))
        case .takeOut(let ids, let held, let isRemoval):
            unconfirmed.end(Self.locked(ids, held), ticket)
            sendReply(reply, endTakeOut(ids, held, isRemoval: isRemoval, failure))
        case .putBack(let changes, let count, let locked):
            unconfirmed.end(locked, ticket)
            sendReply(reply, endPutBack(changes, count: count, failure))
        case .settings(let before, let undo): sendReply(reply, endSettings(before, undo, failure))
        case .save(let saved, let begun):
            endSave(saved, begun: begun, failure)
            sendReply(reply, .success(TransactionResult()))
        case .record(let id, let durably): sendReply(reply, endRecord(id, durably: durably, failure))
        }
        retryBlocked()
    }

    /// Processes the journal's refusal of a change, and returns the failure for the caller.
    @discardableResult
    mutating func refuse(_ error: JournalError) -> UploadFailure {
        guard error.isOfDisk else { return error.failure }
        health.refuse(error, isAccepting: phase == .accepting, now: now.instant)
        publish([])
        return phase == .editing ? error.failure : notice(at: now) ?? error.failure
    }
}

// Changes of uploads.
extension QueueCore {
    private mutating func beginChange(
        _ ids: [Upload.ID], _ change: UploadChange, pausing: Set<String>, resuming: Set<String>,
        _ reply: ReplyID?
    ) {
        var batches = TransactionLog.SettingsChange(
            paused: pausing.subtracting(settings.pausedBatches),
            resumed: resuming.intersection(settings.pausedBatches))
        settings.pausedBatches = settings.pausedBatches.union(batches.paused).subtracting(batches.resumed)
        batches.firstAdded = settings.nextID
        var changed = ChangedUploads()
        var records = ChangeRecords(of: change, fewest: lookups.fewestInRanges)
        for id in ids {
            guard let before = uploads[id] else { continue }
            var after = before
            guard change.apply(to: &after), after != before else { continue }
            // An attempt, which may still be ending, changes other values too, and not all are written at once.
            if !runs.contains(id), !unconfirmed.dirty.contains(id),
                records.addState(of: after, before: before.state)
            {
                changed.add(id, before: before.state, after: after.state)
            } else {
                records.add(after)
                changed.add(.init(before: before, after: after, wakes: schedule.waits.instant(of: id)))
            }
            store(after)
        }
        guard !changed.isEmpty || !batches.isEmpty else {
            return sendReply(reply, .success(result(of: change, changed, [], batches)))
        }
        append(
            records.changes(in: uploads) + (batches.isEmpty ? [] : [.settings(settings)]), .powerCut,
            .change(changed, change, batches), locking: changed.ids, reply)
    }

    private mutating func endChange(
        _ changed: ChangedUploads, _ ids: [Upload.ID], _ change: UploadChange,
        _ batches: TransactionLog.SettingsChange, _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        if let error {
            settings.pausedBatches = settings.pausedBatches.subtracting(batches.paused).union(batches.resumed)
            takeBack(changed)
            // A repair, which writes unsaved changes, is only planned after an error of the disk.
            if !error.isOfDisk { effects.append(.saveDirty) }
            return .failure(refuse(error))
        }
        for change in changed.whole where change.before.resource != nil && change.after.resource == nil {
            discard([change.before])
        }
        if case .pause = change {
            for id in ids where runs.contains(id) { effects.append(.cancel(id)) }
        }
        publish(ids)
        return .success(result(of: change, changed, ids, batches))
    }

    private func result(
        of change: UploadChange, _ changed: ChangedUploads, _ ids: [Upload.ID],
        _ batches: TransactionLog.SettingsChange
    ) -> TransactionResult {
        let numbers = UploadNumbers(joining: ids)
        let undo: UndoAction? =
            switch change {
            case .pause: .resume(numbers, batches: batches.paused, addedFrom: batches.firstAdded)
            case .resume: .pause(numbers, batches: batches.resumed)
            case .setRanks: .setRanks(ranks(before: changed), moved: Set(ids))
            case .retry: .refuseUndoOfRetry(numbers)
            case .renew: nil
            }
        return TransactionResult(ids: ids, undo: undo)
    }

    private func ranks(before changed: ChangedUploads) -> [Upload.ID: Int64] {
        var ranks: [Upload.ID: Int64] = [:]
        for change in changed.whole { ranks[change.before.id] = change.before.rank }
        return ranks
    }

    private func ranks(of ids: [Upload.ID], _ move: QueueMove) -> [Upload.ID: Int64] {
        // Sorting a very long queue takes a second. A move to the top or bottom sorts only the moved uploads.
        let order: [Upload] =
            switch move {
            case .top, .bottom: ids.compactMap { uploads[$0] }
            case .up, .down: uploads.all
            }
        return QueueOrder.ranks(
            after: move, of: Set(ids),
            in: order.map { (id: $0.id, rank: $0.rank) }.sorted { $0.rank < $1.rank }, within: index.ranks)
    }

    private mutating func beginSetRanks(_ ranks: [Upload.ID: Int64], _ reply: ReplyID?) {
        for rank in ranks.values { index.include(rank: rank) }
        beginChange(Array(ranks.keys), .setRanks(ranks), pausing: [], resuming: [], reply)
    }

    private mutating func changeSettings(
        undo: UndoAction, _ reply: ReplyID?, _ change: (inout QueueSettings) -> Void
    ) {
        let before = settings
        change(&settings)
        append([.settings(settings)], .powerCut, .settings(before: before, undo: undo), reply)
    }

    private mutating func endSettings(
        _ before: QueueSettings, _ undo: UndoAction, _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        if let error {
            settings.limits = before.limits
            settings.concurrency = before.concurrency
            return .failure(refuse(error))
        }
        if case .limitConcurrency = undo { publish([]) } else { applyLimits() }
        return .success(TransactionResult(undo: undo))
    }
}

// Writes of changes that already apply in memory.
extension QueueCore {
    private mutating func endSave(_ saved: [Upload], begun: Int, _ error: JournalError?) {
        let ids = saved.map(\.id)
        if let error {
            if error.isOfDisk { unconfirmed.dirty.insert(ids.filter { uploads[$0] != nil }) }
            refuse(error)
        } else {
            unconfirmed.dirty.saved(ids, begunAt: begun)
            finish(saved.filter(\.isDone))
        }
        // The end is shown even if the disk refused it: a notice says that nothing is saved.
        for upload in saved {
            // The upload has ended since this record, and the record of its end follows.
            if let state = uploads[upload.id]?.state, state.isEnd, state != upload.state { continue }
            unconfirmed.reveal(upload.id)
            if upload.isDone { letFollow(upload.id) }
        }
        publish(ids)
    }

    mutating func finish(_ done: [Upload]) {
        guard !done.isEmpty else { return }
        archive.finish(done.map(\.id))
        effects.append(.remember(done.compactMap(HistoryEntry.init(done:))))
        retireIfDue(slack: Archive.slack)
    }

    private mutating func endRecord(
        _ id: Upload.ID, durably: Bool, _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        guard let error else {
            publish([id])
            return .success(TransactionResult())
        }
        let failure = refuse(error)
        if error.isOfDisk, uploads[id] != nil { unconfirmed.dirty.insert([id]) }
        if durably { return .failure(failure) }
        publish([id])
        return .success(TransactionResult())
    }
}
