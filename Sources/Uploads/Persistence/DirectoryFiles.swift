/// The state folder on disk, which contains the files of a queue.
package final class DirectoryFiles: StateFiles {
    package let path: String
    let directory: Directory

    init(_ directory: Directory, path: String) {
        self.directory = directory
        self.path = path
    }

    package func names() throws(SystemCallError) -> [String] {
        // Names that are not UTF-8 are never names of the queue.
        try directory.names().compactMap { String(validating: $0, as: UTF8.self) }
    }

    package func open(_ name: String, for access: FileAccess) throws(SystemCallError) -> (any StateFile)? {
        try openOwn(name, for: access == .reading ? .reading : .appending)
    }

    /// Opens a file; nil if there is none. Throws if it is no regular file that only this user can access.
    func openOwn(_ name: String, for access: OpenFile.Access) throws(SystemCallError) -> OpenFile? {
        do throws(SystemCallError) { return try openChecked(name, for: access) } catch {
            if error.code == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    func openLock(_ name: String) throws(SystemCallError) -> OpenFile { try openChecked(name, for: .locking) }

    private func openChecked(_ name: String, for access: OpenFile.Access) throws(SystemCallError) -> OpenFile
    {
        let file: OpenFile
        do throws(SystemCallError) { file = try directory.open(LocalPath(name), for: access) } catch {
            guard error.code == .tooManySymbolicLinkLevels else { throw error }
            throw danger(.symbolicLink, name, 0o777)
        }
        try check(file.status(), name)
        return file
    }

    package func create(_ name: String) throws(SystemCallError) -> any StateFile {
        try directory.open(LocalPath(name), for: .creating)
    }

    package func link(_ name: String, as other: String) throws(SystemCallError) {
        try directory.link(LocalPath(name), as: LocalPath(other))
    }

    package func rename(_ name: String, to other: String) throws(SystemCallError) {
        try directory.rename(LocalPath(name), to: LocalPath(other))
    }

    package func remove(_ name: String) throws(SystemCallError) {
        try directory.remove(LocalPath(name))
    }

    package func isSame(_ name: String, _ other: String) throws(SystemCallError) -> Bool {
        do throws(SystemCallError) {
            return try directory.status(of: LocalPath(name)).isSame(
                as: directory.status(of: LocalPath(other)))
        } catch {
            if error.code == .noSuchFileOrDirectory { return false }
            throw error
        }
    }

    package func synchronize() throws(SystemCallError) { try directory.synchronize() }

    private func check(_ status: FileStatus, _ name: String) throws(SystemCallError) {
        guard status.kind == .file else { throw danger(.notARegularFile, name, status.mode) }
        if let found = status.danger { throw danger(found, name, status.mode) }
        guard status.links <= 1 else {
            // A crash during a compaction, before its last rename, can leave the names of both snapshots on one file.
            guard status.links == 2, SnapshotFile.names.contains(name),
                try isSame(SnapshotFile.current, SnapshotFile.previous)
            else { throw danger(.otherNames(count: Int(status.links)), name, status.mode) }
            return
        }
    }

    private func danger(_ danger: JournalError.Danger, _ name: String, _ mode: UInt32) -> SystemCallError {
        SystemCallError(call: "openat", name: name, code: .notPermitted, danger: danger, mode: mode)
    }
}

extension OpenFile: StateFile {
    #if os(Linux)
        package func allocate(_ length: Int) throws(SystemCallError) {
            if try !reserve(length) { try fill(length) }
        }
    #endif
}
