import FerryProtocols

/// Changes that people ask for: they happen on disk and in memory, or in neither.
extension UploadQueue {
    /// Carries out a command: changes in memory, then on disk; undoes it in memory if the disk refuses.
    ///
    /// - Parameters:
    ///   - pausing: Batches that are paused from now on.
    ///   - resuming: Batches that are not paused from now on.
    ///   - change: Says whether it changed anything.
    func command(
        _ ids: [Upload.ID], pausing: Set<String> = [], resuming: Set<String> = [],
        _ change: (inout Upload) -> Bool
    ) async throws(UploadFailure) -> [Upload.ID] {
        await ordersEnd(ids)
        let paused = pausing.subtracting(settings.pausedBatches)
        let resumed = resuming.intersection(settings.pausedBatches)
        settings.pausedBatches = settings.pausedBatches.union(paused).subtracting(resumed)
        let changesSettings = !paused.isEmpty || !resumed.isEmpty
        var changed: [(before: Upload, after: Upload, wakes: ContinuousClock.Instant?)] = []
        for id in ids {
            guard let before = uploads[id] else { continue }
            var after = before
            guard change(&after), after != before else { continue }
            changed.append((before, after, waits.instant(of: id)))
            store(after)
        }
        guard !changed.isEmpty || changesSettings else { return [] }
        let changedIDs = changed.map(\.after.id)
        ordered.formUnion(changedIDs)
        do throws(JournalError) {
            try await journal.append(
                changed.map { .set($0.after) } + (changesSettings ? [.settings(settings)] : []), durably: true
            )
        } catch {
            settings.pausedBatches = settings.pausedBatches.subtracting(paused).union(resumed)
            for (before, after, instant) in changed { takeBack(from: after, to: before, waking: instant) }
            endOrder(changedIDs)
            let failure = reportDisk(error)
            // A full disk is looked at again and again; what was refused for itself is not.
            if !error.isOfDisk { await saveUnsaved() }
            throw failure
        }
        endOrder(changedIDs)
        publish(changedIDs)
        return changedIDs
    }

    /// Takes uploads out of the files, and then out of memory. What was to start after one that is not done is held.
    ///
    /// - Returns: Those that were still there, as they were in the end, and the states that those that are held now had.
    func takeOut(
        _ ids: [Upload.ID], durably: Bool
    ) async throws(JournalError) -> (gone: [Upload], stranded: [Upload.ID: Upload.State]) {
        await ordersEnd(ids)
        var held = stranded(by: ids)
        while held.contains(where: { ordered.contains($0.id) }) {
            await ordersEnd(ids + held.map(\.id))
            held = stranded(by: ids)
        }
        let ids = ids.filter { uploads[$0] != nil }
        guard !ids.isEmpty else { return ([], [:]) }
        let all = ids + held.map(\.id)
        ordered.formUnion(all)
        defer { endOrder(all) }
        try await journal.append(held.map { .set($0) } + ids.map { .remove($0) }, durably: durably)
        let gone = ids.compactMap { uploads[$0] }
        var before: [Upload.ID: Upload.State] = [:]
        for upload in held {
            before[upload.id] = uploads[upload.id]?.state
            store(upload)
        }
        for upload in gone { drop(upload.id) }
        return (gone, before)
    }

    /// Waits until the disk has answered every order on these uploads.
    func ordersEnd(_ ids: [Upload.ID]) async {
        while ids.contains(where: ordered.contains) {
            await withCheckedContinuation { orderWaiters.append($0) }
        }
    }

    func endOrder(_ ids: [Upload.ID]) {
        ordered.subtract(ids)
        for waiter in orderWaiters { waiter.resume() }
        orderWaiters = []
    }

    /// Undoes a change that the journal refused, and nothing else that has happened to the upload since.
    private func takeBack(from after: Upload, to before: Upload, waking instant: ContinuousClock.Instant?) {
        guard let now = uploads[after.id] else { return }
        var undone = now
        undone.takeBack(from: after, to: before)
        if undone != now { putBack(undone) }
        // The wall clock may have been set meanwhile, and is not asked again.
        if let instant, case .waiting = undone.state { waits.wait(after.id, until: instant) }
    }
}
