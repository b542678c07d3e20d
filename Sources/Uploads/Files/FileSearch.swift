public import Transfer
import UploadProtocols

/// Turns paths, patterns and folders into the files they stand for.
///
/// What a person names is followed through symbolic links; what is found in a folder is not, and hidden names are
/// passed over there: `.ssh` and `.env` go nowhere by accident.
public struct FileSearch: Sendable {
    /// Deeper than this is a loop made of mounts.
    private static let depthLimit = 64

    private let isRecursive: Bool

    /// - Parameter isRecursive: Whether a folder stands for everything below it.
    public init(isRecursive: Bool) { self.isRecursive = isRecursive }

    /// - Parameter paths: Absolute, or relative to the working directory. One that does not exist as it is written
    ///   and holds `*`, `?` or `[` is a pattern; `**` stands for any number of folders.
    /// - Returns: Every file once, in the order named, with what was left out and why.
    public func find(_ paths: [LocalPath]) -> FileSelection {
        var search = State(isRecursive: isRecursive)
        for path in paths { search.take(path) }
        return search.selection
    }

    private struct State {
        let isRecursive: Bool
        var selection = FileSelection()
        private var seen: Set<LocalPath> = []

        init(isRecursive: Bool) { self.isRecursive = isRecursive }

        mutating func take(_ path: LocalPath) {
            let kind = EntryKind.of(path, follows: true)
            guard kind == .missing, GlobPattern.isPattern(path.bytes) else {
                return add(path, kind: kind, relativeName: path.name)
            }
            let before = (selection.files.count, selection.problems.count)
            expand(
                Array(path.bytes.split(separator: 0x2F)),
                below: LocalPath(path.bytes.first == 0x2F ? "/" : "."), depth: 0)
            if before == (selection.files.count, selection.problems.count) {
                selection.problems.append(.init(path: path, reason: "nothing matches"))
            }
        }

        private mutating func expand(_ components: [ArraySlice<UInt8>], below folder: LocalPath, depth: Int) {
            guard let first = components.first, depth < FileSearch.depthLimit else { return }
            let rest = Array(components.dropFirst())
            if Array(first) == Array("**".utf8) {
                if !rest.isEmpty { expand(rest, below: folder, depth: depth) }
                for name in FolderListing.names(in: folder) ?? [] where name.first != 0x2E {
                    let path = folder.below(name)
                    switch EntryKind.of(path, follows: false) {
                    case .folder: expand(components, below: path, depth: depth + 1)
                    case .file where rest.isEmpty: add(path, kind: .file, relativeName: path.name)
                    case .file, .link, .other, .missing: break
                    }
                }
                return
            }
            guard GlobPattern.isPattern(first) else {
                let path = folder.below(Array(first))
                let kind = EntryKind.of(path, follows: true)
                if rest.isEmpty, kind != .missing { add(path, kind: kind, relativeName: path.name) }
                if !rest.isEmpty, kind == .folder { expand(rest, below: path, depth: depth + 1) }
                return
            }
            let pattern = GlobPattern(Array(first))
            for name in FolderListing.names(in: folder) ?? [] where pattern.matches(name) {
                let path = folder.below(name)
                let kind = EntryKind.of(path, follows: true)
                if rest.isEmpty {
                    add(path, kind: kind, relativeName: path.name)
                } else if kind == .folder {
                    expand(rest, below: path, depth: depth + 1)
                }
            }
        }

        private mutating func add(_ path: LocalPath, kind: EntryKind, relativeName: String) {
            guard seen.insert(path).inserted else { return }
            switch kind {
            case .missing: selection.problems.append(.init(path: path, reason: "no such file"))
            case .folder where isRecursive: walk(path, prefix: path.name, depth: 0)
            case .folder: selection.problems.append(.init(path: path, reason: "is a folder; add --recursive"))
            case .file, .link, .other:
                do throws(UploadFailure) {
                    let identity = try SourceFile.identity(at: path)
                    selection.files.append(.init(path: path, identity: identity, relativeName: relativeName))
                } catch {
                    let reason = error.summary.dropFirst(path.text.count + 2)
                    selection.problems.append(.init(path: path, reason: String(reason)))
                }
            }
        }

        private mutating func walk(_ folder: LocalPath, prefix: String, depth: Int) {
            guard depth < FileSearch.depthLimit else {
                return selection.problems.append(.init(path: folder, reason: "is nested too deeply"))
            }
            guard let names = FolderListing.names(in: folder) else {
                return selection.problems.append(.init(path: folder, reason: "cannot be read"))
            }
            for name in names {
                let path = folder.appending(name)
                if name.first == 0x2E {
                    selection.problems.append(.init(path: path, reason: "is hidden; name it to add it"))
                    continue
                }
                let relative = prefix.isEmpty ? path.name : "\(prefix)/\(path.name)"
                switch EntryKind.of(path, follows: false) {
                case .folder: walk(path, prefix: relative, depth: depth + 1)
                case .link:
                    selection.problems.append(
                        .init(path: path, reason: "is a symbolic link; name it to add it"))
                case .file, .other, .missing: add(path, kind: .file, relativeName: relative)
                }
            }
        }
    }
}

extension LocalPath {
    /// As `appending`, without the `./` that a search in the working directory would show.
    fileprivate func below(_ name: [UInt8]) -> LocalPath {
        bytes == [0x2E] ? LocalPath(bytes: name) : appending(name)
    }
}
