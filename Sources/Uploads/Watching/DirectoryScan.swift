import FerryProtocols
import FerryTransfer

/// One scan of a watched folder, which finds the files that are to be uploaded.
struct DirectoryScan {
    /// The maximum number of nested folders that a scan enters.
    private static let depthLimit = 256

    let folder: WatchedFolder
    /// The folders into which Ferry moves uploaded files, which are not scanned.
    let exceptions: [LocalPath]
    /// Requests events for changes in a folder before it is read, so that a new file causes an event.
    let watch: (LocalPath) -> Void

    /// The files that a scan found. `isComplete` is false if at least one folder could not be read.
    struct Findings {
        var files: [(path: LocalPath, identity: FileIdentity)] = []
        var isComplete = true
    }

    /// Scans the folder `place`, and the folders below it if the watched folder `root` is recursive. Both paths are
    /// without symbolic links.
    func look(into place: LocalPath, below root: LocalPath) -> Findings {
        var findings = Findings()
        watch(place)
        do throws(UploadFailure) {
            search([try SourceFolder(place)], place.names(below: root) ?? [], &findings)
        } catch {
            findings.isComplete = false
        }
        return findings
    }

    private func search(_ folders: [SourceFolder], _ path: [[UInt8]], _ findings: inout Findings) {
        guard let current = folders.last, folders.count <= Self.depthLimit else { return }
        let names: [[UInt8]]
        do throws(UploadFailure) { names = try current.names() } catch {
            findings.isComplete = false
            return
        }
        for name in names {
            let inner = path + [name]
            guard let status = current.status(of: name) else { continue }
            if status.kind == .file {
                guard folder.patterns.take(file: inner) else { continue }
                findings.files.append((current.path.appending(name), status.identity))
            } else if status.kind == .folder, folder.isRecursive, folder.patterns.enter(folder: inner) {
                let below = current.path.appending(name)
                guard !exceptions.contains(below) else { continue }
                watch(below)
                guard let next = try? current.folder(named: name) else {
                    findings.isComplete = false
                    continue
                }
                if !folders.contains(where: { $0.isSame(as: next) }) {
                    search(folders + [next], inner, &findings)
                }
            }
        }
    }
}
