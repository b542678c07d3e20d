package import FerryProtocols
package import FerryTransfer

/// What the queue did with a file that was found whole.
package enum SettledFile: Hashable, Sendable {
    case added(Upload.ID)
    /// It was on its way as another version, and goes as it is now.
    case renewed(Upload.ID)
    /// It is on its way, is there already, or waits for a person.
    case known(Upload.ID)
}

/// Files that somebody watches, who finds out when they are whole.
extension UploadQueue {
    /// Uploads of these files are held when their file changes, whatever is done with others: as it is in the middle of
    /// a change it must not go. To be said before the queue starts.
    package func leaveChanges(of files: some Sequence<LocalPath>) { watchedFiles.formUnion(files) }

    /// Nobody watches these files any more.
    ///
    /// - Parameter evenQueued: Whether those too of which an upload is not done yet, whose file may come back.
    package func forgetChanges(of files: some Sequence<LocalPath>, evenQueued: Bool = false) {
        for file in files where watchedFiles.contains(file) {
            if evenQueued || queued(from: file).allSatisfy(\.isDone) { watchedFiles.remove(file) }
        }
    }

    func queued(as new: NewUpload) -> [Upload] {
        queued(from: new.path).filter { $0.target == new.target }
    }

    private func queued(from file: LocalPath) -> [Upload] {
        let index = uploadsByPath ?? UploadsByPath(uploads.values)
        uploadsByPath = index
        return index[file].compactMap { uploads[$0] }
    }

    func retryPolicy(for upload: Upload) -> QueueRetryPolicy {
        var policy = configuration.retry
        if watchedFiles.contains(upload.path) { policy.whenFileChanges = .hold }
        return policy
    }

    /// Sends files in the version in which they were found whole, once: what was on its way as another version goes as
    /// this one.
    ///
    /// - Returns: What became of each, in their order.
    /// - Throws: `UploadFailure` if the disk or the queue takes nothing; some may have been taken then, and are `known`
    ///   the next time.
    package func takeSettled(_ new: [NewUpload]) async throws(UploadFailure) -> [SettledFile] {
        guard phase != .stopped else { throw UploadFailure(.permanent, "the queue is shutting down") }
        leaveChanges(of: new.lazy.map(\.path))
        var missing: [Int] = []
        var outdated: [Int] = []
        var outcomes: [SettledFile?] = new.map { _ in nil }
        for (index, item) in new.enumerated() {
            guard let upload = queued(as: item).first(where: { $0.stands(for: item.identity) }) else {
                missing.append(index)
                continue
            }
            outcomes[index] = .known(upload.id)
            if upload.awaits(item.identity) { outdated.append(index) }
        }
        // Before anything is waited for: somebody else may be about to add the same.
        let keys = Set(missing.map { UploadKey(new[$0]) })
        guard arriving.isDisjoint(with: keys) else {
            throw UploadFailure(.permanent, "somebody else is just adding the same files")
        }
        arriving.formUnion(keys)
        defer { arriving.subtract(keys) }
        if !missing.isEmpty {
            let ids = try await add(missing.map { new[$0] }).changed ?? []
            for (index, id) in zip(missing, ids) { outcomes[index] = .added(id) }
        }
        for index in outdated {
            guard let id = outcomes[index]?.id, try await renew(id, new[index].identity) else { continue }
            outcomes[index] = .renewed(id)
        }
        let result = outcomes.compactMap { $0 }
        advance()
        return result
    }

    /// Uploads as they are now; without those that are not in the queue.
    package func current(_ ids: some Sequence<Upload.ID>) -> [Upload] {
        ids.compactMap { uploads[$0].map(shown) }
    }

    private func renew(_ id: Upload.ID, _ identity: FileIdentity) async throws(UploadFailure) -> Bool {
        var left: Upload?
        let changed = try await command([id]) { upload in
            guard upload.awaits(identity) else { return false }
            if upload.resource != nil { left = upload }
            upload.renew(identity)
            return true
        }
        guard !changed.isEmpty else { return false }
        if let left { discard(left) }
        return true
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

    fileprivate mutating func renew(_ identity: FileIdentity) {
        take(identity)
        // That it changed was expected: it counts for nothing against it.
        tries = Tries()
        if case .paused = state { return }
        state = .queued
    }
}
