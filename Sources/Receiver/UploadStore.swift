import FerryFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder for files, with `.ferry` inside it for unfinished uploads.
final class UploadStore: Sendable {
    let root: Folder
    let work: Folder
    private let lock: PartFile
    private let overwrite: Bool

    /// Opens the folder, creating it for its owner alone if it is missing.
    ///
    /// - Throws: `.directory`, `.workFolder`, `.directoryInUse`.
    init(directory: String, overwrite: Bool) throws(ReceiverError) {
        self.overwrite = overwrite
        do throws(SystemCallError) {
            root = try Self.root(directory)
            work = try root.makeFolder(SafeName.workFolder, mode: 0o700)
        } catch {
            throw .directory(directory, reason: error.reason)
        }
        // Users who can write there control the names and the token of uploads.
        if let reason = work.distrust {
            throw .workFolder(directory + "/" + SafeName.workFolder, reason: reason)
        }
        do throws(SystemCallError) {
            lock = try work.file("lock", flags: O_RDWR | O_CREAT, mode: 0o600)
            try Self.take(lock)
        } catch {
            guard error.call == "flock", error.code == .wouldBlock else {
                throw .directory(directory, reason: error.reason)
            }
            throw .directoryInUse(directory)
        }
    }

    private static func root(_ directory: String) throws(SystemCallError) -> Folder {
        if mkdir(directory, 0o700) != 0, errno != EEXIST { throw SystemCallError("mkdir") }
        return try Folder(path: directory)
    }

    /// - Throws: `EWOULDBLOCK` from `flock` if another receiver uses the folder.
    private static func take(_ lock: PartFile) throws(SystemCallError) {
        let descriptor = lock.descriptor
        try SystemCallError.check("flock") {
            // A starting child shares every descriptor until its exec closes them: for that moment a released lock
            // still seems to be locked.
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

    /// Returns the bytes of the folder's file system: the free ones for this user, and all of them.
    func disk() throws(SystemCallError) -> (free: Int, capacity: Int) {
        var status = statvfs()
        let descriptor = root.descriptor
        try SystemCallError.check("statvfs") { fstatvfs(descriptor, &status) }
        func bytes(_ blocks: UInt64) -> Int {
            let (bytes, overflow) = blocks.multipliedReportingOverflow(by: UInt64(status.f_frsize))
            return overflow ? .max : Int(clamping: bytes)
        }
        return (bytes(UInt64(status.f_bavail)), bytes(UInt64(status.f_blocks)))
    }

    func create(_ id: String) throws(SystemCallError) -> PartFile {
        try work.file(Self.dataName(id), flags: O_RDWR | O_CREAT | O_EXCL)
    }

    func open(_ id: String) throws(SystemCallError) -> PartFile {
        try work.file(Self.dataName(id), flags: O_RDWR)
    }

    func discard(_ id: String) throws(SystemCallError) { try work.remove(Self.dataName(id)) }

    /// Gives a complete, synced upload its name: the requested one, or one with ` (2)` and so on if that is taken.
    /// - Parameter willUse: Called with each name before it is tried.
    /// - Returns: The path of the file, durably.
    func publish(
        _ id: String, as path: StoredPath, willUse: (StoredPath) throws(SystemCallError) -> Void = { _ in }
    ) throws(SystemCallError) -> StoredPath {
        var folder = root
        for name in path.folders { folder = try folder.makeFolder(name.text) }
        for number in 1...10_000 {
            let candidate = StoredPath(folders: path.folders, file: path.file.numbered(number))
            if !overwrite, folder.exists(candidate.file.text) { continue }
            try willUse(candidate)
            do throws(SystemCallError) {
                if overwrite {
                    try work.rename(Self.dataName(id), to: folder, as: candidate.file.text)
                } else {
                    try work.renameExclusively(Self.dataName(id), to: folder, as: candidate.file.text)
                }
            } catch {
                if error.code == .fileExists, !overwrite { continue }
                throw error
            }
            try folder.sync()
            try work.sync()
            return candidate
        }
        throw SystemCallError(call: "rename", code: .fileExists)
    }

    /// Returns a stored file for reading: only regular files, never through a link.
    func stored(_ path: StoredPath) throws(SystemCallError) -> (file: PartFile, status: PartFile.Status)? {
        do throws(SystemCallError) {
            var folder = root
            for name in path.folders { folder = try folder.folder(name.text) }
            let file = try folder.file(path.file.text, flags: O_RDONLY)
            let status = try file.status()
            return status.kind == .file ? (file, status) : nil
        } catch {
            if [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels, .noSuchAddressOrDevice]
                .contains(error.code)
            {
                return nil
            }
            throw error
        }
    }
}
