import Foundation

/// The folder that files go into, and `.ferry` inside it for what is unfinished.
final class Inbox: Sendable {
    let root: Folder
    let work: Folder
    private let lock: PartFile
    private let overwrite: Bool

    /// - Throws: `EWOULDBLOCK` from `flock` if another receiver uses the folder.
    init(directory: String, overwrite: Bool) throws(SystemError) {
        root = try Folder(path: directory)
        work = try root.makeFolder(SafeName.workFolder, mode: 0o700)
        lock = try work.file("lock", flags: O_RDWR | O_CREAT, mode: 0o600)
        self.overwrite = overwrite
        let descriptor = lock.descriptor
        try SystemError.check("flock") {
            // A child that is just being started shares every descriptor until its exec closes them: for that moment a
            // lock that was given up seems to be held.
            for _ in 0..<40 {
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return 0 }
                guard errno == EWOULDBLOCK else { return -1 }
                usleep(25_000)
            }
            return Int(flock(descriptor, LOCK_EX | LOCK_NB))
        }
    }

    /// A file of `.ferry` that holds the data of one upload.
    static func dataName(_ id: String) -> String { "\(id).part" }

    func create(_ id: String) throws(SystemError) -> PartFile {
        try work.file(Self.dataName(id), flags: O_RDWR | O_CREAT | O_EXCL)
    }

    func open(_ id: String) throws(SystemError) -> PartFile {
        try work.file(Self.dataName(id), flags: O_RDWR)
    }

    func discard(_ id: String) throws(SystemError) { try work.remove(Self.dataName(id)) }

    /// Gives a complete, synced upload its name: the wished one, or ` (2)` and so on where that is taken.
    /// - Parameter willUse: Called with each name before it is tried.
    /// - Returns: The path it got, durably.
    func publish(
        _ id: String, as path: StoredPath, willUse: (StoredPath) throws(SystemError) -> Void = { _ in }
    ) throws(SystemError) -> StoredPath {
        var folder = root
        for name in path.folders { folder = try folder.makeFolder(name.text) }
        for number in 1...10_000 {
            let candidate = StoredPath(folders: path.folders, file: path.file.numbered(number))
            if !overwrite, folder.exists(candidate.file.text) { continue }
            try willUse(candidate)
            do throws(SystemError) {
                if overwrite {
                    try work.rename(Self.dataName(id), to: folder, as: candidate.file.text)
                } else {
                    try work.renameExclusively(Self.dataName(id), to: folder, as: candidate.file.text)
                }
            } catch {
                if error.code == EEXIST, !overwrite { continue }
                throw error
            }
            try folder.sync()
            try work.sync()
            return candidate
        }
        throw SystemError(call: "rename", code: EEXIST)
    }

    /// A stored file, for reading. Only regular files, never through a link.
    func stored(_ path: StoredPath) throws(SystemError) -> (file: PartFile, status: PartFile.Status)? {
        do throws(SystemError) {
            var folder = root
            for name in path.folders { folder = try folder.folder(name.text) }
            let file = try folder.file(path.file.text, flags: O_RDONLY)
            let status = try file.status()
            return status.kind == .file ? (file, status) : nil
        } catch {
            if [ENOENT, ENOTDIR, ELOOP, ENXIO].contains(error.code) { return nil }
            throw error
        }
    }
}
