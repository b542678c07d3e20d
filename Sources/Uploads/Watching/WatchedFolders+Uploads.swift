import FerryProtocols
import FerryTransfer

/// Reacts to uploads that changed or left the queue.
extension WatchedFolders {
    package func take(_ update: QueueUpdate) {
        guard !isStopped else { return }
        for upload in update.changed { take(upload) }
        var gone = update.removed
        if update.isComplete {
            let there = Set(update.changed.lazy.map(\.id))
            gone += tracker.paths.keys.filter { !there.contains($0) }
        }
        gone = gone.filter { id in tracker.paths[id].flatMap { ledger[$0] }?.disposition == .queued(id) }
        guard !gone.isEmpty else { return }
        // Done uploads leave for the history. The file of a removed upload is not queued again.
        let done = history.done(gone)
        for id in gone {
            if let upload = done[id] {
                take(upload)
            } else if let note = tracker.paths[id].flatMap({ ledger[$0] }), note.disposition == .queued(id) {
                over(note)
            }
        }
    }

    func take(_ upload: Upload) {
        guard let path = tracker.paths[upload.id], var note = ledger[path] else { return }
        for consequence in tracker.take(upload, note) {
            switch consequence {
            case .lookAgain: watch(of: note)?.thread.lookAgain(at: path)
            case .finish(let receipt): finish(upload, receipt, note)
            case .reopen:
                note.disposition = .queued(upload.id)
                write([note])
            }
        }
    }

    private func finish(_ upload: Upload, _ receipt: Receipt, _ note: WatchNote) {
        guard tracker.canRemove(note.path), !isStopped else { return }
        // If the folder is not watched now, the file is kept, deleted or moved when the folder is watched again.
        guard let (index, watch, thread, names) = watch(of: note) else { return }
        let file = UploadedFileDisposal(path: note.path, identity: upload.identity, id: upload.id)
        switch watch.folder.after {
        case .keep:
            tracker.forget(upload.id)
            over(note)
        case .delete where canBeReplaced(upload, receipt, watch),
            .move where canBeReplaced(upload, receipt, watch):
            keep(note, upload, "its name is not UTF-8, so another file can replace it at \(watch.to)")
        case .delete where receipt.verified == nil:
            keep(note, upload, "\(watch.to) reported no digest, and without one nothing is deleted")
        case .delete:
            tracker.removals[note.path] = index
            thread.remove(file, by: .delete)
        case .move(let goal):
            tracker.removals[note.path] = index
            thread.remove(file, by: .move(to: goal, names: names))
        }
    }

    /// True if a file with another name can replace this one at the server, where U+FFFD replaces invalid UTF-8.
    private func canBeReplaced(_ upload: Upload, _ receipt: Receipt, _ watch: Watch) -> Bool {
        guard upload.target.name.unicodeScalars.contains("\u{FFFD}"),
            String(validating: upload.path.bytes, as: UTF8.self) == nil
        else { return false }
        let entry = ProtocolCatalog.entry(named: receipt.chosen ?? upload.target.protocolName)
        let policy = destination(watch).options.existing
        return entry?.traits.fillsSlot != false && policy != .rename && policy != .fail
    }

    private func keep(_ note: WatchNote, _ upload: Upload, _ reason: String) {
        notices.once("\(note.path.text) stays: \(reason)", .warning)
        tracker.forget(upload.id)
        over(note)
    }

    private func over(_ note: WatchNote) {
        var note = note
        note.disposition = .over
        write([note])
    }

    func didRemove(_ path: LocalPath, _ outcome: UploadedFileDisposal.Outcome) {
        tracker.removals[path] = nil
        if outcome == .inUse {
            tracker.postponed.insert(path)
            notices.once("\(path.text) was uploaded and stays until no program has it open for writing")
            Task { [weak self] in
                try? await Task.sleep(for: Self.timeout)
                await self?.tryAgain(path)
            }
            return
        }
        hasActed = true
        guard let note = ledger[path] else { return }
        switch outcome {
        case .deleted: notices.log("deleted \(path.text), which \(note.to) has")
        case .moved(let goal): notices.log("moved \(path.text), which \(note.to) has, to \(goal.text)")
        // The sent version is gone; another one is reported when it is complete.
        case .changed, .inUse: return over(note)
        case .touched:
            notices.once(
                "\(path.text) stays: its mode, owner, links or name have changed since it was sent", .warning)
            return over(note)
        case .failed(let reason):
            // The removal is retried when Ferry starts again.
            tracker.postponed.insert(path)
            return notices.once("\(path.text) was uploaded and stays: \(reason)", .warning)
        }
        if case .queued(let id) = note.disposition { tracker.forget(id) }
        write([WatchNote(path: path, to: note.to, identity: note.identity, disposition: .gone)])
    }

    private func tryAgain(_ path: LocalPath) async {
        tracker.postponed.remove(path)
        guard let note = ledger[path], case .queued(let id) = note.disposition else { return }
        if let upload = await queue.current([id]).first ?? history.done([id])[id] { take(upload) }
    }

    /// Returns the watched folder with the destination and the file of `note`, and the file's path below it.
    func watch(
        of note: WatchNote
    ) -> (index: Int, watch: Watch, thread: FolderWatch, names: [[UInt8]])? {
        for (index, station) in stations.enumerated() where station.watch.to == note.to {
            guard let names = note.path.names(below: station.path), station.watch.folder.takes(names) else {
                continue
            }
            return (index, station.watch, station.thread, names)
        }
        return nil
    }
}
