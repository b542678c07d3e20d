import FerryProtocols
import FerryTransfer
import FerryUploads

extension Watch {
    /// The number of seconds for which a file must stay unchanged before its upload.
    var settle: Double { folder.settle / .seconds(1) }

    /// The treatment of a file after its upload, by its name in the configuration: `keep`, `delete` or `move`.
    var after: String {
        switch folder.after {
        case .keep: "keep"
        case .delete: "delete"
        case .move: "move"
        }
    }

    /// The folder to which uploaded files are moved; nil if they are not moved.
    var goal: String? { if case .move(let goal) = folder.after { goal.text } else { nil } }

    /// Throws `UploadFailure` (`permanent`) if all files of the folder would get the same URL at the destination.
    func check(_ destination: Destination) throws(UploadFailure) {
        do throws(UploadFailure) { try NewUploads.check(2, for: destination) } catch {
            throw UploadFailure(
                .permanent, "watch: files of \(folder.path.text) would replace each other at \(to)",
                hint: error.hint)
        }
    }

    /// The warnings about a missing folder, and about uploaded files that cannot be moved to another file system.
    var warnings: [String] { [absence, obstacle].compactMap { $0 } }

    private var absence: String? {
        let isFolder = LocalFiles.isFolder(folder.path.text)
        guard isFolder != true else { return nil }
        let issue = isFolder == nil ? "is not there" : "is not a folder"
        return "watch: \(folder.path.text) \(issue); it is looked for while the engine runs"
    }

    private var obstacle: String? {
        guard case .move(let goal) = folder.after, let here = SourceFolder.device(holding: folder.path),
            let there = SourceFolder.device(holding: goal), here != there
        else { return nil }
        return
            "watch: files of \(folder.path.text) cannot be moved to \(goal.text), which is on another file system; they stay"
    }
}

extension EngineReport.Watched {
    init(_ watch: Watch, _ state: WatchState) {
        self.init(
            folder: watch.folder.path.text, to: watch.to, there: !state.isAway, settle: watch.settle,
            after: watch.after, goal: watch.goal, settling: state.settling, inUse: state.inUse)
    }
}

extension Assembly {
    /// Returns the watched folders of the configuration. Throws `UploadFailure` (`permanent`) if a destination is
    /// unknown or has one URL for all files, or if uploaded files would move into the watched folder itself.
    func watches() throws(UploadFailure) -> [Watch] {
        try configuration.watch.map { settings throws(UploadFailure) in
            let watch = Watch(folder: settings.watched, destination: try destination(settings.to))
            try watch.check(watch.destination)
            if case .move(watch.folder.path) = watch.folder.after {
                throw UploadFailure(
                    .permanent,
                    "files of \(watch.folder.path.text) cannot be moved into the folder they are in",
                    hint: "name another folder, which may lie in it")
            }
            return watch
        }
    }
}
