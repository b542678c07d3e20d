import FerryFiles

/// A file or a folder in the receiver's directory, or the directory itself.
struct StoredEntry: Sendable {
    let names: [SafeName]
    let status: FileStatus
}

extension UploadStore {
    /// Finds the file or folder at a path; nil if there is none. If `childLimit` is not nil, the entries of the folder
    /// follow. A folder with more than `childLimit` names is refused.
    ///
    /// Finds no symbolic links, no special files, not the folder `.ferry`, and no names that no request can contain.
    func find(_ names: [SafeName], childLimit: Int?) throws -> [StoredEntry]? {
        do {
            guard let last = names.last else { return try entries(in: root, [], childLimit) }
            let parent = try folder(names.dropLast())
            let status = try parent.status(of: last.path)
            switch status.kind {
            case .file: return [StoredEntry(names: names, status: status)]
            case .folder: return try entries(in: try open(last, in: parent), names, childLimit)
            case .link, .special, .missing: return nil
            }
        } catch let error as SystemCallError where error.isNothingThere {
            return nil
        }
    }

    func folder(_ names: ArraySlice<SafeName>) throws(SystemCallError) -> Directory {
        var folder = root
        for name in names { folder = try open(name, in: folder) }
        return folder
    }

    private func entries(
        in folder: Directory, _ names: [SafeName], _ limit: Int?
    ) throws -> [StoredEntry] {
        var entries = [StoredEntry(names: names, status: try folder.status())]
        guard let limit else { return entries }
        let listed = try folder.names(upTo: limit + 1)
        guard listed.count <= limit else { throw WebDAVFolders.tooLong }
        for bytes in listed {
            guard let name = try? SafeName(String(decoding: bytes, as: UTF8.self)), name.path.bytes == bytes,
                let status = try? folder.status(of: name.path), [.file, .folder].contains(status.kind)
            else { continue }
            entries.append(StoredEntry(names: names + [name], status: status))
        }
        return entries
    }
}

extension SystemCallError {
    /// True if the error shows that no file or folder is at a path: the path leads through a file or a link, or to one.
    var isNothingThere: Bool {
        [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(code)
    }
}
