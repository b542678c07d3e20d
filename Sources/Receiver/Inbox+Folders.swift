import Foundation

/// A file or a folder below the directory, or the directory itself.
struct StoredEntry: Sendable {
    /// From the directory on; empty for the directory itself.
    let names: [SafeName]
    let status: PartFile.Status
}

/// What stands at a path.
enum Found: Sendable {
    case nothing
    /// What stands there first, then what is in it.
    case entries([StoredEntry])
    /// A folder with more names than the limit.
    case tooMany
}

/// What came of the wish for a new folder.
enum FolderMaking {
    case made
    case nameTaken
    case noParent
}

extension Inbox {
    /// What is asked of a folder: itself, or what is in it as well.
    enum Depth {
        case itself
        case children(limit: Int)
    }

    /// What stands at a path, and what is in it if that is a folder.
    ///
    /// The receiver's own folder is left out, and so are links and whatever else is no file
    /// or folder, and names that no request can have.
    func find(_ names: [SafeName], _ depth: Depth) throws(SystemError) -> Found {
        do throws(SystemError) {
            guard let last = names.last else { return try entries(in: root, [], depth) }
            let parent = try folder(names.dropLast())
            let status = try parent.status(of: last.text)
            switch status.kind {
            case .file: return .entries([StoredEntry(names: names, status: status)])
            case .folder: return try entries(in: try parent.folder(last.text), names, depth)
            case .other: return .nothing
            }
        } catch {
            if [ENOENT, ENOTDIR, ELOOP].contains(error.code) { return .nothing }
            throw error
        }
    }

    /// - Throws: `ENOTDIR` or `ELOOP` if a file or a link is in the way.
    func makeFolder(_ names: [SafeName]) throws(SystemError) -> FolderMaking {
        guard let last = names.last else { return .nameTaken }
        let parent: Folder
        do throws(SystemError) { parent = try folder(names.dropLast()) } catch {
            if error.code == ENOENT { return .noParent }
            throw error
        }
        do throws(SystemError) { try parent.makeNewFolder(last.text) } catch {
            if error.code == EEXIST { return .nameTaken }
            throw error
        }
        return .made
    }

    private func folder(_ names: ArraySlice<SafeName>) throws(SystemError) -> Folder {
        var folder = root
        for name in names { folder = try folder.folder(name.text) }
        return folder
    }

    private func entries(
        in folder: Folder, _ names: [SafeName], _ depth: Depth
    ) throws(SystemError) -> Found {
        var entries = [StoredEntry(names: names, status: try folder.status())]
        guard case .children(let limit) = depth else { return .entries(entries) }
        let texts = try folder.names(limit: limit + 1)
        guard texts.count <= limit else { return .tooMany }
        for text in texts {
            // A file may be gone again since its name was read.
            guard let name = try? SafeName(text), name.text == text,
                let status = try? folder.status(of: text),
                status.kind != .other
            else { continue }
            entries.append(StoredEntry(names: names + [name], status: status))
        }
        return .entries(entries)
    }
}
