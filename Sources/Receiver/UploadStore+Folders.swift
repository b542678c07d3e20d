import FerryFiles

/// A file or a folder in the receiver's directory, or the directory itself.
struct StoredEntry: Sendable {
    /// The components of the path below the receiver's directory; empty for the directory itself.
    let names: [SafeName]
    let status: FileStatus
}

/// The files and folders found at a path.
enum Found: Sendable {
    case nothing
    /// The entry at the path. If the entry is a folder and its content was requested, the entries of the folder follow.
    case entries([StoredEntry])
    /// The folder has more names than the limit.
    case tooMany
}

enum FolderMaking {
    case made
    case nameTaken
    case noParent
}

extension UploadStore {
    /// The extent of a search at a path: only the file or folder at the path, or also the entries of the folder. If the
    /// folder has more than `limit` names, the result is `Found.tooMany`.
    enum Depth {
        case itself
        case children(limit: Int)
    }

    /// Finds the file or folder at a path.
    ///
    /// Finds no symbolic links, no special files, and not the folder `.ferry`. Leaves out entries whose names no
    /// request can contain, for example names that begin with a dot.
    func find(_ names: [SafeName], _ depth: Depth) throws(SystemCallError) -> Found {
        do throws(SystemCallError) {
            guard let last = names.last else { return try entries(in: root, [], depth) }
            let parent = try folder(names.dropLast())
            let status = try parent.status(of: last.path)
            switch status.kind {
            case .file: return .entries([StoredEntry(names: names, status: status)])
            case .folder: return try entries(in: try open(last, in: parent), names, depth)
            case .link, .special, .missing: return .nothing
            }
        } catch {
            if [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(error.code) {
                return .nothing
            }
            throw error
        }
    }

    /// Creates a folder in an existing folder.
    /// - Throws: `SystemCallError`. The code is `ENOTDIR` or `ELOOP` if a component of the parent's path is a file or a
    ///   symbolic link. The code is `EDQUOT` if the quota is used up.
    func makeFolder(_ names: [SafeName]) throws(SystemCallError) -> FolderMaking {
        guard let last = names.last else { return .nameTaken }
        let parent: Directory
        do throws(SystemCallError) { parent = try folder(names.dropLast()) } catch {
            if error.code == .noSuchFileOrDirectory { return .noParent }
            throw error
        }
        do throws(SystemCallError) { try make(last, in: parent) } catch {
            if error.code == .fileExists { return .nameTaken }
            throw error
        }
        return .made
    }

    func folder(_ names: ArraySlice<SafeName>) throws(SystemCallError) -> Directory {
        var folder = root
        for name in names { folder = try open(name, in: folder) }
        return folder
    }

    private func entries(
        in folder: Directory, _ names: [SafeName], _ depth: Depth
    ) throws(SystemCallError) -> Found {
        var entries = [StoredEntry(names: names, status: try folder.status())]
        guard case .children(let limit) = depth else { return .entries(entries) }
        let listed = try folder.names(upTo: limit + 1)
        guard listed.count <= limit else { return .tooMany }
        for bytes in listed {
            // A file may have been removed since its name was read.
            guard let name = try? SafeName(String(decoding: bytes, as: UTF8.self)), name.path.bytes == bytes,
                let status = try? folder.status(of: name.path), [.file, .folder].contains(status.kind)
            else { continue }
            entries.append(StoredEntry(names: names + [name], status: status))
        }
        return .entries(entries)
    }
}
