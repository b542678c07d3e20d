import FerryProtocols
import FerryTransfer

/// A tracker of the uploads from watched folders. When an upload changes, the tracker decides what happens to the file.
///
/// The tracker itself uses no disk and no queue. `WatchedFolders` carries out the decisions.
struct WatchTracker {
    /// An action that `WatchedFolders` carries out because an upload changed.
    enum Consequence: Hashable {
        /// The watcher of the folder must report the file again, once the file has been unchanged for long enough.
        case lookAgain
        /// The file was uploaded. It now stays in the folder, or is deleted or moved, as configured.
        case finish(Receipt)
        /// The file is queued again, because a user put its removed upload back into the queue. `WatchedFolders` notes
        /// this. Once the upload is done, the file is then kept, deleted or moved, as configured.
        case reopen
    }

    private(set) var paths: [Upload.ID: LocalPath] = [:]
    /// The last failed or held state of each upload that was passed to `take`. If `take` gets the same state again, it
    /// returns no actions.
    private var endings: [Upload.ID: Upload.State] = [:]
    /// The uploads that send an older version of their file, while a newer version is already complete. When such an
    /// upload has ended, the newer version is sent.
    private var superseded: Set<Upload.ID> = []
    /// The files that the previous Ferry process was about to add to the queue when it ended.
    var interrupted: Set<LocalPath> = []
    /// The uploaded files that are being deleted or moved now. The value is the index of the watched folder in
    /// `WatchedFolders.stations`.
    var removals: [LocalPath: Int] = [:]
    /// The uploaded files that cannot be removed yet. A process has them open for writing, or the last attempt to
    /// remove them failed.
    var postponed: Set<LocalPath> = []

    /// Creates a tracker from the notes on disk. The Ferry process that ran this queue before wrote these notes.
    init(_ notes: some Sequence<WatchNote>) {
        for note in notes {
            switch note.disposition {
            case .queued(let id): paths[id] = note.path
            case .adding: interrupted.insert(note.path)
            case .over, .gone: break
            }
        }
    }

    /// Records that the upload `id` sends the file at `path`. Forgets an earlier failed or held state of the upload.
    mutating func follow(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        endings[id] = nil
    }

    mutating func forget(_ id: Upload.ID) {
        paths[id] = nil
        endings[id] = nil
    }

    /// Records that the file at `path` has a newer version than the one which the upload `id` sends. The newer version
    /// must wait until that upload has ended.
    mutating func supersede(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        superseded.insert(id)
    }

    mutating func endSupersession(_ id: Upload.ID) -> Bool { superseded.remove(id) != nil }

    /// Returns the actions that follow from the state of an upload. If `take` gets the same failed or held state of an
    /// upload again, it returns no actions.
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

    func canRemove(_ path: LocalPath) -> Bool { removals[path] == nil && !postponed.contains(path) }
}
