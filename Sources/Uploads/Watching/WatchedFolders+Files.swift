import FerryProtocols
import FerryTransfer
import Synchronization

extension WatchedFolders {
    func take(_ reports: [WatchReport], from index: Int) async {
        stations[index].heard = .now
        var ready: [FileSelection.File] = []
        var gone: [WatchNote] = []
        for report in reports where !isStopped {
            switch report {
            case .ready(let file): ready.append(file)
            case .gone(let path):
                guard var note = ledger[path], note.to == stations[index].watch.to else { continue }
                if case .queued(let id) = note.disposition { tracker.forget(id) }
                note.disposition = .gone
                gone.append(note)
            case .notice(let text): notices.tell(Notice(kind: .note, text: text))
            case .removed(let path, let outcome): didRemove(path, outcome)
            case .state: break
            }
        }
        write(gone)
        let missing = self.gone
        self.gone = []
        // This precedes `add`, because a missing file has possibly returned, and `add` marks it as watched again.
        if !missing.isEmpty { await queue.forgetChanges(of: missing) }
        if !ready.isEmpty { await add(ready, from: index) }
        if case .state(let state)? = reports.last {
            if let path = state.path { stations[index].path = path }
            current.withLock { $0[index] = state }
            await tellAway()
        }
        wake()
    }

    /// Adds complete files to the queue, except for versions that were uploaded or whose upload a user removed.
    private func add(_ files: [FileSelection.File], from index: Int) async {
        let watch = stations[index].watch
        var new: [NewUpload] = []
        var before: [WatchNote] = []
        for file in files {
            let upload = upload(file, from: watch)
            let note = ledger[file.path].flatMap { $0.to == watch.to ? $0 : nil }
            if let note, note.disposition == .over, note.identity.isSameContent(as: file.identity) {
                continue
            }
            if case .queued? = note?.disposition {
            } else if let done = history.done(upload) {
                remember(done, upload, isOurs: tracker.interrupted.contains(file.path), watch)
                continue
            } else {
                before.append(
                    WatchNote(path: file.path, to: watch.to, identity: file.identity, disposition: .adding))
            }
            new.append(upload)
        }
        guard !new.isEmpty else { return }
        // If this process ends now, the next one knows that these uploads belong to the watched folder.
        write(before)
        do throws(UploadFailure) {
            let taken = try await queue.takeSettled(new)
            await didAdd(Array(zip(new, taken)), to: watch)
        } catch {
            notices.once("\(watch.folder.path.text): \(new.count) files wait, as \(error.summary)")
            let paths = new.map(\.path)
            Task { [weak self] in
                try? await Task.sleep(for: Self.timeout)
                await self?.lookAgain(at: paths, in: index)
            }
        }
    }

    func lookAgain(at paths: [LocalPath], in index: Int) {
        guard !isStopped else { return }
        for path in paths { stations[index].thread.lookAgain(at: path) }
    }

    private func didAdd(_ taken: [(NewUpload, SettledFile)], to watch: Watch) async {
        var written: [WatchNote] = []
        var added: [NewUpload] = []
        var ids: [Upload.ID] = []
        var waiting: [(id: Upload.ID, path: LocalPath)] = []
        let there = Dictionary(
            await queue.current(taken.map(\.1.id)).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for (upload, file) in taken {
            var after = WatchNote(
                path: upload.path, to: watch.to, identity: upload.identity, disposition: .queued(file.id))
            if case .added = file { added.append(upload) }
            if case .known(let id) = file {
                guard let known = there[id], known.identity.isSameContent(as: upload.identity) else {
                    waiting.append((id, upload.path))
                    continue
                }
                if ledger[upload.path]?.disposition == .queued(id) { continue }
                // A user added this file, so it stays in the folder after the upload.
                if !tracker.interrupted.contains(upload.path) { after.disposition = .over }
            } else {
                hasActed = true
            }
            if case .queued(let id) = after.disposition {
                tracker.follow(id, upload.path)
                ids.append(id)
            }
            tracker.interrupted.remove(upload.path)
            written.append(after)
        }
        write(written)
        if let first = added.first {
            let more = added.count > 1 ? " and \(added.count - 1) more" : ""
            notices.tell(
                Notice(kind: .note, text: "added from \(watch.folder.path.text): \(first.target.name)\(more)")
            )
        }
        for (id, path) in waiting { await follow(id, path) }
        // An upload may have ended before its file was noted here.
        for upload in await queue.current(ids) { take(upload) }
    }

    /// Lets the watcher report the file at `path` again when the upload `id` of an older version has ended.
    private func follow(_ id: Upload.ID, _ path: LocalPath) async {
        tracker.supersede(id, path)
        // The upload may have ended just now. If it is held, this version waits until the user has decided.
        switch await queue.current([id]).first?.state {
        case .done?, .failed?, nil:
            guard tracker.endSupersession(id), let note = ledger[path] else { return }
            watch(of: note)?.thread.lookAgain(at: path)
        case .queued?, .running?, .waiting?, .paused?, .held?: break
        }
    }

    /// Notes that a file was already uploaded. If `isOurs`, the previous Ferry process had begun to add it, so it does
    /// not stay in the folder.
    private func remember(_ done: Upload, _ new: NewUpload, isOurs: Bool, _ watch: Watch) {
        tracker.interrupted.remove(new.path)
        write([
            WatchNote(
                path: new.path, to: watch.to, identity: new.identity,
                disposition: isOurs ? .queued(done.id) : .over)
        ])
        guard isOurs else { return }
        tracker.follow(done.id, new.path)
        take(done)
    }
}
