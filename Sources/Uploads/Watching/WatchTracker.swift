import FerryProtocols
import FerryTransfer

/// A tracker of the uploads from watched folders, which decides what happens to a file when its upload changes.
/// `WatchedFolders` carries out the decisions.
struct WatchTracker {
    enum Consequence: Hashable {
        /// The watcher must report the file again when it is complete.
        case lookAgain
        /// The file was uploaded, and is now kept, deleted or moved.
        case finish(Receipt)
        /// The file is queued again, because a user put its removed upload back into the queue.
        case reopen
    }

    private(set) var paths: [Upload.ID: LocalPath] = [:]
    /// The last failed or held state of each upload that was passed to `take`.
    private var endings: [Upload.ID: Upload.State] = [:]
    /// The uploads that send an older version of their file. When they have ended, the newer version is sent.
    private var superseded: Set<Upload.ID> = []
    /// The files that the previous Ferry process was about to add when it ended. Their uploads are not from a user.
    var interrupted: Set<LocalPath> = []
    /// The uploaded files that are being deleted or moved now, with indexes in `WatchedFolders.stations`.
    var removals: [LocalPath: Int] = [:]
    /// The uploaded files that are open for writing, or whose last removal failed.
    var postponed: Set<LocalPath> = []

    init(_ notes: some Sequence<WatchNote>) {
        for note in notes {
            switch note.disposition {
            case .queued(let id): paths[id] = note.path
            case .adding: interrupted.insert(note.path)
            case .over, .gone: break
            }
        }
    }

    /// Records that the upload `id` sends the file at `path`.
    mutating func follow(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        endings[id] = nil
    }

    mutating func forget(_ id: Upload.ID) {
        paths[id] = nil
        endings[id] = nil
    }

    /// Records that a newer version of the file at `path` must wait until the upload `id` has ended.
    mutating func supersede(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        superseded.insert(id)
    }

    mutating func endSupersession(_ id: Upload.ID) -> Bool { superseded.remove(id) != nil }

    /// Returns the actions that follow from the state of an upload, but only once for a failed or held state.
    mutating func take(_ upload: Upload, _ note: WatchNote) -> [Consequence] {
        switch (upload.state, note.disposition) {
        case (.done(let receipt, _), let disposition):
            let again: [Consequence] = endSupersession(upload.id) ? [.lookAgain] : []
            return again + (disposition == .queued(upload.id) ? [.finish(receipt)] : [])
        case (.failed, _), (.held, _):
            guard endings.updateValue(upload.state, forKey: upload.id) != upload.state else { return [] }
            // Once the file is complete again, its version at that time is sent.
            return endSupersession(upload.id) || upload.needsNewIdentity ? [.lookAgain] : []
        case (.queued, .over), (.running, .over), (.waiting, .over), (.paused, .over):
            return note.identity.isSameContent(as: upload.identity) ? [.reopen] : []
        case (.queued, _), (.running, _), (.waiting, _), (.paused, _):
            endings[upload.id] = nil
            return []
        }
    }

    func canRemove(_ path: LocalPath) -> Bool { removals[path] == nil && !postponed.contains(path) }
}
