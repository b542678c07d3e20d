import FerryProtocols

// Removing uploads, and putting removed ones back.
extension QueueCore {
    /// Begins to remove uploads, from the journal first and then from memory, and to hold those that wait for them.
    /// `isRemoval` is false if the uploads move to the history.
    mutating func beginTakeOut(_ ids: [Upload.ID], isRemoval: Bool, _ reply: ReplyID?) {
        let held = orphaned(by: ids)
        let ids = present(ids)
        guard !ids.isEmpty else {
            let undo = isRemoval ? UndoAction.putBack(UploadNumbers([])) : nil
            return sendReply(reply, .success(TransactionResult(undo: undo)))
        }
        let removals =
            ids.count < lookups.fewestInRanges ? ids.map(QueueChange.remove) : [.removeAll(ids)]
        append(
            held.map(QueueChange.set) + removals, isRemoval ? .powerCut : .process,
            .takeOut(ids, held: held, isRemoval: isRemoval), locking: Self.locked(ids, held), reply)
    }

    /// Returns those of `ids` that are in the queue. Usually all are, and a copy of a million numbers takes 8 MB.
    private func present(_ ids: [Upload.ID]) -> [Upload.ID] {
        ids.allSatisfy { uploads[$0] != nil } ? ids : ids.filter { uploads[$0] != nil }
    }

    /// Returns the uploads that are locked while `ids` are removed. `held` are those that waited for them.
    static func locked(_ ids: [Upload.ID], _ held: [Upload]) -> [Upload.ID] {
        held.isEmpty ? ids : ids + held.map(\.id)
    }

    mutating func endTakeOut(
        _ ids: [Upload.ID], _ held: [Upload], isRemoval: Bool, _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        if let error { return .failure(isRemoval ? refuse(error) : error.failure) }
        var orphaned: [Upload.ID: Upload.State] = [:]
        for upload in held {
            orphaned[upload.id] = uploads[upload.id]?.state
            store(upload)
        }
        let ids = present(ids)
        if isRemoval { remove(ids) } else { retire(ids) }
        publish(Array(orphaned.keys), removed: ids)
        return .success(
            TransactionResult(
                ids: ids, undo: isRemoval ? .putBack(.init(joining: ids), orphaned: orphaned) : nil))
    }

    private mutating func retire(_ ids: [Upload.ID]) {
        let gone = ids.compactMap { uploads[$0] }
        for id in ids { drop(id) }
        archive.countRetired(gone)
    }

    private mutating func remove(_ ids: [Upload.ID]) {
        var (history, resumable): ([HistoryEntry], [Upload]) = ([], [])
        removals.reserveCapacity(forMore: ids.count)
        // One after the other: copies of a million uploads would take much memory.
        for id in ids {
            guard let upload = uploads[id] else { continue }
            drop(id)
            removals.add(upload)
            if let entry = HistoryEntry(removed: upload, at: now.date) { history.append(entry) }
            if upload.resource != nil { resumable.append(upload) }
        }
        removals.beginWindow(ids, now: now.instant)
        effects.append(.remember(history))
        for id in ids where runs.contains(id) { effects.append(.cancel(id)) }
        abandon(resumable)
    }

    /// Begins to put removed uploads back at their ranks. The `orphaned` ones still held return to these states.
    mutating func beginPutBack(
        _ ids: [Upload.ID], _ orphaned: [Upload.ID: Upload.State], _ reply: ReplyID?
    ) {
        let locked = involved(inPuttingBack: ids, orphaned.keys)
        let requeued = orphaned.compactMap { id, state -> Upload? in
            guard var upload = uploads[id], upload.start != nil, case .held = upload.state else { return nil }
            upload.state = state
            return upload
        }
        // Uploads wait only for lower numbers, and one that is not in the queue counts as done, so those come first.
        let taken = removals.takeBack(ids.sorted())
        let back = holdingOrphans(among: taken)
        let waiting = holdingOrphans(among: requeued).sorted { $0.id < $1.id }
        effects.append(.reclaim(back.filter { $0.resource != nil }))
        var changes = back.map(QueueChange.set)
        // Adding nothing would copy a million uploads, too.
        if !waiting.isEmpty { changes += waiting.map(QueueChange.set) }
        // Appends before the uploads are in memory: an upload that is not on disk must not start.
        append(
            changes, .powerCut, .putBack(changes, count: back.count, locked: Array(locked)), locking: locked,
            reply)
    }

    /// Lets the servers delete the bytes of removed uploads later. Until then, the removal can be undone.
    private mutating func abandon(_ removed: [Upload]) {
        effects.append(.abandon(removed, since: now.date.addingTimeInterval(Removals.window / .seconds(1))))
    }

    /// Ends to put back the first `count` of these uploads. The others waited for one of them.
    mutating func endPutBack(
        _ changes: [QueueChange], count: Int, _ error: JournalError?
    ) -> Result<TransactionResult, UploadFailure> {
        if let error {
            let back = changes.prefix(count).compactMap(\.upload)
            removals.add(back, now: now.instant)
            abandon(back)
            return .failure(refuse(error))
        }
        var ids: [Upload.ID] = []
        ids.reserveCapacity(changes.count)
        var done: [Upload] = []
        for case .set(let upload) in changes {
            store(upload)
            if ids.count < count, upload.isDone { done.append(upload) }
            ids.append(upload.id)
        }
        let known = Set(archive.finished)
        // These uploads were done after their removal, so the archive does not contain them yet.
        finish(done.filter { !known.contains($0.id) })
        publish(ids)
        let back = Array(ids.prefix(count))
        return .success(TransactionResult(ids: back, undo: .remove(.init(joining: back))))
    }
}

extension QueueChange {
    /// The upload that this change sets as a whole; nil for another change.
    fileprivate var upload: Upload? {
        if case .set(let upload) = self { upload } else { nil }
    }
}
