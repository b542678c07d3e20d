package import FerryProtocols

/// An action that undoes or redoes a command of a user, and can mostly be undone itself. It has ranges of numbers: of a
/// million uploads, an array would take 8 MB for each of 50 commands.
package enum UndoAction: Hashable, Sendable {
    case pause(UploadNumbers, batches: Set<String> = [])
    /// Resumes uploads and batches, with the uploads in `batches` from the number `addedFrom` on, which were added
    /// after the pause.
    case resume(UploadNumbers, batches: Set<String> = [], addedFrom: Upload.ID = .max)
    case remove(UploadNumbers)
    /// Removes the uploads that a command added, except those that are done.
    case unadd(UploadNumbers)
    /// Puts back removed uploads. The `orphaned` ones, which waited for one of them, return to these states. If
    /// `areAdded`, `unadd` removed the uploads, and also undoes this action.
    case putBack(UploadNumbers, orphaned: [Upload.ID: Upload.State] = [:], areAdded: Bool = false)
    /// Sets the ranks of uploads. A user moved only the uploads `moved`, but others can change places with them.
    case setRanks([Upload.ID: Int64], moved: Set<Upload.ID>)
    /// Sets the bandwidth limit of a scope; nil restores the configured limit.
    case limitBandwidth(Bandwidth?, LimitScope)
    case limitConcurrency(Int?)
    /// Makes `undo` fail, because these uploads were retried, and a retry cannot be undone.
    case refuseUndoOfRetry(UploadNumbers)

    var ids: [Upload.ID] {
        switch self {
        case .pause(let ids, _), .resume(let ids, _, _), .remove(let ids), .unadd(let ids),
            .putBack(let ids, _, _), .refuseUndoOfRetry(let ids):
            ids.all
        case .setRanks(let ranks, let moved): Self.named(Array(ranks.keys), moved)
        case .limitBandwidth, .limitConcurrency: []
        }
    }

    package var isEmpty: Bool {
        switch self {
        case .pause(let ids, let batches), .resume(let ids, let batches, _): ids.isEmpty && batches.isEmpty
        case .setRanks(let ranks, _): ranks.isEmpty
        case .remove(let ids), .unadd(let ids), .putBack(let ids, _, _), .refuseUndoOfRetry(let ids):
            ids.isEmpty
        case .limitBandwidth, .limitConcurrency: false
        }
    }

    /// Returns the uploads that a message names after a move: the moved ones, if there are any.
    private static func named(_ changed: [Upload.ID], _ moved: Set<Upload.ID>) -> [Upload.ID] {
        let named = changed.filter(moved.contains)
        return (named.isEmpty ? changed : named).sorted()
    }
}

extension UndoAction {
    package func transaction(in core: QueueCore) -> Transaction {
        func known(_ ids: UploadNumbers) -> [Upload.ID] { ids.all.filter { core.uploads[$0] != nil } }
        return switch self {
        case .pause(let ids, let batches): .change(known(ids), .pause, pausing: batches)
        case .resume(let ids, let batches, let first):
            .change(known(ids) + core.added(from: first, to: batches), .resume, resuming: batches)
        case .remove(let ids): .remove(known(ids))
        case .unadd(let ids): .remove(Self.additions(ids, in: core).open)
        case .putBack(let ids, let orphaned, _): .putBack(ids.all, orphaned: orphaned)
        case .setRanks(let ranks, _): .setRanks(ranks.filter { core.uploads[$0.key] != nil })
        case .limitBandwidth(let bandwidth, let scope): .limitBandwidth(bandwidth, scope)
        case .limitConcurrency(let count): .limitConcurrency(count)
        // The transaction changes nothing. The kind of the change has a refusal, which `undo` reports.
        case .refuseUndoOfRetry: .change([], .pause)
        }
    }

    func kind(in core: QueueCore) -> QueueChangeKind {
        switch self {
        case .pause: .paused
        case .resume: .resumed
        case .remove: .removed
        case .unadd(let ids): .unadded(done: Self.additions(ids, in: core).done)
        case .putBack: .putBack
        case .setRanks: .moved
        case .limitBandwidth(let bandwidth, let scope):
            .limited(
                .bandwidth(
                    core.limits.limit(
                        of: scope, core.configuration.limits[scope], order: bandwidth, at: core.now.date)))
        case .limitConcurrency(let count): .limited(.concurrency(count ?? core.configuration.concurrency))
        case .refuseUndoOfRetry: .retried
        }
    }

    /// Returns the action that undoes this action, mostly that of the transaction.
    package func opposite(_ undo: UndoAction?) -> UndoAction? {
        switch (self, undo) {
        case (.unadd, .putBack(let ids, let orphaned, _)): .putBack(ids, orphaned: orphaned, areAdded: true)
        case (.putBack(_, _, areAdded: true), .remove(let ids)): .unadd(ids)
        case (.setRanks(_, let moved), .setRanks(let ranks, _)): .setRanks(ranks, moved: moved)
        default: undo
        }
    }

    /// Returns the uploads that the action would change; nil if `undo` skips it, as it would change nothing.
    func changed(in core: QueueCore) -> [Upload.ID]? {
        func changed(_ ids: [Upload.ID], _ change: (inout Upload) -> Bool) -> [Upload.ID] {
            ids.filter { id in
                guard var upload = core.uploads[id] else { return false }
                return change(&upload)
            }
        }
        let paused = core.settings.pausedBatches
        var (found, hasOther): ([Upload.ID], Bool) = ([], false)
        switch self {
        case .pause(let ids, let batches):
            found = changed(ids.all) { $0.pause() }
            hasOther = !batches.isSubset(of: paused)
        case .resume(let ids, let batches, let first):
            found = changed(ids.all + core.added(from: first, to: batches)) { $0.resume() }
            hasOther = !batches.isDisjoint(with: paused)
        case .remove(let ids): found = changed(ids.all) { _ in true }
        case .unadd(let ids):
            let (open, done) = Self.additions(ids, in: core)
            (found, hasOther) = (open, done > 0)
        case .putBack(let ids, _, _): found = ids.all.filter { core.removals[$0] != nil }
        case .setRanks(let ranks, let moved):
            let ids = ranks.filter { core.uploads[$0.key].map(\.rank) ?? $0.value != $0.value }.map(\.key)
            found = Self.named(ids, moved)
        case .limitBandwidth, .limitConcurrency, .refuseUndoOfRetry: hasOther = true
        }
        return found.isEmpty && !hasOther ? nil : found
    }

    /// Returns the uploads of `ids` that are in the queue and not done, and the number of done ones. Those in neither
    /// `uploads` nor `removals` are done, and have moved to the history.
    private static func additions(
        _ ids: UploadNumbers, in core: QueueCore
    ) -> (open: [Upload.ID], done: Int) {
        var open: [Upload.ID] = []
        var done = 0
        for id in ids.all {
            if let upload = core.uploads[id], !upload.isDone {
                open.append(id)
            } else if core.uploads[id] != nil || core.removals[id] == nil {
                done += 1
            }
        }
        return (open, done)
    }
}

extension UndoStack {
    func offer(_ direction: Direction, in core: QueueCore) -> UndoOffer? {
        for entry in entries[direction, default: []].reversed() {
            guard let ids = entry.action.changed(in: core) else { continue }
            let kind = entry.action.kind(in: core)
            return UndoOffer(number: entry.number, change: kind, ids: ids, date: entry.date)
        }
        return nil
    }
}

extension QueueChangeKind {
    /// The reason why an `undo` that has changed nothing fails. Without one, it continues with the command before.
    var refusal: UploadFailure? {
        let summary: String
        switch self {
        case .unadded(done: 1): summary = "the upload that was added last is done: nothing to take back"
        case .unadded(let done) where done > 1:
            summary = "the \(done) uploads that were added last are done: nothing to take back"
        case .retried: summary = "a retry cannot be undone"
        case .paused, .resumed, .removed, .putBack, .moved, .unadded, .limited: return nil
        }
        return UploadFailure(.permanent, summary, hint: "undo again reverses the change before")
    }
}

extension UndoOffer {
    /// The failure with which `undo` will end because it can change nothing. Clients then need not ask the user.
    package var refusal: UploadFailure? { ids.isEmpty ? change.refusal : nil }
}
