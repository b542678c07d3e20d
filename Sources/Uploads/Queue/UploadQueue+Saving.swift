import UploadProtocols

extension UploadQueue {
    /// Appends what these uploads are now, then publishes it. If the disk does not take it, the uploads stay as they
    /// are in memory, nothing new starts, and the append is tried again until it works.
    func save(_ ids: [Upload.ID], durably: Bool) async {
        let saved = ids.compactMap { uploads[$0] }
        do throws(JournalError) {
            try await journal.append(saved.map(QueueChange.set), durably: durably)
            unsaved.subtract(ids)
            if unsaved.isEmpty, notice?.category == .storage { notice = nil }
            didSave(saved)
        } catch {
            unsaved.formUnion(ids)
            reportDisk(error)
        }
        publish(ids)
    }

    /// Carries out a command: changes in memory, then on disk; undoes it in memory if the disk refuses.
    ///
    /// - Parameter change: Says whether it changed anything.
    func command(
        _ ids: [Upload.ID], _ change: (inout Upload) -> Bool
    ) async throws(UploadFailure) -> [Upload.ID] {
        var changed: [(before: Upload, after: Upload)] = []
        for id in ids {
            guard let before = uploads[id] else { continue }
            var after = before
            guard change(&after), after != before else { continue }
            store(after)
            changed.append((before, after))
        }
        guard !changed.isEmpty else { return [] }
        do throws(JournalError) {
            try await journal.append(changed.map { .set($0.after) }, durably: true)
        } catch {
            for (before, after) in changed where uploads[after.id] == after { putBack(before) }
            reportDisk(error)
            throw error.failure
        }
        let changedIDs = changed.map(\.after.id)
        publish(changedIDs)
        return changedIDs
    }

    /// Shows what is wrong with the disk, and looks again in a while.
    func reportDisk(_ error: JournalError) {
        let isNews = notice?.category != .storage
        notice = error.failure
        publish([])
        guard isNews, phase == .accepting else { return }
        Task { [weak self, clock] in
            while (try? await clock.sleep(clock.now().advanced(by: .seconds(5)))) != nil {
                guard await self?.saveAgain() == false else { return }
            }
        }
    }

    /// - Returns: True if there is nothing left to save, or nobody to save it.
    private func saveAgain() async -> Bool {
        guard phase != .stopped else { return true }
        await save(Array(unsaved), durably: true)
        if unsaved.isEmpty {
            notice = nil
            publish([])
            advance()
        }
        return unsaved.isEmpty
    }
}
