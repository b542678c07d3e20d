import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

/// A folder that is watched, and where its files go.
struct Watch: Sendable {
    let folder: WatchedFolder
    /// As it was when the watching began.
    let destination: Destination

    /// The destination's name, or its address, whose query may be a signature: this is told, logged and noted.
    var to: String {
        destination.name.isEmpty ? UploadAddress.withoutQuery(destination.url) : destination.name
    }

    /// For how many seconds a file must not change.
    var settle: Double { folder.settle / .seconds(1) }

    /// What becomes of a file that has been uploaded, as the configuration calls it: `keep`, `delete` or `move`.
    var after: String {
        switch folder.after {
        case .keep: "keep"
        case .delete: "delete"
        case .move: "move"
        }
    }

    /// The folder that it is moved into.
    var goal: String? {
        if case .move(let goal) = folder.after { goal.text } else { nil }
    }

    /// - Parameter destination: Where its files are to go.
    /// - Throws: `UploadFailure` (`permanent`) if they would all get the same address there.
    func check(_ destination: Destination) throws(UploadFailure) {
        do throws(UploadFailure) { try NewUploads.check(2, for: destination) } catch {
            throw UploadFailure(
                .permanent, "watch: files of \(folder.path.text) would replace each other at \(to)",
                hint: error.hint)
        }
    }

    /// What is wrong with it now, in sentences. The engine finds out by itself, when it is so and without waiting for a
    /// medium here.
    var warnings: [String] { [absence, obstacle].compactMap { $0 } }

    private var absence: String? {
        let isFolder = LocalFiles.isFolder(folder.path.text)
        guard isFolder != true else { return nil }
        let flaw = isFolder == nil ? "is not there" : "is no folder"
        return "watch: \(folder.path.text) \(flaw); it is looked for while ferry runs"
    }

    private var obstacle: String? {
        guard case .move(let goal) = folder.after,
            let here = SourceFolder.device(holding: folder.path),
            let there = SourceFolder.device(holding: goal),
            here != there
        else { return nil }
        return
            "watch: files of \(folder.path.text) cannot be moved to \(goal.text), which is on another file system; they stay"
    }
}

extension Assembly {
    /// What the configuration wants watched.
    ///
    /// - Throws: `UploadFailure` (`permanent`) for a destination that is not known, or that has one place for all files.
    func watches() throws(UploadFailure) -> [Watch] {
        var watches: [Watch] = []
        for settings in configuration.watch {
            let watch = Watch(folder: settings.watched, destination: try destination(settings.to))
            try watch.check(watch.destination)
            if case .move(watch.folder.path) = watch.folder.after {
                throw UploadFailure(
                    .permanent,
                    "files of \(watch.folder.path.text) cannot be moved into the folder they are in",
                    hint: "name another folder, which may lie in it")
            }
            watches.append(watch)
        }
        return watches
    }

    /// The same for commands, which end where it is wrong.
    func checkedWatches() throws(CommandFailure) -> [Watch] {
        do throws(UploadFailure) { return try watches() } catch { throw CommandFailure(usage: error) }
    }
}
