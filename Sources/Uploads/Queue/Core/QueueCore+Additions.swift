import FerryFiles
import FerryProtocols
import FerryTransfer

/// Adding and removing uploads, and putting removed ones back.
extension QueueCore {
    /// Returns the uploads that the new ones are to start after, which must stay in the queue until the new ones are
    /// stored.
    ///
    /// - Throws: `UploadFailure` if the queue cannot take the new uploads.
    func awaited(by new: [NewUpload]) throws(UploadFailure) -> [Upload.ID] {
        if !new.isEmpty { try checkRoom(for: new) }
        return Self.conditions(of: new).flatMap(\.after).flatMap(known)
    }

    private func checkRoom(for new: [NewUpload]) throws(UploadFailure) {
        guard phase != .finishing else {
            throw UploadFailure(
                .permanent, "the queue is finishing and takes nothing new", hint: "start ferry again")
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

    mutating func beginAdd(_ new: [NewUpload], _ reply: ReplyID?) throws(UploadFailure) {
        guard !new.isEmpty else { return sendReply(reply, .success(TransactionResult())) }
        var conditions: [Upload.StartCondition: Upload.StartCondition?] = [:]
        for start in Self.conditions(of: new) { conditions[start] = .some(try resolved(start)) }
        let awaited = conditions.values.compactMap { $0 }.flatMap(\.after).flatMap(known)
        var added: [Upload] = []
        added.reserveCapacity(new.count)
        for item in new {
            var upload = Upload(
                id: settings.nextID, rank: index.appendRank(), path: item.path, identity: item.identity,
                target: item.target, state: isPaused(item.batch) ? .paused(.user) : .queued,
                added: now.date, batch: item.batch, start: item.start.flatMap { conditions[$0] ?? nil })
            if let last = added.last { upload.shareRest(with: last) }
            added.append(upload)
            settings.nextID += 1
        }
        // Appends before the uploads are in memory: an upload that is not on disk must not start.
        append(
            added.map(QueueChange.set), .powerCut, .add(added, awaited: awaited), locking: awaited, reply)
    }

    mutating func endAdd(
        _ added: [Upload], _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        if let error { return .failure(refuse(error)) }
        for upload in added { store(upload) }
        let ids = added.map(\.id)
        publish(ids)
        let isPaused = added.contains { if case .paused = $0.state { true } else { false } }
        return .success(TransactionResult(ids: ids, isPaused: isPaused, undo: .unadd(ids)))
    }

    /// Returns the changes that pause or resume added uploads like their batches. Users may have paused or resumed a
    /// batch while the uploads were being written.
    func batchChanges(of ids: [Upload.ID]) -> [Transaction] {
        let planned = ids.compactMap { uploads[$0] }.filter { $0.batch != nil }
        let late = planned.filter { isPaused($0.batch) && $0.state == .queued }.map(\.id)
        let early = planned.filter { !isPaused($0.batch) && $0.state == .paused(.user) }.map(\.id)
        return (late.isEmpty ? [] : [.change(late, .pause)])
            + (early.isEmpty ? [] : [.change(early, .resume)])
    }

    /// Begins to remove uploads, from the journal first and then from memory. Uploads that were to start after an
    /// unfinished one of them are held.
    mutating func beginTakeOut(_ ids: [Upload.ID], isRemoval: Bool, _ reply: ReplyID?) {
        let held = orphaned(by: ids)
        let ids = ids.filter { uploads[$0] != nil }
        guard !ids.isEmpty else {
            return sendReply(reply, .success(TransactionResult(undo: isRemoval ? .putBack([]) : nil)))
        }
        append(
            held.map(QueueChange.set) + ids.map(QueueChange.remove), isRemoval ? .powerCut : .process,
            .takeOut(ids, held: held, isRemoval: isRemoval), locking: ids + held.map(\.id), reply)
    }

    mutating func endTakeOut(
        _ ids: [Upload.ID], _ held: [Upload], isRemoval: Bool, _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        if let error { return .failure(isRemoval ? refuse(error) : error.failure) }
        let gone = ids.compactMap { uploads[$0] }
        var orphaned: [Upload.ID: Upload.State] = [:]
        for upload in held {
            orphaned[upload.id] = uploads[upload.id]?.state
            store(upload)
        }
        for upload in gone { drop(upload.id) }
        let ids = gone.map(\.id)
        if isRemoval {
            effects.append(.remember(gone.compactMap { HistoryEntry(removed: $0, at: now.date) }))
            removals.add(gone, now: now.instant)
            for id in ids where runs.contains(id) { effects.append(.cancel(id)) }
            effects.append(
                .abandon(gone, since: now.date.addingTimeInterval(Removals.window / .seconds(1))))
        }
        publish(Array(orphaned.keys), removed: ids)
        return .success(
            TransactionResult(ids: ids, gone: gone, undo: isRemoval ? .putBack(ids, orphaned: orphaned) : nil)
        )
    }

    /// Begins to put removed uploads back at their ranks. If the server's bytes of an upload were deleted, it is sent
    /// again from its beginning.
    mutating func beginPutBack(
        _ ids: [Upload.ID], _ orphaned: [Upload.ID: Upload.State], _ reply: ReplyID?
    ) {
        let waiting = orphaned.compactMap { id, state -> Upload? in
            guard var upload = uploads[id], upload.start != nil, case .held = upload.state else { return nil }
            upload.state = state
            return upload
        }
        let back = removals.takeBack(ids)
        effects.append(.reclaim(back))
        // Appends before the uploads are in memory: an upload that is not on disk must not start.
        append(
            (back + waiting).map(QueueChange.set), .powerCut,
            .putBack(back, waiting: waiting, orphaned: Array(orphaned.keys)), locking: orphaned.keys, reply)
    }

    mutating func endPutBack(
        _ back: [Upload], _ waiting: [Upload], _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        if let error {
            removals.add(back, now: now.instant)
            effects.append(.abandon(back, since: now.date))
            return .failure(refuse(error))
        }
        // An upload that is not in the queue counts as done for the uploads that wait for it. Uploads wait only for
        // lower numbers, so the lower numbers are stored first.
        for upload in (back + waiting).sorted(by: { $0.id < $1.id }) { store(upload) }
        let known = Set(archive.finished)
        // Their last attempt was successful after they were removed.
        finish(back.filter { $0.isDone && !known.contains($0.id) })
        publish((back + waiting).map(\.id))
        return .success(TransactionResult(ids: back.map(\.id), undo: .remove(back.map(\.id))))
    }
}
