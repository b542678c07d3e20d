package import FerryProtocols
import FerryTransfer

/// The result of queueing a file that its watcher found complete.
package enum SettledFile: Hashable, Sendable {
    case added(Upload.ID)
    /// An unfinished upload of another version of the file was in the queue. It has the current version now.
    case renewed(Upload.ID)
    /// The file is queued or uploaded already, or its upload waits for a decision of the user.
    case known(Upload.ID)
}

/// Files in watched folders, whose watcher decides when they are complete.
extension UploadQueue {
    /// Marks files as watched. If a marked file changes, its upload is held, whatever `whenFileChanges` is: a file that
    /// is still being written must not be sent. Call this before the queue starts, for the files that the watcher
    /// already knows.
    package func leaveChanges(of files: some Sequence<LocalPath>) { core.index.watchedFiles.formUnion(files) }

    /// Removes the marks of `leaveChanges` from files that are missing or no longer watched.
    ///
    /// - Parameter evenQueued: Whether to include files with unfinished uploads. Pass false for missing files, because
    ///   such a file can return.
    package func forgetChanges(of files: some Sequence<LocalPath>, evenQueued: Bool = false) {
        for file in files where core.index.watchedFiles.contains(file) {
            if evenQueued || core.queued(from: file).allSatisfy(\.isDone) {
                core.index.watchedFiles.remove(file)
            }
        }
    }

    /// Queues files that their watcher found complete, unless they are queued or uploaded already. If an unfinished
    /// upload of another version is in the queue, it gets the new version.
    ///
    /// A running upload keeps its version. A held upload gets the new version only if it is held because its file
    /// changed or could not be read.
    ///
    /// - Returns: The result for each file, in the sequence of `new`.
    /// - Throws: `UploadFailure` if the disk or the queue refuses the files. Some files are possibly added by then; the
    ///   next call returns them as `known`.
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
    /// True if the upload is unfinished or has sent the same content, so that this version need not be queued.
    fileprivate func stands(for identity: FileIdentity) -> Bool {
        !isDone || self.identity.isSameContent(as: identity)
    }

    /// True if the upload must take over this version of the file, because its queued version no longer exists.
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

    /// Replaces the queued version of the file, and queues the upload again unless it is paused.
    ///
    /// - Returns: True if the upload changed.
    mutating func renew(_ identity: FileIdentity) -> Bool {
        guard awaits(identity) else { return false }
        take(identity)
        // The change was expected, so the counts of tries start from zero.
        // An earlier key must not come back: the server may still have bytes of the earlier version under it.
        let changes = tries.changes
        tries = Tries()
        tries.changes = changes
        if case .paused = state { return true }
        state = .queued
        return true
    }
}
