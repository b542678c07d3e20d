package import FerryProtocols
import FerryTransfer

/// The queue's treatment of a file that was found whole.
package enum SettledFile: Hashable, Sendable {
    case added(Upload.ID)
    /// The file was on its way as another version, and goes as it is now.
    case renewed(Upload.ID)
    /// The file is on its way, is there already, or waits for a person.
    case known(Upload.ID)
}

/// Files that somebody watches, who finds out when they are whole.
extension UploadQueue {
    /// Uploads of these files are held when their file changes, whatever is done with others: as it is in the middle of
    /// a change it must not go. To be said before the queue starts.
    package func leaveChanges(of files: some Sequence<LocalPath>) { core.index.watchedFiles.formUnion(files) }

    /// Forgets files that nobody watches any more.
    ///
    /// - Parameter evenQueued: Whether those too of which an upload is not done yet, whose file may come back.
    package func forgetChanges(of files: some Sequence<LocalPath>, evenQueued: Bool = false) {
        for file in files where core.index.watchedFiles.contains(file) {
            if evenQueued || core.queued(from: file).allSatisfy(\.isDone) {
                core.index.watchedFiles.remove(file)
            }
        }
    }

    /// Sends files in the version in which they were found whole, once: what was on its way as another version goes as
    /// this one.
    ///
    /// - Returns: What became of each, in their order.
    /// - Throws: `UploadFailure` if the disk or the queue takes nothing; some may have been taken then, and are `known`
    ///   the next time.
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
    /// True if nothing else has to be queued for this version of the file.
    fileprivate func stands(for identity: FileIdentity) -> Bool {
        !isDone || self.identity.isSameContent(as: identity)
    }

    /// True if it cannot go as it was queued any more, and can as this version.
    fileprivate func awaits(_ identity: FileIdentity) -> Bool {
        guard identity != self.identity else { return false }
        return switch state {
        case .queued, .waiting, .paused, .failed: true
        // A person has been asked something else than whether the file may have changed.
        case .held: needsNewIdentity
        // It finds out by itself, and what the server has of it is not left there.
        case .running, .done: false
        }
    }

    /// Goes on as another version of its file.
    ///
    /// - Returns: True if that changes anything.
    mutating func renew(_ identity: FileIdentity) -> Bool {
        guard awaits(identity) else { return false }
        take(identity)
        // That it changed was expected: it counts for nothing against it.
        tries = Tries()
        if case .paused = state { return true }
        state = .queued
        return true
    }
}
