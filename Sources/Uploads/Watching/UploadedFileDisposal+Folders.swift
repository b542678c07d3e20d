/// The functions that open the folder of an uploaded file and its target folder.
extension UploadedFileDisposal {
    struct Folder {
        let directory: Directory
        let path: LocalPath

        func version(of name: LocalPath) -> FileIdentity? {
            guard let status = try? directory.status(of: name), status.kind == .file else { return nil }
            return status.identity
        }

        /// True if `name` in this folder and `other` in `folder` are names of the same regular file.
        func has(_ name: LocalPath, as other: LocalPath, in folder: Folder) -> Bool {
            guard let one = version(of: name), let other = folder.version(of: other) else { return false }
            return one.inode == other.inode && one.device == other.device
        }
    }

    /// The error that a folder cannot be opened or created, or that another user controls it or its path.
    struct Refusal: Error {
        let reason: String
    }

    /// The IDs of the users whose symbolic links Ferry follows: this user and root.
    private static var trusted: Set<UInt32> { [Machine.user, 0] }

    /// Opens the folder of the uploaded file, if it exists. Throws if this fails, or if a symbolic link in its path
    /// belongs neither to this user nor to root.
    func source() throws(Refusal) -> Folder? {
        guard let folder = path.parent else { return nil }
        do throws(SystemCallError) {
            let walk = try TrustedWalk(folder, trusting: Self.trusted)
            return Folder(directory: walk.directory, path: folder)
        } catch {
            if error.code == .noSuchFileOrDirectory || error.code == .notDirectory { return nil }
            throw Self.refusal(error, folder)
        }
    }

    /// Opens the last folder in `names`, below `folder`, to which the uploaded file is moved. Creates missing folders.
    ///
    /// Another user is possibly allowed to write to a folder on the path. So only symbolic links of this user and of
    /// root are followed, and `folder` and those below it must belong to them or to the owner of `source`.
    func target(
        _ folder: LocalPath, _ names: some Sequence<[UInt8]>, from source: Folder?
    ) throws(Refusal) -> Folder {
        var owners = Self.trusted
        if let status = try? source?.directory.status() { owners.insert(status.owner) }
        // `lastComponent` is empty if the path ends with a slash. The root has no component.
        let last: [UInt8] = folder.bytes.split(separator: 0x2F).last.map { Array($0) } ?? [0x2E]
        let all: [[UInt8]] = [last] + names
        var path = folder
        do throws(SystemCallError) {
            var walk = try TrustedWalk(folder.parent ?? folder, trusting: Self.trusted)
            for (index, name) in all.enumerated() {
                if index > 0 { path = path.appending(name) }
                try Self.enter(LocalPath(bytes: name), &walk)
                let status = try walk.directory.status()
                guard owners.contains(status.owner) else {
                    throw SystemCallError(
                        call: "fstat", code: .notPermitted, danger: .owner(status.owner), mode: status.mode)
                }
            }
            return Folder(directory: walk.directory, path: path)
        } catch {
            throw Self.refusal(error, path)
        }
    }

    private static func enter(_ name: LocalPath, _ walk: inout TrustedWalk) throws(SystemCallError) {
        do throws(SystemCallError) { return try walk.enter(name) } catch {
            guard error.code == .noSuchFileOrDirectory else { throw error }
        }
        do throws(SystemCallError) { try walk.directory.makeFolder(name, mode: 0o777) } catch {
            guard error.code == .fileExists else { throw error }
        }
        try walk.enter(name)
    }

    private static func refusal(_ error: SystemCallError, _ path: LocalPath) -> Refusal {
        guard case .owner(let owner)? = error.danger else {
            return Refusal(reason: "\(path.text) cannot be opened or created: \(error.code.phrase)")
        }
        let name = Machine.name(of: owner)
        guard error.name.isEmpty else {
            return Refusal(
                reason: "\(error.name) is a symbolic link of another user (\(name)), which is not followed; "
                    + "remove it, or move files to a folder of your own")
        }
        return Refusal(
            reason: "\(path.text) belongs to another user (\(name)); move files to a folder of your own")
    }
}
