import UploadProtocols

/// Changes that people ask for: they happen on disk and in memory, or in neither.
extension UploadQueue {
    /// Carries out a command: changes in memory, then on disk; undoes it in memory if the disk refuses.
    ///
    /// - Parameter change: Says whether it changed anything.
    func command(
        _ ids: [Upload.ID], _ change: (inout Upload) -> Bool
    ) async throws(UploadFailure) -> [Upload.ID] {
        await ordersEnd(ids)
        var changed: [(before: Upload, after: Upload, wakes: ContinuousClock.Instant?)] = []
        for id in ids {
            guard let before = uploads[id] else { continue }
            var after = before
            guard change(&after), after != before else { continue }
            changed.append((before, after, waits.instant(of: id)))
            store(after)
        }
        guard !changed.isEmpty else { return [] }
        let changedIDs = changed.map(\.after.id)
        ordered.formUnion(changedIDs)
        do throws(JournalError) {
            try await journal.append(changed.map { .set($0.after) }, durably: true)
        } catch {
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

    /// Takes uploads out of the files, and then out of memory.
    ///
    /// - Returns: Those that were still there, as they were in the end.
    func takeOut(_ ids: [Upload.ID], durably: Bool) async throws(JournalError) -> [Upload] {
        await ordersEnd(ids)
        let ids = ids.filter { uploads[$0] != nil }
        guard !ids.isEmpty else { return [] }
        ordered.formUnion(ids)
        defer { endOrder(ids) }
        try await journal.append(ids.map { .remove($0) }, durably: durably)
        let gone = ids.compactMap { uploads[$0] }
        for upload in gone { drop(upload.id) }
        return gone
    }

    /// Waits until the disk has answered every order on these uploads.
    func ordersEnd(_ ids: [Upload.ID]) async {
        while ids.contains(where: ordered.contains) {
            await withCheckedContinuation { orderWaiters.append($0) }
        }
    }

    private func endOrder(_ ids: [Upload.ID]) {
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
