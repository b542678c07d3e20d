package import FerryProtocols
import FerryTransfer

/// The result of adding a complete file from a watched folder to the queue.
package enum SettledFile: Hashable, Sendable {
    case added(Upload.ID)
    /// An unfinished upload of another version now sends the current version.
    case renewed(Upload.ID)
    /// The queue leaves its upload of the file as it is, for example because it is held until a user decides.
    case known(Upload.ID)
}

/// The functions that add files from watched folders to the queue, once a watcher finds them complete.
extension UploadQueue {
    /// Marks files as watched. If such a file changes, its upload is held in spite of the retry policy, because the
    /// file is possibly still being written. Call this before the queue starts, with the files that the watcher knows.
    package func leaveChanges(of files: some Sequence<LocalPath>) { core.index.watchedFiles.formUnion(files) }

    /// Removes the marks of files that are missing, and can return if they are queued, or that are not watched any
    /// more.
    package func forgetChanges(of files: some Sequence<LocalPath>, evenQueued: Bool = false) {
        for file in files where core.index.watchedFiles.contains(file) {
            if evenQueued || core.queued(from: file).allSatisfy(\.isDone) {
                core.index.watchedFiles.remove(file)
            }
        }
    }

    /// Adds complete files from watched folders to the queue. A file gets no new upload if an upload to the same target
    /// is unfinished or has sent the same content. An unfinished one gets the new version, unless it runs or is held
    /// for another reason than its file.
    ///
    /// - Returns: The result for each file, in the sequence of `new`.
    /// - Throws: `UploadFailure` if the queue or the disk refuses the files. For those already added, the next call
    ///   returns `known`.
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
            guard let id = outcomes[index]?.id else { continue }
            let changed = try await transact(.change([id], .renew(new[index].identity))).ids
            if !changed.isEmpty { outcomes[index] = .renewed(id) }
        }
        let result = outcomes.compactMap { $0 }
        send(.advance)
        return result
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
    fileprivate func stands(for identity: FileIdentity) -> Bool {
        !isDone || self.identity.isSameContent(as: identity)
    }

    /// True if the upload must send this file version instead of its queued version.
    fileprivate func awaits(_ identity: FileIdentity) -> Bool {
        guard identity != self.identity else { return false }
        return switch state {
        case .queued, .waiting, .paused, .failed: true
        case .held: needsNewIdentity
        // A running attempt detects the change itself, and the server's bytes of the old version are deleted.
        case .running, .done: false
        }
    }

    /// Makes the upload send this file version, if it must (`awaits`), and returns whether it changed. The upload is
    /// queued again, or stays paused, and its counts return to 0.
    mutating func renew(_ identity: FileIdentity) -> Bool {
        guard awaits(identity) else { return false }
        take(identity)
        // `changes` stays, because it is a part of the key by which servers recognize the upload (`Upload.key`). Under
        // an earlier key, a server may still have bytes of an earlier version.
        let changes = tries.changes
        tries = Tries()
        tries.changes = changes
        if case .paused = state { return true }
        state = .queued
        return true
    }
}
