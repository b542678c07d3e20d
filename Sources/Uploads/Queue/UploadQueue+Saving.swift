import FerryProtocols

extension UploadQueue {
    /// Appends what these uploads are now, then publishes it. If the disk does not take it, the uploads stay as they
    /// are in memory, nothing new starts, and the append is tried again until it works.
    ///
    /// - Parameter isFinding: What a server answered for good, which may take the room kept in reserve.
    func save(_ ids: [Upload.ID], durably: Bool, isFinding: Bool = false) async {
        await ordersEnd(ids)
        let saved = ids.compactMap { uploads[$0] }
        let records = saved.map(QueueChange.set)
        // What was to be durable and was refused must be durable now: bytes may go to its address next.
        let durably = durably || ids.contains(where: unsaved.contains)
        let begun = unsaved.now
        do throws(JournalError) {
            if isFinding {
                try await journal.appendFinding(records, durably: durably)
            } else {
                try await journal.append(records, durably: durably)
            }
            unsaved.saved(ids, begunAt: begun)
            didSave(saved)
        } catch {
            if error.isOfDisk { unsaved.insert(ids) }
            reportDisk(error)
        }
        // Where the disk refuses, it is shown beside the notice that nothing is saved.
        for upload in saved where !hasEnded(since: upload) {
            unconfirmed[upload.id] = nil
            if upload.isDone { letFollow(upload.id) }
        }
        publish(ids)
    }

    /// True if an upload came to its end after it was as `saved`.
    private func hasEnded(since saved: Upload) -> Bool {
        switch uploads[saved.id]?.state {
        case .done?, .failed?, .held?: uploads[saved.id]?.state != saved.state
        case .queued?, .running?, .waiting?, .paused?, nil: false
        }
    }

    /// Shows what is wrong with the disk, and looks again in a while.
    ///
    /// - Returns: What to tell whoever asked for the change that was refused.
    @discardableResult
    func reportDisk(_ error: JournalError) -> UploadFailure {
        guard error.isOfDisk else { return error.failure }
        if case .refused(_, let tries) = saving {
            saving = .refused(error, tries: tries)
        } else {
            saving = .refused(error, tries: 0)
            // It may be asleep for minutes because of a snapshot.
            prober?.cancel()
            prober = nil
        }
        publish([])
        startProber()
        return phase == .editing ? error.failure : notice ?? error.failure
    }

    /// What the journal says of itself: it writes snapshots beside everything else, and lives on its reserve.
    func journalChanged(_ condition: JournalCondition) {
        switch (condition, saving) {
        case (.refusing(let error), _): reportDisk(error)
        case (.behind(let error), .working):
            saving = .behind(error, tries: 0)
            publish([])
            startProber()
        case (.sound, .behind):
            saving = .working
            publish([])
        // Only a repair finds out that changes are taken again.
        case (.sound, .working), (.sound, .refused), (.behind, .behind), (.behind, .refused): break
        }
    }

    /// Tries at once what the disk refused, and goes on if it takes it.
    func mend() async {
        guard phase != .stopped else { return }
        let condition = await journal.repair()
        await saveUnsaved()
        guard phase != .stopped else { return }
        switch (condition, saving) {
        case (.refusing(let error), _): saving = .refused(error, tries: tries + 1)
        case (_, .refused(let error, _)) where !unsaved.isEmpty:
            saving = .refused(error, tries: tries + 1)
        case (.behind(let error), _): saving = .behind(error, tries: tries + 1)
        case (.sound, _): saving = .working
        }
        publish([])
        advance()
    }

    private var tries: Int {
        switch saving {
        case .working: 0
        case .behind(_, let tries), .refused(_, let tries): tries
        }
    }

    /// In pieces, so that no record becomes too large.
    func saveUnsaved() async {
        let ids = Array(unsaved.ids)
        for start in stride(from: 0, to: ids.count, by: 500) {
            let piece = Array(ids[start..<min(start + 500, ids.count)])
            await save(piece, durably: true, isFinding: true)
            guard !piece.contains(where: unsaved.contains) else { return }
        }
    }

    /// The last act: a snapshot holds everything, whatever was refused before.
    func closeJournal() async {
        do throws(JournalError) {
            try await journal.close()
            if unsaved.isEmpty { saving = .working }
        } catch {
            if unsaved.isEmpty { saving = .behind(error, tries: 0) }
        }
        publish([])
    }

    private func startProber() {
        guard phase == .accepting, prober == nil else { return }
        prober = Task(executorPreference: surroundings.executor) { [weak self, clock] in
            while let delay = await self?.probeDelay() {
                guard (try? await clock.sleep(clock.now().advanced(by: delay))) != nil else { return }
                await self?.mend()
            }
        }
    }

    /// How long until the next try; nil if there is nothing to try.
    private func probeDelay() -> Duration? {
        switch saving {
        case .working:
            prober = nil
            return nil
        // Room may come back at any moment, and a try costs little.
        case .refused(.diskFull, _): return .seconds(5)
        // A try writes everything anew.
        case .refused(_, let tries): return .seconds(min(60, 5 << min(tries, 5)))
        case .behind(_, let tries): return .seconds(min(300, 5 << min(tries, 7)))
        }
    }

    var storage: EngineStatus.Storage {
        switch saving {
        case .working: .saved
        case .behind: .behind
        case .refused: .refusing
        }
    }

    /// What people are told of it.
    var notice: UploadFailure? {
        switch saving {
        case .working: shortage?.notice ?? signInPauses.values.first?.notice ?? slowdown
        case .behind(let error, _): UploadFailure(.storage, error.behindSummary, hint: error.hint)
        case .refused(let error, _):
            UploadFailure(.storage, error.unsavedSummary(running: runs.count), hint: error.hint)
        }
    }
}
