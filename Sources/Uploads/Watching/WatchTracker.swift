import FerryProtocols
import FerryTransfer

/// The uploads that came from watched folders, and what their changes mean for the files.
///
/// A value without a disk or a queue: `WatchedFolders` carries out what it decides.
struct WatchTracker {
    /// The action that a change of an upload asks for.
    enum Consequence: Hashable {
        /// The file is to be reported once more when it has settled.
        case lookAgain
        /// The version is uploaded: the file is to be treated as asked.
        case finish(Receipt)
        /// A version that nobody wanted any more is wanted again.
        case reopen
    }

    /// The files of the uploads.
    private(set) var paths: [Upload.ID: LocalPath] = [:]
    /// The ends of uploads when something was last done about them.
    private var endings: [Upload.ID: Upload.State] = [:]
    /// Uploads of a file of which another version has settled, which is to go after them.
    private var superseded: Set<Upload.ID> = []
    /// Files that the engine before was about to add when it ended.
    private var interrupted: Set<LocalPath> = []
    /// Uploaded files that are being taken away, with the number of their folder.
    private(set) var removals: [LocalPath: Int] = [:]
    /// Uploaded files that cannot be taken away for now.
    private var postponed: Set<LocalPath> = []

    /// - Parameter notes: What the engine before has noted.
    init(_ notes: some Sequence<WatchNote>) {
        for note in notes {
            switch note.fate {
            case .queued(let id): paths[id] = note.path
            case .adding: interrupted.insert(note.path)
            case .over, .gone: break
            }
        }
    }

    // MARK: Uploads

    /// Makes the upload the one that brings this file.
    mutating func follow(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        endings[id] = nil
    }

    mutating func forget(_ id: Upload.ID) {
        paths[id] = nil
        endings[id] = nil
    }

    /// Another version of the file waits until the upload has come to its end.
    mutating func supersede(_ id: Upload.ID, _ path: LocalPath) {
        paths[id] = path
        superseded.insert(id)
    }

    /// - Returns: True if another version waited for this upload, which it does no more.
    mutating func endSupersession(_ id: Upload.ID) -> Bool { superseded.remove(id) != nil }

    /// Returns what the state of an upload asks for, once for each state.
    ///
    /// - Parameter note: The note of the upload's file.
    mutating func take(_ upload: Upload, _ note: WatchNote) -> [Consequence] {
        switch (upload.state, note.fate) {
        case (.done(let receipt, _), let fate):
            let again: [Consequence] = endSupersession(upload.id) ? [.lookAgain] : []
            return again + (fate == .queued(upload.id) ? [.finish(receipt)] : [])
        case (.failed, _), (.held, _):
            guard endings.updateValue(upload.state, forKey: upload.id) != upload.state else { return [] }
            // Its file changed, or is not there: when it is whole again, it goes as it is then.
            return endSupersession(upload.id) || upload.awaitsFile ? [.lookAgain] : []
        case (.queued, .over), (.running, .over), (.waiting, .over), (.paused, .over):
            return note.identity.isSameContent(as: upload.identity) ? [.reopen] : []
        case (.queued, _), (.running, _), (.waiting, _), (.paused, _):
            endings[upload.id] = nil
            return []
        }
    }

    // MARK: Files

    /// True if the engine before was about to add this file, so that an upload of it is ours.
    func isInterrupted(_ path: LocalPath) -> Bool { interrupted.contains(path) }

    mutating func endInterruption(_ path: LocalPath) { interrupted.remove(path) }

    /// True if the file may be taken away: nobody is about to, and nothing stands in the way.
    func canRemove(_ path: LocalPath) -> Bool { removals[path] == nil && !postponed.contains(path) }

    mutating func beginRemoval(_ path: LocalPath, in folder: Int) { removals[path] = folder }

    mutating func endRemoval(_ path: LocalPath) { removals[path] = nil }

    mutating func postpone(_ path: LocalPath) { postponed.insert(path) }

    mutating func endPostponement(_ path: LocalPath) { postponed.remove(path) }
}

extension Upload {
    /// True if it waits for a person because of its file.
    fileprivate var awaitsFile: Bool {
        switch state {
        case .failed(let failure), .held(let failure):
            [.sourceChanged, .sourceUnreadable].contains(failure.category)
        case .queued, .running, .waiting, .paused, .done: false
        }
    }
}
