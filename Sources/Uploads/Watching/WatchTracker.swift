import FerryProtocols
import FerryTransfer

/// A tracker of the uploads from watched folders. It decides what follows for a file when its upload changes.
///
/// The value uses no disk and no queue: `WatchedFolders` carries out its decisions.
struct WatchTracker {
    /// The action that follows a change of an upload.
    enum Consequence: Hashable {
        /// The file must be reported once more, as soon as it has been unchanged for long enough.
        case lookAgain
        /// The version is uploaded. The file must now be kept, deleted or moved, as configured.
        case finish(Receipt)
        /// A user had removed the upload of this version and has put it back, so the watch handles the version again.
        case reopen
    }

    /// The path of the file that each upload sends, by the upload's id.
    private(set) var paths: [Upload.ID: LocalPath] = [:]
    /// The most recent failed or held state of each upload. `take` has already returned the consequences of this state.
    private var endings: [Upload.ID: Upload.State] = [:]
    /// The uploads whose file has a newer complete version. The newer version is sent when the upload has ended.
    private var superseded: Set<Upload.ID> = []
    /// The files that the previous engine was about to add when it ended.
    private var interrupted: Set<LocalPath> = []
    /// The uploaded files that are being removed, with the index of their folder.
    private(set) var removals: [LocalPath: Int] = [:]
    /// The uploaded files whose removal must wait, because a process has them open for writing, or because it failed.
    private var postponed: Set<LocalPath> = []

    /// - Parameter notes: The notes of the previous engine, the process that ran this queue before.
    init(_ notes: some Sequence<WatchNote>) {
        for note in notes {
            switch note.disposition {
            case .queued(let id): paths[id] = note.path
            case .adding: interrupted.insert(note.path)
            case .over, .gone: break
            }
        }
    }

    // MARK: Uploads

    /// Records that this upload sends the file at `path`.
    mutating func follow(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        endings[id] = nil
    }

    mutating func forget(_ id: Upload.ID) {
        paths[id] = nil
        endings[id] = nil
    }

    /// Records that a newer version of the file waits until this upload has ended.
    mutating func supersede(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        superseded.insert(id)
    }

    /// Records that no newer version of the file waits for this upload any more.
    ///
    /// - Returns: True if a newer version was waiting for it.
    mutating func endSupersession(_ id: Upload.ID) -> Bool { superseded.remove(id) != nil }

    /// Returns the consequences of an upload's state. The same failed or held state has consequences only once.
    ///
    /// - Parameter note: The note of the upload's file.
    mutating func take(_ upload: Upload, _ note: WatchNote) -> [Consequence] {
        switch (upload.state, note.disposition) {
        case (.done(let receipt, _), let disposition):
            let again: [Consequence] = endSupersession(upload.id) ? [.lookAgain] : []
            return again + (disposition == .queued(upload.id) ? [.finish(receipt)] : [])
        case (.failed, _), (.held, _):
            guard endings.updateValue(upload.state, forKey: upload.id) != upload.state else { return [] }
            // The file has changed, is missing or cannot be read. Once it is complete again, its version at that time
            // is sent.
            return endSupersession(upload.id) || upload.needsNewIdentity ? [.lookAgain] : []
        case (.queued, .over), (.running, .over), (.waiting, .over), (.paused, .over):
            return note.identity.isSameContent(as: upload.identity) ? [.reopen] : []
        case (.queued, _), (.running, _), (.waiting, _), (.paused, _):
            endings[upload.id] = nil
            return []
        }
    }

    // MARK: Files

    /// True if the previous engine was about to add this file when it ended. An upload of the file that is in the queue
    /// then counts as added by the watch.
    func isInterrupted(_ path: LocalPath) -> Bool { interrupted.contains(path) }

    mutating func endInterruption(_ path: LocalPath) { interrupted.remove(path) }

    /// True if the removal of the uploaded file can start, because it is not under way and not postponed.
    func canRemove(_ path: LocalPath) -> Bool { removals[path] == nil && !postponed.contains(path) }

    mutating func beginRemoval(_ path: LocalPath, in folder: Int) { removals[path] = folder }

    mutating func endRemoval(_ path: LocalPath) { removals[path] = nil }

    mutating func postpone(_ path: LocalPath) { postponed.insert(path) }

    mutating func endPostponement(_ path: LocalPath) { postponed.remove(path) }
}
