import FerryProtocols
import FerryTransfer
import FerryUploads

/// What becomes of the uploads.
extension WatchedFolders {
    func take(_ update: QueueUpdate, from follower: Int) {
        guard follower == lastFollower, !isStopped else { return }
        for upload in update.changed { take(upload) }
        var gone = update.removed
        if update.isComplete {
            let there = Set(update.changed.lazy.map(\.id))
            gone += paths.keys.filter { !there.contains($0) }
        }
        gone = gone.filter { id in paths[id].flatMap { notes[$0] }?.fate == .queued(id) }
        guard !gone.isEmpty else { return }
        // Done uploads leave the queue for the history, the others because somebody removed them.
        let done = past.done(gone)
        for id in gone {
            if let upload = done[id] { take(upload) } else { leave(id) }
        }
    }

    /// Somebody removed it: this version is not added again, unless it is put back.
    private func leave(_ id: Upload.ID) {
        guard let path = paths[id], var note = notes[path], note.fate == .queued(id) else { return }
        note.fate = .over
        write([note])
    }

    func take(_ upload: Upload) {
        guard let path = paths[upload.id], var note = notes[path] else { return }
        switch (upload.state, note.fate) {
        case (.done(let receipt, _), let fate):
            // Before it is forgotten: another version has settled meanwhile.
            if superseded.remove(upload.id) != nil { watch(of: note)?.thread.lookAgain(at: path) }
            if fate == .queued(upload.id) { finish(upload, receipt, note) }
        case (.failed, _), (.held, _):
            guard endings.updateValue(upload.state, forKey: upload.id) != upload.state else { return }
            // Its file changed, or is not there: when it is whole again, it goes as it is then.
            if superseded.remove(upload.id) != nil || upload.awaitsFile {
                watch(of: note)?.thread.lookAgain(at: path)
            }
        case (.queued, .over), (.running, .over), (.waiting, .over), (.paused, .over):
            guard note.identity.isSameContent(as: upload.identity) else { return }
            note.fate = .queued(upload.id)
            write([note])
        case (.queued, _), (.running, _), (.waiting, _), (.paused, _): endings[upload.id] = nil
        }
    }

    private func finish(_ upload: Upload, _ receipt: Receipt, _ note: WatchNote) {
        guard removals[note.path] == nil, !postponed.contains(note.path), !isStopped else { return }
        // Should it be watched again, what was asked for is done then.
        guard let (index, watch, thread, names) = watch(of: note) else { return }
        let file = SentFile(path: note.path, identity: upload.identity, id: upload.id)
        switch watch.folder.after {
        case .keep:
            forget(upload.id)
            over(note)
        case .delete where receipt.verified == nil:
            self.note(
                "\(note.path.text) stays: \(watch.to) told no digest of what it holds, without which nothing is deleted",
                .warning)
            forget(upload.id)
            over(note)
        case .delete:
            removals[note.path] = index
            thread.remove(file, by: .delete)
        case .move(let goal):
            removals[note.path] = index
            thread.remove(file, by: .move(to: goal, names: names))
        }
    }

    private func over(_ note: WatchNote) {
        var note = note
        note.fate = .over
        write([note])
    }

    func didRemove(_ path: LocalPath, _ outcome: SentFile.Outcome) {
        removals[path] = nil
        if outcome == .inUse {
            postponed.insert(path)
            note("\(path.text) was uploaded and stays until nobody has it open for writing")
            Task { [weak self] in
                try? await Task.sleep(for: Self.patience)
                await self?.tryAgain(path)
            }
            return
        }
        hasActed = true
        guard let note = notes[path] else { return }
        switch outcome {
        case .deleted: log("deleted \(path.text), which \(note.to) has")
        case .moved(let goal): log("moved \(path.text), which \(note.to) has, to \(goal.text)")
        // The version that was sent is not there any more; another one is told when it is whole.
        case .changed, .inUse: return over(note)
        case .failed(let reason):
            // Tried again when ferry starts again.
            postponed.insert(path)
            return self.note("\(path.text) was uploaded and stays: \(reason)", .warning)
        }
        if case .queued(let id) = note.fate { forget(id) }
        write([WatchNote(path: path, to: note.to, identity: note.identity, fate: .gone)])
    }

    private func tryAgain(_ path: LocalPath) async {
        postponed.remove(path)
        guard let note = notes[path], case .queued(let id) = note.fate else { return }
        if let upload = await queue.current([id]).first ?? past.done([id])[id] { take(upload) }
    }

    /// The folder that a file belongs to, and the names that lead to it from there; nil if that is not watched any more.
    func watch(
        of note: WatchNote
    ) -> (index: Int, watch: Watch, thread: FolderWatch, names: [[UInt8]])? {
        for (index, watch) in watches.enumerated() where watch.to == note.to {
            guard let names = note.path.names(below: places[index]), watch.folder.takes(names) else {
                continue
            }
            return (index, watch, threads[index], names)
        }
        return nil
    }
}

extension Upload {
    /// True if it waits for a person because of its file.
    fileprivate var awaitsFile: Bool {
        switch state {
        case .failed(let failure), .held(let failure):
            [.sourceChanged, .sourceUnreadable].contains(failure.category)
        case .queued, .running, .waiting, .paused, .done: false
        }
    }
}
