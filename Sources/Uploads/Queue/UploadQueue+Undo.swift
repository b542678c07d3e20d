import FerryProtocols

extension UploadQueue {
    /// The answer to a command that can be taken back.
    ///
    /// - Parameters:
    ///   - reversal: What takes it back.
    ///   - ids: The uploads that it changed, if those are not all that the reversal is about.
    func answer(_ reversal: Reversal, about ids: [Upload.ID]? = nil) -> QueueReply {
        remember(reversal)
        return .changed(ids ?? reversal.ids)
    }

    /// The answer to a command that added uploads, which `undo` removes again.
    func answer(added reply: QueueReply) -> QueueReply {
        if let ids = reply.changed { remember(.unadd(ids)) }
        return reply
    }

    private func remember(_ reversal: Reversal) {
        guard !reversal.isEmpty else { return }
        if case .putBack(let ids, _, _) = orders.record(reversal, at: clock.date()) { forgetRemoved(ids) }
    }

    /// Takes the last command back, or gives again the one that was taken back last. Commands that have nothing left to
    /// change, because others removed the uploads or changed them too, are passed over.
    func goBack(_ direction: OrderHistory.Direction) async throws(UploadFailure) -> QueueReply {
        while let entry = orders.next(direction) {
            let done: (reversal: Reversal, change: QueueChangeKind)
            do throws(UploadFailure) { done = try await carryOut(entry.reversal) } catch {
                orders.failed(direction, entry)
                throw error
            }
            guard !done.reversal.isEmpty else {
                if let refusal = Self.refusal(of: done.change) { throw refusal }
                continue
            }
            orders.went(direction, entry, reversal: done.reversal)
            return .reversed(done.change, done.reversal.ids)
        }
        throw UploadFailure(
            .permanent, direction == .undo ? "there is nothing to undo" : "there is nothing to do again")
    }

    /// Takes the command with this number back.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if another one would be taken back now.
    func undo(_ number: Int) async throws(UploadFailure) -> QueueReply {
        guard undoOffer?.number == number else {
            throw UploadFailure(
                .permanent, "nothing was undone: something else was ordered meanwhile",
                hint: "undo again shows what is the last now")
        }
        return try await goBack(.undo)
    }

    /// What `undo` would do now; nil if there is nothing to take back.
    var undoOffer: UndoOffer? {
        for entry in orders.undos.reversed() {
            guard let (change, ids) = effect(of: entry.reversal) else { continue }
            return UndoOffer(number: entry.number, change: change, ids: ids, date: entry.date)
        }
        return nil
    }

    private func carryOut(
        _ reversal: Reversal
    ) async throws(UploadFailure) -> (Reversal, QueueChangeKind) {
        func known(_ ids: [Upload.ID]) -> [Upload.ID] { ids.filter { uploads[$0] != nil } }
        switch reversal {
        case .pause(let ids, let batches): return (try await pause(known(ids), batches: batches), .paused)
        case .resume(let ids, let batches, let first):
            return (
                try await resume(known(ids) + added(from: first, to: batches), batches: batches), .resumed
            )
        case .remove(let ids): return (try await remove(known(ids)), .removed)
        case .unadd(let ids):
            let (open, done) = additions(ids)
            var back = try await remove(open)
            if case .putBack(let ids, let stranded, _) = back {
                back = .putBack(ids, stranded: stranded, areAdded: true)
            }
            return (back, .unadded(done: done))
        case .putBack(let ids, let stranded, let areAdded):
            let back = try await putBack(ids, stranded: stranded)
            return (areAdded ? .unadd(back) : .remove(back), .putBack)
        case .place(let ranks):
            return (.place(try await place(ranks.filter { uploads[$0.key] != nil })), .moved)
        case .limitBandwidth(let bandwidth, let scope):
            return (
                try await limitBandwidth(bandwidth, of: scope), .limited(.bandwidth(status.limits[scope]))
            )
        case .limitConcurrency(let count):
            return (try await limitConcurrency(count), .limited(.concurrency(status.concurrency)))
        }
    }

    /// What carrying it out would change; nil for nothing.
    private func effect(of reversal: Reversal) -> (QueueChangeKind, [Upload.ID])? {
        func changed(_ ids: [Upload.ID], _ change: (inout Upload) -> Bool) -> [Upload.ID] {
            ids.filter { id in
                guard var upload = uploads[id] else { return false }
                return change(&upload)
            }
        }
        switch reversal {
        case .pause(let ids, let batches):
            let ids = changed(ids) { $0.pause() }
            return ids.isEmpty && batches.isSubset(of: settings.pausedBatches) ? nil : (.paused, ids)
        case .resume(let ids, let batches, let first):
            let ids = changed(ids + added(from: first, to: batches)) { $0.resume() }
            return ids.isEmpty && batches.isDisjoint(with: settings.pausedBatches) ? nil : (.resumed, ids)
        case .remove(let ids):
            let ids = changed(ids) { _ in true }
            return ids.isEmpty ? nil : (.removed, ids)
        case .unadd(let ids):
            let (open, done) = additions(ids)
            return open.isEmpty && done == 0 ? nil : (.unadded(done: done), open)
        case .putBack(let ids, _, _):
            let ids = ids.filter { removed[$0] != nil }
            return ids.isEmpty ? nil : (.putBack, ids)
        case .place(let ranks):
            let ids = ranks.filter { uploads[$0.key].map(\.rank) ?? $0.value != $0.value }.map(\.key)
            return ids.isEmpty ? nil : (.moved, ids)
        case .limitBandwidth(let bandwidth, let scope):
            return (.limited(.bandwidth(limit(of: scope, order: bandwidth, at: clock.date()))), [])
        case .limitConcurrency(let count):
            return (.limited(.concurrency(count ?? configuration.concurrency)), [])
        }
    }

    /// Of uploads that were added: those that are not done, and how many are. One that is neither in the queue nor can be
    /// put back left for the history, done.
    private func additions(_ ids: [Upload.ID]) -> (open: [Upload.ID], done: Int) {
        var open: [Upload.ID] = []
        var done = 0
        for id in ids {
            if let upload = uploads[id], !upload.isDone {
                open.append(id)
            } else if uploads[id] != nil || removed[id] == nil {
                done += 1
            }
        }
        return (open, done)
    }

    /// Why an addition stays, of which all is done: what was ordered before it must not be taken back in its place.
    private static func refusal(of change: QueueChangeKind) -> UploadFailure? {
        guard case .unadded(let done) = change, done > 0 else { return nil }
        let uploads =
            done == 1 ? "the upload that was added last is" : "the \(done) uploads that were added last are"
        return UploadFailure(
            .permanent, "\(uploads) done: nothing to take back",
            hint: "undo again takes back what was ordered before")
    }
}
