package import FerryProtocols
import FerryTransfer

/// The result of adding a complete file from a watched folder to the queue.
package enum SettledFile: Hashable, Sendable {
    case added(Upload.ID)
    /// The queue already had an unfinished upload of this file, but for another version of the file. The upload now
    /// sends the current version.
    case renewed(Upload.ID)
    /// The queue already has an upload of the file, and leaves the upload as it is. For example, this version of the
    /// file is queued or uploaded already, or the upload is held until a user decides.
    case known(Upload.ID)
}

/// The functions that add files from watched folders to the queue. A watcher decides when such a file is complete.
extension UploadQueue {
    /// Marks files as watched. If a watched file changes after it was queued, its upload is held, because the file is
    /// possibly still being written. This also applies if the retry policy is to restart uploads whose file changed.
    /// Call this function before the queue starts, with the files that the watcher already knows.
    package func leaveChanges(of files: some Sequence<LocalPath>) { core.index.watchedFiles.formUnion(files) }

    /// Removes the marks that `leaveChanges` set. Pass files that are missing, or whose folder is no longer watched.
    ///
    /// - Parameter evenQueued: Whether to remove the marks of files with unfinished uploads too. Pass false for missing
    ///   files, because a missing file can return.
    package func forgetChanges(of files: some Sequence<LocalPath>, evenQueued: Bool = false) {
        for file in files where core.index.watchedFiles.contains(file) {
            if evenQueued || core.queued(from: file).allSatisfy(\.isDone) {
                core.index.watchedFiles.remove(file)
            }
        }
    }

    /// Adds complete files from watched folders to the queue. A file gets no new upload if the queue already has an
    /// unfinished upload of the file to the same target. The same applies if a done upload has sent the same content.
    ///
    /// An unfinished upload of another version of the file gets the new version, with two exceptions. A running upload
    /// keeps its version. A held upload gets the new version only if it is held because its file changed or could not
    /// be read.
    ///
    /// - Returns: The result for each file, in the sequence of `new`.
    /// - Throws: `UploadFailure` if the queue or the disk refuses the files. Some files are possibly in the queue then.
    ///   For these files, the next call returns `known`.
    package func takeSettled(_ new: [NewUpload]) async throws(UploadFailure) -> [SettledFile] {
        guard core.phase != .stopped else { throw UploadFailure(.permanent, "the queue is shutting down") }
        leaveChanges(of: new.lazy.map(\.path))
        var missing: [Int] = []
        var outdated: [Int] = []
        var outcomes: [SettledFile?] = new.map { _ in nil }
        for (index, item) in new.enumerated() {
            guard let upload = core.queued(as: item).first(where: { $0.stands(for: item.identity) }) else {
                missing.append(index)
                continue
            }
            outcomes[index] = .known(upload.id)
            if upload.awaits(item.identity) { outdated.append(index) }
        }
        if !missing.isEmpty {
            let ids = try await addFollowingBatches(missing.map { new[$0] }, .settled).ids
            for (index, id) in zip(missing, ids) { outcomes[index] = .added(id) }
        }
        for index in outdated {
            guard let id = outcomes[index]?.id, try await renew(id, new[index].identity) else { continue }
            outcomes[index] = .renewed(id)
        }
        let result = outcomes.compactMap { $0 }
        send(.advance)
        return result
    }

    private func renew(_ id: Upload.ID, _ identity: FileIdentity) async throws(UploadFailure) -> Bool {
        try await !transact(.change([id], .renew(identity))).ids.isEmpty
    }
}

extension SettledFile {
    package var id: Upload.ID {
        switch self {
        case .added(let id), .renewed(let id), .known(let id): id
        }
    }
}

extension Upload {
    /// True if a file with this identity needs no new upload: this upload is not done yet, or has sent the same
    /// content.
    fileprivate func stands(for identity: FileIdentity) -> Bool {
        !isDone || self.identity.isSameContent(as: identity)
    }

    /// True if the upload must send the file version `identity` instead of its queued version. False if the two
    /// versions are equal, or if the upload is running or done. Also false for an upload that is held for a reason
    /// other than its file.
    fileprivate func awaits(_ identity: FileIdentity) -> Bool {
        guard identity != self.identity else { return false }
        return switch state {
        case .queued, .waiting, .paused, .failed: true
        // A held upload takes over the version only if it is held because its file changed or could not be read.
        case .held: needsNewIdentity
        // A running attempt detects the change itself, and the server's bytes of the old version are deleted.
        case .running, .done: false
        }
    }

    /// Replaces the file version of the upload by `identity`, if the upload must send that version (`awaits`). The
    /// upload is queued again; if it is paused, it stays paused. The counts of attempts and failures return to 0.
    ///
    /// - Returns: True if the upload changed.
    mutating func renew(_ identity: FileIdentity) -> Bool {
        guard awaits(identity) else { return false }
        take(identity)
        // The change was expected, so the counts of tries start from zero. But `changes` stays, because it is a part of
        // the key by which servers recognize the upload (`Upload.key`). Under an earlier key, a server may still have
        // bytes of an earlier version of the file.
        let changes = tries.changes
        tries = Tries()
        tries.changes = changes
        if case .paused = state { return true }
        state = .queued
        return true
    }
}
