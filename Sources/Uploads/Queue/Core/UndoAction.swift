import FerryFiles
import FerryProtocols

/// An action that takes a command of a person back, as a command of its own.
package enum UndoAction: Hashable, Sendable {
    case pause([Upload.ID], batches: Set<String> = [])
    /// - `addedFrom`: Of the batches, those too that were added since, from this number on.
    case resume([Upload.ID], batches: Set<String> = [], addedFrom: Upload.ID = .max)
    case remove([Upload.ID])
    /// Removes those that were added by one command and are not done.
    case unadd([Upload.ID])
    /// - `orphaned`: What was held as these had been removed, as it was before.
    /// - `areAdded`: Whether they were removed to take back their addition.
    case putBack([Upload.ID], orphaned: [Upload.ID: Upload.State] = [:], areAdded: Bool = false)
    /// Gives the uploads these ranks.
    case place([Upload.ID: Int64])
    /// Nil for what the configuration says.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Nil for what the configuration says.
    case limitConcurrency(Int?)

    /// The uploads it is about.
    var ids: [Upload.ID] {
        switch self {
        case .pause(let ids, _), .resume(let ids, _, _), .remove(let ids), .unadd(let ids),
            .putBack(let ids, _, _):
            ids
        case .place(let ranks): Array(ranks.keys)
        case .limitBandwidth, .limitConcurrency: []
        }
    }

    /// True if it would change nothing.
    package var isEmpty: Bool {
        switch self {
        case .pause(let ids, let batches), .resume(let ids, let batches, _): ids.isEmpty && batches.isEmpty
        case .remove, .unadd, .putBack, .place: ids.isEmpty
        case .limitBandwidth, .limitConcurrency: false
        }
    }
}

// Against the queue as it is now.
extension UndoAction {
    /// The transaction that carries it out, and what people are told that it does.
    package func transaction(in core: QueueCore) -> (Transaction, QueueChangeKind) {
        func known(_ ids: [Upload.ID]) -> [Upload.ID] { ids.filter { core.uploads[$0] != nil } }
        switch self {
        case .pause(let ids, let batches): return (.change(known(ids), .pause, pausing: batches), .paused)
        case .resume(let ids, let batches, let first):
            let added = core.added(from: first, to: batches)
            return (.change(known(ids) + added, .resume, resuming: batches), .resumed)
        case .remove(let ids): return (.remove(known(ids)), .removed)
        case .unadd(let ids):
            let (open, done) = Self.additions(ids, in: core)
            return (.remove(open), .unadded(done: done))
        case .putBack(let ids, let orphaned, _): return (.putBack(ids, orphaned: orphaned), .putBack)
        case .place(let ranks): return (.place(ranks.filter { core.uploads[$0.key] != nil }), .moved)
        case .limitBandwidth(let bandwidth, let scope):
            return (.limitBandwidth(bandwidth, scope), limited(in: core))
        case .limitConcurrency(let count): return (.limitConcurrency(count), limited(in: core))
        }
    }

    /// Returns the action that takes it back in turn.
    ///
    /// - Parameter undo: What takes back the transaction that carried it out.
    package func opposite(_ undo: UndoAction?) -> UndoAction? {
        switch (self, undo) {
        case (.unadd, .putBack(let ids, let orphaned, _)): .putBack(ids, orphaned: orphaned, areAdded: true)
        case (.putBack(_, _, areAdded: true), .remove(let ids)): .unadd(ids)
        default: undo
        }
    }

    /// Returns the change that it would make; nil for none.
    func effect(in core: QueueCore) -> (change: QueueChangeKind, ids: [Upload.ID])? {
        func changed(_ ids: [Upload.ID], _ change: (inout Upload) -> Bool) -> [Upload.ID] {
            ids.filter { id in
                guard var upload = core.uploads[id] else { return false }
                return change(&upload)
            }
        }
        let paused = core.settings.pausedBatches
        switch self {
        case .pause(let ids, let batches):
            let ids = changed(ids) { $0.pause() }
            return ids.isEmpty && batches.isSubset(of: paused) ? nil : (.paused, ids)
        case .resume(let ids, let batches, let first):
            let ids = changed(ids + core.added(from: first, to: batches)) { $0.resume() }
            return ids.isEmpty && batches.isDisjoint(with: paused) ? nil : (.resumed, ids)
        case .remove(let ids):
            let ids = changed(ids) { _ in true }
            return ids.isEmpty ? nil : (.removed, ids)
        case .unadd(let ids):
            let (open, done) = Self.additions(ids, in: core)
            return open.isEmpty && done == 0 ? nil : (.unadded(done: done), open)
        case .putBack(let ids, _, _):
            let ids = ids.filter { core.removals[$0] != nil }
            return ids.isEmpty ? nil : (.putBack, ids)
        case .place(let ranks):
            let ids = ranks.filter { core.uploads[$0.key].map(\.rank) ?? $0.value != $0.value }.map(\.key)
            return ids.isEmpty ? nil : (.moved, ids)
        case .limitBandwidth, .limitConcurrency: return (limited(in: core), [])
        }
    }

    /// The limit as it is once this has been carried out.
    private func limited(in core: QueueCore) -> QueueChangeKind {
        switch self {
        case .limitBandwidth(let bandwidth, let scope):
            let timetable = core.configuration.limits[scope]
            return .limited(
                .bandwidth(core.limits.limit(of: scope, timetable, order: bandwidth, at: core.now.date)))
        case .limitConcurrency(let count):
            return .limited(.concurrency(count ?? core.configuration.concurrency))
        case .pause, .resume, .remove, .unadd, .putBack, .place:
            return .limited(.concurrency(core.concurrency))
        }
    }

    /// Returns the added uploads that are not done, and how many are. An upload that is neither in the queue nor can be
    /// put back left for the history, done.
    private static func additions(_ ids: [Upload.ID], in core: QueueCore) -> (open: [Upload.ID], done: Int) {
        var open: [Upload.ID] = []
        var done = 0
        for id in ids {
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
    /// Returns what `undo` would do now; nil if there is nothing to take back.
    func offer(in core: QueueCore) -> UndoOffer? {
        for entry in undos.reversed() {
            guard let (change, ids) = entry.action.effect(in: core) else { continue }
            return UndoOffer(number: entry.number, change: change, ids: ids, date: entry.date)
        }
        return nil
    }
}

extension QueueChangeKind {
    /// The reason why an addition stays whose uploads are all done: a command before it must not be taken back in its
    /// place.
    var refusal: UploadFailure? {
        guard case .unadded(let done) = self, done > 0 else { return nil }
        let uploads =
            done == 1 ? "the upload that was added last is" : "the \(done) uploads that were added last are"
        return UploadFailure(
            .permanent, "\(uploads) done: nothing to take back",
            hint: "undo again reverses the change before")
    }
}
