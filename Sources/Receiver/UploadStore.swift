import FerryFiles

/// The folder for received files, with `.ferry` inside it for unfinished uploads.
final class UploadStore: Sendable {
    let root: Directory
    let work: Directory
    private let workStatus: FileStatus
    private let lock: OpenFile
    private let overwrite: Bool
    private let quota: ByteQuota

    /// Opens the folder, or creates it with access for its owner only.
    /// - Throws: `.directory`, `.workFolder`, `.directoryInUse`.
    init(
        directory: String, overwrite: Bool, quota: ByteQuota = ByteQuota(limit: nil)
    ) throws(ReceiverError) {
        self.overwrite = overwrite
        self.quota = quota
        do throws(SystemCallError) {
            root = try Self.root(LocalPath(directory))
            work = try root.folderOrNew(LocalPath(SafeName.workFolder))
            workStatus = try work.status()
        } catch {
            throw .directory(directory, reason: error.reason)
        }
        // Users who can write in `.ferry` control the names of the uploads and the token.
        if let danger = workStatus.danger {
            throw .workFolder(
                directory + "/" + SafeName.workFolder,
                reason: danger == .openToOthers ? "others may use it" : "it belongs to another user")
        }
        let isOurs: Bool
        do throws(SystemCallError) {
            lock = try work.open(Self.lockName, for: .locking)
            isOurs = try Self.take(lock)
        } catch {
            throw .directory(directory, reason: error.reason)
        }
        guard isOurs else { throw .directoryInUse(directory) }
    }

    private static func root(_ path: LocalPath) throws(SystemCallError) -> Directory {
        do throws(SystemCallError) { try path.makeFolder() } catch {
            guard error.code == .fileExists else { throw error }
        }
        return try Directory(path, follows: true)
    }

    /// Takes the lock of the folder. Returns false if another receiver holds it for a second.
    private static func take(_ lock: OpenFile) throws(SystemCallError) -> Bool {
        // A child process shares every descriptor until its exec: for that moment, a released lock appears locked.
        for _ in 0..<40 {
            if try lock.tryLock() { return true }
            DetachedThread.sleep(for: .milliseconds(25))
        }
        return try lock.tryLock()
    }

    static let lockName = LocalPath("lock")

    /// Opens a subfolder that a request names. Throws `ENOENT` for `.ferry`, which vfat also knows as `FERRY~1`.
    func open(_ name: SafeName, in folder: Directory) throws(SystemCallError) -> Directory {
        let next = try folder.folder(name.path)
        guard try !next.status().isSame(as: workStatus) else {
            throw SystemCallError(call: "openat", code: .noSuchFileOrDirectory)
        }
        return next
    }

    /// Creates a folder, which counts against the quota.
    func make(_ name: SafeName, in folder: Directory) throws(SystemCallError) {
        try quota.countEntry { () throws(SystemCallError) in try folder.makeFolder(name.path) }
    }

    private func openOrMake(_ name: SafeName, in folder: Directory) throws(SystemCallError) -> Directory {
        do throws(SystemCallError) { return try open(name, in: folder) } catch {
            guard error.code == .noSuchFileOrDirectory else { throw error }
        }
        do throws(SystemCallError) { try make(name, in: folder) } catch {
            guard error.code == .fileExists else { throw error }
        }
        return try open(name, in: folder)
    }

    static func dataName(_ id: String) -> LocalPath { LocalPath("\(id).part") }

    /// Creates the empty data file of an upload, which counts against the quota.
    func create(_ id: String) throws(SystemCallError) -> OpenFile {
        try quota.countEntry { () throws(SystemCallError) in
            try work.open(Self.dataName(id), for: .creatingForWriting)
        }
    }

    func open(_ id: String) throws(SystemCallError) -> OpenFile {
        try work.open(Self.dataName(id), for: .writing)
    }

    func discard(_ id: String) throws(SystemCallError) { try work.remove(Self.dataName(id)) }

    /// Moves the synced data file of an upload to the requested path, and creates missing folders. Adds a number to the
    /// name, such as ` (2)`, if the path is taken and may not be replaced.
    /// - Parameters:
    ///   - onlyNew: True to throw `EEXIST` if the path is taken, even if `overwrite` is true.
    ///   - willUse: Called before each attempt to rename the data file, with the path of this attempt.
    /// - Returns: The final path of the file. The rename is durable.
    func publish(
        _ id: String, as path: StoredPath, onlyNew: Bool = false,
        willUse: (StoredPath) throws(SystemCallError) -> Void = { _ in }
    ) throws(SystemCallError) -> StoredPath {
        let replaces = overwrite && !onlyNew
        var folder = root
        for name in path.folders { folder = try openOrMake(name, in: folder) }
        for number in 1...(onlyNew ? 1 : 10_000) {
            let candidate = StoredPath(folders: path.folders, file: path.file.numbered(number))
            let name = candidate.file.path
            if !replaces, (try? folder.status(of: name)) != nil { continue }
            try willUse(candidate)
            do throws(SystemCallError) {
                if replaces {
                    try work.rename(Self.dataName(id), to: name, in: folder)
                } else {
                    try work.rename(Self.dataName(id), toFree: name, in: folder)
                }
            } catch {
                if error.code == .fileExists, !replaces { continue }
                throw error
            }
            try folder.synchronize()
            try work.synchronize()
            return candidate
        }
        throw SystemCallError(call: "rename", code: .fileExists)
    }

    /// Opens a stored file for reading; nil if there is none at the path.
    func stored(_ path: StoredPath) throws(SystemCallError) -> (file: OpenFile, status: FileStatus)? {
        do throws(SystemCallError) {
            let file = try folder(path.folders[...]).open(path.file.path, for: .reading)
            let status = try file.status()
            return status.kind == .file ? (file, status) : nil
        } catch {
            if error.isNothingThere || error.code == .noSuchAddressOrDevice { return nil }
            throw error
        }
    }
}
