import FerryProtocols
import FerryTransfer

/// The uploads from watched folders, and the consequences of their changes for the files.
///
/// The value uses no disk and no queue: `WatchedFolders` carries out its decisions.
struct WatchTracker {
    /// The action that follows a change of an upload.
    enum Consequence: Hashable {
        /// The file must be reported once more, as soon as it has been unchanged for long enough.
        case lookAgain
        /// The version is uploaded. The file must now be kept, deleted or moved, as configured.
        case finish(Receipt)
        /// A user put back the removed upload of this version, so it belongs to the watch again.
        case reopen
    }

    /// The files of the uploads.
    private(set) var paths: [Upload.ID: LocalPath] = [:]
    /// The failed or held state of each upload for which the consequences were returned last.
    private var endings: [Upload.ID: Upload.State] = [:]
    /// The uploads whose file has a newer complete version, which is sent after them.
    private var superseded: Set<Upload.ID> = []
    /// The files that the previous engine was about to add when it ended.
    private var interrupted: Set<LocalPath> = []
    /// The uploaded files that are being removed, with the index of their folder.
    private(set) var removals: [LocalPath: Int] = [:]
    /// The uploaded files that cannot be removed for now.
    private var postponed: Set<LocalPath> = []

    /// - Parameter notes: The notes of the previous engine.
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

    /// Notes that this upload sends the file at `path`.
    mutating func follow(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        endings[id] = nil
    }

    mutating func forget(_ id: Upload.ID) {
        paths[id] = nil
        endings[id] = nil
    }

    /// Notes that a newer version of the file waits until this upload has ended.
    mutating func supersede(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        superseded.insert(id)
    }

    /// Notes that no version waits for this upload any more.
    ///
    /// - Returns: True if a newer version of the file was waiting for it.
    mutating func endSupersession(_ id: Upload.ID) -> Bool { superseded.remove(id) != nil }

    /// Returns the consequences of an upload's state. Each state has consequences only once.
    ///
    /// - Parameter note: The note of the upload's file.
    mutating func take(_ upload: Upload, _ note: WatchNote) -> [Consequence] {
        switch (upload.state, note.disposition) {
        case (.done(let receipt, _), let disposition):
            let again: [Consequence] = endSupersession(upload.id) ? [.lookAgain] : []
            return again + (disposition == .queued(upload.id) ? [.finish(receipt)] : [])
        case (.failed, _), (.held, _):
            guard endings.updateValue(upload.state, forKey: upload.id) != upload.state else { return [] }
            // The file has changed or is missing. Once it is complete again, its version of that time is sent.
            return endSupersession(upload.id) || upload.needsNewIdentity ? [.lookAgain] : []
        case (.queued, .over), (.running, .over), (.waiting, .over), (.paused, .over):
            return note.identity.isSameContent(as: upload.identity) ? [.reopen] : []
        case (.queued, _), (.running, _), (.waiting, _), (.paused, _):
            endings[upload.id] = nil
            return []
        }
    }

    // MARK: Files

    /// True if the previous engine was about to add this file, so an upload of it belongs to the watch.
    func isInterrupted(_ path: LocalPath) -> Bool { interrupted.contains(path) }

    mutating func endInterruption(_ path: LocalPath) { interrupted.remove(path) }

    /// True if the file may be removed: no removal is under way, and none was postponed.
    func canRemove(_ path: LocalPath) -> Bool { removals[path] == nil && !postponed.contains(path) }

    mutating func beginRemoval(_ path: LocalPath, in folder: Int) { removals[path] = folder }

    mutating func endRemoval(_ path: LocalPath) { removals[path] = nil }

    mutating func postpone(_ path: LocalPath) { postponed.insert(path) }

    mutating func endPostponement(_ path: LocalPath) { postponed.remove(path) }
}
